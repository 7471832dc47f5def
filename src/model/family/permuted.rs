//! How the links of a permuted network exchange ends, so that the lengths of its cables stay.

use super::facts::Form;
use crate::word::words;

pub(super) const FORM: Form = ("permute", "permute { of = hypercube { dimensions = 8; } method = partial; }");

/// Which links may exchange ends.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Method {
    /// Those within one cabinet, and those between the same two.
    #[default]
    Partial,
    /// For every two cabinets those within and between them.
    Full,
}

words!(Method { Partial = "partial", Full = "full" });

/// What becomes of links that are there twice.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Duplicates {
    /// They stay: as many cables, of the same lengths.
    #[default]
    Keep,
    /// One of them stays.
    Drop,
}

words!(Duplicates { Keep = "keep", Drop = "drop" });
