// A worker with fabc in it. The page starts one for the language server and one for commands, and gives both the same
// compiled module. It stops a command by ending its worker.
import { LanguageServer, runCommand } from "./engine.js";

let module;
let server;
let files = new Map();
let due = false; // whether findings will be asked for

const same = (left, right) => right?.length === left.length && left.every((byte, index) => byte === right[index]);

const handlers = {
  start(message) {
    module = message.module;
  },

  command({ args, files: given }) {
    const result = runCommand(module, args, given, {
      onProgress: (progress) => postMessage({ kind: "progress", ...progress }),
      onMessage: (text) => postMessage({ kind: "message", text }),
    });
    // The page keeps what the command did not change.
    const removed = [...given.keys()].filter((path) => !result.files.has(path));
    for (const [path, bytes] of given) if (same(bytes, result.files.get(path))) result.files.delete(path);
    postMessage({ kind: "finished", ...result, removed });
  },

  files(message) {
    files = message.files;
    server?.setFiles(files);
  },

  language({ text }) {
    guarded(() => {
      server ??= new LanguageServer(module, files);
      return server.answer(text);
    });
    // Findings wait until no message does, so that of ten keystrokes in a row only the last one is analysed.
    if (!due) setTimeout(() => { due = false; if (server) guarded(() => server.answer()); }, 0);
    due = true;
  },
};

/** Posts the answers of the language server. After a panic there is none, and the page says it again to a new one. */
function guarded(ask) {
  try {
    for (const line of ask()) postMessage({ kind: "language", line });
  } catch (error) {
    server = undefined;
    postMessage({ kind: "lost", reason: String(error) });
  }
}

addEventListener("message", ({ data }) => handlers[data.kind](data));
