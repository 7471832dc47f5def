//! Text to syntax: the only room that knows pest.
//!
//! Comes in: the text of one file. Goes out: its [`File`], or every syntax error that can be told apart.
//! After an error that the grammar has no production for, the statement it stands in is blanked out and the
//! rest is read again, so that one run reports more than one slip.

mod build;
mod grammar;

use super::ast::{File, Layout};
use super::errors::ParseError;
use super::scan::{scan, tokens};
use crate::diag::Span;
use crate::limits::{SPEC_BYTES, SPEC_TOKENS};
use build::Builder;
use grammar::{Grammar, Rule, expectation};
use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use std::collections::BTreeSet;

/// How many unexpected texts one run reports.
const MAX_RECOVERIES: usize = 10;

/// Parses one file whose first byte has the offset `base`.
pub(super) fn parse_text(path: &str, text: &str, base: u32) -> Result<File, Vec<ParseError>> {
    if text.len() > SPEC_BYTES {
        return Err(vec![ParseError::TooLarge { limit: SPEC_BYTES, span: Span { start: base, end: base } }]);
    }
    if tokens(text) > SPEC_TOKENS {
        return Err(vec![ParseError::TooManyTokens { limit: SPEC_TOKENS, span: Span { start: base, end: base } }]);
    }
    let scanned = scan(text, base).map_err(|error| vec![error])?;
    let mut code = scanned.code;
    let mut errors = Vec::new();
    while errors.len() < MAX_RECOVERIES {
        let failure = match Grammar::parse(Rule::file, &code) {
            Ok(mut pairs) => {
                let mut builder = Builder { base, errors };
                let entries = pairs.next().map_or(Vec::new(), |file| builder.entries(file));
                let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1));
                let layout = Layout::Source(lines.map(|line| base + line).collect());
                let file = File { path: path.to_owned(), entries, comments: scanned.comments, layout };
                builder.errors.sort_by_cached_key(ParseError::span);
                return if builder.errors.is_empty() { Ok(file) } else { Err(builder.errors) };
            }
            Err(failure) => failure,
        };
        let at = match failure.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        errors.push(unexpected(&code, at, base, &failure.variant));
        if !blank_statement(&mut code, at) {
            break;
        }
    }
    errors.sort_by_key(ParseError::span);
    Err(errors)
}

/// Blanks out the statement around an error; `false` where it is no plain statement, so that going on would
/// only confuse.
fn blank_statement(code: &mut String, at: usize) -> bool {
    let stop = |c: char| matches!(c, ';' | '{' | '}');
    let start = code[..at].rfind(stop).map_or(0, |stop| stop + 1);
    let end = match code[at..].find(stop) {
        Some(length) if code[at + length..].starts_with(';') => at + length + 1,
        Some(length) if code[at + length..].starts_with('}') => at + length,
        _ => return false,
    };
    if code[start..end].trim().is_empty() {
        return false;
    }
    let blank: String = code[start..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    code.replace_range(start..end, &blank);
    true
}

/// The error of a text that no production fits.
fn unexpected(code: &str, at: usize, base: u32, variant: &ErrorVariant<Rule>) -> ParseError {
    let rest = &code[at..];
    let token = match rest.chars().next() {
        None => 0,
        Some(first) if first.is_alphanumeric() || first == '_' => {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        }
        Some('"') => rest[1..].find('"').map_or(rest.len(), |length| length + 2),
        Some(first) => first.len_utf8(),
    };
    let found = if token == 0 { "the end of the file".to_owned() } else { format!("`{}`", &rest[..token]) };
    let expected: BTreeSet<&str> = match variant {
        ErrorVariant::ParsingError { positives, .. } => positives.iter().filter_map(|&rule| expectation(rule)).collect(),
        ErrorVariant::CustomError { .. } => BTreeSet::new(),
    };
    let mut expected: Vec<&str> = expected.into_iter().collect();
    if expected.contains(&"an item") || expected.contains(&"a setting") {
        // Where a new line of a block may begin, the ways to go on with the old one are noise.
        expected.retain(|name| matches!(*name, "an item" | "a setting" | "`}`" | "`fabric`"));
    }
    let expected = match expected.split_last() {
        None => "something else".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    };
    let help = match rest.chars().next() {
        Some('\u{201c}' | '\u{201d}' | '\'') => Some("texts stand in straight double quotes".to_owned()),
        Some('#') => Some("comments begin with `//`".to_owned()),
        Some('.') => Some("a decimal number has digits on both sides of its point".to_owned()),
        _ => None,
    };
    let start = base + at as u32;
    ParseError::Unexpected { found, expected, help, span: Span { start, end: start + token as u32 } }
}
