//! `fabc lsp`: the language server on standard input and output.

pub(crate) mod messages;
mod session;

use crate::io::errors::DriverError;
use crate::io::read::error_words;
use crate::io::stop::Stop;
use crate::lsp::messages::{ClientInput, next_message, write_message};
use crate::lsp::session::SessionState;
use lsp_server::Message;
use serde_json::Value;
use std::io::{self, BufReader};
use std::sync::mpsc::{self, Receiver};

pub use session::EditorSession;

/// `fabc lsp`: serves until the editor sends `exit`. Invalid input is answered with an error, and the session
/// goes on.
///
/// # Errors
/// `DriverError::Protocol` if standard input or output closes early, or if `exit` comes before `shutdown`.
pub(crate) fn serve() -> Result<(), Stop> {
    let broken = |reason: String| Stop::from(DriverError::Protocol { reason });
    let incoming = listen();
    let mut output = io::stdout().lock();
    let mut session = EditorSession::default();
    loop {
        // Reads all waiting messages before it publishes findings.
        let input = match incoming.try_recv() {
            Ok(input) => Some(input),
            Err(_) if session.has_changes() => None,
            Err(_) => match incoming.recv() {
                Ok(input) => Some(input),
                Err(_) if session.state == SessionState::ShutDown => return Ok(()),
                Err(_) => return Err(broken("standard input was closed without `exit`".to_owned())),
            },
        };
        let answers: Vec<Value> = match input {
            Some(Err(reason)) => return Err(broken(reason)),
            Some(Ok(ClientInput::Refused(answer))) => vec![answer],
            Some(Ok(ClientInput::Message(Message::Notification(notification))))
                if notification.method == "exit" =>
            {
                match session.state {
                    SessionState::ShutDown => return Ok(()),
                    SessionState::New | SessionState::Open => {
                        return Err(broken("it said `exit` without `shutdown`".to_owned()));
                    }
                }
            }
            Some(Ok(ClientInput::Message(message))) => session.answer_message(message),
            None => session.findings(),
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
