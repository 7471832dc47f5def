// Builds specs twice, by the binary and by the module of the playground, and compares every file to the byte.
//
//   node same_bytes.mjs FABC MODULE.wasm SPEC..
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { runCommand } from "./page/engine.js";

const [fabc, wasm, ...specs] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(wasm));
const scratch = mkdtempSync(join(tmpdir(), "fabc-playground-"));
const failures = [];
let compared = 0;

const below = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));

for (const spec of specs) {
  const root = dirname(spec).split("/")[0];
  const files = new Map(below(root).filter((path) => !path.endsWith(".bin")).map((path) => [join(root, path), readFileSync(join(root, path))]));
  const started = performance.now();
  execFileSync(fabc, ["build", spec, "--threads", "1", "--out", join(scratch, spec), "--quiet"], { stdio: ["ignore", "ignore", "inherit"] });
  const native = performance.now();
  const result = runCommand(module, ["build", spec, "--quiet"], files);
  const ended = performance.now();
  if (result.exitCode !== 0) failures.push(`${spec}: exit code ${result.exitCode}: ${result.stderr}`);
  const written = new Map([...result.files].filter(([path]) => path.startsWith("out/")).map(([path, bytes]) => [path.slice(4), bytes]));
  const expected = below(join(scratch, spec));
  for (const path of expected) {
    compared += 1;
    const bytes = written.get(path);
    if (bytes === undefined) failures.push(`${spec}: no ${path}`);
    else if (Buffer.compare(Buffer.from(bytes), readFileSync(join(scratch, spec, path))) !== 0) failures.push(`${spec}: another ${path}`);
    written.delete(path);
  }
  for (const path of written.keys()) failures.push(`${spec}: ${path} is new`);
  const seconds = (milliseconds) => (milliseconds / 1000).toFixed(2);
  console.log(`${spec}: ${expected.length} files, ${seconds(native - started)} s by the binary on one thread, ${seconds(ended - native)} s in the module`);
}
rmSync(scratch, { recursive: true });
if (failures.length > 0) {
  console.error(failures.join("\n"));
  process.exit(1);
}
console.log(`${specs.length} specs, ${compared} files: the same bytes`);
