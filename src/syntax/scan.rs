//! The scan before the grammar: comments, strings and brackets.
//!
//! Comes in: the text of a file. Goes out: the same text with every comment blanked out (same length, so that offsets stay), and
//! the comments. Invariant of a successful scan: strings and comments are closed, brackets are balanced and at most
//! [`MAX_DEPTH`] deep, so that the recursive parser behind it cannot exhaust the stack.

use super::ast::{Comment, Text};
use super::errors::ParseError;
use crate::diag::Span;

/// How deep brackets may nest.
const MAX_DEPTH: usize = 64;

/// What the scan found.
pub(super) struct Scan {
    /// The text without its comments.
    pub(super) code: String,
    /// The comments.
    pub(super) comments: Vec<Comment>,
}

/// Scans one file whose first byte has the offset `base`.
pub(super) fn scan(text: &str, base: u32) -> Result<Scan, ParseError> {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    if text.starts_with('\u{feff}') {
        // A byte order mark says nothing here.
        code[..3].fill(b' ');
    }
    let mut comments = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let span = |from: usize, to: usize| Span { start: base + from as u32, end: base + to as u32 };
    // The first bracket whose partner is indented less than it: if one is missing in the end, it is most likely this one's.
    let mut suspect = None;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let comment_end = if rest.starts_with(b"//") {
            Some(at + text[at..].find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with(b"/*") {
            let length =
                text[at + 2..].find("*/").ok_or(ParseError::Unterminated { what: "comment", close: "*/", span: span(at, at + 2) })?;
            Some(at + 2 + length + 2)
        } else {
            None
        };
        if let Some(end) = comment_end {
            let written: Text = text[at..end].trim_end().into();
            comments.push(Comment { span: span(at, at + written.len()), text: written });
            code[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            at = end;
            continue;
        }
        match bytes[at] {
            b'"' => {
                let line = &text[at + 1..at + 1 + text[at + 1..].find('\n').unwrap_or(bytes.len() - at - 1)];
                let length = line.find('"').ok_or(ParseError::Unterminated { what: "string", close: "\"", span: span(at, at + 1) })?;
                at += length + 1;
            }
            b'{' | b'(' | b'[' => {
                open.push(at);
                if open.len() > MAX_DEPTH {
                    return Err(ParseError::TooDeep { limit: MAX_DEPTH, span: span(at, at + 1) });
                }
            }
            close @ (b'}' | b')' | b']') => {
                let opened = open.pop();
                if let Some(opened) = opened.filter(|&opened| suspect.is_none() && indent(text, at) < indent(text, opened)) {
                    suspect = Some(opened);
                }
                let matches = opened.is_some_and(|opened| closing(bytes[opened]) == close);
                if !matches {
                    return Err(unbalanced(
                        close as char,
                        span(at, at + 1),
                        opened.map(|opened| (bytes[opened] as char, span(opened, opened + 1))),
                    ));
                }
            }
            _ => {}
        }
        at += 1;
    }
    if let Some(&outermost) = open.first() {
        let opened = suspect.unwrap_or(outermost);
        let close = closing(bytes[opened]) as char;
        return Err(ParseError::NeverClosed { open: bytes[opened] as char, close, span: span(opened, opened + 1) });
    }
    Ok(Scan { code: String::from_utf8(code).unwrap_or_default(), comments })
}

/// The indentation of the line around an offset.
fn indent(text: &str, at: usize) -> usize {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[line_start..];
    line.len() - line.trim_start().len()
}

fn closing(open: u8) -> u8 {
    match open {
        b'{' => b'}',
        b'(' => b')',
        _ => b']',
    }
}

fn unbalanced(found: char, span: Span, opened: Option<(char, Span)>) -> ParseError {
    match opened {
        Some((open, open_span)) => ParseError::WrongClose { found, open, wanted: closing(open as u8) as char, span, open_span },
        None => ParseError::NeverOpened { found, span },
    }
}
