// How long the playground takes, for docs/benchmarks.md: until it is ready, to check while one types, to stop, to build.
//
//   npm ci --prefix tests/browser && playground/build
//   node benches/playground.mjs target/playground target/release/fabc
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "../tests/browser/node_modules/playwright-core/index.mjs";
import { serve } from "../tests/browser/host.mjs";

const [folder, fabc] = process.argv.slice(2).map((path) => resolve(path));
const scratch = mkdtempSync(join(tmpdir(), "fabc-playground-"));
const { server, home } = await serve(folder);
const browser = await chromium.launch({ executablePath: process.env.FABC_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

async function open(example) {
  const page = await (await browser.newContext({ viewport: { width: 1400, height: 900 } })).newPage();
  page.setDefaultTimeout(600_000);
  await page.goto(`${home}#example=specs/${example}.fab`);
  await page.waitForFunction(() => document.body.dataset.ready && /no errors/.test(document.querySelector("#check").textContent));
  return page;
}

const median = (values) => values.sort((left, right) => left - right)[Math.floor(values.length / 2)];

const ready = [];
for (let round = 0; round < 5; round += 1) {
  const page = await open("pod_128");
  ready.push(await page.evaluate(() => Number(document.body.dataset.ready)));
  await page.context().close();
}
console.log(`ready after ${median(ready)} ms, the median of ${ready.length} first loads`);

const page = await open("pod_256");
const checks = [];
for (let round = 0; round < 15; round += 1) {
  await page.evaluate(() => {
    delete document.querySelector("#check").dataset.milliseconds;
    const { view } = document.querySelector(".cm-content").cmTile;
    view.dispatch({ changes: { from: view.state.doc.length, insert: " " } });
  });
  await page.waitForFunction(() => document.querySelector("#check").dataset.milliseconds);
  checks.push(await page.evaluate(() => Number(document.querySelector("#check").dataset.milliseconds)));
}
console.log(`check of pod_256 while one types: ${median(checks)} ms, the median of ${checks.length}`);

await page.click("#run");
await page.waitForSelector("#progress progress");
await page.waitForTimeout(1000);
const stopped = await page.evaluate(async () => {
  const began = performance.now();
  document.querySelector("#stop").click();
  while (!/stopped/.test(document.querySelector("#output").textContent)) await new Promise(requestAnimationFrame);
  return performance.now() - began;
});
console.log(`stop: ${stopped.toFixed(0)} ms`);
await page.context().close();

for (const example of ["pod_128", "pod_256"]) {
  const began = performance.now();
  execFileSync(fabc, ["build", `specs/${example}.fab`, "--quiet", "--no-cache", "--threads", "1", "--out", scratch]);
  const native = performance.now() - began;
  const page = await open(example);
  const from = performance.now();
  await page.click("#run");
  await page.waitForSelector("iframe");
  const there = performance.now() - from;
  console.log(`build of ${example}: ${(native / 1000).toFixed(1)} s by the binary on one thread, ${(there / 1000).toFixed(1)} s in the page, ${(there / native).toFixed(2)} times`);
  await page.context().close();
}
await browser.close();
server.close();
rmSync(scratch, { recursive: true });
