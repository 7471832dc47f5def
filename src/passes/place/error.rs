//! Errors about cables.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// FAB0210: a cable is longer than any declared link allows.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
#[error("{cables} longer than any link may be, up to {longest} m")]
#[diagnostic(code(FAB0210), help("add `beyond = name;`, or choose a `placement` that keeps cables shorter"))]
pub struct NoLink {
    cables: String,
    longest: String,
    #[label("no link is given for longer cables")]
    span: Span,
}

impl NoLink {
    /// The error for `cables` cables, the longest of them of `longest` tenths of a metre.
    pub fn new(cables: usize, longest: u32, span: Span) -> Self {
        let cables = if cables == 1 { "1 cable is".to_owned() } else { format!("{cables} cables are") };
        Self { cables, longest: format!("{}.{}", longest / 10, longest % 10), span }
    }
}
