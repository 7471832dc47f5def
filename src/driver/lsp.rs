//! `fabc lsp`: the language server, on standard input and output.

use super::errors::{DriverError, Stop};
use super::framing::{Receiver, send};
use super::read::Disk;
use crate::lsp::{Reaction, Received, Session};
use std::io;
use std::sync::mpsc;

/// `fabc lsp`: until the editor says that it is done.
///
/// # Errors
/// Standard input or output is closed in the middle, or `exit` comes without `shutdown`.
pub(super) fn serve() -> Result<(), Stop> {
    let broken = |reason: String| Stop::from(DriverError::Protocol { reason });
    let received = listen();
    let disk = Disk;
    let mut session = Session::new(&disk);
    let mut output = io::stdout().lock();
    loop {
        // Everything that the editor has sent is read before findings are published.
        let next = match received.try_recv() {
            Err(mpsc::TryRecvError::Empty) if session.is_waiting() => None,
            Ok(next) => Some(next),
            Err(_) => received.recv().ok(),
        };
        let reaction = match next {
            None if session.is_waiting() => Reaction::Send(session.idle()),
            None | Some(Ok(None)) => return Err(broken("standard input was closed without `exit`".to_owned())),
            Some(Err(error)) => return Err(broken(error.to_string())),
            Some(Ok(Some(message))) => session.receive(message),
        };
        match reaction {
            Reaction::Exit { asked: true } => return Ok(()),
            Reaction::Exit { asked: false } => return Err(broken("`exit` came without `shutdown`".to_owned())),
            Reaction::Send(messages) => {
                messages.iter().try_for_each(|message| send(&mut output, message)).map_err(|error| broken(error.to_string()))?;
            }
        }
    }
}

/// Reads standard input in a thread of its own, so that the session knows whether more has come already.
fn listen() -> mpsc::Receiver<io::Result<Option<Received>>> {
    let (to, received) = mpsc::sync_channel(16);
    std::thread::spawn(move || {
        let mut receiver = Receiver::new(io::stdin().lock());
        loop {
            let next = receiver.receive();
            let is_last = !matches!(next, Ok(Some(_)));
            if to.send(next).is_err() || is_last {
                return;
            }
        }
    });
    received
}
