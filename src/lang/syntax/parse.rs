//! Parses text to syntax. Only this module uses pest.
//!
//! In: the text of one file. Out: its [`SpecFile`], or every independent syntax error. After an error that
//! the grammar has no production for, the parser blanks out the statement around it and reads the rest again,
//! so that one run reports several errors.

mod boxes;
mod build;
mod constants;
mod grammar;
mod numbers;
mod require;
mod statements;
mod unexpected;

use super::ast::{Block, Comment, FileLayout, GivenParameter, SpecFile};
use super::errors::ParseError;
use super::scan::{count_tokens, scan};
use build::Builder;
use fabc_base::diag::{Span, Spanned};
use fabc_base::limits::{SPEC_BYTES, SPEC_TOKENS};
use grammar::{Grammar, Rule, children};
use pest::Parser;
use pest::error::InputLocation;
use pest::iterators::Pair;
use unexpected::unexpected;

/// The most unexpected texts that one run reports.
const MAX_RECOVERIES: usize = 10;

/// Parses one file whose first byte has the offset `base`.
pub(super) fn parse_text(path: &str, text: &str, base: u32) -> Result<SpecFile, Vec<ParseError>> {
    let (entries, comments) = parse_rule(Rule::file, text, base, Builder::entries)?;
    let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline as u32 + 1));
    let layout = FileLayout::Source(lines.map(|line| base + line).collect());
    Ok(SpecFile { path: path.to_owned(), entries, comments, layout })
}

/// Parses the settings of a block, without its braces. Their first byte has the offset `base`.
pub(super) fn settings_block(text: &str, base: u32) -> Result<Block, Vec<ParseError>> {
    parse_rule(Rule::settings, text, base, Builder::block).map(|(block, _)| block)
}

/// Parses a whole text by one `rule` of the grammar. Returns what `build` makes of it, and the comments of
/// the text.
fn parse_rule<T>(
    rule: Rule,
    text: &str,
    base: u32,
    build: impl FnOnce(&mut Builder, Pair<'_, Rule>) -> T,
) -> Result<(T, Vec<Comment>), Vec<ParseError>> {
    if text.len() > SPEC_BYTES {
        return Err(vec![ParseError::TooLarge { limit: SPEC_BYTES, span: Span { start: base, end: base } }]);
    }
    if count_tokens(text) > SPEC_TOKENS {
        return Err(vec![ParseError::TooManyTokens {
            limit: SPEC_TOKENS,
            span: Span { start: base, end: base },
        }]);
    }
    let scanned = scan(text, base).map_err(|error| vec![error])?;
    let mut code = scanned.code;
    let mut errors = Vec::new();
    while errors.len() < MAX_RECOVERIES {
        let failure = match Grammar::parse(rule, &code) {
            Ok(mut pairs) => {
                let mut builder = Builder { base, errors };
                let parsed = pairs.next().map(|pair| build(&mut builder, pair));
                builder.errors.sort_by_cached_key(ParseError::span);
                return match parsed {
                    Some(parsed) if builder.errors.is_empty() => Ok((parsed, scanned.comments)),
                    _ => Err(builder.errors),
                };
            }
            Err(failure) => failure,
        };
        let offset = match failure.location {
            InputLocation::Pos(offset) | InputLocation::Span((offset, _)) => offset,
        };
        errors.push(unexpected(&code, offset, base, &failure.variant));
        if !blank_statement(&mut code, offset) {
            break;
        }
    }
    errors.sort_by_key(ParseError::span);
    Err(errors)
}

/// Reads the argument of a `--set`, whose first byte has the offset `base`.
///
/// # Errors
/// The argument is not of the form `name=value`. Whether the value fits is checked later, against the
/// parameter.
pub(super) fn parse_given(text: &str, base: u32) -> Result<GivenParameter, ParseError> {
    let whole_span = Span { start: base, end: base + text.len() as u32 };
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| ParseError::NotGiven { text: text.to_owned(), span: whole_span })?;
    let (bare, typed) = (name.trim(), value.trim());
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if typed.is_empty()
        || !bare.starts_with(|first: char| plain(first) && !first.is_ascii_digit())
        || !bare.chars().all(plain)
    {
        return Err(ParseError::NotGiven { text: text.to_owned(), span: whole_span });
    }
    let start = base + (name.len() - name.trim_start().len()) as u32;
    let name = Spanned { value: bare.into(), span: Span { start, end: start + bare.len() as u32 } };
    let start = base + (text.len() - value.trim_start().len()) as u32;
    let typed = Spanned { value: typed.into(), span: Span { start, end: start + typed.len() as u32 } };
    // Brackets may nest as deeply as in a file.
    let code =
        scan(text, base).ok().filter(|_| count_tokens(text) <= SPEC_TOKENS).map(|scanned| scanned.code);
    let value = code.and_then(|code| {
        let mut builder = Builder { base, errors: Vec::new() };
        let pair = Grammar::parse(Rule::given, &code).ok()?.next()?;
        let value = children(pair).find(|part| part.as_rule() == Rule::constant)?;
        builder.constant(value).filter(|_| builder.errors.is_empty())
    });
    Ok(GivenParameter { name, text: typed, value })
}

/// The length of the round or square brackets that a text begins with. 0 if it begins with none.
fn bracketed_length(text: &str) -> usize {
    let mut depth = 0usize;
    for (index, sign) in text.bytes().enumerate() {
        match sign {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return if index == 0 { 0 } else { index + 1 };
        }
    }
    0
}

/// Blanks out the statement around an error. Returns `false` if it is no plain statement, because going on
/// would only confuse.
fn blank_statement(code: &mut String, offset: usize) -> bool {
    let stop = |c: char| matches!(c, ';' | '{' | '}');
    let start = code[..offset].rfind(stop).map_or(0, |stop| stop + 1);
    let offset = offset + bracketed_length(&code[offset..]);
    let end = match code[offset..].find(stop) {
        Some(length) if code[offset + length..].starts_with(';') => offset + length + 1,
        Some(length) if code[offset + length..].starts_with('}') => offset + length,
        _ => return false,
    };
    if code[start..end].trim().is_empty() {
        return false;
    }
    let blank: String = code[start..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    code.replace_range(start..end, &blank);
    true
}
