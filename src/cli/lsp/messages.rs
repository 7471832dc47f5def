//! Messages of the Language Server Protocol, as they come in: a header with a length, and JSON.
//!
//! In: bytes of an editor. Out: messages, or the error of JSON-RPC for what is none. Invariant: whatever
//! comes, the next message is found, and no more than [`LSP_BYTES`] are kept.

use fabc_base::limits::LSP_BYTES;
use lsp_server::{ErrorCode, Message, Notification, RequestId};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// What every header has.
const LENGTH: &str = "content-length:";

/// The longest line of a header.
const HEADER_BYTES: u64 = 4096;

/// What came in.
#[derive(Debug)]
pub(crate) enum Incoming {
    Message(Message),
    /// The answer to something that is no message, or not one that can be answered otherwise.
    Refused(Value),
}

/// The answer to what cannot be answered: an error of JSON-RPC, without an `id` where it is not known.
pub(crate) fn refusal(id: &Value, code: ErrorCode, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code as i32, "message": message}})
}

/// The next message; `None` at the end.
///
/// # Errors
/// Standard input cannot be read.
pub(crate) fn next(input: &mut dyn BufRead) -> io::Result<Option<Incoming>> {
    let refused = |code, what: &str| Ok(Some(Incoming::Refused(refusal(&Value::Null, code, what))));
    let length = match header(input)? {
        Header::End => return Ok(None),
        Header::Length(length) => length,
        Header::Wrong(what) => return refused(ErrorCode::ParseError, &what),
    };
    if length > LSP_BYTES {
        skip_to_header(input)?;
        return refused(
            ErrorCode::InvalidRequest,
            &format!("a message has at most {LSP_BYTES} bytes, not {length}"),
        );
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(None);
    }
    match serde_json::from_slice::<Value>(&body) {
        Ok(value) => Ok(Some(message(value))),
        Err(error) => refused(ErrorCode::ParseError, &format!("this is no JSON: {error}")),
    }
}

/// A value as a message. The server asks nothing, so a response counts as an unknown notification.
fn message(value: Value) -> Incoming {
    let id = value.get("id").cloned().unwrap_or(Value::Null);
    let refused = |what: &str| Incoming::Refused(refusal(&id, ErrorCode::InvalidRequest, what));
    let Some(object) = value.as_object() else { return refused("a message is an object, with a `method`") };
    let answers = object.contains_key("result") || object.contains_key("error");
    match object.get("method") {
        Some(Value::String(_))
            if object.contains_key("id") && serde_json::from_value::<RequestId>(id.clone()).is_err() =>
        {
            refused("an `id` is a string, or an integer of 32 bits")
        }
        Some(Value::String(_)) => match serde_json::from_value(value.clone()) {
            Ok(message) => Incoming::Message(message),
            Err(error) => refused(&error.to_string()),
        },
        None if answers => {
            Incoming::Message(Message::Notification(Notification::new("$/answer".to_owned(), Value::Null)))
        }
        _ => refused("a message has a `method`, which is a string"),
    }
}

/// What the lines before a message say.
enum Header {
    End,
    Length(u64),
    Wrong(String),
}

fn header(input: &mut dyn BufRead) -> io::Result<Header> {
    let (mut length, mut wrong, mut any) = (None, None, false);
    loop {
        let mut line = Vec::new();
        input.take(HEADER_BYTES).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(Header::End);
        }
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        if line.is_empty() {
            // Blank lines between messages do no harm.
            if !any {
                continue;
            }
            let none = || "a message begins with `Content-Length: n`, and a blank line follows".to_owned();
            return Ok(match (length, wrong) {
                (Some(length), None) => Header::Length(length),
                (_, wrong) => Header::Wrong(wrong.unwrap_or_else(none)),
            });
        }
        any = true;
        let lower = line.to_ascii_lowercase();
        match lower.strip_prefix(LENGTH).map(|number| number.trim().parse::<u64>()) {
            Some(Ok(number)) => length = Some(number),
            // So large that it is no number of 64 bits: what follows is as long as any.
            Some(Err(_)) if lower[LENGTH.len()..].trim().bytes().all(|byte| byte.is_ascii_digit()) => {
                length = Some(u64::MAX)
            }
            Some(Err(_)) => wrong = Some(format!("`{line}` is no length")),
            // What was left of a message that was refused stands before the next header.
            None if lower.contains(LENGTH) => {
                let number = lower.rsplit(LENGTH).next().unwrap_or_default();
                length = number.trim().parse().ok();
            }
            None if lower.contains(':') => {}
            None => wrong = Some("a message begins with `Content-Length: n`".to_owned()),
        }
    }
}

/// Reads on until the next header begins, and keeps nothing: a length that no message has is a wrong one.
fn skip_to_header(input: &mut dyn BufRead) -> io::Result<()> {
    // All letters of it are different from the first one, so that a match never begins within another.
    let mark = LENGTH.as_bytes();
    loop {
        let seen = input.fill_buf()?;
        if seen.is_empty() {
            return Ok(());
        }
        let first = seen.iter().position(|byte| byte.eq_ignore_ascii_case(&mark[0]));
        let Some(first) = first else {
            let all = seen.len();
            input.consume(all);
            continue;
        };
        let begins = seen[first..].iter().zip(mark).all(|(byte, wanted)| byte.eq_ignore_ascii_case(wanted));
        if begins {
            input.consume(first);
            return Ok(());
        }
        input.consume(first + 1);
    }
}

/// Writes a value as a message.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn write(output: &mut dyn Write, value: &Value) -> io::Result<()> {
    let text = value.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of some bytes: methods, or the codes of errors.
    fn all(text: &str) -> Vec<String> {
        let mut input = io::Cursor::new(text.as_bytes());
        let mut found = Vec::new();
        while let Some(incoming) = next(&mut input).unwrap() {
            found.push(match incoming {
                Incoming::Message(Message::Request(request)) => request.method,
                Incoming::Message(Message::Notification(notification)) => notification.method,
                Incoming::Message(Message::Response(_)) => unreachable!("answers are told as notifications"),
                Incoming::Refused(answer) => answer["error"]["code"].to_string(),
            });
        }
        found
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn after_what_is_no_message_the_next_one_is_found() {
        let good =
            framed(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#) + &framed(r#"{"jsonrpc":"2.0","method":"b"}"#);
        assert_eq!(all(&good), ["a", "b"]);
        let cases = [
            ("Content-Length: 99999999999\r\n\r\n{}".to_owned(), "-32600"),
            ("Content-Length: 99999999999999999999999\r\n\r\n".to_owned(), "-32600"),
            ("Content-Length: many\r\n\r\n".to_owned(), "-32700"),
            ("hello\r\n\r\n".to_owned(), "-32700"),
            ("Content-Type: x\r\n\r\n".to_owned(), "-32700"),
            (framed("{"), "-32700"),
            (framed("[1"), "-32700"),
            (framed("[]"), "-32600"),
            (framed("{}"), "-32600"),
            (framed(r#"{"id":1}"#), "-32600"),
            (framed(r#"{"id":1,"method":2}"#), "-32600"),
            (framed(r#"{"id":1.5,"method":"a"}"#), "-32600"),
            (framed(r#"{"id":5000000000,"method":"a"}"#), "-32600"),
            (framed(&"[".repeat(100_000)), "-32700"),
            (framed(r#"{"id":1,"result":null}"#), "$/answer"),
        ];
        for (text, told) in cases {
            assert_eq!(all(&format!("{text}{good}")), [told, "a", "b"], "{text:.60}");
        }
        assert!(all("").is_empty() && all("Content-Length: 10\r\n\r\n{").is_empty());
    }
}
