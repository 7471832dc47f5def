//! Reads messages of the Language Server Protocol: a header with a length, then JSON.
//!
//! Input: bytes from an editor. Output: messages, or a JSON-RPC error for anything else. Invariant: after any
//! input the next message is found, and at most [`LSP_BYTES`] are kept.

use fabc_base::limits::LSP_BYTES;
use lsp_server::{ErrorCode, Message, Notification, RequestId};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// The header field that every message needs.
const LENGTH: &str = "content-length:";

/// The longest line of a header, in bytes.
const HEADER_BYTES: u64 = 4096;

/// One input of the editor.
#[derive(Debug)]
pub(crate) enum ClientInput {
    Message(Message),
    /// The answer to input that is no valid message.
    Refused(Value),
}

/// A JSON-RPC error as the answer to a message. `id` is null if the message has none.
pub(crate) fn error_response(id: &Value, code: ErrorCode, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code as i32, "message": message}})
}

/// The next message, or `None` at the end of the input.
///
/// # Errors
/// The error of the system if standard input cannot be read.
pub(crate) fn next_message(input: &mut dyn BufRead) -> io::Result<Option<ClientInput>> {
    let refused =
        |code, problem: &str| Ok(Some(ClientInput::Refused(error_response(&Value::Null, code, problem))));
    let length = match read_header(input)? {
        Header::End => return Ok(None),
        Header::Length(length) => length,
        Header::Wrong(problem) => return refused(ErrorCode::ParseError, &problem),
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
    Ok(Some(parse_body(&body)))
}

/// Reads the JSON of a message.
pub(crate) fn parse_body(body: &[u8]) -> ClientInput {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => parse_message(value),
        Err(error) => ClientInput::Refused(error_response(
            &Value::Null,
            ErrorCode::ParseError,
            &format!("this is no JSON: {error}"),
        )),
    }
}

/// Reads a value as a message. The server sends no requests, so a response counts as an unknown notification.
fn parse_message(value: Value) -> ClientInput {
    let id = value.get("id").cloned().unwrap_or(Value::Null);
    let refused =
        |problem: &str| ClientInput::Refused(error_response(&id, ErrorCode::InvalidRequest, problem));
    let Some(object) = value.as_object() else { return refused("a message is an object, with a `method`") };
    let answers = object.contains_key("result") || object.contains_key("error");
    match object.get("method") {
        Some(Value::String(_))
            if object.contains_key("id") && serde_json::from_value::<RequestId>(id.clone()).is_err() =>
        {
            refused("an `id` is a string, or an integer of 32 bits")
        }
        Some(Value::String(_)) => match serde_json::from_value(value.clone()) {
            Ok(message) => ClientInput::Message(message),
            Err(error) => refused(&error.to_string()),
        },
        None if answers => {
            ClientInput::Message(Message::Notification(Notification::new("$/answer".to_owned(), Value::Null)))
        }
        _ => refused("a message has a `method`, which is a string"),
    }
}

/// The header of a message.
enum Header {
    End,
    Length(u64),
    Wrong(String),
}

fn read_header(input: &mut dyn BufRead) -> io::Result<Header> {
    let (mut length, mut problem, mut any) = (None, None, false);
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
            let no_header =
                || "a message begins with `Content-Length: n`, and a blank line follows".to_owned();
            return Ok(match (length, problem) {
                (Some(length), None) => Header::Length(length),
                (_, problem) => Header::Wrong(problem.unwrap_or_else(no_header)),
            });
        }
        any = true;
        let lower = line.to_ascii_lowercase();
        match lower.strip_prefix(LENGTH).map(|number| number.trim().parse::<u64>()) {
            Some(Ok(number)) => length = Some(number),
            // The number has more than 64 bits, so the message is longer than any limit.
            Some(Err(_)) if lower[LENGTH.len()..].trim().bytes().all(|byte| byte.is_ascii_digit()) => {
                length = Some(u64::MAX)
            }
            Some(Err(_)) => problem = Some(format!("`{line}` is not a length")),
            // The rest of a refused message may stand before the next header.
            None if lower.contains(LENGTH) => {
                let number = lower.rsplit(LENGTH).next().unwrap_or_default();
                length = number.trim().parse().ok();
            }
            None if lower.contains(':') => {}
            None => problem = Some("a message begins with `Content-Length: n`".to_owned()),
        }
    }
}

/// Skips to the next header without keeping anything. The length of an oversized message cannot be trusted.
fn skip_to_header(input: &mut dyn BufRead) -> io::Result<()> {
    // No later letter of the field equals the first one, so a match never begins inside another.
    let mark = LENGTH.as_bytes();
    loop {
        let buffered = input.fill_buf()?;
        if buffered.is_empty() {
            return Ok(());
        }
        let first = buffered.iter().position(|byte| byte.eq_ignore_ascii_case(&mark[0]));
        let Some(first) = first else {
            let length = buffered.len();
            input.consume(length);
            continue;
        };
        let begins =
            buffered[first..].iter().zip(mark).all(|(byte, wanted)| byte.eq_ignore_ascii_case(wanted));
        if begins {
            input.consume(first);
            return Ok(());
        }
        input.consume(first + 1);
    }
}

/// Writes a value as a message with its header.
///
/// # Errors
/// The error of the system if standard output cannot be written.
pub(crate) fn write_message(output: &mut dyn Write, value: &Value) -> io::Result<()> {
    let text = value.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of some bytes: methods, or the codes of errors.
    fn replies_to(text: &str) -> Vec<String> {
        let mut input = io::Cursor::new(text.as_bytes());
        let mut replies = Vec::new();
        while let Some(incoming) = next_message(&mut input).unwrap() {
            replies.push(match incoming {
                ClientInput::Message(Message::Request(request)) => request.method,
                ClientInput::Message(Message::Notification(notification)) => notification.method,
                ClientInput::Message(Message::Response(_)) => {
                    unreachable!("answers are told as notifications")
                }
                ClientInput::Refused(answer) => answer["error"]["code"].to_string(),
            });
        }
        replies
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn after_what_is_no_message_the_next_one_is_found() {
        let good =
            framed(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#) + &framed(r#"{"jsonrpc":"2.0","method":"b"}"#);
        assert_eq!(replies_to(&good), ["a", "b"]);
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
        for (text, reply) in cases {
            assert_eq!(replies_to(&format!("{text}{good}")), [reply, "a", "b"], "{text:.60}");
        }
        assert!(replies_to("").is_empty() && replies_to("Content-Length: 10\r\n\r\n{").is_empty());
    }
}
