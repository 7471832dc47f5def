//! The life of a server: `initialize`, requests, `shutdown`, `exit`.
//!
//! Comes in: what an editor sent. Goes out: what is answered, and how the session ends. Invariant: every
//! request has one answer, in every phase, and only `exit` ends the session.

use super::incoming::{Received, error};
use super::server::{Server, capabilities};
use crate::syntax::Loader;
use lsp_server::{ErrorCode, Message, Request, RequestId};
use serde_json::{Value, json};

/// What has happened so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    BeforeInitialize,
    Running,
    AfterShutdown,
}

/// What follows from a message.
#[derive(Debug, PartialEq)]
pub enum Reaction {
    /// These are sent, and the session goes on.
    Send(Vec<Value>),
    /// The session ends; `asked` says whether `shutdown` came before, as the protocol demands.
    Exit {
        /// Whether it did.
        asked: bool,
    },
}

/// A server with the phase that it is in.
pub struct Session<'d> {
    server: Server<'d>,
    phase: Phase,
}

impl<'d> Session<'d> {
    /// A session that begins.
    pub fn new(disk: &'d dyn Loader) -> Self {
        Self { server: Server::new(disk), phase: Phase::BeforeInitialize }
    }

    /// What follows from something that the editor sent.
    pub fn receive(&mut self, received: Received) -> Reaction {
        match received {
            Received::Malformed(answer) => Reaction::Send(vec![answer]),
            Received::Message(Message::Request(request)) => Reaction::Send(self.request(request)),
            Received::Message(Message::Notification(told)) if told.method == "exit" => {
                Reaction::Exit { asked: self.phase == Phase::AfterShutdown }
            }
            Received::Message(told) if self.phase == Phase::Running => Reaction::Send(self.pass(told)),
            Received::Message(_) => Reaction::Send(Vec::new()),
        }
    }

    /// Whether there is something to say when nobody asks.
    pub fn is_waiting(&self) -> bool {
        self.phase == Phase::Running && self.server.is_waiting()
    }

    /// What is to be said of what has changed.
    pub fn idle(&mut self) -> Vec<Value> {
        self.server.idle().into_iter().map(written).collect()
    }

    fn request(&mut self, request: Request) -> Vec<Value> {
        let Request { id, method, .. } = &request;
        let refused = |code, what: &str| vec![error(Some(id_value(id)), code, what)];
        let answered = |result: Value| vec![json!({"jsonrpc": "2.0", "id": id_value(id), "result": result})];
        match (self.phase, method.as_str()) {
            (Phase::BeforeInitialize, "initialize") => {
                self.phase = Phase::Running;
                let server = json!({"name": "fabc", "version": env!("CARGO_PKG_VERSION")});
                answered(json!({"capabilities": capabilities(), "serverInfo": server}))
            }
            (Phase::BeforeInitialize, _) => refused(ErrorCode::ServerNotInitialized, "`initialize` comes first"),
            (Phase::Running, "initialize") => refused(ErrorCode::InvalidRequest, "`initialize` comes once"),
            (Phase::Running, "shutdown") => {
                self.phase = Phase::AfterShutdown;
                answered(Value::Null)
            }
            (Phase::Running, _) => self.pass(Message::Request(request)),
            (Phase::AfterShutdown, _) => refused(ErrorCode::InvalidRequest, "after `shutdown` nothing but `exit` is expected"),
        }
    }

    fn pass(&mut self, message: Message) -> Vec<Value> {
        self.server.message(message).into_iter().map(written).collect()
    }
}

fn id_value(id: &RequestId) -> Value {
    serde_json::to_value(id).expect("an id is a number or a text")
}

fn written(message: Message) -> Value {
    let mut value = serde_json::to_value(message).expect("a message is JSON");
    value["jsonrpc"] = json!("2.0");
    value
}
