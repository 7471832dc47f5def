//! An editor over standard input and output, with a server of its own.

use super::uri;
use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An editor with a server of its own.
pub(super) struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: i32,
    /// Findings by file, as they were published last.
    pub(super) findings: BTreeMap<String, Value>,
}

impl Editor {
    pub(super) fn start() -> Self {
        Self::start_with_cache(Path::new("off"))
    }

    /// Starts a server that knows the results in a cache.
    pub(super) fn start_with_cache(cache: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fabc"));
        command.env("FABC_CACHE", cache);
        let mut child =
            command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("fabc starts");
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut editor = Self { child, to, from, next: 1, findings: BTreeMap::new() };
        let capabilities =
            editor.ask("initialize", json!({"capabilities": {}, "processId": null, "rootUri": null}));
        assert_eq!(capabilities["serverInfo"]["name"], "fabc");
        editor.tell("initialized", json!({}));
        editor
    }

    pub(super) fn tell(&mut self, method: &str, params: Value) {
        Message::Notification(Notification::new(method.to_owned(), params)).write(&mut self.to).unwrap();
    }

    pub(super) fn ask_for(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let id = RequestId::from(self.next);
        self.next += 1;
        Message::Request(Request::new(id.clone(), method.to_owned(), params)).write(&mut self.to).unwrap();
        loop {
            match Message::read(&mut self.from).unwrap().expect("the server answers") {
                Message::Response(response) => {
                    assert_eq!(response.id, id);
                    return response_result(response);
                }
                message => self.hear(message),
            }
        }
    }

    pub(super) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.ask_for(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn hear(&mut self, message: Message) {
        if let Message::Notification(Notification { method, params }) = message {
            assert_eq!(method, "textDocument/publishDiagnostics");
            self.findings.insert(params["uri"].as_str().unwrap().to_owned(), params["diagnostics"].clone());
        }
    }

    /// Reads the next message of the server.
    pub(super) fn listen(&mut self) {
        let message = Message::read(&mut self.from).unwrap().expect("the server says something");
        self.hear(message);
    }

    pub(super) fn open(&mut self, path: &Path) -> String {
        let uri = uri(path);
        let text = std::fs::read_to_string(path).unwrap();
        self.tell(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": "fab", "version": 1, "text": text}}),
        );
        uri
    }

    pub(super) fn change(&mut self, uri: &str, from: (u32, u32), to: (u32, u32), text: &str) {
        let place = |(line, character): (u32, u32)| json!({"line": line, "character": character});
        let change = json!({"range": {"start": place(from), "end": place(to)}, "text": text});
        self.tell(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]}),
        );
    }

    pub(super) fn stop(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.child.wait().unwrap().success());
    }
}

/// The result of a response, or the message of its error.
pub(super) fn response_result(response: lsp_server::Response) -> Result<Value, String> {
    let value = serde_json::to_value(&response).unwrap();
    match value.get("error") {
        Some(error) => Err(error["message"].as_str().unwrap_or_default().to_owned()),
        None => Ok(value["result"].clone()),
    }
}
