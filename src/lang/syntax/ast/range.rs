//! Ranges of indices, and equally spaced values.

use super::expr::{Expr, Name};
use fabc_base::diag::Span;

/// An index of a group and its values: `u in 0..4`.
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    /// The name of the index.
    pub name: Name,
    /// The values of the index.
    pub range: IndexRange,
}

/// A range `lo..hi`, which does not include `hi`.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexRange {
    /// The first value of the range.
    pub lo: Expr,
    /// One past the last value.
    pub hi: Expr,
    /// The span of the whole range.
    pub span: Span,
}

/// Equally spaced values with both ends: `first .. last step step`.
#[derive(Clone, PartialEq, Debug)]
pub struct Steps {
    /// The first value of the steps.
    pub first: Expr,
    /// The last value, if the steps lead to it.
    pub last: Expr,
    /// The distance from one value to the next.
    pub step: Expr,
}
