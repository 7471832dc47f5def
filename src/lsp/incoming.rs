//! What an editor sends, before it is known to be a message.
//!
//! Comes in: the bytes of one message. Goes out: the message, or the error that answers what is none.

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// What an editor sent.
#[derive(Debug)]
pub enum Received {
    /// A message of the protocol.
    Message(Message),
    /// The answer to something that is none.
    Malformed(Value),
}

/// Reads the body of a message.
pub fn parse_message(body: &[u8]) -> Received {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => return malformed(format!("a message that is no JSON: {error}")),
    };
    let id = value.get("id").filter(|id| id.is_number() || id.is_string()).cloned();
    let (asks, names) = (value.get("id").is_some(), value.get("method").is_some());
    match serde_json::from_value(value) {
        // A request whose id cannot be read would pass as a notification, and wait for its answer for ever.
        Ok(Message::Notification(_)) if asks => Received::Malformed(error(id, ErrorCode::InvalidRequest, "an id that cannot be read")),
        Ok(message) => Received::Message(message),
        Err(_) => {
            let what = if names { "a message that cannot be read" } else { "a message without `method`" };
            Received::Malformed(error(id, ErrorCode::InvalidRequest, what))
        }
    }
}

/// What is no JSON, or no header: it is answered without the id of any request.
pub fn malformed(what: String) -> Received {
    Received::Malformed(error(None, ErrorCode::ParseError, &what))
}

/// A response that refuses a request; without an id where the request has none that can be read.
pub(super) fn error(id: Option<Value>, code: ErrorCode, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code as i32, "message": message}})
}
