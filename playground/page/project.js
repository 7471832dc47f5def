// The files of the page, and the link that carries them.
import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Files by path, in the order of their names. Sources are what a person writes; the others come from commands. */
export class Project {
  constructor() {
    this.sources = new Map();
    this.outputs = new Map();
  }

  /** All files, as a command sees them. */
  all() {
    return new Map([...this.outputs, ...this.sources]);
  }

  text(path) {
    return textOf(this.sources.get(path));
  }

  write(path, text) {
    this.sources.set(path, encoder.encode(text));
  }

  /** The source that names a fabric and that no other source uses; the first one if there are several. */
  spec() {
    return [...this.sources.keys()].sort().find((path) => path.endsWith(".fab") && /^\s*fabric\s/m.test(this.text(path) ?? ""));
  }

  /** Takes over what a command wrote and removed. */
  takeOver(files, removed) {
    for (const path of removed) {
      this.outputs.delete(path);
      this.sources.delete(path);
    }
    for (const [path, bytes] of files) (this.sources.has(path) ? this.sources : this.outputs).set(path, bytes);
  }
}

/** The text of a file, or nothing if it holds no text. */
export function textOf(bytes) {
  if (bytes === undefined) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const base64 = (bytes) => btoa(strFromU8(bytes, true)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const bytesOf = (text) => strToU8(atob(text.replaceAll("-", "+").replaceAll("_", "/")), true);

/**
 * The fragment of a link to this project: its sources, the one that is open, and the command. Nothing of it reaches a
 * server, because browsers keep fragments to themselves.
 */
export function fragmentOf(project, open, command) {
  const files = Object.fromEntries([...project.sources].map(([path, bytes]) => [path, strFromU8(bytes, true)]));
  return `#project=${base64(deflateSync(strToU8(JSON.stringify({ files, open, command })), { level: 9 }))}`;
}

/**
 * What a fragment carries: `#project=..` of [`fragmentOf`], `#block=PAGE/NUMBER` of the book, `#example=PATH`, or
 * nothing. A fragment that is damaged gives an error.
 */
export function readFragment(fragment) {
  const values = new URLSearchParams(fragment.replace(/^#/, "").replaceAll("+", "%2B"));
  if (values.has("project")) {
    const { files, open, command } = JSON.parse(strFromU8(inflateSync(bytesOf(values.get("project")))));
    return { files: new Map(Object.entries(files).map(([path, text]) => [path, strToU8(text, true)])), open, command };
  }
  for (const kind of ["block", "example"]) if (values.has(kind)) return { [kind]: values.get(kind) };
  return undefined;
}

/** The files that a source names, at their places: the paths of `use` and of tables, graphs and cross-connects. */
export function namedFiles(path, text) {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "";
  const code = text.replace(/\/\/.*$/gm, "");
  return [...code.matchAll(/"([^"\n]+\.[A-Za-z0-9]+)"/g)].map(([, named]) => new URL(folder + named, "file:///").pathname.slice(1));
}
