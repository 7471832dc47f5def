// The book as a reader sees it, in a real browser: no script fails, every block of `fab` is drawn, every link leads to a page
// and a heading that are there, and no page is wider than a phone.
//
//   node book.mjs DIRECTORY                   what `mdbook build` wrote
//   FABC_CHROMIUM=/path/to/chromium           where it is not /usr/bin/chromium
//   FABC_SHOTS=DIR                            pictures of the first screen of every page, to look at
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const book = resolve(process.argv[2]);
const names = readdirSync(book).filter((name) => name.endsWith(".html") && !["404.html", "print.html", "toc.html"].includes(name));
const specs = JSON.parse(readFileSync(new URL("../../editors/book/specs.json", import.meta.url)));
const failures = [];
let [links, blocks] = [0, 0];
const expect = (holds, page, what) => holds || failures.push(`${page}: ${what}`);
// Before the words of the language are known, the book's own script says of every block that they are not.
const early = /^(Could not find the language|Falling back to no-highlight)/;

const ids = new Map();
function idsOf(path) {
  if (!ids.has(path)) ids.set(path, new Set([...readFileSync(path, "utf8").matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)));
  return ids.get(path);
}

const browser = await chromium.launch({ executablePath: process.env.FABC_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const name of names) {
  for (const [width, colorScheme] of [[1300, "light"], [390, "dark"]]) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
    const page = await context.newPage();
    page.on("pageerror", (error) => expect(false, name, `script: ${error.message}`));
    page.on("console", (message) => expect(message.type() !== "error" && (message.type() !== "warning" || early.test(message.text())), name, message.text()));
    await page.goto(pathToFileURL(join(book, name)).href);
    if (process.env.FABC_SHOTS) await page.screenshot({ path: join(process.env.FABC_SHOTS, `${basename(name, ".html")}_${width}.png`) });
    const seen = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      blocks: [...document.querySelectorAll("code.language-fab")].map((block) => block.querySelector('span[class^="hljs-"]') !== null),
      files: [...document.querySelectorAll('code[class*="file="]')].map((block) => block.closest("pre").previousElementSibling?.className),
      tries: [...document.querySelectorAll("a.try-it")].map((link) => link.hash.replace("#block=", "")),
      links: [...document.querySelectorAll("main a[href]:not(.try-it), main img[src], nav a[href]")].map((link) => link.href || link.src),
    }));
    expect(seen.width <= width, name, `is ${seen.width} px wide on ${width}`);
    expect(seen.blocks.every((drawn) => drawn), name, "a block of fab is not drawn");
    expect(seen.files.every((label) => label === "file-of-block"), name, "a block does not say which file it is");
    expect(seen.tries.length === seen.blocks.length && seen.tries.every((block) => specs[block] !== undefined), name, `the playground does not have its blocks: ${seen.tries}`);
    blocks += seen.blocks.length;
    for (const link of new Set(seen.links.filter((link) => link.startsWith("file:")))) {
      links += 1;
      const url = new URL(link);
      const path = fileURLToPath(`file://${url.pathname}`);
      const anchor = decodeURIComponent(url.hash.slice(1));
      if (!existsSync(path)) expect(false, name, `a link to ${path}, which is not there`);
      else if (anchor !== "") expect(idsOf(path).has(anchor), name, `a link to ${basename(path)}#${anchor}, which has no such heading`);
    }
    await context.close();
  }
}
await browser.close();

if (names.length < 15 || blocks < 60 || links < 200) failures.push(`only ${names.length} pages, ${blocks} blocks, ${links} links`);
if (failures.length > 0) {
  console.error([...new Set(failures)].join("\n"));
  process.exit(1);
}
console.log(`${names.length} pages of the book, ${blocks} blocks drawn, ${links} links followed`);
