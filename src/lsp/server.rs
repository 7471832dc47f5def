//! The language server: requests and notifications in, answers out.
//!
//! Comes in: messages of the Language Server Protocol (3.17), and a loader for files that are not open. Goes
//! out: messages. Nothing is read from the outside or written to it here: `cli/lsp/mod.rs` does. Findings are
//! published when the editor has said all that it had to say ([`Server::idle`]), so that of ten keystrokes
//! in a row the last one counts.

use super::analysis::{Analysis, Finding, analyse};
use super::answers::{Offered, can_be, complete, hover, is_renamed};
use super::drawing::{LEGEND, outline, semantic_tokens};
use super::files::{File, Files, Open};
use super::fixes::fixes;
use super::names::{Occurrence, breaks, occurrences, symbol};
use super::text::Text;
use super::uris::{path_of_uri, uri_of_path};
use fabc_lang::syntax::{Loader, parse_file, print};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// A server, and all that it knows.
pub struct Server<'d> {
    files: Files<'d>,
    /// Open files of which something new is to be said.
    changed: BTreeSet<String>,
    /// By open spec.
    analyses: BTreeMap<String, Analysis>,
    /// Files of which something was published that has to be taken back.
    published: BTreeSet<String>,
}

/// What the server can do.
pub fn capabilities() -> ServerCapabilities {
    let legend = SemanticTokensLegend {
        token_types: LEGEND.map(SemanticTokenType::new).to_vec(),
        token_modifiers: Vec::new(),
    };
    let tokens = SemanticTokensOptions {
        legend,
        full: Some(SemanticTokensFullOptions::Bool(true)),
        ..SemanticTokensOptions::default()
    };
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([".", "=", " "].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(tokens)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}

/// Why a request has no answer.
struct Refused(ErrorCode, String);

impl<'d> Server<'d> {
    /// A server that knows no file yet.
    pub fn new(disk: &'d dyn Loader) -> Self {
        Self {
            files: Files::new(disk),
            changed: BTreeSet::new(),
            analyses: BTreeMap::new(),
            published: BTreeSet::new(),
        }
    }

    /// What a message leads to at once.
    pub fn message(&mut self, message: Message) -> Vec<Message> {
        match message {
            Message::Request(request) => vec![Message::Response(self.request(request))],
            Message::Notification(notification) => {
                self.notification(notification);
                Vec::new()
            }
            Message::Response(_) => Vec::new(),
        }
    }

    /// Whether there is something to say when nobody asks.
    pub fn is_waiting(&self) -> bool {
        !self.changed.is_empty()
    }

    /// What is to be said of what has changed.
    pub fn idle(&mut self) -> Vec<Message> {
        let changed = std::mem::take(&mut self.changed);
        if changed.is_empty() {
            return Vec::new();
        }
        let specs: BTreeSet<String> = changed.iter().flat_map(|path| self.files.affected(path)).collect();
        for path in specs {
            let files = &self.files;
            let analysis = catch_unwind(AssertUnwindSafe(|| analyse(files, &path))).unwrap_or_default();
            self.analyses.insert(path, analysis);
        }
        self.analyses.retain(|path, _| self.files.open.contains_key(path));
        self.publish()
    }

    /// All findings of all files, and nothing for files that have none any more.
    fn publish(&mut self) -> Vec<Message> {
        let mut by_file: BTreeMap<&str, Vec<&Finding>> =
            self.files.open.keys().map(|path| (path.as_str(), Vec::new())).collect();
        for finding in self.analyses.values().flat_map(|analysis| &analysis.findings) {
            by_file.entry(&finding.spot.0).or_default().push(finding);
        }
        let now: BTreeSet<String> = by_file.keys().map(|path| (*path).to_owned()).collect();
        let gone = self.published.difference(&now).cloned().collect::<Vec<_>>();
        let mut messages = Vec::new();
        for (path, findings) in by_file {
            let Some(file) = self.files.file(path) else { continue };
            let mut diagnostics: Vec<Diagnostic> = Vec::new();
            for finding in findings {
                let diagnostic = self.diagnostic(finding, &file);
                // Two specs may find the same in a part that both use.
                if !diagnostics.contains(&diagnostic) {
                    diagnostics.push(diagnostic);
                }
            }
            messages.extend(self.published_of(path, diagnostics));
        }
        messages.extend(gone.iter().filter_map(|path| self.published_of(path, Vec::new())));
        self.published = now;
        messages
    }

    fn published_of(&self, path: &str, diagnostics: Vec<Diagnostic>) -> Option<Message> {
        let open = self.files.open.get(path);
        let uri = open.map(|open| open.uri.clone()).or_else(|| uri_of_path(path))?;
        let params = PublishDiagnosticsParams { uri, diagnostics, version: open.map(|open| open.version) };
        Some(Message::Notification(Notification::new("textDocument/publishDiagnostics".to_owned(), params)))
    }

    fn diagnostic(&self, finding: &Finding, file: &File) -> Diagnostic {
        let related = finding.related.iter().filter_map(|((path, bytes), message)| {
            let location = self.location(path, bytes.clone())?;
            Some(DiagnosticRelatedInformation { location, message: message.clone() })
        });
        let lines = [
            Some(finding.message.clone()),
            finding.label.clone(),
            finding.help.as_ref().map(|help| format!("help: {help}")),
        ];
        Diagnostic {
            range: file.text.range(finding.spot.1.clone()),
            severity: Some(match finding.severity {
                miette::Severity::Error => DiagnosticSeverity::ERROR,
                miette::Severity::Warning => DiagnosticSeverity::WARNING,
                miette::Severity::Advice => DiagnosticSeverity::INFORMATION,
            }),
            code: finding.code.clone().map(NumberOrString::String),
            source: Some("fabc".to_owned()),
            message: lines
                .into_iter()
                .flatten()
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join("\n"),
            related_information: Some(related.collect::<Vec<_>>()).filter(|related| !related.is_empty()),
            ..Diagnostic::default()
        }
    }

    fn location(&self, path: &str, bytes: std::ops::Range<usize>) -> Option<Location> {
        let open = self.files.open.get(path);
        let uri = open.map(|open| open.uri.clone()).or_else(|| uri_of_path(path))?;
        Some(Location { uri, range: self.files.file(path)?.text.range(bytes) })
    }

    fn notification(&mut self, Notification { method, params }: Notification) {
        // What cannot be read is not answered: a notification has no answer.
        match method.as_str() {
            "textDocument/didOpen" => {
                let Some(DidOpenTextDocumentParams {
                    text_document: TextDocumentItem { uri, version, text, .. },
                }) = read(params)
                else {
                    return;
                };
                let path = known(&uri);
                let file = File::new(&path, Text::new(text));
                self.files.open.insert(path.clone(), Open { uri, version, file });
                self.changed.insert(path);
            }
            "textDocument/didChange" => {
                let Some(DidChangeTextDocumentParams { text_document, content_changes }) = read(params)
                else {
                    return;
                };
                let path = known(&text_document.uri);
                let Some(open) = self.files.open.get_mut(&path) else { return };
                let mut text = open.file.text.clone();
                content_changes.into_iter().for_each(|change| text.change(change));
                open.file = File::new(&path, text);
                open.version = text_document.version;
                self.changed.insert(path);
            }
            // Files that are not open may have changed as well.
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.changed.extend(self.files.open.keys().cloned())
            }
            "textDocument/didClose" => {
                let Some(DidCloseTextDocumentParams { text_document }) = read(params) else { return };
                let path = known(&text_document.uri);
                let users = self.files.affected(&path);
                self.files.open.remove(&path);
                self.analyses.remove(&path);
                self.changed.extend(users);
            }
            _ => {}
        }
    }

    fn request(&mut self, Request { id, method, params }: Request) -> Response {
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&method, params)));
        let bug = || Err(Refused(ErrorCode::InternalError, "fabc panicked; this is a bug of it".to_owned()));
        respond(id, answer.unwrap_or_else(|_| bug()))
    }

    fn answer(&mut self, method: &str, params: Value) -> Result<Value, Refused> {
        match method {
            "textDocument/hover" => self.answer_at(params, |server, file, offset, _: HoverParams| {
                let analysis = server.analysis_of(&file.path);
                hover(&server.files, file, offset, analysis).map(|(bytes, value)| Hover {
                    contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
                    range: Some(file.text.range(bytes)),
                })
            }),
            "textDocument/completion" => {
                self.answer_at(params, |server, file, offset, _: CompletionParams| {
                    let (bytes, offers) = complete(&server.files, file, offset);
                    let range = file.text.range(bytes);
                    let item = |offer: super::answers::Offer| CompletionItem {
                        kind: Some(match offer.kind {
                            Offered::Keyword => CompletionItemKind::KEYWORD,
                            Offered::Setting => CompletionItemKind::PROPERTY,
                            Offered::Choice => CompletionItemKind::ENUM_MEMBER,
                            Offered::Name => CompletionItemKind::VARIABLE,
                            Offered::Unit => CompletionItemKind::UNIT,
                            Offered::Metric => CompletionItemKind::VALUE,
                        }),
                        detail: offer.detail,
                        text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                            range,
                            new_text: offer.text.unwrap_or_else(|| offer.label.clone()),
                        })),
                        label: offer.label,
                        ..CompletionItem::default()
                    };
                    offers.into_iter().map(item).collect::<Vec<_>>()
                })
            }
            "textDocument/definition" => self
                .answer_at(params, |server, file, offset, _: GotoDefinitionParams| {
                    server.definition(file, offset)
                }),
            "textDocument/references" => {
                self.answer_at(params, |server, file, offset, params: ReferenceParams| {
                    let all = server
                        .occurrences(file, offset)
                        .into_iter()
                        .filter(|at| params.context.include_declaration || !at.declares);
                    all.filter_map(|at| server.location(&at.path, at.range())).collect::<Vec<_>>()
                })
            }
            "textDocument/documentHighlight" => {
                self.answer_at(params, |server, file, offset, _: DocumentHighlightParams| {
                    let here = server.occurrences(file, offset).into_iter().filter(|at| at.path == file.path);
                    here.map(|at| DocumentHighlight {
                        range: file.text.range(at.range()),
                        kind: Some(if at.declares {
                            DocumentHighlightKind::WRITE
                        } else {
                            DocumentHighlightKind::READ
                        }),
                    })
                    .collect::<Vec<_>>()
                })
            }
            "textDocument/prepareRename" => {
                self.answer_at(params, |server, file, offset, _: TextDocumentPositionParams| {
                    let leaf = file.reading.leaf_at(offset).filter(|leaf| is_renamed(leaf.role))?;
                    symbol(&server.files, file, leaf).map(|_| file.text.range(leaf.bytes.clone()))
                })
            }
            "textDocument/rename" => {
                let params: RenameParams = take(params)?;
                let (file, offset) = self.place(&params.text_document_position)?;
                self.rename(&file, offset, &params.new_name)
            }
            "textDocument/formatting" => self.answer_about(
                params,
                |params: &DocumentFormattingParams| &params.text_document,
                |_, file, _| {
                    let (parsed, _) = parse_file(&file.path, file.text.content());
                    // What cannot be read is left as it is: the findings say why.
                    let text = print(&parsed.ok()?);
                    let edit = (text != file.text.content())
                        .then(|| TextEdit { range: file.text.whole(), new_text: text });
                    Some(edit.into_iter().collect::<Vec<_>>())
                },
            ),
            "textDocument/documentSymbol" => self.answer_about(
                params,
                |params: &DocumentSymbolParams| &params.text_document,
                |_, file, _| outline(file),
            ),
            "textDocument/semanticTokens/full" => self.answer_about(
                params,
                |params: &SemanticTokensParams| &params.text_document,
                |server, file, _| SemanticTokens {
                    result_id: None,
                    data: semantic_tokens(&server.files, file),
                },
            ),
            "textDocument/inlayHint" => self.answer_about(
                params,
                |params: &InlayHintParams| &params.text_document,
                |server, file, params| {
                    let hints = server
                        .analysis_of(&file.path)
                        .into_iter()
                        .flat_map(|analysis| &analysis.known().hints);
                    let here = hints.filter(|((path, _), _)| *path == file.path);
                    let hint = |((_, bytes), label): &((String, std::ops::Range<usize>), String)| InlayHint {
                        position: file.text.position(bytes.end),
                        label: InlayHintLabel::String(label.clone()),
                        kind: None,
                        text_edits: None,
                        tooltip: None,
                        padding_left: Some(true),
                        padding_right: None,
                        data: None,
                    };
                    let inside = |hint: &InlayHint| {
                        params.range.start <= hint.position && hint.position <= params.range.end
                    };
                    here.map(hint).filter(inside).collect::<Vec<_>>()
                },
            ),
            "textDocument/codeAction" => self.answer_about(
                params,
                |params: &CodeActionParams| &params.text_document,
                |server, file, params| server.actions(file, params),
            ),
            other => Err(Refused(ErrorCode::MethodNotFound, format!("`{other}` is not known here"))),
        }
    }

    /// The newest analysis that a file is in: its own first.
    fn analysis_of(&self, path: &str) -> Option<&Analysis> {
        let own = self.analyses.get(path).filter(|analysis| analysis.is_resolved());
        let others = || self.files.affected(path).into_iter().filter(|other| other != path);
        own.or_else(|| others().find_map(|path| self.analyses.get(&path)))
    }

    fn occurrences(&self, file: &Rc<File>, offset: usize) -> Vec<Occurrence> {
        let symbol = file.reading.leaf_at(offset).and_then(|leaf| symbol(&self.files, file, leaf));
        symbol.map_or_else(Vec::new, |symbol| occurrences(&self.files, file, &symbol))
    }

    fn definition(&self, file: &Rc<File>, offset: usize) -> Option<Vec<Location>> {
        // The path of a `use` leads to its file.
        if let Some((path, _)) = file.uses().find(|(_, bytes)| bytes.start <= offset && offset <= bytes.end) {
            return self.location(&path, 0..0).map(|location| vec![location]);
        }
        let declared = self.occurrences(file, offset).into_iter().filter(|at| at.declares);
        Some(declared.filter_map(|at| self.location(&at.path, at.range())).collect())
    }

    fn rename(&self, file: &Rc<File>, offset: usize, name: &str) -> Result<Value, Refused> {
        let refused = |why: String| Refused(ErrorCode::InvalidParams, why);
        let leaf = file.reading.leaf_at(offset).filter(|leaf| is_renamed(leaf.role));
        let symbol = leaf
            .and_then(|leaf| symbol(&self.files, file, leaf))
            .ok_or_else(|| refused("nothing here has a name of its own".to_owned()))?;
        let mut changes: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
        if name != symbol.name {
            can_be(&self.files, file, &symbol, name).map_err(refused)?;
            let all = occurrences(&self.files, file, &symbol);
            breaks(&self.files, &all, name).map_or(Ok(()), |why| Err(refused(why)))?;
            for at in all {
                if let Some(Location { uri, range }) = self.location(&at.path, at.range()) {
                    changes
                        .entry(uri.as_str().to_owned())
                        .or_default()
                        .push(TextEdit { range, new_text: name.to_owned() });
                }
            }
        }
        Ok(edits(&changes))
    }

    fn actions(&self, file: &Rc<File>, params: &CodeActionParams) -> Vec<Value> {
        let Some(uri) = self.files.open.get(&file.path).map(|open| open.uri.as_str().to_owned()) else {
            return Vec::new();
        };
        let mut actions = Vec::new();
        for finding in self
            .analyses
            .values()
            .flat_map(|analysis| &analysis.findings)
            .filter(|finding| finding.spot.0 == file.path)
        {
            let diagnostic = self.diagnostic(finding, file);
            if diagnostic.range.end < params.range.start || params.range.end < diagnostic.range.start {
                continue;
            }
            for fix in fixes(finding, file.text.content()) {
                let edit = TextEdit { range: file.text.range(fix.bytes), new_text: fix.text };
                let edit = edits(&BTreeMap::from([(uri.clone(), vec![edit])]));
                actions.push(json!({"title": fix.title, "kind": "quickfix", "diagnostics": [diagnostic], "edit": edit}));
            }
        }
        actions
    }

    fn file(&self, document: &TextDocumentIdentifier) -> Result<Rc<File>, Refused> {
        let open = self.files.open.get(&known(&document.uri));
        open.map(|open| open.file.clone()).ok_or_else(|| {
            Refused(ErrorCode::InvalidParams, format!("`{}` is not open", document.uri.as_str()))
        })
    }

    fn place(&self, place: &TextDocumentPositionParams) -> Result<(Rc<File>, usize), Refused> {
        let file = self.file(&place.text_document)?;
        let offset = file.text.offset(place.position);
        Ok((file, offset))
    }

    /// Answers a request about a place in a file.
    fn answer_at<P, A: Serialize>(
        &self,
        params: Value,
        answer: impl FnOnce(&Self, &Rc<File>, usize, P) -> A,
    ) -> Result<Value, Refused>
    where
        P: DeserializeOwned,
    {
        let place: TextDocumentPositionParams = take(params.clone())?;
        let (file, offset) = self.place(&place)?;
        written(answer(self, &file, offset, take(params)?))
    }

    /// Answers a request about a file.
    fn answer_about<P: DeserializeOwned, A: Serialize>(
        &self,
        params: Value,
        document: impl FnOnce(&P) -> &TextDocumentIdentifier,
        answer: impl FnOnce(&Self, &Rc<File>, &P) -> A,
    ) -> Result<Value, Refused> {
        let params: P = take(params)?;
        let file = self.file(document(&params))?;
        written(answer(self, &file, &params))
    }
}

/// A `WorkspaceEdit`: the edits of every file, in the order of their names.
fn edits(changes: &BTreeMap<String, Vec<TextEdit>>) -> Value {
    json!({"changes": changes})
}

/// The path of a file, or what the editor calls a text that is in none.
fn known(uri: &Uri) -> String {
    path_of_uri(uri).unwrap_or_else(|| uri.as_str().to_owned())
}

fn read<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}

fn take<P: DeserializeOwned>(params: Value) -> Result<P, Refused> {
    serde_json::from_value(params).map_err(|error| Refused(ErrorCode::InvalidParams, error.to_string()))
}

fn written(answer: impl Serialize) -> Result<Value, Refused> {
    serde_json::to_value(answer).map_err(|error| Refused(ErrorCode::InternalError, error.to_string()))
}

fn respond(id: RequestId, answer: Result<Value, Refused>) -> Response {
    match answer {
        Ok(value) => Response::new_ok(id, value),
        Err(Refused(code, message)) => Response::new_err(id, code as i32, message),
    }
}
