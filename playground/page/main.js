// The page of the playground: what a person sees and does. The compiler runs in two workers (worker.js).
import { history, defaultKeymap, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { formatDocument } from "@codemirror/lsp-client";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, Text } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import startDecoder, { decompress } from "brotli-dec-wasm/web";
import { zipSync } from "fflate";
import { createClient, uriOf } from "./language.js";
import { tooLarge } from "./size.js";
import { Project, fragmentOf, namedFiles, readFragment, textOf } from "./project.js";

const byId = (id) => document.getElementById(id);
const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

/** After this many seconds the page says that one's own machine is faster. */
const LONG = 60;
/** From so many bytes on, a preview is cut. */
const PREVIEWED = 200_000;
const FIRST_EXAMPLE = "specs/pod_128.fab";

const project = new Project();
let examples = []; // { path, sentence }
let shipped = new Map(); // the files of all examples, by path below `specs/`
let open; // the path of the source in the editor
let view; // the editor
let module; // the compiled compiler
let worker; // it runs commands
let running; // { started, timer, progress, ran }
let waitingCheck; // a timer
let sized; // the size of the spec that was checked last, `null` with errors, `undefined` before a check
let offered; // what stands in place of the progress: a build that is too large for a page
const findings = new Map(); // by path, the findings of the language server

const encode = (text) => new TextEncoder().encode(text);

// ---- workers

function startWorker(hear) {
  const started = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  started.postMessage({ kind: "start", module });
  started.addEventListener("message", ({ data }) => hear(data));
  return started;
}

function startCommands() {
  worker = startWorker((message) => {
    if (!running) return;
    if (message.kind === "progress") running.progress = message;
    if (message.kind === "message") running.ran.message?.(message.text);
    if (message.kind === "finished") {
      const { ran } = running;
      running = undefined;
      ran.finish(message);
    }
    showProgress();
  });
}

/** Runs a command in its worker. `ran.finish(result)` hears the end, `ran.stopped()` that it was stopped. */
function runInWorker(args, ran) {
  running = { started: performance.now(), ran };
  worker.postMessage({ kind: "command", args, files: project.all() });
}

function stop() {
  if (!running) return;
  worker.terminate();
  const { ran } = running;
  running = undefined;
  startCommands();
  ran.stopped?.();
  showProgress();
}

// ---- the language server

let languageWorker;
let client;

function startLanguage() {
  languageWorker = startWorker((message) => {
    if (message.kind === "language") client.hear(message.line);
    if (message.kind === "lost") {
      // It panicked. The next one hears the texts again when a person has changed them.
      client.disconnect();
      say("bad", "The language server stopped. This is a bug in fabc. It goes on after the next change.");
    }
  });
  client = createClient({
    send: (text) => languageWorker.postMessage({ kind: "language", text }),
    onShow: (path) => (project.sources.has(path) ? show(path) : null),
    onChangedElsewhere(path, update) {
      const state = EditorState.create({ doc: project.text(path) });
      project.write(path, state.update(update).state.doc.toString());
      tellLanguage();
    },
    onFindings(path, list) {
      findings.set(path, list);
      showSources();
      showElsewhere();
    },
  });
}

/** Tells the language server the files of the project. Those that are specs or parts are open in it. */
function tellLanguage() {
  languageWorker.postMessage({ kind: "files", files: project.all() });
  const texts = [...project.sources.keys()].filter((path) => path.endsWith(".fab"));
  client.workspace.setTexts(new Map(texts.map((path) => [path, Text.of((project.text(path) ?? "").split("\n"))])));
  if (client.connected) client.notification("workspace/didChangeWatchedFiles", { changes: [] });
}

// ---- the editor

function extensions(path) {
  return [
    lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), history(), drawSelection(), bracketMatching(),
    highlightSelectionMatches(), lintGutter(), indentUnit.of("    "), EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": path }),
    keymap.of([{ key: "Ctrl-Enter", mac: "Cmd-Enter", run: () => (run(), true) }, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      project.write(path, update.state.doc.toString());
      if (!client.connected) client.connect(client.transport);
      scheduleCheck();
    }),
    path.endsWith(".fab") ? client.plugin(uriOf(path), "fab") : [],
  ];
}

/** Shows a source in the editor, and returns the editor. */
function show(path) {
  if (open === path && view) return view;
  const text = project.text(path);
  if (view) client.sync();
  view?.destroy();
  open = path;
  const readOnly = text === undefined ? [EditorState.readOnly.of(true)] : [];
  view = new EditorView({
    parent: byId("editor"),
    state: EditorState.create({ doc: text ?? "This file holds no text.", extensions: [readOnly, extensions(path)] }),
  });
  showSources();
  showElsewhere();
  return view;
}

/** The most findings in other files that are listed. */
const LISTED = 20;

/** Lists the findings in files that the editor does not show. A click opens the file at the line. */
function showElsewhere() {
  const others = [...findings].filter(([path]) => path !== open).sort(([left], [right]) => (left < right ? -1 : 1));
  const all = others.flatMap(([path, list]) => list.map((finding) => ({ path, finding })));
  const items = all.slice(0, LISTED).map(({ path, finding: { range, message, severity } }) => {
    const [first] = message.split("\n");
    const go = () => goTo(path, range.start);
    return make("li", {}, make("button", { type: "button", className: severity === 1 ? "bad" : "warn", textContent: `${path}:${range.start.line + 1}: ${first}`, onclick: go }));
  });
  if (all.length > LISTED) items.push(make("li", { textContent: `and ${all.length - LISTED} more` }));
  byId("elsewhere").replaceChildren(...items);
}

/** Opens a source with the cursor at a place. */
function goTo(path, { line, character }) {
  if (!project.sources.has(path)) return;
  const { state } = show(path);
  const wanted = state.doc.line(Math.min(line + 1, state.doc.lines));
  view.dispatch({ selection: { anchor: Math.min(wanted.from + character, wanted.to) }, scrollIntoView: true });
  view.focus();
}

// ---- sources

function showSources() {
  const items = [...project.sources.keys()].sort().map((path) => {
    const errors = (findings.get(path) ?? []).filter(({ severity }) => severity === 1).length;
    const name = make("button", { type: "button", textContent: errors ? `${path} (${errors})` : path, onclick: () => show(path), className: path === open ? "open" : "" });
    if (path === open) name.setAttribute("aria-current", "true");
    const item = make("li", {}, name);
    if (path === open && project.sources.size > 1) {
      const remove = make("button", { type: "button", className: "remove", textContent: "×", onclick: () => removeSource(path) });
      remove.setAttribute("aria-label", `Remove ${path}`);
      item.append(remove);
    }
    return item;
  });
  byId("sources").replaceChildren(...items);
}

function removeSource(path) {
  project.sources.delete(path);
  findings.delete(path);
  open = undefined;
  changedSources(project.spec() ?? [...project.sources.keys()][0]);
}

/** After files came or went: the language server hears of them, and one is shown. */
function changedSources(path) {
  const wanted = open === path;
  if (wanted) open = undefined;
  view?.destroy();
  view = undefined;
  tellLanguage();
  show(path);
  scheduleCheck(0);
}

/** Adds shipped files that a source names and the project does not have. */
function addShipped(folder) {
  for (let before = -1; before !== project.sources.size;) {
    before = project.sources.size;
    for (const [path] of [...project.sources]) {
      if (!path.endsWith(".fab")) continue;
      for (const named of namedFiles(path, project.text(path) ?? "")) {
        const bytes = shipped.get(folder + named) ?? shipped.get(named);
        if (bytes && !project.sources.has(named)) project.sources.set(named, bytes);
      }
    }
  }
}

function loadProject({ files, open: path, command, folder = "" }) {
  project.sources = new Map(files);
  project.outputs = new Map();
  findings.clear();
  addShipped(folder);
  const first = path !== undefined && project.sources.has(path) ? path : project.spec() ?? [...project.sources.keys()][0];
  byId("command").value = command ?? `build ${first}`;
  showReport();
  showOutputs();
  byId("output").textContent = "";
  changedSources(first);
}

/** Loads a shipped spec. Its folder becomes the root, so that it finds its parts and tables. */
function loadExample(path) {
  const below = path.replace(/^specs\//, "");
  const text = textOf(shipped.get(below));
  const outside = namedFiles(below, text).some((named) => !named.startsWith(below.includes("/") ? below.slice(0, below.lastIndexOf("/") + 1) : ""));
  const folder = outside || !below.includes("/") ? "" : below.slice(0, below.lastIndexOf("/") + 1);
  const name = below.slice(folder.length);
  loadProject({ files: [[name, shipped.get(below)]], open: name, folder });
  byId("sentence").textContent = examples.find((example) => example.path === path).sentence;
}

async function addFiles(list) {
  for (const file of list) project.sources.set(file.name, new Uint8Array(await file.arrayBuffer()));
  const names = [...list].map(({ name }) => name);
  const first = names.find((name) => name.endsWith(".fab")) ?? names[0];
  if (first === undefined) return;
  if (first.endsWith(".fab")) byId("command").value = `build ${project.spec() ?? first}`;
  changedSources(first);
}

// ---- commands

/** The words of a command line. Single and double quotes hold words together. */
function wordsOf(line) {
  const words = [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
  return words[0] === "fabc" ? words.slice(1) : words;
}

/** Runs the command. A build that is too large for a page is offered first: `anyway` begins it. */
function run(anyway = false) {
  if (!module) return;
  const line = byId("command").value;
  const args = wordsOf(line);
  if (args.length === 0) return;
  if (running) stop();
  clearOffer();
  if (args[0] === "build" && !anyway && !args.includes("--until")) {
    if (sized === undefined) return void check(() => run());
    const sentence = tooLarge(sized);
    if (sentence) return void offer(sentence, line);
  }
  const output = byId("output");
  output.textContent = `$ fabc ${line}\n`;
  select("output");
  setView("result");
  const before = performance.now();
  runInWorker(args, {
    message: (text) => output.append(text),
    stopped: () => output.append("stopped\n"),
    finish({ exitCode, stdout, stderr, files, removed }) {
      output.append(stdout);
      if (exitCode === 4 && /memory/.test(stderr)) output.append(`\nA page has at most 4 GiB of memory. On your machine: fabc ${line}\n`);
      const seconds = ((performance.now() - before) / 1000).toFixed(1);
      output.append(`\nexit code ${exitCode} after ${seconds} s\n`);
      const pages = [...files.keys()].filter((path) => path.endsWith(".html"));
      project.takeOver(files, removed);
      if ([...files.keys(), ...removed].some((path) => project.sources.has(path) || path === open)) changedSources(open);
      showOutputs();
      showReport(pages.find((path) => path.endsWith("/report.html")) ?? pages[0]);
      if (pages.length > 0) select("report");
    },
  });
  showProgress();
}

/** Shows the command for one's own machine in place of a build that is too large for a page. */
function offer(sentence, line) {
  const begin = make("button", { type: "button", id: "anyway", textContent: "Build here anyway", onclick: () => run(true) });
  offered = [make("span", { className: "bad", textContent: `${sentence} On your machine: fabc ${line}` }), begin];
  showProgress();
}

function clearOffer() {
  offered = undefined;
}

/** The command for one's own machine. */
function showLocal() {
  byId("local").replaceChildren("On your machine: ", make("code", { textContent: `fabc ${byId("command").value}` }));
}

function showProgress() {
  const bar = byId("progress");
  byId("stop").hidden = !running || running.ran.quiet;
  byId("run").disabled = !module;
  clearTimeout(running?.timer);
  if (!running || running.ran.quiet) {
    // An offer that stands already keeps its focus.
    if (!offered || bar.firstChild !== offered[0]) bar.replaceChildren(...(offered ?? []));
    return;
  }
  const seconds = Math.floor((performance.now() - running.started) / 1000);
  const { pass, done, total } = running.progress ?? { pass: "starting", done: 0, total: 0 };
  const measure = make("progress", total > 0 ? { max: total, value: done } : {});
  measure.setAttribute("aria-label", pass);
  const counted = total > 0 ? ` ${done} of ${total}` : "";
  const long = seconds >= LONG ? [make("span", { className: "bad", textContent: `Over ${LONG} s on the one thread of a page. On your machine: fabc ${byId("command").value}` })] : [];
  bar.replaceChildren(measure, `${pass}${counted}, ${seconds} s`, ...long);
  running.timer = setTimeout(showProgress, 500);
}

// ---- check, while one types

function scheduleCheck(after = 250) {
  sized = undefined;
  clearOffer();
  clearTimeout(waitingCheck);
  waitingCheck = setTimeout(() => check(), after);
}

function say(kind, text) {
  const line = byId("check");
  line.className = kind;
  if (line.textContent !== text) line.textContent = text;
}

/** The parameters that a command sets: `--set` and its values. */
function setsOf(words) {
  return words.flatMap((word, at) => (word === "--set" ? [word, words[at + 1] ?? ""] : word.startsWith("--set=") ? [word] : []));
}

/** What `fabc check` says of a spec without errors. */
function summaryOf({ fabric, summary, undecided }) {
  const open = undecided === 0 ? "" : `; ${undecided} require${undecided === 1 ? "" : "s"} can only be measured by a build`;
  return `${fabric}: no errors (${summary})${open}`;
}

/** Checks the spec of the command, or the one that is open, and goes on with `then`. A command that runs goes first. */
function check(then) {
  clearTimeout(waitingCheck);
  const words = wordsOf(byId("command").value);
  const named = words.find((word) => project.sources.has(word) && word.endsWith(".fab"));
  const spec = named ?? project.spec();
  if (!module) return;
  if (spec === undefined) {
    sized = null;
    then?.();
    return;
  }
  if (running) {
    if (!running.ran.quiet) return void scheduleCheck(1000);
    stop();
  }
  const before = performance.now();
  runInWorker(["check", spec, "--json", ...setsOf(words)], {
    quiet: true,
    finish({ exitCode, stdout, stderr }) {
      const lines = stderr.split("\n").filter((line) => line.trim() !== "");
      const checked = exitCode === 0 ? JSON.parse(stdout) : undefined;
      sized = checked?.size ?? null;
      const kind = checked === undefined ? "bad" : lines.length > 0 ? "warn" : "good";
      const large = tooLarge(sized);
      say(kind, checked === undefined ? `${spec}: ${lines.at(-1)}` : `${summaryOf(checked)}${large ? `. ${large}` : ""}`);
      byId("check").dataset.milliseconds = (performance.now() - before).toFixed(1);
      then?.();
    },
  });
}

// ---- results

function showReport(path) {
  const pane = byId("pane-report");
  pane.querySelector("iframe")?.remove();
  pane.querySelector(".empty").hidden = path !== undefined;
  if (path === undefined) return showLocal();
  const frame = make("iframe", { title: `Report: ${path}`, srcdoc: textOf(project.outputs.get(path)) });
  frame.setAttribute("sandbox", "allow-scripts");
  pane.append(frame);
}

function showOutputs() {
  const rows = [...project.outputs].sort(([left], [right]) => (left < right ? -1 : 1)).map(([path, bytes]) => make("tr", {},
    make("td", {}, make("button", { type: "button", textContent: path, onclick: () => preview(path) })),
    make("td", { textContent: bytes.length.toLocaleString("en") }),
    make("td", {}, make("button", { type: "button", textContent: "Download", ariaLabel: `Download ${path}`, onclick: () => download(path.split("/").pop(), bytes) }))));
  byId("outputs").replaceChildren(...rows);
  byId("preview").hidden = byId("preview-name").hidden = true;
}

function preview(path) {
  if (path.endsWith(".html")) {
    showReport(path);
    select("report");
    return;
  }
  const text = textOf(project.outputs.get(path));
  byId("preview-name").textContent = path;
  byId("preview").textContent = text === undefined ? "This file holds no text." : text.length > PREVIEWED ? `${text.slice(0, PREVIEWED)}\n.. ${text.length - PREVIEWED} more characters` : text;
  byId("preview").hidden = byId("preview-name").hidden = false;
  byId("preview-name").scrollIntoView();
}

function download(name, bytes) {
  const url = URL.createObjectURL(new Blob([bytes]));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function select(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const selected = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", selected);
    tab.tabIndex = selected ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !selected;
  }
}

function setView(name) {
  document.body.dataset.view = name;
  for (const button of document.querySelectorAll("#views button")) button.setAttribute("aria-pressed", button.dataset.view === name);
}

// ---- what a person does

byId("command-line").addEventListener("submit", (event) => {
  event.preventDefault();
  run();
});
byId("command").addEventListener("input", () => {
  showLocal();
  scheduleCheck();
});
byId("stop").addEventListener("click", stop);
byId("examples").addEventListener("change", ({ target }) => {
  window.history.replaceState(null, "", `#example=${target.value}`);
  loadExample(target.value);
});
byId("share").addEventListener("click", async () => {
  const link = new URL(fragmentOf(project, open, byId("command").value), location.href).href;
  window.history.replaceState(null, "", link);
  await navigator.clipboard?.writeText(link).catch(() => {});
  say("good", `The link is in the address bar: ${link.length.toLocaleString("en")} characters, with all source files.`);
});
byId("zip").addEventListener("click", () => {
  download(`${(project.spec() ?? "fabc").replace(/^.*\/|\.fab$/g, "")}.zip`, zipSync(Object.fromEntries(project.all()), { level: 6 }));
});
byId("new").addEventListener("click", () => {
  const path = prompt("Name of the file", "new.fab")?.trim();
  if (!path) return;
  if (!project.sources.has(path)) project.write(path, "");
  changedSources(path);
  view.focus();
});
byId("upload").addEventListener("change", ({ target }) => addFiles(target.files));
byId("format").addEventListener("click", () => view && formatDocument(view));
byId("views").addEventListener("click", ({ target }) => target.dataset.view && setView(target.dataset.view));
document.querySelector("[role=tablist]").addEventListener("click", ({ target }) => target.id && select(target.id.slice(4)));
document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  select(next.id.slice(4));
  next.focus();
});
addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
});
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (event) => event.relatedTarget === null && document.body.classList.remove("dropping"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  addFiles(event.dataTransfer.files);
});
addEventListener("hashchange", loadFragment);

/** Loads what the address names: a project, a block of the book, an example. */
async function loadFragment() {
  let problem;
  let carried;
  try {
    carried = readFragment(location.hash) ?? { example: FIRST_EXAMPLE };
    if (carried.block !== undefined) carried = await bookProject(carried.block);
  } catch (error) {
    problem = `The link cannot be read (${error.message}). Is its end missing?`;
  }
  byId("sentence").textContent = problem ?? carried.sentence ?? "";
  if (carried?.files) {
    byId("examples").value = "";
    loadProject(carried);
    return;
  }
  const known = examples.some(({ path }) => path === carried?.example);
  byId("examples").value = known ? carried.example : FIRST_EXAMPLE;
  loadExample(byId("examples").value);
  if (problem) byId("sentence").textContent = problem;
}

/** The spec behind a block of the book. */
async function bookProject(block) {
  const projects = await fetch("book.json").then((response) => response.json());
  if (projects[block] === undefined) throw new Error(`the book has no block ${block}`);
  const { open, files } = projects[block];
  return { open, files: new Map(Object.entries(files).map(([path, text]) => [path, encode(text)])), sentence: `From the page "${block.split("/")[0]}" of the book.` };
}

/** The compiled module. Its file is compressed, and so small that the decoder pays at once. */
async function loadModule() {
  const [packed] = await Promise.all([fetch("fabc.wasm.br"), startDecoder({ module_or_path: "brotli.wasm" })]);
  if (!packed.ok) throw new Error(`fabc.wasm.br: ${packed.status} ${packed.statusText}`);
  return WebAssembly.compile(decompress(new Uint8Array(await packed.arrayBuffer())));
}

async function start() {
  const [compiled, listed] = await Promise.all([
    loadModule(),
    fetch("examples.json").then((response) => response.json()),
  ]);
  module = compiled;
  examples = listed.examples;
  shipped = new Map(Object.entries(listed.files).map(([path, text]) => [path, encode(text)]));
  byId("examples").append(...examples.map(({ path }) => make("option", { value: path, textContent: path.replace(/^specs\/|\.fab$/g, "") })));
  byId("commands").append(...listed.commands.map((command) => make("option", { value: command })));
  startCommands();
  startLanguage();
  loadFragment();
  showProgress();
  document.body.dataset.ready = Math.round(performance.now());
}

start().catch((error) => say("bad", `The playground cannot start: ${error.message}`));
