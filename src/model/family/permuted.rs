//! The settings of `permute`: links exchange ends in such a way that the lengths of the cables stay.

use super::facts::FamilyForm;
use crate::word::words;

pub(super) const FORM: FamilyForm =
    ("permute", "permute { of = hypercube { dimensions = 8; } method = partial; }");

/// The links that may exchange ends.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PermuteMethod {
    /// Links within one cabinet, and links between the same two cabinets.
    #[default]
    Partial,
    /// For every two cabinets, all links within them and between them.
    Full,
}

words!(PermuteMethod { Partial = "partial", Full = "full" });

/// What happens to links that become duplicates.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Duplicates {
    /// They stay. The number and the lengths of the cables stay the same.
    #[default]
    Keep,
    /// One of them stays, the others go.
    Drop,
}

words!(Duplicates { Keep = "keep", Drop = "drop" });
