//! A language server in this process, without an editor: requests, answers and findings.

use super::client::response_result;
use fabc::lsp::Server;
use fabc::syntax::Loader;
use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};

/// Files below the root of the package.
pub(super) struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, _: u64) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|error| error.to_string())
    }
    fn identity(&self, path: &str) -> String {
        std::fs::canonicalize(path).map_or(path.to_owned(), |path| path.display().to_string())
    }
}

pub(super) fn open_document(server: &mut Server<'_>, uri: &str, text: &str) {
    let params = json!({"textDocument": {"uri": uri, "languageId": "fab", "version": 1, "text": text}});
    notify(server, "textDocument/didOpen", params);
}

pub(super) fn findings(server: &mut Server<'_>, uri: &str) -> Value {
    let mut published = server.publish_changes().into_iter().filter_map(|message| match message {
        Message::Notification(Notification { params, .. }) if params["uri"] == uri => {
            Some(params["diagnostics"].clone())
        }
        _ => None,
    });
    published.next_back().unwrap_or(json!([]))
}

pub(super) fn answer(server: &mut Server<'_>, method: &str, params: Value) -> Value {
    answer_or_error(server, method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
}

pub(super) fn answer_or_error(server: &mut Server<'_>, method: &str, params: Value) -> Result<Value, String> {
    let request = Request::new(RequestId::from(1), method.to_owned(), params);
    let mut answers = server.handle_message(Message::Request(request));
    let Some(Message::Response(response)) = answers.pop() else { panic!("{method} is not answered") };
    response_result(response)
}

pub(super) fn notify(server: &mut Server<'_>, method: &str, params: Value) {
    server.handle_message(Message::Notification(Notification::new(method.to_owned(), params)));
}
