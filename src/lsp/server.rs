//! The language server: requests and notifications in, answers out.
//!
//! Input: messages of the Language Server Protocol (3.17), and a loader for files that are not open. Output:
//! messages. This crate does no input or output of its own: `cli/lsp/mod.rs` does. Findings are published
//! when no message is waiting ([`Server::publish_changes`]), so that of ten keystrokes in a row only the last
//! one is analysed.

use super::analysis::{Analysis, Finding, analyse};
use super::drawing::LEGEND;
use super::files::{EditorFile, OpenFile, OpenFiles};
use super::text::EditorText;
use super::uris::{path_of_uri, uri_of_path};
use fabc_lang::syntax::Loader;
use fabc_lang::syntax::ast::Spec;
use fabc_model::Fabric;
use fabc_pipeline::compile::MeasuredLine;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::*;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A language server with its open files and what it knows of them.
pub struct Server<'d> {
    pub(super) files: OpenFiles<'d>,
    /// What earlier builds measured, if that is known.
    pub(super) builds: Option<&'d dyn EarlierBuilds>,
    /// Paths of open files that changed since findings were last published.
    changed: BTreeSet<String>,
    /// By the path of an open spec.
    pub(super) analyses: BTreeMap<String, Analysis>,
    /// Files with published findings, which must be withdrawn when they are gone.
    published: BTreeSet<String>,
}

/// The requests that the server answers, as the protocol declares them.
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

/// The error that refuses a request: its code in the protocol, and a message.
pub(super) struct RefusedRequest(pub(super) ErrorCode, pub(super) String);

/// What earlier builds measured. Nothing is built or stored for it.
pub trait EarlierBuilds {
    /// The measured lines of the contract of a spec, which is not in its normal form. Empty if it was not
    /// built.
    fn measured_lines(&self, fabric: &Fabric, spec: &Spec) -> Vec<MeasuredLine>;
}

impl<'d> Server<'d> {
    /// A server that knows no file yet. It reads files that are not open through `disk`.
    pub fn new(disk: &'d dyn Loader) -> Self {
        Self {
            files: OpenFiles::new(disk),
            builds: None,
            changed: BTreeSet::new(),
            analyses: BTreeMap::new(),
            published: BTreeSet::new(),
        }
    }

    /// The same server, which also shows what earlier builds measured.
    pub fn with_builds(self, builds: &'d dyn EarlierBuilds) -> Self {
        Self { builds: Some(builds), ..self }
    }

    /// Handles one message. A request gives its response at once. Other messages give none.
    pub fn handle_message(&mut self, message: Message) -> Vec<Message> {
        match message {
            Message::Request(request) => vec![Message::Response(self.request(request))],
            Message::Notification(notification) => {
                self.notification(notification);
                Vec::new()
            }
            Message::Response(_) => Vec::new(),
        }
    }

    /// Whether some open file changed since findings were last published.
    pub fn has_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Analyses the specs that the changed files affect, and returns the findings to publish.
    pub fn publish_changes(&mut self) -> Vec<Message> {
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

    /// The findings of every file, and an empty list for files whose findings are gone.
    fn publish(&mut self) -> Vec<Message> {
        let mut by_file: BTreeMap<&str, Vec<&Finding>> =
            self.files.open.keys().map(|path| (path.as_str(), Vec::new())).collect();
        for finding in self.analyses.values().flat_map(|analysis| &analysis.findings) {
            by_file.entry(&finding.spot.path).or_default().push(finding);
        }
        let now: BTreeSet<String> = by_file.keys().map(|path| (*path).to_owned()).collect();
        let withdrawn = self.published.difference(&now).cloned().collect::<Vec<_>>();
        let mut messages = Vec::new();
        for (path, findings) in by_file {
            let Some(file) = self.files.file(path) else { continue };
            let mut diagnostics: Vec<Diagnostic> = Vec::new();
            for finding in findings {
                let diagnostic = self.diagnostic(finding, &file);
                // Two specs may report the same error in a part that both use.
                if !diagnostics.contains(&diagnostic) {
                    diagnostics.push(diagnostic);
                }
            }
            messages.extend(self.publish_message(path, diagnostics));
        }
        messages.extend(withdrawn.iter().filter_map(|path| self.publish_message(path, Vec::new())));
        self.published = now;
        messages
    }

    fn publish_message(&self, path: &str, diagnostics: Vec<Diagnostic>) -> Option<Message> {
        let open = self.files.open.get(path);
        let uri = open.map(|open| open.uri.clone()).or_else(|| uri_of_path(path))?;
        let params = PublishDiagnosticsParams { uri, diagnostics, version: open.map(|open| open.version) };
        Some(Message::Notification(Notification::new("textDocument/publishDiagnostics".to_owned(), params)))
    }

    pub(super) fn diagnostic(&self, finding: &Finding, file: &EditorFile) -> Diagnostic {
        let related = finding.related.iter().filter_map(|(spot, message)| {
            let location = self.location(&spot.path, spot.bytes.clone())?;
            Some(DiagnosticRelatedInformation { location, message: message.clone() })
        });
        let lines = [
            Some(finding.message.clone()),
            finding.label.clone(),
            finding.help.as_ref().map(|help| format!("help: {help}")),
        ];
        Diagnostic {
            range: file.text.range(finding.spot.bytes.clone()),
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

    pub(super) fn location(&self, path: &str, bytes: std::ops::Range<usize>) -> Option<Location> {
        let open = self.files.open.get(path);
        let uri = open.map(|open| open.uri.clone()).or_else(|| uri_of_path(path))?;
        Some(Location { uri, range: self.files.file(path)?.text.range(bytes) })
    }

    fn notification(&mut self, Notification { method, params }: Notification) {
        // A notification has no answer, so one that cannot be read is dropped.
        match method.as_str() {
            "textDocument/didOpen" => {
                let Some(DidOpenTextDocumentParams {
                    text_document: TextDocumentItem { uri, version, text, .. },
                }) = notification_params(params)
                else {
                    return;
                };
                let path = path_or_uri(&uri);
                let file = EditorFile::new(&path, EditorText::new(text));
                self.files.open.insert(path.clone(), OpenFile { uri, version, file });
                self.changed.insert(path);
            }
            "textDocument/didChange" => {
                let Some(DidChangeTextDocumentParams { text_document, content_changes }) =
                    notification_params(params)
                else {
                    return;
                };
                let path = path_or_uri(&text_document.uri);
                let Some(open) = self.files.open.get_mut(&path) else { return };
                let mut text = open.file.text.clone();
                content_changes.into_iter().for_each(|change| text.apply_change(change));
                open.file = EditorFile::new(&path, text);
                open.version = text_document.version;
                self.changed.insert(path);
            }
            // Files that are not open may have changed as well.
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.changed.extend(self.files.open.keys().cloned())
            }
            "textDocument/didClose" => {
                let Some(DidCloseTextDocumentParams { text_document }) = notification_params(params) else {
                    return;
                };
                let path = path_or_uri(&text_document.uri);
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
        let bug = || Err(RefusedRequest(ErrorCode::InternalError, "fabc panicked; this is a bug".to_owned()));
        respond(id, answer.unwrap_or_else(|_| bug()))
    }
}

/// The path of a file, or the URI itself for a text that was never saved.
pub(super) fn path_or_uri(uri: &Uri) -> String {
    path_of_uri(uri).unwrap_or_else(|| uri.as_str().to_owned())
}

fn notification_params<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}

fn respond(id: RequestId, answer: Result<Value, RefusedRequest>) -> Response {
    match answer {
        Ok(value) => Response::new_ok(id, value),
        Err(RefusedRequest(code, message)) => Response::new_err(id, code as i32, message),
    }
}
