//! Words and plain numbers of the command line.

use super::errors::EstimateError;
use fabc_base::diag::{Span, suggestion};
use fabc_base::units::Decimal;

/// A word, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Word {
    /// As given.
    pub text: String,
    /// Its bytes in the command line.
    pub span: Span,
}

impl Word {
    /// A part of it: what is at `part`, which must be a slice of its text.
    pub(super) fn part(&self, part: &str) -> Word {
        let at =
            (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len()) as u32;
        let start = self.span.start + at;
        Word { text: part.to_owned(), span: Span { start, end: start + part.len() as u32 } }
    }
}

/// There is no such thing; perhaps one of `known` was meant.
pub(super) fn unknown<'a>(
    word: &Word,
    what: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> EstimateError {
    let hint = suggestion(&word.text, known).unwrap_or_else(|| "there is none here".to_owned());
    EstimateError::Unknown { what: what.to_owned(), name: word.text.clone(), hint, span: word.span }
}

/// What a plain number may be.
pub(super) struct Range {
    /// What it is called.
    pub(super) what: &'static str,
    /// Whether it is one.
    pub(super) holds: fn(f64) -> bool,
    /// What it is not, if it is not.
    pub(super) why: &'static str,
    /// What to write.
    pub(super) hint: &'static str,
}

/// Digits, with or without a point.
pub(super) fn decimal(text: &str) -> Option<Decimal> {
    let plain = text.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '_')
        && text.starts_with(|c: char| c.is_ascii_digit());
    let one_point = text.matches('.').count() <= 1 && !text.ends_with('.');
    if plain && one_point { Decimal::parse(text) } else { None }
}

/// A plain number within a range.
pub(super) fn number(word: &Word, range: &Range) -> Result<f64, EstimateError> {
    let Range { what, holds, why, hint } = *range;
    let error = |why| EstimateError::Number { text: word.text.clone(), what, why, hint, span: word.span };
    let value = decimal(&word.text).ok_or_else(|| error("it is not a number"))?.as_f64();
    if holds(value) { Ok(value) } else { Err(error(why)) }
}
