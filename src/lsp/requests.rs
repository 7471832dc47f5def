//! Answers requests: one function per request that needs more than a call.
//!
//! Input: the method of a request, and its parameters as JSON. Output: the answer as JSON, or a refusal. Most
//! requests are about a byte in an open file ([`Server::answer_at`]) or about an open file
//! ([`Server::answer_about`]).

use super::analysis::{Analysis, Spot};
use super::answers::{CompletionOffer, OfferKind, check_new_name, complete, hover, is_metric, is_renameable};
use super::drawing::{outline, semantic_tokens};
use super::files::EditorFile;
use super::fixes::fixes;
use super::names::{Occurrence, find_symbol, occurrences, rename_error};
use super::server::{RefusedRequest, Server, path_or_uri};
use fabc_lang::syntax::{parse_file, print};
use lsp_server::ErrorCode;
use lsp_types::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;

impl Server<'_> {
    /// The answer to a request, as JSON.
    pub(super) fn answer(&self, method: &str, params: Value) -> Result<Value, RefusedRequest> {
        match method {
            "textDocument/hover" => {
                self.answer_at(params, |server, file, offset, _: HoverParams| server.hover(file, offset))
            }
            "textDocument/completion" => self
                .answer_at(params, |server, file, offset, _: CompletionParams| {
                    server.completions(file, offset)
                }),
            "textDocument/definition" => self
                .answer_at(params, |server, file, offset, _: GotoDefinitionParams| {
                    server.definition(file, offset)
                }),
            "textDocument/references" => {
                self.answer_at(params, |server, file, offset, params: ReferenceParams| {
                    server.references(file, offset, params.context.include_declaration)
                })
            }
            "textDocument/documentHighlight" => self
                .answer_at(params, |server, file, offset, _: DocumentHighlightParams| {
                    server.highlights(file, offset)
                }),
            "textDocument/prepareRename" => {
                self.answer_at(params, |server, file, offset, _: TextDocumentPositionParams| {
                    let leaf = file.reading.leaf_at(offset).filter(|leaf| is_renameable(leaf.role))?;
                    find_symbol(&server.files, file, leaf).map(|_| file.text.range(leaf.bytes.clone()))
                })
            }
            "textDocument/rename" => {
                let params: RenameParams = request_params(params)?;
                let (file, offset) = self.file_and_offset(&params.text_document_position)?;
                self.rename(&file, offset, &params.new_name)
            }
            "textDocument/formatting" => self.answer_about(
                params,
                |params: &DocumentFormattingParams| &params.text_document,
                |_, file, _| formatting(file),
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
                |server, file, params| server.inlay_hints(file, params.range),
            ),
            "textDocument/codeAction" => self.answer_about(
                params,
                |params: &CodeActionParams| &params.text_document,
                |server, file, params| server.code_actions(file, params),
            ),
            other => Err(RefusedRequest(ErrorCode::MethodNotFound, format!("`{other}` is not known here"))),
        }
    }

    fn hover(&self, file: &Rc<EditorFile>, offset: usize) -> Option<Hover> {
        let analysis = self.analysis_of(&file.path);
        let (bytes, mut value) = hover(&self.files, file, offset, analysis)?;
        let measured = |analysis: &Analysis| {
            analysis.measured(|fabric, spec| {
                self.builds.map_or_else(Vec::new, |builds| builds.measured_lines(fabric, spec))
            })
        };
        if is_metric(file, offset) {
            let lines = analysis.map_or_else(Vec::new, measured);
            let line =
                lines.into_iter().find(|(spot, _)| spot.path == file.path && spot.bytes.contains(&offset));
            value.extend(line.map(|(_, measured)| format!("\n\nmeasured by the last build: {measured}")));
        }
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
            range: Some(file.text.range(bytes)),
        })
    }

    fn completions(&self, file: &Rc<EditorFile>, offset: usize) -> Vec<CompletionItem> {
        let (bytes, offers) = complete(&self.files, file, offset);
        let range = file.text.range(bytes);
        let item = |offer: CompletionOffer| CompletionItem {
            kind: Some(match offer.kind {
                OfferKind::Keyword => CompletionItemKind::KEYWORD,
                OfferKind::Setting => CompletionItemKind::PROPERTY,
                OfferKind::Choice => CompletionItemKind::ENUM_MEMBER,
                OfferKind::Name => CompletionItemKind::VARIABLE,
                OfferKind::Unit => CompletionItemKind::UNIT,
                OfferKind::Metric => CompletionItemKind::VALUE,
            }),
            detail: offer.detail,
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range,
                new_text: offer.text.unwrap_or_else(|| offer.label.clone()),
            })),
            label: offer.label,
            ..CompletionItem::default()
        };
        offers.into_iter().map(item).collect()
    }

    fn references(&self, file: &Rc<EditorFile>, offset: usize, with_declaration: bool) -> Vec<Location> {
        let listed = |occurrence: &Occurrence| with_declaration || !occurrence.declares;
        self.occurrences(file, offset)
            .into_iter()
            .filter(listed)
            .filter_map(|occurrence| self.location(&occurrence.path, occurrence.range()))
            .collect()
    }

    fn highlights(&self, file: &Rc<EditorFile>, offset: usize) -> Vec<DocumentHighlight> {
        let occurrences = self.occurrences(file, offset).into_iter();
        occurrences
            .filter(|occurrence| occurrence.path == file.path)
            .map(|occurrence| DocumentHighlight {
                range: file.text.range(occurrence.range()),
                kind: Some(if occurrence.declares {
                    DocumentHighlightKind::WRITE
                } else {
                    DocumentHighlightKind::READ
                }),
            })
            .collect()
    }

    fn inlay_hints(&self, file: &Rc<EditorFile>, range: Range) -> Vec<InlayHint> {
        let analysis = self.analysis_of(&file.path);
        let hints = analysis.into_iter().flat_map(|analysis| &analysis.annotations().hints);
        let to_hint = |(spot, label): &(Spot, String)| InlayHint {
            position: file.text.position(spot.bytes.end),
            label: InlayHintLabel::String(label.clone()),
            kind: None,
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        };
        hints
            .filter(|(spot, _)| spot.path == file.path)
            .map(to_hint)
            .filter(|hint| range.start <= hint.position && hint.position <= range.end)
            .collect()
    }

    /// The resolved analysis of a file itself, or else that of a spec that uses it.
    fn analysis_of(&self, path: &str) -> Option<&Analysis> {
        let own_analysis = self.analyses.get(path).filter(|analysis| analysis.is_resolved());
        let others = || self.files.affected(path).into_iter().filter(|other| other != path);
        own_analysis.or_else(|| others().find_map(|path| self.analyses.get(&path)))
    }

    fn occurrences(&self, file: &Rc<EditorFile>, offset: usize) -> Vec<Occurrence> {
        let symbol = file.reading.leaf_at(offset).and_then(|leaf| find_symbol(&self.files, file, leaf));
        symbol.map_or_else(Vec::new, |symbol| occurrences(&self.files, file, &symbol))
    }

    fn definition(&self, file: &Rc<EditorFile>, offset: usize) -> Option<Vec<Location>> {
        if let Some((path, _)) =
            file.uses.iter().find(|(_, bytes)| bytes.start <= offset && offset <= bytes.end)
        {
            return self.location(path, 0..0).map(|location| vec![location]);
        }
        let declared = self.occurrences(file, offset).into_iter().filter(|occurrence| occurrence.declares);
        Some(declared.filter_map(|occurrence| self.location(&occurrence.path, occurrence.range())).collect())
    }

    fn rename(&self, file: &Rc<EditorFile>, offset: usize, name: &str) -> Result<Value, RefusedRequest> {
        let refused = |why: String| RefusedRequest(ErrorCode::InvalidParams, why);
        let leaf = file.reading.leaf_at(offset).filter(|leaf| is_renameable(leaf.role));
        let symbol = leaf
            .and_then(|leaf| find_symbol(&self.files, file, leaf))
            .ok_or_else(|| refused("nothing here has a name of its own".to_owned()))?;
        let mut changes: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
        if name != symbol.name {
            check_new_name(&self.files, file, &symbol, name).map_err(refused)?;
            let renamed = occurrences(&self.files, file, &symbol);
            rename_error(&self.files, &renamed, name).map_or(Ok(()), |why| Err(refused(why)))?;
            for occurrence in renamed {
                if let Some(Location { uri, range }) = self.location(&occurrence.path, occurrence.range()) {
                    changes
                        .entry(uri.as_str().to_owned())
                        .or_default()
                        .push(TextEdit { range, new_text: name.to_owned() });
                }
            }
        }
        Ok(workspace_edit(&changes))
    }

    fn code_actions(&self, file: &Rc<EditorFile>, params: &CodeActionParams) -> Vec<Value> {
        let Some(uri) = self.files.open.get(&file.path).map(|open| open.uri.as_str().to_owned()) else {
            return Vec::new();
        };
        let mut actions = Vec::new();
        for finding in self
            .analyses
            .values()
            .flat_map(|analysis| &analysis.findings)
            .filter(|finding| finding.spot.path == file.path)
        {
            let diagnostic = self.diagnostic(finding, file);
            if diagnostic.range.end < params.range.start || params.range.end < diagnostic.range.start {
                continue;
            }
            for fix in fixes(finding, file.text.content()) {
                let edit = TextEdit { range: file.text.range(fix.bytes), new_text: fix.text };
                let edit = workspace_edit(&BTreeMap::from([(uri.clone(), vec![edit])]));
                actions.push(json!({"title": fix.title, "kind": "quickfix", "diagnostics": [diagnostic], "edit": edit}));
            }
        }
        actions
    }

    fn file(&self, document: &TextDocumentIdentifier) -> Result<Rc<EditorFile>, RefusedRequest> {
        let open = self.files.open.get(&path_or_uri(&document.uri));
        open.map(|open| open.file.clone()).ok_or_else(|| {
            RefusedRequest(ErrorCode::InvalidParams, format!("`{}` is not open", document.uri.as_str()))
        })
    }

    fn file_and_offset(
        &self,
        place: &TextDocumentPositionParams,
    ) -> Result<(Rc<EditorFile>, usize), RefusedRequest> {
        let file = self.file(&place.text_document)?;
        let offset = file.text.offset(place.position);
        Ok((file, offset))
    }

    /// Answers a request about a byte in a file.
    fn answer_at<P, A: Serialize>(
        &self,
        params: Value,
        answer: impl FnOnce(&Self, &Rc<EditorFile>, usize, P) -> A,
    ) -> Result<Value, RefusedRequest>
    where
        P: DeserializeOwned,
    {
        let place: TextDocumentPositionParams = request_params(params.clone())?;
        let (file, offset) = self.file_and_offset(&place)?;
        to_json(answer(self, &file, offset, request_params(params)?))
    }

    /// Answers a request about a file.
    fn answer_about<P: DeserializeOwned, A: Serialize>(
        &self,
        params: Value,
        document: impl FnOnce(&P) -> &TextDocumentIdentifier,
        answer: impl FnOnce(&Self, &Rc<EditorFile>, &P) -> A,
    ) -> Result<Value, RefusedRequest> {
        let params: P = request_params(params)?;
        let file = self.file(document(&params))?;
        to_json(answer(self, &file, &params))
    }
}

/// The edit that formats a file, if it changes anything. `None` for a file that cannot be parsed: its
/// findings say why.
fn formatting(file: &EditorFile) -> Option<Vec<TextEdit>> {
    let (parsed, _) = parse_file(&file.path, file.text.content());
    let text = print(&parsed.ok()?);
    let edit =
        (text != file.text.content()).then(|| TextEdit { range: file.text.full_range(), new_text: text });
    Some(edit.into_iter().collect())
}

fn workspace_edit(changes: &BTreeMap<String, Vec<TextEdit>>) -> Value {
    json!({"changes": changes})
}

fn request_params<P: DeserializeOwned>(params: Value) -> Result<P, RefusedRequest> {
    serde_json::from_value(params)
        .map_err(|error| RefusedRequest(ErrorCode::InvalidParams, error.to_string()))
}

fn to_json(answer: impl Serialize) -> Result<Value, RefusedRequest> {
    serde_json::to_value(answer).map_err(|error| RefusedRequest(ErrorCode::InternalError, error.to_string()))
}
