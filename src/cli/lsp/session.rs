//! The session of one editor: what it may say in which state, and the answers.
//!
//! Input: messages as the protocol defines them. Output: answers as JSON. It does no input or output, apart
//! from the files of specs that the server reads.

use crate::io::cache::CachedBuilds;
use crate::io::read::Disk;
use crate::lsp::messages::{ClientInput, error_response, parse_body};
use fabc_lsp::{Server, capabilities};
use lsp_server::{ErrorCode, Message, Request};
use serde_json::{Value, json};

/// The state of a session, as the protocol defines it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionState {
    /// The editor has not sent `initialize` yet.
    New,
    Open,
    /// After `shutdown`, when only `exit` may follow.
    ShutDown,
}

/// A language server with the state of its session. The command `fabc lsp` drives one over standard input and
/// output, and a web page drives one by calls.
pub struct EditorSession {
    server: Server<'static>,
    pub(crate) state: SessionState,
}

impl Default for EditorSession {
    fn default() -> Self {
        Self { server: Server::new(&Disk).with_builds(&CachedBuilds), state: SessionState::New }
    }
}

impl EditorSession {
    /// Answers one message: JSON without a header. Invalid input is answered with an error.
    pub fn answer(&mut self, message: &[u8]) -> Vec<Value> {
        match parse_body(message) {
            ClientInput::Refused(answer) => vec![answer],
            ClientInput::Message(message) => self.answer_message(message),
        }
    }

    /// The findings in the texts that changed since the last call. Empty if none changed.
    pub fn findings(&mut self) -> Vec<Value> {
        to_json(self.server.publish_changes())
    }

    pub(crate) fn has_changes(&self) -> bool {
        self.server.has_changes()
    }

    /// The answers to a message in the current state.
    pub(crate) fn answer_message(&mut self, message: Message) -> Vec<Value> {
        let request = match message {
            Message::Request(request) => request,
            // A notification before `initialize` or after `shutdown` is ignored.
            other if self.state == SessionState::Open => return to_json(self.server.handle_message(other)),
            _ => return Vec::new(),
        };
        let Request { id, method, .. } = &request;
        let refused = |code, message: &str| vec![error_response(&json!(id), code, message)];
        match (self.state, &**method) {
            (SessionState::New, "initialize") => {
                self.state = SessionState::Open;
                let info = json!({"name": "fabc", "version": env!("CARGO_PKG_VERSION")});
                vec![
                    json!({"jsonrpc": "2.0", "id": id, "result": {"capabilities": capabilities(), "serverInfo": info}}),
                ]
            }
            (SessionState::New, _) => {
                refused(ErrorCode::ServerNotInitialized, "the first request is `initialize`")
            }
            (SessionState::Open, "initialize") => {
                refused(ErrorCode::InvalidRequest, "there was an `initialize` before")
            }
            (SessionState::Open, "shutdown") => {
                self.state = SessionState::ShutDown;
                vec![json!({"jsonrpc": "2.0", "id": id, "result": null})]
            }
            (SessionState::Open, _) => to_json(self.server.handle_message(Message::Request(request))),
            (SessionState::ShutDown, _) => {
                refused(ErrorCode::InvalidRequest, "after `shutdown` there is nothing but `exit`")
            }
        }
    }
}

/// The messages of the server as JSON.
fn to_json(messages: Vec<Message>) -> Vec<Value> {
    let value = |message: Message| {
        let mut value = serde_json::to_value(message).unwrap_or_default();
        value["jsonrpc"] = json!("2.0");
        value
    };
    messages.into_iter().map(value).collect()
}
