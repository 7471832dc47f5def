// The playground in a real browser, as a person uses it: an error while one types and its fix, completion, meaning,
// renaming, layout, a build with its report and files, stopping, links, dropped files, a phone, the keyboard alone.
//
//   node playground.mjs FOLDER FABC           what `playground/build` wrote, and the binary to compare with
//   FABC_CHROMIUM=/path/to/chromium           where it is not /usr/bin/chromium
//   FABC_SHOTS=DIR                            pictures, to look at
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "./host.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const [folder, fabc] = process.argv.slice(2).map((path) => resolve(path));
const scratch = mkdtempSync(join(tmpdir(), "fabc-playground-"));
const failures = [];
let checks = 0;

function expect(holds, what) {
  checks += 1;
  if (!holds) failures.push(what);
}
const equal = (found, wanted, what) => expect(found === wanted, `${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);

const { server, home } = await serve(folder);
const browser = await chromium.launch({ executablePath: process.env.FABC_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

async function open(fragment = "", { width = 1400, colorScheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.on("console", (message) => expect(!["error", "warning"].includes(message.type()), `console: ${message.text()}`));
  page.on("pageerror", (error) => expect(false, `script: ${error.message}`));
  page.on("request", (request) => expect(/^(blob:|about:)/.test(request.url()) || request.url().startsWith(home), `loads ${request.url()}`));
  await page.goto(home + fragment);
  await page.waitForFunction(() => document.body.dataset.ready);
  return page;
}

const spec = (page) => page.evaluate(() => document.querySelector(".cm-content").cmTile.view.state.doc.toString());
const checked = (page, pattern) => page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector("#check").textContent), pattern.source);

/** Puts the cursor behind a text of the editor. */
async function behind(page, text) {
  await page.evaluate((text) => {
    const { view } = document.querySelector(".cm-content").cmTile;
    const at = view.state.doc.toString().indexOf(text) + text.length;
    view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    view.focus();
  }, text);
}

async function accessible(page, where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  for (const { id, impact, help, nodes } of violations) expect(false, `${where}: ${impact} ${id}: ${help}: ${nodes[0].html.slice(0, 160)}`);
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(content <= window, `${where}: is ${content} px wide`);
}

async function shot(page, name) {
  if (process.env.FABC_SHOTS) await page.screenshot({ path: join(process.env.FABC_SHOTS, `playground_${name}.png`) });
}

const TINY = 'fabric tiny {\n    network { topology = ring { routers = 6; } vcs = 2; }\n}\n';

// An error while one types: the same as that of `fabc check`, and its fix.
{
  const page = await open("#example=specs/networks/kautz_80.fab");
  await checked(page, /^kautz_80: no errors/);
  await behind(page, "routing = ");
  const before = await spec(page);
  await page.keyboard.type("x");
  await page.waitForSelector(".cm-lintRange-error");
  await checked(page, /error/);
  expect((await page.textContent("#sources")).includes("(1)"), "the file does not count its error");
  await page.hover(".cm-lintRange-error");
  await page.waitForSelector(".cm-tooltip-lint");
  writeFileSync(join(scratch, "kautz_80.fab"), await spec(page));
  let message;
  try {
    execFileSync(fabc, ["check", "kautz_80.fab", "--message-format", "json"], { cwd: scratch, stdio: "pipe" });
  } catch (error) {
    message = JSON.parse(String(error.stderr).split("\n")[0]);
  }
  const shown = await page.textContent(".cm-tooltip-lint");
  expect(shown.includes(message.code) || shown.includes(message.message), `the finding says ${shown}, fabc says ${JSON.stringify(message)}`);
  await shot(page, "error");
  const fix = await page.$(".cm-diagnosticAction");
  if (fix) {
    await fix.click();
    await checked(page, /no errors/);
    equal(await spec(page), before, "the fix");
  } else {
    await page.keyboard.press("Backspace");
    await checked(page, /no errors/);
  }
  await page.context().close();
}

// Completion, meaning, renaming, layout.
{
  const page = await open("#example=specs/scale_of_n.fab");
  await checked(page, /no errors/);
  await page.waitForSelector(".word-keyword");
  await behind(page, "topology = ");
  await page.keyboard.press("Control+Space");
  await page.waitForSelector(".cm-tooltip-autocomplete li");
  expect((await page.$$(".cm-tooltip-autocomplete li")).length >= 3, "few completions");
  await page.keyboard.press("Escape");
  const at = await page.evaluate(() => {
    const word = [...document.querySelectorAll(".word-property")].find((word) => word.textContent === "topology").getBoundingClientRect();
    return { x: word.x + word.width / 2, y: word.y + word.height / 2 };
  });
  await page.mouse.move(at.x, at.y);
  await page.waitForSelector(".cm-lsp-hover-tooltip, .cm-tooltip-hover");
  await page.mouse.move(0, 0);
  await behind(page, "param ");
  await page.keyboard.press("F2");
  const field = await page.waitForSelector(".cm-panel input");
  await field.fill("size");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /param size\b/.test(document.querySelector(".cm-content").cmTile.view.state.doc.toString()));
  await checked(page, /no errors/);
  const laid = await spec(page);
  await behind(page, "param size");
  await page.keyboard.type("    ");
  await page.click("#format");
  await page.waitForFunction((laid) => document.querySelector(".cm-content").cmTile.view.state.doc.toString() === laid, laid);
  await page.context().close();
}

// A build: its output, its report, its files to the byte. Then other commands on what it wrote.
{
  const page = await open("#example=specs/networks/kautz_80.fab");
  await checked(page, /no errors/);
  await page.fill("#command", "build kautz_80.fab --quiet");
  await page.press("#command", "Enter");
  await page.waitForSelector("iframe");
  const report = page.frames().find((frame) => frame !== page.mainFrame());
  await report.waitForSelector("h1");
  equal(await report.textContent("h1"), "kautz_80", "the heading of the report");
  await shot(page, "report");
  await page.click("#tab-files");
  execFileSync(fabc, ["build", "specs/networks/kautz_80.fab", "--quiet", "--out", join(scratch, "out")], { stdio: "inherit" });
  const listed = await page.$$eval("#outputs tr td:first-child", (cells) => cells.map(({ textContent }) => textContent));
  expect(listed.includes("out/kautz_80/manifest.json"), `files: ${listed}`);
  const [single] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download out/kautz_80/report.json", exact: true }).click()]);
  equal(single.suggestedFilename(), "report.json", "a file");
  const [zip] = await Promise.all([page.waitForEvent("download"), page.click("#zip")]);
  equal(zip.suggestedFilename(), "kautz_80.zip", "the archive");
  await zip.saveAs(join(scratch, "all.zip"));
  execFileSync("python3", ["-m", "zipfile", "-e", join(scratch, "all.zip"), join(scratch, "unpacked")]);
  for (const path of [...listed, "kautz_80.fab"]) {
    const wanted = path.startsWith("out/") ? join(scratch, path) : join("specs/networks", path);
    expect(readFileSync(join(scratch, "unpacked", path)).equals(readFileSync(wanted)), `${path} has other bytes`);
  }
  await shot(page, "files");
  await page.click("#outputs tr td button");
  expect(!(await page.isHidden("#preview")), "a file is not shown");
  await page.fill("#command", "verify out/kautz_80");
  await page.press("#command", "Enter");
  await page.waitForFunction(() => /exit code 0/.test(document.querySelector("#output").textContent));
  await page.fill("#command", "explain FAB0101");
  await page.press("#command", "Enter");
  await page.waitForFunction(() => /FAB0101: /.test(document.querySelector("#output").textContent));
  await page.context().close();
}

// A link carries everything, stopping leaves the page as it was, and the keyboard is enough.
{
  const page = await open("#example=specs/pod_256.fab");
  await checked(page, /no errors/);
  await page.focus("#command");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#progress progress");
  await shot(page, "progress");
  await page.waitForSelector("#stop:not([hidden])");
  await page.focus("#stop");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /stopped/.test(document.querySelector("#output").textContent));
  await behind(page, "seed = ");
  await page.keyboard.type("4");
  await checked(page, /no errors/);
  const text = await spec(page);
  await page.click("#share");
  const link = page.url();
  expect(link.includes("#project="), `the link is ${link}`);
  const other = await open(link.slice(home.length));
  await checked(other, /no errors/);
  equal(await spec(other), text, "the linked spec");
  equal(await other.textContent("#sources"), await page.textContent("#sources"), "the linked files");
  await other.context().close();
  await page.context().close();
  const damaged = await open(link.slice(home.length, -40));
  expect(/cannot be read/.test(await damaged.textContent("#sentence")), "a damaged link is not told");
  await damaged.context().close();
}

// A build that is too large for a page is told before it begins, with the command. It can be begun all the same.
{
  const page = await open("#example=specs/pod_8192.fab");
  await checked(page, /no errors .*This build takes about .* of a page/);
  await page.click("#run");
  await page.waitForSelector("#anyway");
  const offer = await page.textContent("#progress");
  expect(/This build takes about \d+ (seconds|minutes) on the one thread of a page.* On your machine: fabc build pod_8192\.fab/.test(offer), offer);
  await shot(page, "too_large");
  await page.fill("#command", "build pod_8192.fab --until synthesize");
  await page.waitForFunction(() => document.querySelector("#progress").textContent === "");
  await page.fill("#command", "build pod_8192.fab");
  await checked(page, /This build takes/);
  await page.click("#run");
  await page.click("#anyway");
  await page.waitForSelector("#stop:not([hidden])");
  await page.click("#stop");
  await page.waitForFunction(() => /stopped/.test(document.querySelector("#output").textContent));
  await page.context().close();
}

// Findings in files that the editor does not show are listed, and lead there.
{
  const page = await open("#example=specs/pod_128.fab");
  await checked(page, /no errors/);
  expect(await page.isHidden("#elsewhere"), "findings where there are none");
  await page.getByRole("button", { name: "parts/tpu_v4.fab", exact: true }).click();
  await behind(page, "radix = ");
  await page.keyboard.type("x");
  await checked(page, /error/);
  await page.getByRole("button", { name: "pod_128.fab", exact: true }).click();
  const finding = await page.waitForSelector("#elsewhere button.bad");
  expect(/^parts\/tpu_v4\.fab:\d+: /.test(await finding.textContent()), await finding.textContent());
  await shot(page, "elsewhere");
  await finding.click();
  await page.waitForFunction(() => document.querySelector("#sources .open")?.textContent.startsWith("parts/tpu_v4.fab"));
  const line = await page.evaluate(() => {
    const { state } = document.querySelector(".cm-content").cmTile.view;
    return state.doc.lineAt(state.selection.main.head).text;
  });
  expect(line.includes("radix = x"), `the finding leads to ${line}`);
  await page.context().close();
}

// A block of the book, with the files that it needs.
{
  const page = await open("#block=language/0");
  await checked(page, /no errors/);
  await page.context().close();
}

// Files that are dropped on the page.
{
  const page = await open();
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "tiny.fab"));
    return data;
  }, TINY);
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
  await page.waitForFunction(() => /tiny\.fab/.test(document.querySelector("#sources .open").textContent));
  equal(await spec(page), TINY, "the dropped file");
  await page.context().close();
}

// A phone, and both color schemes.
for (const [width, colorScheme] of [[390, "light"], [390, "dark"], [1400, "light"], [1400, "dark"]]) {
  const page = await open("#example=specs/networks/kautz_80.fab", { width, colorScheme });
  await checked(page, /no errors/);
  await page.waitForSelector(".word-keyword");
  await accessible(page, `at ${width} px, ${colorScheme}`);
  await shot(page, `${width}_${colorScheme}`);
  await page.click("#run");
  await page.waitForSelector("iframe");
  await accessible(page, `with a report at ${width} px, ${colorScheme}`);
  expect(width > 820 || (await page.isHidden("#spec")), "a phone shows spec and result at once");
  await page.click("#tab-files");
  await accessible(page, `with files at ${width} px, ${colorScheme}`);
  await shot(page, `${width}_${colorScheme}_files`);
  await page.context().close();
}

await browser.close();
server.close();
rmSync(scratch, { recursive: true });
if (failures.length > 0) {
  console.error([...new Set(failures)].join("\n"));
  process.exit(1);
}
console.log(`the playground: ${checks} checks hold`);
