//! The base protocol of the Language Server Protocol: a header with the length of a message, then JSON.
//!
//! Comes in: the bytes of the editor. Goes out: messages, and for everything that is no message the error that
//! answers it. Invariant: memory is taken for bytes that have arrived, never for a length that a header states.

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// Bytes of a message, at most: the largest spec, with every byte escaped, fits many times.
pub const MESSAGE_BYTES: u64 = 64 << 20;

/// Bytes of a line of a header, at most.
const HEADER_LINE_BYTES: u64 = 4096;

/// What an editor sent.
#[derive(Debug)]
pub enum Received {
    /// A message of the protocol.
    Message(Message),
    /// The answer to something that is none.
    Malformed(Value),
}

/// Reads messages one after the other.
pub struct Receiver<R> {
    from: R,
    /// Bytes of a message that is too long, which are still to come.
    skipped: u64,
}

impl<R: BufRead> Receiver<R> {
    /// Reads from the start of a header on.
    pub fn new(from: R) -> Self {
        Self { from, skipped: 0 }
    }

    /// The next message, or the answer to what is none; `None` at the end of the input.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn receive(&mut self) -> io::Result<Option<Received>> {
        io::copy(&mut self.from.by_ref().take(self.skipped), &mut io::sink())?;
        self.skipped = 0;
        let length = match self.header()? {
            None => return Ok(None),
            Some(Err(what)) => return Ok(Some(malformed(what))),
            Some(Ok(length)) => length,
        };
        if length > MESSAGE_BYTES {
            self.skipped = length;
            return Ok(Some(malformed(format!("a message of {length} bytes, but at most {MESSAGE_BYTES} are read"))));
        }
        let mut body = Vec::new();
        self.from.by_ref().take(length).read_to_end(&mut body)?;
        Ok((body.len() as u64 == length).then(|| parse(&body)))
    }

    /// The length that a header states, or what is wrong with the header; `None` at the end of the input.
    fn header(&mut self) -> io::Result<Option<Result<u64, String>>> {
        let mut found = Err("a header without `Content-Length`".to_owned());
        let mut wrong = None;
        loop {
            let mut line = Vec::new();
            self.from.by_ref().take(HEADER_LINE_BYTES).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                return Ok(None);
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end();
            if line.is_empty() {
                return Ok(Some(wrong.map_or(found, Err)));
            }
            match line.split_once(':') {
                Some((name, length)) if name.eq_ignore_ascii_case("content-length") => match length.trim().parse() {
                    Ok(length) => found = Ok(length),
                    Err(_) => wrong = Some("`Content-Length` is no number of bytes".to_owned()),
                },
                Some(_) => {}
                None => wrong = Some("a line of a header without `:`".to_owned()),
            }
        }
    }
}

fn parse(body: &[u8]) -> Received {
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

fn malformed(what: String) -> Received {
    Received::Malformed(error(None, ErrorCode::ParseError, &what))
}

/// A response that refuses a request; without an id where the request has none that can be read.
pub(super) fn error(id: Option<Value>, code: ErrorCode, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code as i32, "message": message}})
}

/// Writes a message with its header.
///
/// # Errors
/// The output cannot be written.
pub fn send(to: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    to.flush()
}
