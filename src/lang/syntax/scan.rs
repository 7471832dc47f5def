//! The scan before the grammar: comments, strings and brackets.
//!
//! Comes in: the text of a file. Goes out: the same text with every comment blanked out (same length, so that
//! offsets stay), and the comments. Invariant of a successful scan: strings and comments are closed, brackets
//! are balanced and at most [`BRACKETS`] deep, so that the recursive parser behind it cannot exhaust the
//! stack.

use super::ast::{Comment, Text};
use super::errors::ParseError;
use fabc_base::diag::Span;
use fabc_base::limits::BRACKETS;

/// What the scan found.
pub(super) struct Scan {
    /// The text without its comments.
    pub(super) code: String,
    /// The comments.
    pub(super) comments: Vec<Comment>,
}

/// How many words, numbers, texts and signs a text has outside its comments; what never ends counts to the
/// end.
pub fn count_tokens(text: &str) -> usize {
    let (mut count, mut rest) = (0, text);
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            _ if first.is_whitespace() => rest.find(|c: char| !c.is_whitespace()),
            '/' if rest.starts_with("//") => rest.find('\n'),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map(|length| length + 4),
            '"' => rest[1..].find(['"', '\n']).map(|length| length + 2),
            _ if word(first) => rest.find(|c: char| !word(c)),
            _ => Some(first.len_utf8()),
        };
        count += usize::from(!first.is_whitespace() && !rest.starts_with("//") && !rest.starts_with("/*"));
        rest = &rest[length.unwrap_or(rest.len())..];
    }
    count
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
    // Where each was opened, and how far its line is indented.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let span = |from: usize, to: usize| Span { start: base + from as u32, end: base + to as u32 };
    // The first bracket whose partner is indented less than it: if one is missing in the end, it is most
    // likely this one's.
    let mut suspect = None;
    let mut at = 0;
    // Of the line that is read. Nothing here may look back or ahead along a line for every sign in it: lines
    // can be megabytes long.
    let mut indent = indent_of(text, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let comment_end = if rest.starts_with(b"//") {
            Some(at + text[at..].find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with(b"/*") {
            let length = text[at + 2..].find("*/").ok_or(ParseError::Unterminated {
                what: "comment",
                close: "*/",
                span: span(at, at + 2),
            })?;
            Some(at + 2 + length + 2)
        } else {
            None
        };
        if let Some(end) = comment_end {
            let written: Text = text[at..end].trim_end().into();
            comments.push(Comment { span: span(at, at + written.len()), text: written });
            code[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            if let Some(newline) = text[at..end].rfind('\n') {
                indent = indent_of(text, at + newline + 1);
            }
            at = end;
            continue;
        }
        match bytes[at] {
            b'"' => {
                let end = text[at + 1..].find(['"', '\n']).filter(|length| bytes[at + 1 + length] == b'"');
                at += 1 + end.ok_or(ParseError::Unterminated {
                    what: "string",
                    close: "\"",
                    span: span(at, at + 1),
                })?;
            }
            b'{' | b'(' | b'[' => {
                open.push((at, indent));
                if open.len() > BRACKETS {
                    return Err(ParseError::TooDeep { limit: BRACKETS, span: span(at, at + 1) });
                }
            }
            close @ (b'}' | b')' | b']') => {
                let opened = open.pop();
                if let Some((opened, _)) =
                    opened.filter(|&(_, opened_indent)| suspect.is_none() && indent < opened_indent)
                {
                    suspect = Some(opened);
                }
                let matches = opened.is_some_and(|(opened, _)| closing(bytes[opened]) == close);
                if !matches {
                    return Err(unbalanced(
                        close as char,
                        span(at, at + 1),
                        opened.map(|(opened, _)| (bytes[opened] as char, span(opened, opened + 1))),
                    ));
                }
            }
            b'\n' => indent = indent_of(text, at + 1),
            _ => {}
        }
        at += 1;
    }
    if let Some(&(outermost, _)) = open.first() {
        let opened = suspect.unwrap_or(outermost);
        let close = closing(bytes[opened]) as char;
        return Err(ParseError::NeverClosed {
            open: bytes[opened] as char,
            close,
            span: span(opened, opened + 1),
        });
    }
    Ok(Scan { code: String::from_utf8(code).unwrap_or_default(), comments })
}

/// The indentation of the line that begins at an offset.
fn indent_of(text: &str, line_start: usize) -> usize {
    let line = text[line_start..].split('\n').next().unwrap_or_default();
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
        Some((open, open_span)) => {
            ParseError::WrongClose { found, open, wanted: closing(open as u8) as char, span, open_span }
        }
        None => ParseError::NeverOpened { found, span },
    }
}
