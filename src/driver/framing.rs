//! The base protocol of the Language Server Protocol: a header with the length of a message, then JSON.
//!
//! Comes in: the bytes of the editor. Goes out: messages, and for everything that is no message the error
//! that answers it. Invariant: memory is taken for bytes that have arrived, never for a length that a header
//! states.

use crate::lsp::{Received, malformed, parse_message};
use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// Bytes of a message, at most: the largest spec, with every byte escaped, fits many times.
const MESSAGE_BYTES: u64 = 64 << 20;

/// Bytes of a line of a header, at most.
const HEADER_LINE_BYTES: u64 = 4096;

/// Reads messages one after the other.
pub(super) struct Receiver<R> {
    from: R,
    /// Bytes of a message that is too long, which are still to come.
    skipped: u64,
}

impl<R: BufRead> Receiver<R> {
    /// Reads from the start of a header on.
    pub(super) fn new(from: R) -> Self {
        Self { from, skipped: 0 }
    }

    /// The next message, or the answer to what is none; `None` at the end of the input.
    ///
    /// # Errors
    /// The input cannot be read.
    pub(super) fn receive(&mut self) -> io::Result<Option<Received>> {
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
        Ok((body.len() as u64 == length).then(|| parse_message(&body)))
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

/// Writes a message with its header.
///
/// # Errors
/// The output cannot be written.
pub(super) fn send(to: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    to.flush()
}
