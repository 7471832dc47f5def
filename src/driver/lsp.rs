//! `fabc lsp`: the language server, on standard input and output.

use super::errors::{DriverError, Stop};
use super::read::{self, Disk};
use crate::lsp::{Server, capabilities};
use lsp_server::{Connection, Message};

/// `fabc lsp`: until the editor says that it is done.
///
/// # Errors
/// Standard input or output is closed in the middle, or what comes is no message of the protocol.
pub(super) fn serve() -> Result<(), Stop> {
    let broken = |reason: String| Stop::from(DriverError::Protocol { reason });
    let (connection, threads) = Connection::stdio();
    let told = serde_json::json!({
        "capabilities": capabilities(),
        "serverInfo": {"name": "fabc", "version": env!("CARGO_PKG_VERSION")},
    });
    let (id, _) = connection.initialize_start().map_err(|error| broken(error.to_string()))?;
    connection.initialize_finish(id, told).map_err(|error| broken(error.to_string()))?;
    let disk = Disk;
    let mut server = Server::new(&disk);
    loop {
        // What has been said is read to its end before anything is said unasked.
        let next = match connection.receiver.try_recv() {
            Ok(message) => Some(message),
            Err(_) if server.is_waiting() => None,
            Err(_) => match connection.receiver.recv() {
                Ok(message) => Some(message),
                Err(_) => return Err(broken("standard input was closed without `exit`".to_owned())),
            },
        };
        let out = match next {
            Some(Message::Request(request)) if connection.handle_shutdown(&request).map_err(|error| broken(error.to_string()))? => break,
            Some(message) => server.message(message),
            None => server.idle(),
        };
        for message in out {
            connection.sender.send(message).map_err(|error| broken(error.to_string()))?;
        }
    }
    drop(connection);
    threads.join().map_err(|error| broken(read::plain(&error)))
}
