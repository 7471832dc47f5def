// Puts the page together: scripts in bundles, the module made smaller, and the shipped specs as examples.
//
//   node bundle.mjs MODULE.wasm FOLDER [QUALITY]     of the compression, 1 to 11
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, folder] = process.argv.slice(2, 4).map((path) => resolve(path));
const quality = process.argv[4] ?? 11;
const specs = join(here, "../specs");

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await build({
  entryPoints: ["main.js", "worker.js"].map((name) => join(here, "page", name)),
  bundle: true, minify: true, format: "esm", target: "es2022", legalComments: "linked", outdir: folder, logLevel: "warning",
});
cpSync(join(here, "../editors/book/specs.json"), join(folder, "book.json"));
for (const name of ["index.html", "style.css"]) cpSync(join(here, "page", name), join(folder, name));

// Hosts differ in what they compress and how well. So the module is compressed here, and the page has the decoder.
const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
const module = readFileSync(wasm);
const params = { [BROTLI_PARAM_QUALITY]: Number(quality), [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: module.length };
writeFileSync(join(folder, "fabc.wasm.br"), brotliCompressSync(module, { params }));
cpSync(fileURLToPath(import.meta.resolve("brotli-dec-wasm/web/bg.wasm")), join(folder, "brotli.wasm"));

/** The files below a folder, as paths relative to the specs. */
function below(path) {
  return readdirSync(path, { withFileTypes: true }).sort((left, right) => (left.name < right.name ? -1 : 1)).flatMap((entry) =>
    entry.isDirectory() ? below(join(path, entry.name)) : [relative(specs, join(path, entry.name)).replaceAll("\\", "/")]);
}

/** The first sentence of the comment that a spec begins with. */
function sentenceOf(text) {
  const lines = text.split("\n");
  const comment = lines.slice(0, lines.findIndex((line) => !line.startsWith("//"))).map((line) => line.slice(2).trim()).join(" ");
  return comment.match(/^.*?[.](?= |$)/)?.[0] ?? comment;
}

/** The most bytes of a file that the page carries. Larger ones are cross-connects and graphs of large networks. */
const CARRIED = 100_000;
const files = Object.fromEntries(below(specs).filter((path) => statSync(join(specs, path)).size <= CARRIED).map((path) => [path, readFileSync(join(specs, path), "utf8")]));
const examples = Object.entries(files)
  .filter(([, text]) => /^fabric\s/m.test(text))
  .map(([path, text]) => ({ path: `specs/${path}`, sentence: sentenceOf(text) }));
const commands = ["build", "check", "fmt --check", "verify out/NAME", "graph", "sim out/NAME", "collective out/NAME", "explain FAB0101"];
writeFileSync(join(folder, "examples.json"), JSON.stringify({ examples, files, commands }));

const first = ["index.html", "style.css", "main.js", "worker.js", "examples.json", "brotli.wasm", "fabc.wasm.br"];
const sizes = first.map((name) => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length);
console.log(`${folder}: ${first.map((name, index) => `${name} ${sizes[index]}`).join(", ")}; the first load is ${sizes.reduce((sum, size) => sum + size, 0)} bytes`);
