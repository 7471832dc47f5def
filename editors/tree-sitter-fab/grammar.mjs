// Reads grammar.js as `tree-sitter generate` does, and compares src/grammar.json with it (or prints it, with `--print`):
// so that a test sees whether the parser is that of the grammar, without the tree-sitter program.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const rule = (value) => {
  if (typeof value === "string") return { type: "STRING", value };
  if (value instanceof RegExp) return { type: "PATTERN", value: value.source };
  return value;
};
const many = (type) => (...members) => ({ type, members: members.map(rule) });
const one = (type) => (content) => ({ type, content: rule(content) });
const ranked = (type) => (value, content) => ({ type, value, content: rule(content) });

Object.assign(globalThis, {
  seq: many("SEQ"),
  choice: many("CHOICE"),
  optional: (content) => ({ type: "CHOICE", members: [rule(content), { type: "BLANK" }] }),
  repeat: one("REPEAT"),
  repeat1: one("REPEAT1"),
  field: (name, content) => ({ type: "FIELD", name, content: rule(content) }),
  token: Object.assign(one("TOKEN"), { immediate: one("IMMEDIATE_TOKEN") }),
  prec: Object.assign(ranked("PREC"), { left: ranked("PREC_LEFT"), right: ranked("PREC_RIGHT"), dynamic: ranked("PREC_DYNAMIC") }),
  alias: (content, value) => {
    const named = typeof value !== "string";
    return { type: "ALIAS", content: rule(content), named, value: named ? value.name : value };
  },
  grammar: (made) => {
    const symbols = new Proxy({}, { get: (_, name) => ({ type: "SYMBOL", name }) });
    const list = (of) => (of ? of(symbols) : []);
    return {
      $schema: "https://tree-sitter.github.io/tree-sitter/assets/schemas/grammar.schema.json",
      name: made.name,
      word: made.word(symbols).name,
      rules: Object.fromEntries(Object.entries(made.rules).map(([name, of]) => [name, rule(of(symbols))])),
      extras: list(made.extras).map(rule),
      conflicts: list(made.conflicts).map((set) => set.map(({ name }) => name)),
      precedences: [],
      externals: [],
      inline: [],
      supertypes: [],
      reserved: {},
    };
  },
});

const text = `${JSON.stringify(createRequire(import.meta.url)("./grammar.js"), null, 2)}\n`;
const hash = createHash("sha256").update(text).digest("hex");
if (process.argv.includes("--print")) {
  process.stdout.write(text);
} else {
  const parser = readFileSync(new URL("src/parser.c", import.meta.url), "utf8");
  const same = readFileSync(new URL("src/grammar.json", import.meta.url), "utf8") === text;
  if (!same || !parser.startsWith(`/* of grammar.json ${hash} */`)) {
    console.error("editors/tree-sitter-fab/src is not what grammar.js makes: run ./generate there");
    process.exit(1);
  }
  console.log("the parser is that of grammar.js");
}
