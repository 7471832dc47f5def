//! Scans a text before the grammar does: comments, strings and brackets.
//!
//! In: the text of a file. Out: the comments, and the same text with every comment blanked out, so that
//! offsets stay. Invariants of a successful scan: strings and comments are closed. Brackets are balanced and
//! at most [`BRACKETS`] deep, so that the recursive parser cannot exhaust the stack.

use super::ast::{Comment, Text};
use super::errors::ParseError;
use fabc_base::diag::Span;
use fabc_base::limits::BRACKETS;

/// The result of a scan.
pub(super) struct Scan {
    /// The text without its comments.
    pub(super) code: String,
    /// The comments of the text.
    pub(super) comments: Vec<Comment>,
}

/// Counts the words, numbers, texts and signs of a text outside its comments. An unclosed string or comment
/// counts to the end.
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
        // A byte order mark has no meaning.
        code[..3].fill(b' ');
    }
    let mut comments = Vec::new();
    // Where each bracket was opened, and the indentation of its line.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let span = |from: usize, to: usize| Span { start: base + from as u32, end: base + to as u32 };
    // The first bracket whose partner is indented less. If a bracket is missing in the end, it is most likely
    // the partner of this one.
    let mut suspect = None;
    let mut offset = 0;
    // The indentation of the current line. No step may search along a line for every sign in it, because
    // lines can be megabytes long.
    let mut indent = indent_of(text, 0);
    while offset < bytes.len() {
        if let Some(end) = comment_end(text, offset, base)? {
            let written: Text = text[offset..end].trim_end().into();
            comments.push(Comment { span: span(offset, offset + written.len()), text: written });
            code[offset..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            if let Some(newline) = text[offset..end].rfind('\n') {
                indent = indent_of(text, offset + newline + 1);
            }
            offset = end;
            continue;
        }
        match bytes[offset] {
            b'"' => {
                let end =
                    text[offset + 1..].find(['"', '\n']).filter(|length| bytes[offset + 1 + length] == b'"');
                offset += 1 + end.ok_or(ParseError::Unterminated {
                    construct: "string",
                    close: "\"",
                    span: span(offset, offset + 1),
                })?;
            }
            b'{' | b'(' | b'[' => {
                open.push((offset, indent));
                if open.len() > BRACKETS {
                    return Err(ParseError::TooDeep { limit: BRACKETS, span: span(offset, offset + 1) });
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
                        span(offset, offset + 1),
                        opened.map(|(opened, _)| (bytes[opened] as char, span(opened, opened + 1))),
                    ));
                }
            }
            b'\n' => indent = indent_of(text, offset + 1),
            _ => {}
        }
        offset += 1;
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

/// The end of the comment that begins at an offset. `None` if none does.
fn comment_end(text: &str, offset: usize, base: u32) -> Result<Option<usize>, ParseError> {
    let rest = &text.as_bytes()[offset..];
    if rest.starts_with(b"//") {
        return Ok(Some(offset + text[offset..].find('\n').unwrap_or(rest.len())));
    }
    if !rest.starts_with(b"/*") {
        return Ok(None);
    }
    let start = base + offset as u32;
    let length = text[offset + 2..].find("*/").ok_or(ParseError::Unterminated {
        construct: "comment",
        close: "*/",
        span: Span { start, end: start + 2 },
    })?;
    Ok(Some(offset + 2 + length + 2))
}

/// The indentation of the line that begins at `line_start`.
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

fn unbalanced(text: char, span: Span, opened: Option<(char, Span)>) -> ParseError {
    match opened {
        Some((open, open_span)) => {
            ParseError::WrongClose { text, open, wanted: closing(open as u8) as char, span, open_span }
        }
        None => ParseError::NeverOpened { text, span },
    }
}
