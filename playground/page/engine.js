// fabc in this process: its commands and its language server, on a file system in memory.
//
// Files are maps from a path below the root (`parts/tpu_v4.fab`) to bytes. Nothing here knows a page: workers use it,
// and so does Node in tests.
import { Directory, Fd, File, OpenFile, PreopenDirectory, WASI, wasi } from "@bjorn3/browser_wasi_shim";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A standard stream that hands on what is written. It is no terminal, so fabc writes plain text. */
class Stream extends Fd {
  constructor(write) {
    super();
    this.write = write;
  }
  fd_fdstat_get() {
    return { ret: 0, fdstat: new wasi.Fdstat(wasi.FILETYPE_UNKNOWN, 0) };
  }
  fd_write(bytes) {
    this.write(bytes.slice());
    return { ret: 0, nwritten: bytes.length };
  }
}

/** A file that is written to and never read, such as the one of the progress. */
class Sink extends File {
  constructor(write) {
    super(new Uint8Array());
    this.stream = new Stream(write);
  }
  path_open() {
    return { ret: 0, fd_obj: this.stream };
  }
}

/** The contents of a directory that holds these files. */
function directoryOf(files) {
  const root = new Map();
  for (const [path, bytes] of files) {
    const parts = path.split("/");
    const name = parts.pop();
    let folder = root;
    for (const part of parts) {
      if (!folder.has(part)) folder.set(part, new Directory(new Map()));
      folder = folder.get(part).contents;
    }
    folder.set(name, new File(bytes));
  }
  return root;
}

/** The files below a directory. */
function filesOf(contents, prefix = "") {
  const files = new Map();
  for (const [name, entry] of contents) {
    if (entry instanceof Directory) {
      for (const [path, bytes] of filesOf(entry.contents, `${prefix}${name}/`)) files.set(path, bytes);
    } else if (!(entry instanceof Sink)) {
      files.set(prefix + name, entry.data);
    }
  }
  return files;
}

function instantiate(module, args, fds) {
  const system = new WASI(args, [], fds, { debug: false });
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: system.wasiImport });
  system.initialize(instance);
  return { system, instance };
}

/** The text of some chunks. A character may begin in one and end in the next. */
function textOf(chunks) {
  const streaming = new TextDecoder();
  return chunks.map((chunk) => streaming.decode(chunk, { stream: true })).join("") + streaming.decode();
}

/**
 * Runs one command. `args` begins with the name of the command: `["build", "pod.fab"]`. The result has the exit code,
 * both streams, and all files after it. Exit code 4 is a bug of fabc, or a command that needs more memory than there is.
 */
export function runCommand(module, args, files, { onProgress = () => {}, onMessage = () => {} } = {}) {
  const stdout = [];
  const stderr = [];
  const told = (bytes) => {
    stderr.push(bytes);
    onMessage(decoder.decode(bytes));
  };
  const progress = new Sink((bytes) => {
    const [pass, done, total] = decoder.decode(bytes).trim().split("\t");
    onProgress({ pass, done: Number(done), total: Number(total) });
  });
  const root = directoryOf(files);
  root.set("dev", new Directory(new Map([["progress", progress]])));
  const fds = [new OpenFile(new File([])), new Stream((bytes) => stdout.push(bytes)), new Stream(told), new PreopenDirectory("/", root)];
  let exitCode;
  try {
    exitCode = instantiate(module, ["fabc", ...args], fds).instance.exports.run_command();
  } catch (error) {
    // A panic ends the module by a trap, after its message.
    exitCode = 4;
    if (stderr.length === 0 || /memory/.test(String(error))) told(encoder.encode(`fabc stopped in the page: ${error.message}\n`));
  }
  root.delete("dev");
  return { exitCode, stdout: textOf(stdout), stderr: textOf(stderr), files: filesOf(root) };
}

/** The language server. It answers each message at once, and keeps what the editor has open. */
export class LanguageServer {
  constructor(module, files) {
    this.output = [];
    this.root = new PreopenDirectory("/", directoryOf(files));
    const stderr = new Stream(() => {});
    const { system, instance } = instantiate(module, ["fabc"], [new OpenFile(new File([])), new Stream((bytes) => this.output.push(bytes)), stderr, this.root]);
    this.system = system;
    this.instance = instance;
  }

  /** Replaces the files that the editor does not have open. */
  setFiles(files) {
    this.root.dir.contents.clear();
    for (const [name, entry] of directoryOf(files)) this.root.dir.contents.set(name, entry);
  }

  /** Answers one message, as JSON text. No message asks for the findings in texts that changed. */
  answer(message) {
    this.output = [];
    this.system.fds[0] = new OpenFile(new File(encoder.encode(message ?? "")));
    this.instance.exports.answer_message();
    return textOf(this.output).split("\n").filter((line) => line !== "");
  }
}
