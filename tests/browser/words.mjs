// The TextMate grammar of `.fab` files in the engine of VS Code: every word of the language is drawn as what it
// is, alone and in every spec that is shipped; names, numbers, texts and comments as what they are.
//
//   node words.mjs SPEC..
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

// Both packages are CommonJS bundles.
const require = createRequire(import.meta.url);
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");
const { OnigScanner, OnigString, loadWASM } = require("vscode-oniguruma");
const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
const read = (path) => readFileSync(join(root, path), "utf8");

await loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
const file = "editors/vscode/syntaxes/fab.tmLanguage.json";
const registry = new Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new OnigScanner(patterns),
    createOnigString: (text) => new OnigString(text),
  }),
  loadGrammar: async () => parseRawGrammar(read(file), file),
});
const grammar = await registry.loadGrammar("source.fab");

const SCOPES = {
  keyword: "keyword.control.fab",
  setting: "variable.other.property.fab",
  value: "constant.language.fab",
  unit: "keyword.other.unit.fab",
};
const scopes = new Map(Object.entries(JSON.parse(read("editors/words.json"))).flatMap(([kind, words]) => words.map((word) => [word, SCOPES[kind]])));
const failures = [];
let checks = 0;
function expect(where, text, actual, wanted) {
  checks += 1;
  if (actual !== wanted) failures.push(`${where}: ${JSON.stringify(text)} is drawn as ${actual}, not ${wanted}`);
}

// The pieces of a text with the innermost scope of each; `source.fab` is drawn as nothing.
function* pieces(text) {
  let stack = INITIAL;
  for (const [at, line] of text.split("\n").entries()) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const { startIndex, endIndex, scopes } of tokens) yield { line: at + 1, text: line.slice(startIndex, endIndex), scope: scopes.at(-1) };
  }
}

// Alone, and where each could stand.
for (const [word, scope] of scopes) {
  for (const text of [word, `a_name = ${word};`, `{ ${word} = 1 ${word}; }`]) {
    const found = [...pieces(text)].filter((piece) => piece.text === word);
    if (found.length === 0) expect("alone", text, "a part of something", scope);
    for (const piece of found) expect("alone", text, piece.scope, scope);
  }
}

// What is no word.
const OTHERS = [
  ["pod_256", "pod_256", "source.fab"],
  ["cubes_used", "cubes_used", "source.fab"],
  ["torus 4x4x8;", "4", "constant.numeric.fab"],
  ["couple +x[u, v] with -x[u, v]", "+x", "variable.other.face.fab"],
  ["1_024;", "1_024", "constant.numeric.fab"],
  ["1.05 GHz;", "1.05", "constant.numeric.fab"],
  ["graph \"torus of mine\";", "\"torus of mine\"", "string.quoted.double.fab"],
  ["clock = 1 GHz; // a torus", "// a torus", "comment.line.double-slash.fab"],
  ["/* cubes\n a torus */", " a torus ", "comment.block.fab"],
];
for (const [text, part, scope] of OTHERS) {
  const found = [...pieces(text)].find((piece) => piece.text === part);
  expect("others", text, found?.scope, scope);
}
for (const part of ["4", "x", "8"]) {
  const found = [...pieces("torus 4x4x8;")].filter((piece) => piece.text === part);
  expect("4x4x8", part, found[0]?.scope, part === "x" ? SCOPES.keyword : "constant.numeric.fab");
}

// In specs: the words of every piece that is neither text nor comment.
const seen = new Set();
for (const path of process.argv.slice(2)) {
  for (const piece of pieces(readFileSync(path, "utf8"))) {
    if (/^(comment|string)/.test(piece.scope)) continue;
    for (const word of piece.text.match(/[A-Za-z_][A-Za-z0-9_]*(\/s)?/g) ?? []) {
      if (!scopes.has(word) || piece.scope === "variable.other.face.fab") continue;
      seen.add(word);
      expect(`${path}:${piece.line}`, piece.text, piece.scope, scopes.get(word));
    }
  }
}

if (failures.length > 0) {
  console.error(failures.slice(0, 40).join("\n"));
  console.error(`${failures.length} of ${checks} do not hold`);
  process.exit(1);
}
console.log(`${scopes.size} words drawn by VS Code's engine, ${seen.size} of them met in ${process.argv.length - 2} specs; ${checks} checks`);
