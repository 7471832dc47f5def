//! Words and plain numbers of the command line.

use super::errors::EstimateError;
use fabc_base::diag::{Span, suggestion};
use fabc_base::units::Decimal;

/// A word of the command line with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandWord {
    /// The text of the word, as given.
    pub text: String,
    /// Its byte range in the command line.
    pub span: Span,
}

impl CommandWord {
    /// The word for `part`, which must be a slice of this word's text.
    pub(super) fn part(&self, part: &str) -> CommandWord {
        let offset =
            (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len()) as u32;
        let start = self.span.start + offset;
        CommandWord { text: part.to_owned(), span: Span { start, end: start + part.len() as u32 } }
    }
}

/// The error for an unknown name, with a suggestion from `known`.
pub(super) fn unknown_word<'a>(
    word: &CommandWord,
    what: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> EstimateError {
    let hint = suggestion(&word.text, known).unwrap_or_else(|| "there is none here".to_owned());
    EstimateError::Unknown { what: what.to_owned(), name: word.text.clone(), hint, span: word.span }
}

/// The accepted range of a plain number, and the messages for others.
pub(super) struct NumberRange {
    /// Name of the quantity in messages.
    pub(super) what: &'static str,
    /// Whether a value is in range.
    pub(super) holds: fn(f64) -> bool,
    /// Reason why a value that is out of range is refused.
    pub(super) why: &'static str,
    /// Hint that says what to write.
    pub(super) hint: &'static str,
}

/// Parses digits with at most one point; `None` for anything else.
pub(super) fn parse_decimal(text: &str) -> Option<Decimal> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '_')
        && text.starts_with(|c: char| c.is_ascii_digit());
    let one_point = text.matches('.').count() <= 1 && !text.ends_with('.');
    if plain && one_point { Decimal::parse(text) } else { None }
}

/// Parses a plain number within a range.
pub(super) fn parse_number(word: &CommandWord, range: &NumberRange) -> Result<f64, EstimateError> {
    let NumberRange { what, holds, why, hint } = *range;
    let error = |why| EstimateError::Number { text: word.text.clone(), what, why, hint, span: word.span };
    let value = parse_decimal(&word.text).ok_or_else(|| error("it is not a number"))?.as_f64();
    if holds(value) { Ok(value) } else { Err(error(why)) }
}
