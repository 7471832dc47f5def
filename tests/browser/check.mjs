// Opens report pages from disk in a real browser and asks of them what a reader would: no error, nothing
// loaded, sorting, searching and picking out work by mouse and keyboard, nothing is wider than a phone, axe-core
// finds nothing serious, in light and dark, and without scripts everything is there.
//
//   node check.mjs PAGE_OR_DIRECTORY..        a directory stands for its report.html
//   FABC_CHROMIUM=/path/to/chromium           where it is not /usr/bin/chromium
//   FABC=/path/to/fabc                        routes of pages in built directories are compared with `fabc route`
//   FABC_SHOTS=DIR                            pictures of every page, to look at
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const pages = process.argv.slice(2).map((path) => resolve(statSync(path).isDirectory() ? join(path, "report.html") : path));
const name = (path) => (basename(path) === "report.html" ? basename(dirname(path)) : basename(path, ".html"));
const failures = [];
let checks = 0;

function expect(holds, page, what) {
  checks += 1;
  if (!holds) failures.push(`${page}: ${what}`);
}

// Both axes of what the page must fit.
const VIEWS = [390, 1600].flatMap((width) => ["light", "dark"].map((colorScheme) => ({ width, colorScheme })));

async function open(browser, path, { width, colorScheme, javaScriptEnabled = true }) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, javaScriptEnabled });
  const page = await context.newPage();
  const url = pathToFileURL(path).href;
  page.on("console", (message) => expect(message.type() !== "error" && message.type() !== "warning", name(path), `console: ${message.text()}`));
  page.on("pageerror", (error) => expect(false, name(path), `script: ${error.message}`));
  page.on("request", (request) => expect(request.url() === url, name(path), `loads ${request.url()}`));
  await page.goto(url);
  return page;
}

async function look(browser, path) {
  for (const view of VIEWS) {
    const page = await open(browser, path, view);
    const where = `${name(path)} at ${view.width} px, ${view.colorScheme}`;
    if (await page.locator("#explore").count()) await page.waitForSelector("#explorer[data-ready]", { timeout: 5000 }).catch(() => expect(false, where, "the explorer is not ready"));
    if (process.env.FABC_SHOTS) {
      await page.screenshot({ path: join(process.env.FABC_SHOTS, `${name(path)}_${view.width}_${view.colorScheme}.png`), fullPage: true });
    }
    await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(content <= window, where, `is ${content} px wide`);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => {
      // Later lines of long tables and lists say the same of themselves, and axe-core takes minutes for thousands.
      document.querySelectorAll("tbody tr:nth-child(n + 12), td i:nth-of-type(n + 12)").forEach((line) => line.remove());
      return window.axe.run(document, { resultTypes: ["violations"] });
    });
    for (const { id, impact, nodes, help } of violations.filter(({ impact }) => ["serious", "critical"].includes(impact))) {
      const first = nodes[0];
      expect(false, where, `${impact} ${id}: ${help}: ${nodes.length}, first ${first.html.slice(0, 160)}; ${first.failureSummary?.split("\n")[1]?.trim()}`);
    }
    expect(true, where, "axe-core ran");
    await page.context().close();
  }
}

// What stands in the page, whatever its scripts do.
async function read(page, path) {
  const facts = await page.evaluate(() => {
    const all = (selector) => Array.from(document.querySelectorAll(selector));
    return {
      unnamed: all("svg").filter((svg) => svg.getAttribute("role") !== "img" || !svg.querySelector("title")?.textContent || !svg.getAttribute("aria-label")).length,
      empty: all("table.cells td:not(.none)").filter((cell) => cell.closest("tbody") && !cell.textContent.trim()).length,
      lost: all("a[href^='#']").filter((link) => !document.getElementById(link.getAttribute("href").slice(1))).length,
      twice: all("[id]").map((element) => element.id).filter((id, at, ids) => ids.indexOf(id) !== at),
      network: document.getElementById("fabric-title")?.textContent === "The network",
      foreign: document.querySelector("main").innerText.match(/\b(cubes?|OCS(es)?|pods?|chips?|cross-connects?)\b/gi) ?? [],
      sections: all("nav a").map((link) => link.textContent),
      first: all("section")[0].id,
    };
  });
  expect(facts.unnamed === 0, name(path), `${facts.unnamed} pictures say nothing to a screen reader`);
  expect(facts.empty === 0, name(path), `${facts.empty} cells have a color and no text`);
  expect(facts.lost === 0, name(path), `${facts.lost} links within the page lead nowhere`);
  expect(facts.twice.length === 0, name(path), `ids stand twice: ${facts.twice.slice(0, 3)}`);
  expect(!facts.network || facts.foreign.length === 0, name(path), `a network has words of pods: ${facts.foreign.slice(0, 5)}`);
  expect(!facts.sections.includes("Verdict") || facts.first === "verdict", name(path), "the verdict is not first");
}

// Every column of every sortable table, by mouse and by keyboard.
async function sort(page, path) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
  const tables = await page.locator("table.sortable").all();
  for (const table of tables) {
    const rows = () => table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent.trim())));
    const before = await rows();
    const buttons = await table.locator("thead button").all();
    expect(buttons.length === before[0].length, name(path), "a column of a sortable table has no button");
    for (const [column, button] of buttons.entries()) {
      for (const press of [() => button.click(), () => button.press("Enter")]) {
        await press();
        const order = await table.locator("thead th").nth(column).getAttribute("aria-sort");
        const after = await rows();
        const values = after.map((row) => row[column]);
        const numbers = values.map((value) => Number(value.replace(/,/g, "")));
        const sign = order === "ascending" ? 1 : -1;
        const sorted = numbers.every((number) => !Number.isNaN(number))
          ? numbers.every((number, at) => at === 0 || sign * (number - numbers[at - 1]) >= 0)
          : values.every((value, at) => at === 0 || sign * value.localeCompare(values[at - 1], "en", { numeric: true }) >= 0);
        expect(["ascending", "descending"].includes(order) && sorted, name(path), `column ${column} is not ${order}`);
        expect(JSON.stringify([...after].sort()) === JSON.stringify([...before].sort()), name(path), "sorting lost rows");
      }
    }
  }
  return tables.length;
}

async function search(page, path) {
  const visible = (selector) => page.locator(selector).evaluateAll((elements) => elements.filter((element) => element.checkVisibility()).map((element) => element.textContent.trim()));
  if (await page.locator("#find-fault").count()) {
    const all = await visible("#all-faults tbody tr");
    const last = await page.locator("#all-faults tbody th").last().textContent();
    await page.fill("#find-fault", last.trim());
    const found = await visible("#all-faults tbody tr");
    expect(found.length > 0 && found.length <= all.length && found.every((row) => row.includes(last.trim())), name(path), "a fault is not found by its name");
    await page.fill("#find-fault", "nosuchfault");
    expect((await visible("#all-faults tbody tr")).length === 0, name(path), "nonsense finds a fault");
    const link = page.locator("a[href^='#fault-']").last();
    if (await link.count()) {
      await link.press("Enter");
      const target = await page.evaluate(() => document.querySelector("tr:target")?.checkVisibility());
      expect(target === true, name(path), "a cell of the fault map does not lead to its line");
    }
    await page.fill("#find-fault", "");
    expect((await visible("#all-faults tbody tr")).length === all.length, name(path), "faults stay hidden");
  }
  if (await page.locator("#find-setting").count()) {
    const all = await visible("#all-settings i");
    const cubes = (text) => text.split(" ")[0].split("\u2013").map((end) => parseInt(end.replace("cube", ""), 10));
    const cube = cubes(all[all.length - 1])[0];
    await page.fill("#find-setting", `cube ${cube}`);
    const found = await visible("#all-settings i");
    const expected = all.filter((text) => cubes(text).includes(cube)).length;
    expect(found.length === expected && found.every((text) => cubes(text).includes(cube)), name(path), `cube ${cube}: ${found.length} of ${expected} cross-connects`);
    const told = await page.locator("#found-settings").textContent();
    expect(told.startsWith(`${expected} `), name(path), `the search tells ${told}`);
    const port = all[0].split(" ")[1].split("-")[0];
    await page.fill("#find-setting", port);
    const ports = await visible("#all-settings i");
    expect(ports.length === all.filter((text) => text.split(" ").slice(1).join("-").split("-").includes(port)).length && ports.length > 0, name(path), `port ${port} is not found`);
    const first = await page.locator("#all-settings tbody th").first().textContent();
    await page.fill("#find-setting", first);
    expect((await visible("#all-settings tbody th")).includes(first), name(path), "a switch is not found by its name");
    await page.fill("#find-setting", "nosuchswitch");
    expect((await visible("#all-settings i")).length === 0, name(path), "nonsense finds a cross-connect");
    await page.fill("#find-setting", "");
    expect((await visible("#all-settings i")).length === all.length, name(path), "cross-connects stay hidden");
  }
}

async function pick(page, path) {
  const picked = () => page.evaluate(() => [document.querySelectorAll(".on").length, document.querySelectorAll("#joined.picking").length]);
  if (!(await page.locator("#pick").count())) return;
  await page.locator("#pick").focus();
  await page.keyboard.press("ArrowDown");
  const [on, picking] = await picked();
  expect(on > 0 && picking === 1, name(path), "nothing is picked out");
  await page.selectOption("#pick", "");
  expect((await picked())[0] === 0, name(path), "something stays picked out");
}

// The ranks of every job, colored by each axis, by keyboard. A rank is found by its number and by its chip.
async function colorRanks(page, path) {
  const maps = await page.locator("fieldset.ranks").all();
  for (const [index, map] of maps.entries()) {
    const where = `${name(path)}, ranks of job ${index}`;
    const cells = (selector) => map.locator(selector).evaluateAll((paths) => paths.map((path) => (path.getAttribute("d") ?? "").split("M").length - 1).reduce((sum, count) => sum + count, 0));
    const count = await cells("path.cells");
    const axes = (await map.getAttribute("data-axes")).split(",").map((axis) => axis.split(" "));
    const listed = await map.locator("tbody i").allTextContents();
    expect(count === listed.length, where, `${count} cells, ${listed.length} chips in the table`);
    expect(axes.reduce((product, [, size]) => product * Number(size), 1) === count, where, "the axes are not all ranks");
    const radios = map.locator("input[type=radio]");
    const typed = map.locator("input[type=number]");
    const told = () => map.locator("output").textContent();
    await typed.fill(String(count - 1));
    expect((await told()).includes(`rank ${count - 1}, `) && (await told()).includes(listed[count - 1]), where, `the last rank is called: ${await told()}`);
    await radios.first().focus();
    for (let axis = 0; axis < (await radios.count()); axis += 1) {
      if (axis > 0) await page.keyboard.press("ArrowRight");
      expect(await radios.nth(axis).isChecked(), where, `axis ${axis} cannot be chosen by keyboard`);
      const visible = await map.locator("svg .by").evaluateAll((groups) => groups.map((group) => getComputedStyle(group).display !== "none"));
      expect(visible.filter(Boolean).length === 1 && visible[axis], where, `axis ${axis} does not show its colors alone`);
      expect((await cells(`svg .by-${axis} path`)) === count, where, `axis ${axis} does not color all ranks`);
      expect((await map.locator(`p.by-${axis}`).isVisible()) && (await map.locator("p.by:visible").count()) === 1, where, `axis ${axis} has no key of its own`);
      expect((await cells("path.group")) === Number(axes[axis][1]), where, `the group along ${axes[axis][0]} is not framed`);
      expect((await told()).includes(`its ${axes[axis][0]} group of ${axes[axis][1]}.`), where, `the group is called: ${await told()}`);
    }
    await map.locator("svg.ranks").scrollIntoViewIfNeeded();
    // The middle of the first cell. Cells are drawn as thick lines.
    const middle = await map.locator("path.cells").evaluate((path) => {
      const [, left, top] = path.getAttribute("d").match(/^M(\d+) (\d+)/);
      const { x, y } = new DOMPoint(Number(left) + 10, Number(top)).matrixTransform(path.getScreenCTM());
      return { x, y };
    });
    await page.mouse.move(middle.x, middle.y);
    const [first] = (await map.locator("svg.ranks").getAttribute("data-ranks")).split(" ");
    expect((await told()).includes(`rank ${first}, `), where, `the first chip is called: ${await told()}`);
    await page.mouse.click(middle.x, middle.y);
    expect((await typed.inputValue()) === first, where, "a click does not choose a rank");
    await typed.fill("");
    expect((await cells("path.group")) === 0, where, "a group stays framed");
  }
  return maps.length;
}

// The explorer: two routers and their route by keyboard, the same by clicks, a link, and all faults. What it shows
// is compared with the files beside the page: `fabc route` and `fabc tables` say the same of them.
async function explore(page, path) {
  if (!(await page.locator("#explore").count())) return false;
  const where = `${name(path)}, explorer`;
  await page.waitForSelector("#explorer[data-ready]", { timeout: 5000 }).catch(() => expect(false, where, "is not ready"));
  const directory = dirname(path);
  const facts = basename(path) === "report.html" && existsSync(join(directory, "report.json")) ? JSON.parse(readFileSync(join(directory, "report.json"))) : null;
  const stage = page.locator("#stage");
  const told = (id) => page.locator(id).innerText();
  const click = async (what) => {
    const [x, y] = await stage.evaluate((canvas, what) => canvas.placeOf(what), what);
    await stage.click({ position: { x, y } });
  };
  await page.fill("#route-from", "0");
  const routers = await page.evaluate(() => document.querySelector("#stage-info h3").textContent);
  expect(routers.length > 0, where, "a typed router is not shown");
  await page.fill("#route-to", "nobody");
  expect((await page.getAttribute("#route-to", "aria-invalid")) === "true", where, "an unknown name is not told");
  await page.fill("#route-to", "1");
  const both = await told("#stage-route");
  expect(/hops at distance \d+, [\d,]+ cycles|no hosts|not in this page|no route/.test(both) || !(await page.locator("#route-hops").count()), where, `the route says: ${both.slice(0, 120)}`);
  if (await page.locator("#route-hops").count()) {
    const hops = await page.locator("#route-hops tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells[1].textContent.split(" \u2192 "), row.cells[0].textContent]));
    expect(hops.every(([from, , hop]) => hop === "1" || hops.some(([, to]) => from.startsWith(`${to}.`))), where, "the hops are no path");
    expect(both.includes(`${hops[0][0].slice(0, hops[0][0].lastIndexOf("."))} \u2192`), where, "the route starts elsewhere");
    if (facts && process.env.FABC) await compareRoute(page, where, directory);
  }
  await page.click("#route-clear");
  // By clicks. A block of a large fabric opens first.
  await stage.scrollIntoViewIfNeeded();
  await page.waitForTimeout(100);
  const blocks = await stage.evaluate((canvas) => canvas.placeOf({ router: 0 }).join() === canvas.placeOf({ router: 1 }).join());
  if (blocks) await click({ block: 0 });
  await page.waitForTimeout(100);
  await click({ router: 0 });
  expect((await page.inputValue("#route-from")) !== "", where, "a click does not pick a router");
  await click({ router: 1 });
  expect((await page.inputValue("#route-to")) !== "", where, "a second click does not pick a router");
  const link = page.locator("#stage-info table button", { hasText: "link" }).first();
  if (await link.count()) {
    await link.press("Enter");
    const text = await told("#stage-info");
    expect(/^Link /.test(text) && /cycles/.test(text), where, `a link says: ${text.slice(0, 80)}`);
    if (facts) await compareLink(page, where, directory, facts);
  }
  await page.click("#route-clear");
  await stage.press("ArrowRight");
  await stage.press("ArrowRight");
  await stage.press("Enter");
  expect((await page.inputValue("#route-from")) !== "", where, "the keyboard does not pick a router");
  if (!blocks) {
    await page.click("#route-clear");
    await page.waitForTimeout(100);
    await click({ link: 0 });
    const shown = await told("#stage-info");
    expect(/^(Link |Number|\S)/.test(shown), where, "a click on a link shows nothing");
    if (facts && /^Link /.test(shown)) await compareLink(page, where, directory, facts);
  }
  await page.click("#route-clear");
  if (facts) await compareRuns(page, where, directory);
  if (await page.locator("#gantt").count()) await zoomSchedule(page, where);
  if (await page.locator("#scenario").count()) {
    const last = Number(await page.getAttribute("#scenario", "max"));
    for (const at of [1, last, 0]) {
      await page.locator("#scenario").evaluate((slider, at) => { slider.value = at; slider.dispatchEvent(new Event("input")); }, at);
      const text = await told("#scenario-name");
      if (facts) {
        const scenario = text.split(", ")[0];
        const metrics = scenario === "nominal" ? facts.metrics : facts.scenarios[scenario];
        expect(metrics !== undefined, where, `report.json has no scenario of: ${text}`);
        const loads = await stage.evaluate((canvas) => canvas.loadsNow());
        if (loads.length > 0 && metrics?.max_channel_load !== undefined) {
          const near = (one, other) => Math.abs(one - other) <= 1e-5 * other;
          const [most, mean] = [Math.max(...loads), loads.reduce((one, other) => one + other, 0) / loads.length];
          expect(near(most, metrics.max_channel_load), where, `${scenario}: the largest load is ${most}, report.json has ${metrics.max_channel_load}`);
          if (metrics.mean_channel_load !== undefined) expect(near(mean, metrics.mean_channel_load), where, `${scenario}: the mean load is ${mean}, report.json has ${metrics.mean_channel_load}`);
        }
      }
    }
    const fault = page.locator("#all-faults tbody th button").first();
    if (await fault.count()) {
      const wanted = await fault.textContent();
      await fault.press("Enter");
      expect((await told("#scenario-name")).startsWith(`${wanted},`), where, "the list of faults does not lead to the picture");
    }
  }
  return true;
}

// The colors by utilization: what the picture shows of the healthy fabric is what `simulations/*.json` counted, and
// a link says both values.
async function compareRuns(page, where, directory) {
  const options = await page.locator("#stage-color option").evaluateAll((options) => options.map((option) => option.value).filter((value) => /^(tables|measured) /.test(value)));
  if (options.length === 0) return;
  for (const option of options) {
    await page.selectOption("#stage-color", option);
    await page.waitForTimeout(60);
    const [, which, simulation] = option.match(/^(\w+) (.*)$/);
    const file = JSON.parse(readFileSync(join(directory, "simulations", `${simulation}.json`)));
    const [scenario] = file.scenarios;
    const told = await page.locator("#stage-word").innerText();
    const values = await page.locator("#stage").evaluate((canvas) => canvas.runNow());
    const most = Math.max(...values);
    const near = (one, other) => Math.abs(one - other) <= 2e-4;
    const rate = Number(told.match(/rate ([\d.]+)/)?.[1]);
    if (Number.isNaN(rate)) {
      expect(/all [\d,]+ cycles/.test(told) && most > 0 && most <= 1, where, `${option}: ${told}, at most ${most}`);
    } else if (which === "tables") {
      const wanted = Math.max(...scenario.load) * rate;
      expect(near(most, wanted), where, `${option}: at most ${most}, the tables put ${wanted} on a channel`);
    } else {
      const points = scenario.points.filter((point) => Number(point.rate) === rate);
      const channels = await page.locator("#stage").evaluate((canvas) => canvas.channels);
      expect(points.some((point) => most <= point.busiest.utilization + 2e-4), where, `${option}: at most ${most}, beyond the busiest channel`);
      if (scenario.load.length === channels) expect(points.some((point) => near(most, Math.max(...point.busy_cycles) / scenario.model.measure_cycles)), where, `${option}: at most ${most}`);
    }
  }
  await page.fill("#route-from", "0");
  await page.locator("#stage-info table button", { hasText: "link" }).first().press("Enter");
  const rows = await page.locator("#link-runs tbody tr").evaluateAll((rows) => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
  expect([1, 2].some((ways) => 2 * rows.length === ways * options.length) && rows.every(([, , tables, measured]) => /^([\d.]+ %|-)$/.test(tables) && /^[\d.]+ %$/.test(measured)), where, `a link says of simulations: ${rows.join(" ")}`);
  await page.click("#route-clear");
  await page.selectOption("#stage-color", "load");
}

// The timeline of a schedule: it zooms by buttons and keys, and marks the channels of a moment.
async function zoomSchedule(page, where) {
  const gantt = page.locator("#gantt");
  const view = () => gantt.evaluate((canvas) => canvas.view());
  const whole = await view();
  expect(whole.from === 0 && whole.rows > 0 && whole.busy === 0, where, `a schedule starts at ${JSON.stringify(whole)}`);
  await gantt.press("ArrowRight");
  const { now, busy } = await view();
  expect(now > 0 && busy > 0 && /channels busy$/.test(await page.locator("#moment-told").innerText()), where, "a moment marks no channels");
  for (const press of [() => page.click("#gantt-in"), () => gantt.press("+")]) {
    const before = await view();
    await press();
    const after = await view();
    expect(after.to - after.from < before.to - before.from || before.to - before.from <= 2, where, "the timeline does not zoom in");
    expect(after.from <= now && now <= after.to, where, "the timeline zooms away from the moment");
  }
  for (let step = 0; step < 40; step += 1) await gantt.press("+");
  const closest = await view();
  expect(closest.to - closest.from <= 2.01, where, `the closest view has ${closest.to - closest.from} cycles`);
  for (let step = 0; step < 60; step += 1) await gantt.press("-");
  const again = await view();
  expect(again.from === 0 && again.to === whole.to, where, "the timeline does not zoom out");
  // Every schedule has channels, no channel does two things at once, and its first moment marks some.
  const jobs = await page.locator("#job option").evaluateAll((options) => options.map(({ value, textContent }) => [value, textContent]));
  for (const [value, title] of jobs) {
    await page.selectOption("#job", value);
    const events = await gantt.evaluate((canvas) => canvas.events());
    const free = new Map();
    const clash = events.filter(([start, time, router, port]) => {
      const before = free.get(`${router} ${port}`) ?? 0;
      free.set(`${router} ${port}`, start + time);
      return start < before || time === 0;
    });
    expect(events.length > 0 && clash.length === 0, where, `${title}: ${clash.length} of ${events.length} events clash`);
    await gantt.press("ArrowRight");
    await gantt.press("ArrowLeft");
    expect((await view()).busy > 0, where, `${title}: nothing is busy at the beginning`);
  }
}

// The route of the page is the one that `fabc route` reads from the tables, in the first and the last scenario with
// tables.
async function compareRoute(page, where, directory) {
  const routers = JSON.parse(readFileSync(join(directory, "topology.json"))).nodes.length;
  for (const [from, to] of [[0, routers - 1], [Math.floor(routers / 3), Math.floor(routers / 2)], [1, 2]]) {
    await page.fill("#route-from", String(from));
    await page.fill("#route-to", String(to));
    const scenarios = (await page.locator("#scenario").count()) ? [0, 1] : [0];
    for (const at of scenarios) {
      if (at > 0) await page.locator("#scenario").evaluate((slider) => { slider.value = 1; slider.dispatchEvent(new Event("input")); });
      if (!(await page.locator("#route-hops").count())) continue;
      const shown = await page.locator("#route-hops tbody tr").evaluateAll((rows) => rows.map((row) => [0, 1, 2].map((cell) => row.cells[cell].textContent)));
      const scenario = at === 0 ? "nominal" : (await page.locator("#scenario-name").innerText()).split(", number")[0];
      const read = JSON.parse(execFileSync(process.env.FABC, ["route", directory, String(from), String(to), "--scenario", scenario, "--json"]));
      const wanted = read.scenarios[0].route.map((hop) => [String(hop.hop), `${hop.from}.${hop.out_port} \u2192 ${hop.to}`, String(hop.vc)]);
      expect(JSON.stringify(shown) === JSON.stringify(wanted), where, `${from} to ${to} in ${scenario}: the page has ${shown.join(" ")}, the tables ${wanted.join(" ")}`);
    }
    await page.locator("#scenario").evaluateAll(([slider]) => { if (slider) { slider.value = 0; slider.dispatchEvent(new Event("input")); } });
  }
}

// The link that is shown: its ends, switch and length are those of `topology.json`, both loads stand in `report.json`,
// and where every pair sends as much, they are the pairs whose routes pass the link by the tables.
async function compareLink(page, where, directory, facts) {
  const info = page.locator("#stage-info");
  const heading = (await info.locator("h3").textContent()).slice("Link ".length);
  const text = await info.locator("p").first().textContent();
  const topology = JSON.parse(readFileSync(join(directory, "topology.json")));
  const node = ({ name, cube, at }) => name ?? `cube${cube}[${at.join(",")}]`;
  const port = ([router, port]) => `${node(topology.nodes[router])}.${topology.ports?.[port] ?? `port${port}`}`;
  const link = topology.links.find(({ a, b }) => `${port(a)} \u2013 ${port(b)}` === heading);
  expect(link !== undefined || topology.format !== "fabc.topology/1", where, `topology.json has no link ${heading}`);
  if (link === undefined) return;
  expect(link.ocs === undefined ? !/through/.test(text) : text.includes(`through ${link.ocs}`), where, `${heading}: ${text}, and its switch is ${link.ocs}`);
  expect(link.length === undefined ? !/ m of cable/.test(text) : text.includes(`${link.length / 10} m of cable`), where, `${heading}: ${text}, and its length is ${link.length} times 0.1 m`);
  if (!(await page.locator("#link-loads").count())) return;
  const number = (text) => Number(text.replaceAll(",", ""));
  const rows = await page.locator("#link-loads tbody tr").evaluateAll((rows) => rows.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
  const known = facts.histograms.channel_load.map(([load]) => load);
  const near = (one, other) => Math.abs(one - other) <= 0.006 * Math.max(1, other);
  for (const [channel, , healthy, worst, scenario] of rows) {
    expect(known.some((load) => near(number(healthy), load)), where, `${channel}: report.json has no channel of load ${healthy}`);
    const most = (scenario === "nominal" ? facts.metrics : facts.scenarios[scenario])?.max_channel_load;
    expect(number(worst) >= number(healthy) && (most === undefined || number(worst) <= most * 1.006), where, `${channel}: at worst ${worst} in ${scenario}, of at most ${most}`);
  }
  const passing = info.locator("table", { hasText: "pairs over it by hops" });
  const hosts = new Set(topology.nodes.map((node) => node.hosts));
  if (hosts.size > 1 || facts.gain || facts.metrics.permutation !== undefined || !(await passing.count())) return;
  const sums = await passing.locator("tbody tr").evaluateAll((rows) => rows.map((row) => Array.from(row.cells).slice(1).reduce((sum, cell) => sum + Number(cell.textContent), 0)));
  rows.forEach(([channel, , healthy], at) => expect(sums[at] === number(healthy), where, `${channel}: ${sums[at]} pairs pass it, its load is ${healthy}`));
}

// Every chart of a simulation has a legend, and its numbers stand in a table that the keyboard reaches.
async function simulations(page, path) {
  const section = page.locator("#simulations");
  if (!(await section.count())) return;
  const bare = await section.locator("svg.chart").evaluateAll((charts) => charts.filter((chart) => !chart.parentElement.querySelector(".key, p.quiet")).length);
  expect(bare === 0, name(path), `${bare} charts of simulations have no legend`);
  const curves = await section.locator("svg.chart[aria-label*='the table below']").count();
  const tables = await section.locator("details table").count();
  expect(curves === 0 || tables > 0, name(path), "charts of simulations have no numbers");
  const empty = await section.locator("details td").evaluateAll((cells) => cells.filter((cell) => !cell.textContent.trim()).length);
  expect(empty === 0, name(path), `${empty} numbers of simulations are empty`);
}

async function withoutScripts(browser, path) {
  const page = await open(browser, path, { width: 1600, colorScheme: "light", javaScriptEnabled: false });
  const hidden = await page.locator(".js-only, .sort").evaluateAll((elements) => elements.filter((element) => element.checkVisibility()).length);
  expect(hidden === 0, name(path), `${hidden} controls show that need scripts`);
  for (const map of await page.locator("fieldset.ranks").all()) {
    await map.locator("input[type=radio]").last().check();
    const shown = await map.locator("svg .by").evaluateAll((groups) => groups.map((group) => getComputedStyle(group).display !== "none"));
    expect(shown.pop() && !shown.includes(true), name(path), "ranks are not colored by another axis without scripts");
  }
  const unseen = await page.locator("section, tbody tr").evaluateAll((elements) => elements.filter((element) => !element.closest("details:not([open])") && !element.checkVisibility()).length);
  expect(unseen === 0, name(path), `${unseen} rows are hidden without scripts`);
  if (await page.locator("summary").count()) await page.locator("summary").first().click();
  await page.context().close();
}

if (pages.length === 0) {
  console.error("usage: node check.mjs PAGE_OR_DIRECTORY..");
  process.exit(2);
}
const executablePath = process.env.FABC_CHROMIUM ?? "/usr/bin/chromium";
if (!existsSync(executablePath)) {
  console.error(`there is no ${executablePath}`);
  process.exit(2);
}
const quiet = ["gpu", "quic", "background-networking", "component-update", "sync"].map((what) => `--disable-${what}`);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--no-first-run", ...quiet] });
for (const path of pages) {
  await look(browser, path);
  const page = await open(browser, path, { width: 1600, colorScheme: "light" });
  await read(page, path);
  const tables = await sort(page, path);
  await search(page, path);
  await pick(page, path);
  const jobs = await colorRanks(page, path);
  const explored = await explore(page, path);
  await simulations(page, path);
  await page.context().close();
  await withoutScripts(browser, path);
  console.log(`${name(path)}: ${tables} sortable tables, ${jobs} jobs, ${explored ? "explored" : "nothing to explore"}, looked at in ${VIEWS.length} views`);
}
await browser.close();
failures.forEach((failure) => console.error(`FAILED ${failure}`));
console.log(`${pages.length} pages, ${checks} checks, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);
