//! `fabc lsp`: the language server on standard input and output.

pub(crate) mod messages;

use crate::io::errors::DriverError;
use crate::io::read::{Disk, error_words};
use crate::io::stop::Stop;
use crate::lsp::messages::{ClientInput, error_response, next_message, write_message};
use fabc_lsp::{Server, capabilities};
use lsp_server::{ErrorCode, Message, Request};
use serde_json::{Value, json};
use std::io::{self, BufReader};
use std::sync::mpsc::{self, Receiver};

/// The state of the session, as the protocol defines it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SessionState {
    /// The editor has not sent `initialize` yet.
    New,
    Open,
    /// After `shutdown`, when only `exit` may follow.
    ShutDown,
}

/// `fabc lsp`: serves until the editor sends `exit`. Invalid input is answered with an error, and the session
/// goes on.
///
/// # Errors
/// `DriverError::Protocol` if standard input or output closes early, or if `exit` comes before `shutdown`.
pub(crate) fn serve() -> Result<(), Stop> {
    let broken = |reason: String| Stop::from(DriverError::Protocol { reason });
    let incoming = listen();
    let mut output = io::stdout().lock();
    let disk = Disk;
    let mut server = Server::new(&disk);
    let mut state = SessionState::New;
    loop {
        // Reads all waiting messages before it publishes findings.
        let input = match incoming.try_recv() {
            Ok(input) => Some(input),
            Err(_) if server.has_changes() => None,
            Err(_) => match incoming.recv() {
                Ok(input) => Some(input),
                Err(_) if state == SessionState::ShutDown => return Ok(()),
                Err(_) => return Err(broken("standard input was closed without `exit`".to_owned())),
            },
        };
        let answers: Vec<Value> = match input {
            Some(Err(reason)) => return Err(broken(reason)),
            Some(Ok(ClientInput::Refused(answer))) => vec![answer],
            Some(Ok(ClientInput::Message(Message::Notification(notification))))
                if notification.method == "exit" =>
            {
                match state {
                    SessionState::ShutDown => return Ok(()),
                    SessionState::New | SessionState::Open => {
                        return Err(broken("it said `exit` without `shutdown`".to_owned()));
                    }
                }
            }
            Some(Ok(ClientInput::Message(message))) => answer(&mut server, &mut state, message),
            None => to_json(server.publish_changes()),
        };
        for answer in answers {
            write_message(&mut output, &answer).map_err(|error| broken(error_words(&error)))?;
        }
    }
}

/// The incoming messages. A thread of its own reads them, and ends with the process.
fn listen() -> Receiver<Result<ClientInput, String>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        loop {
            let input = match next_message(&mut input) {
                Ok(None) => return,
                Ok(Some(incoming)) => Ok(incoming),
                Err(error) => Err(error_words(&error)),
            };
            let last = input.is_err();
            if sender.send(input).is_err() || last {
                return;
            }
        }
    });
    receiver
}

/// The answers to a message in the current state.
fn answer(server: &mut Server<'_>, state: &mut SessionState, message: Message) -> Vec<Value> {
    let request = match message {
        Message::Request(request) => request,
        // A notification before `initialize` or after `shutdown` is ignored.
        other if *state == SessionState::Open => return to_json(server.handle_message(other)),
        _ => return Vec::new(),
    };
    let Request { id, method, .. } = &request;
    let refused = |code, message: &str| vec![error_response(&json!(id), code, message)];
    match (*state, &**method) {
        (SessionState::New, "initialize") => {
            *state = SessionState::Open;
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
            *state = SessionState::ShutDown;
            vec![json!({"jsonrpc": "2.0", "id": id, "result": null})]
        }
        (SessionState::Open, _) => to_json(server.handle_message(Message::Request(request))),
        (SessionState::ShutDown, _) => {
            refused(ErrorCode::InvalidRequest, "after `shutdown` there is nothing but `exit`")
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
