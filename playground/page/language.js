// The language server in the editor: its client, all `.fab` files of the project open in it, and what it draws.
import { autocompletion } from "@codemirror/autocomplete";
import { setDiagnostics } from "@codemirror/lint";
import {
  LSPClient, LSPPlugin, Workspace, findReferencesKeymap, formatKeymap, hoverTooltips, jumpToDefinitionKeymap, renameKeymap,
  serverCompletion,
} from "@codemirror/lsp-client";
import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, keymap } from "@codemirror/view";

export const uriOf = (path) => `file:///${path.split("/").map(encodeURIComponent).join("/")}`;
export const pathOf = (uri) => decodeURIComponent(new URL(uri).pathname.slice(1));

const SEVERITY = ["error", "error", "warning", "info", "hint"];
const SYNC_AFTER = 120; // milliseconds without a keystroke

/** Every `.fab` file of the project is open in the server. The editor shows one of them. */
class ProjectWorkspace extends Workspace {
  files = [];

  /** Opens files that are new and closes those that are gone. `texts` is a map from path to `Text`. */
  setTexts(texts) {
    for (const file of [...this.files]) if (!texts.has(pathOf(file.uri))) this.drop(file);
    for (const [path, doc] of texts) {
      const file = this.getFile(uriOf(path));
      if (file && !file.view && !file.doc.eq(doc)) this.drop(file);
      if (!this.getFile(uriOf(path))) this.open(uriOf(path), doc);
    }
  }

  open(uri, doc) {
    const file = { uri, languageId: "fab", version: 0, doc, view: null, getView: () => file.view };
    this.files.push(file);
    if (this.client.connected) this.client.didOpen(file);
    return file;
  }

  drop(file) {
    this.files = this.files.filter((other) => other !== file);
    this.client.didClose(file.uri);
  }

  openFile(uri, _, view) {
    const file = this.getFile(uri);
    if (file && !file.doc.eq(view.state.doc)) this.drop(file);
    (this.getFile(uri) ?? this.open(uri, view.state.doc)).view = view;
  }

  closeFile(uri) {
    const file = this.getFile(uri);
    if (file) file.view = null;
  }

  syncFiles() {
    const updates = [];
    for (const file of this.files) {
      const plugin = file.view && LSPPlugin.get(file.view);
      if (!plugin || plugin.unsyncedChanges.empty) continue;
      updates.push({ changes: plugin.unsyncedChanges, file, prevDoc: file.doc });
      file.doc = file.view.state.doc;
      file.version += 1;
      plugin.clear();
    }
    return updates;
  }

  updateFile(uri, update) {
    const file = this.getFile(uri);
    if (file?.view) file.view.dispatch(update);
    else this.client.onChangedElsewhere(pathOf(uri), update);
  }

  async displayFile(uri) {
    return this.client.onShow(pathOf(uri));
  }
}

/**
 * A client. `send` hands text to the server. `onShow(path)` opens a file and returns its view. `onChangedElsewhere(path,
 * changes)` applies a renaming to a file that the editor does not show. `onFindings(path, findings)` hears every list.
 */
export function createClient({ send, onShow, onChangedElsewhere, onFindings }) {
  const client = new LSPClient({
    timeout: 20_000,
    workspace: (client) => new ProjectWorkspace(client),
    notificationHandlers: { "textDocument/publishDiagnostics": (client, params) => publish(client, params, onFindings) },
    extensions: [
      autocompletion(),
      serverCompletion({ override: true }),
      hoverTooltips({ hoverTime: 250 }),
      keymap.of([...formatKeymap, ...renameKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
      drawnWords,
      hints,
    ],
  });
  const handlers = new Set();
  client.onShow = onShow;
  client.onChangedElsewhere = onChangedElsewhere;
  client.transport = { send, subscribe: (handler) => handlers.add(handler), unsubscribe: (handler) => handlers.delete(handler) };
  client.hear = (line) => handlers.forEach((handler) => handler(line));
  client.connect(client.transport);
  return client;
}

/** Shows the findings of a file, with their fixes as buttons. */
function publish(client, { uri, diagnostics, version }, onFindings) {
  onFindings(pathOf(uri), diagnostics);
  const file = client.workspace.getFile(uri);
  const view = file?.getView();
  const plugin = view && LSPPlugin.get(view);
  if (!plugin || (version != null && version !== file.version)) return true;
  const place = (position) => plugin.unsyncedChanges.mapPos(plugin.fromPosition(position, plugin.syncedDoc));
  const shown = diagnostics.map((finding) => ({
    from: place(finding.range.start),
    to: place(finding.range.end),
    severity: SEVERITY[finding.severity ?? 1],
    source: finding.code,
    message: finding.message,
    finding,
  }));
  view.dispatch(setDiagnostics(view.state, shown));
  if (shown.length > 0) addFixes(client, view, uri, shown);
  return true;
}

async function addFixes(client, view, uri, shown) {
  const before = view.state.doc;
  const fixed = await Promise.all(shown.map(async ({ finding, ...diagnostic }) => {
    const actions = await client.request("textDocument/codeAction", {
      textDocument: { uri }, range: finding.range, context: { diagnostics: [finding] },
    }).catch(() => []);
    const edits = (actions ?? []).filter((action) => action.edit?.changes?.[uri]);
    return { ...diagnostic, actions: edits.map(({ title, edit }) => ({ name: title, apply: (view) => applyEdits(view, edit.changes[uri]) })) };
  }));
  if (view.state.doc.eq(before) && fixed.some(({ actions }) => actions.length > 0)) view.dispatch(setDiagnostics(view.state, fixed));
}

function applyEdits(view, edits) {
  const plugin = LSPPlugin.get(view);
  const changes = edits.map(({ range, newText }) => ({ from: plugin.fromPosition(range.start), to: plugin.fromPosition(range.end), insert: newText }));
  view.dispatch({ changes, userEvent: "input.fix" });
}

/** Keeps decorations that the server makes for the document, and asks for new ones when typing pauses. */
function decorated(ask) {
  const set = StateEffect.define();
  const field = StateField.define({
    create: () => Decoration.none,
    update(drawn, transaction) {
      for (const effect of transaction.effects) if (effect.is(set)) return effect.value;
      return drawn.map(transaction.changes);
    },
    provide: (field) => EditorView.decorations.from(field),
  });
  const asking = ViewPlugin.fromClass(class {
    constructor(view) {
      this.view = view;
      this.schedule(0);
    }
    update(update) {
      if (update.docChanged) this.schedule(SYNC_AFTER);
    }
    schedule(after) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.draw(), after);
    }
    async draw() {
      const plugin = LSPPlugin.get(this.view);
      if (!plugin) return;
      const { client, uri } = plugin;
      await client.initializing;
      client.sync();
      const { doc } = this.view.state;
      const drawn = await ask(client, uri, doc, plugin).catch(() => undefined);
      if (drawn && this.view.state.doc.eq(doc)) this.view.dispatch({ effects: set.of(drawn) });
    }
    destroy() {
      clearTimeout(this.timer);
    }
  });
  return [field, asking];
}

/** Words drawn by their meaning, as the server knows it. */
const drawnWords = decorated(async (client, uri, doc) => {
  const { data } = await client.request("textDocument/semanticTokens/full", { textDocument: { uri } });
  const { tokenTypes } = client.serverCapabilities.semanticTokensProvider.legend;
  const builder = new RangeSetBuilder();
  let [line, column] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    line += data[at];
    column = data[at] === 0 ? column + data[at + 1] : data[at + 1];
    const from = doc.line(line + 1).from + column;
    builder.add(from, from + data[at + 2], Decoration.mark({ class: `word-${tokenTypes[data[at + 3]]}` }));
  }
  return builder.finish();
});

class Hint extends WidgetType {
  constructor(text) {
    super();
    this.text = text;
  }
  eq(other) {
    return other.text === this.text;
  }
  toDOM() {
    const element = document.createElement("span");
    element.className = "hint";
    element.textContent = this.text;
    return element;
  }
}

/** What the server writes between the words: derived values. */
const hints = decorated(async (client, uri, doc, plugin) => {
  const end = doc.line(doc.lines);
  const range = { start: { line: 0, character: 0 }, end: { line: doc.lines - 1, character: end.length } };
  const found = await client.request("textDocument/inlayHint", { textDocument: { uri }, range });
  const label = ({ label }) => (typeof label === "string" ? label : label.map(({ value }) => value).join(""));
  const widgets = (found ?? []).map((hint) => Decoration.widget({ widget: new Hint(label(hint)), side: 1 }).range(plugin.fromPosition(hint.position, doc)));
  return Decoration.set(widgets, true);
});
