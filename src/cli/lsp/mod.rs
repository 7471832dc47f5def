//! `fabc lsp`: the language server, on standard input and output.

pub(crate) mod messages;

use crate::io::errors::{DriverError, Stop};
use crate::io::read::{Disk, plain};
use crate::lsp::messages::{Incoming, next, refusal, write};
use fabc_lsp::{Server, capabilities};
use lsp_server::{ErrorCode, Message, Request};
use serde_json::{Value, json};
use std::io::{self, BufReader};
use std::sync::mpsc::{self, Receiver};

/// Where a conversation stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing is known of the editor yet.
    New,
    Open,
    /// Only `exit` is left to be said.
    ShutDown,
}

/// `fabc lsp`: until the editor says that it is done. What is no message is answered with an error, and the
/// conversation goes on.
///
/// # Errors
/// Standard input or output is closed in the middle.
pub(crate) fn serve() -> Result<(), Stop> {
    let broken = |reason: String| Stop::from(DriverError::Protocol { reason });
    let incoming = listen();
    let mut output = io::stdout().lock();
    let disk = Disk;
    let mut server = Server::new(&disk);
    let mut state = State::New;
    loop {
        // What has been said is read to its end before anything is said unasked.
        let said = match incoming.try_recv() {
            Ok(said) => Some(said),
            Err(_) if server.is_waiting() => None,
            Err(_) => match incoming.recv() {
                Ok(said) => Some(said),
                Err(_) if state == State::ShutDown => return Ok(()),
                Err(_) => return Err(broken("standard input was closed without `exit`".to_owned())),
            },
        };
        let answers: Vec<Value> = match said {
            Some(Err(reason)) => return Err(broken(reason)),
            Some(Ok(Incoming::Refused(answer))) => vec![answer],
            Some(Ok(Incoming::Message(Message::Notification(told)))) if told.method == "exit" => {
                match state {
                    State::ShutDown => return Ok(()),
                    State::New | State::Open => {
                        return Err(broken("it said `exit` without `shutdown`".to_owned()));
                    }
                }
            }
            Some(Ok(Incoming::Message(message))) => answered(&mut server, &mut state, message),
            None => values(server.idle()),
        };
        for answer in answers {
            write(&mut output, &answer).map_err(|error| broken(plain(&error)))?;
        }
    }
}

/// What comes in, read by a thread of its own, which ends with the process.
fn listen() -> Receiver<Result<Incoming, String>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        loop {
            let said = match next(&mut input) {
                Ok(None) => return,
                Ok(Some(incoming)) => Ok(incoming),
                Err(error) => Err(plain(&error)),
            };
            let last = said.is_err();
            if sender.send(said).is_err() || last {
                return;
            }
        }
    });
    receiver
}

/// The answers to a message, by where the conversation stands.
fn answered(server: &mut Server<'_>, state: &mut State, message: Message) -> Vec<Value> {
    let request = match message {
        Message::Request(request) => request,
        // Nothing that is told before the beginning or after the end counts.
        other if *state == State::Open => return values(server.message(other)),
        _ => return Vec::new(),
    };
    let Request { id, method, .. } = &request;
    let refused = |code, what: &str| vec![refusal(&json!(id), code, what)];
    match (*state, &**method) {
        (State::New, "initialize") => {
            *state = State::Open;
            let info = json!({"name": "fabc", "version": env!("CARGO_PKG_VERSION")});
            vec![
                json!({"jsonrpc": "2.0", "id": id, "result": {"capabilities": capabilities(), "serverInfo": info}}),
            ]
        }
        (State::New, _) => refused(ErrorCode::ServerNotInitialized, "the first request is `initialize`"),
        (State::Open, "initialize") => refused(ErrorCode::InvalidRequest, "there was an `initialize` before"),
        (State::Open, "shutdown") => {
            *state = State::ShutDown;
            vec![json!({"jsonrpc": "2.0", "id": id, "result": null})]
        }
        (State::Open, _) => values(server.message(Message::Request(request))),
        (State::ShutDown, _) => {
            refused(ErrorCode::InvalidRequest, "after `shutdown` there is nothing but `exit`")
        }
    }
}

/// Messages of the server as they are written.
fn values(messages: Vec<Message>) -> Vec<Value> {
    let value = |message: Message| {
        let mut value = serde_json::to_value(message).unwrap_or_default();
        value["jsonrpc"] = json!("2.0");
        value
    };
    messages.into_iter().map(value).collect()
}
