//! The error of a random network.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// FAB0207: no draw meets the conditions.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
#[error("none of {attempts} draws {wanted}")]
#[diagnostic(code(FAB0207), help("{help}"))]
pub struct DrawError {
    attempts: u32,
    wanted: String,
    help: String,
    #[label("drawn here")]
    span: Span,
}

impl DrawError {
    pub(super) fn disconnected(routers: u32, attempts: u32, span: Span) -> Self {
        let wanted = format!("connects all {routers} routers");
        Self {
            attempts,
            wanted,
            help: "raise `degree`: routers with two links each usually form several rings".to_owned(),
            span,
        }
    }
    pub(super) fn permuted(routers: u32, attempts: u32, span: Span) -> Self {
        let wanted = format!("connects all {routers} routers");
        Self {
            attempts,
            wanted,
            help: "raise `attempts`, or change `seed`. A base with few links is easily disconnected"
                .to_owned(),
            span,
        }
    }
    pub(super) fn no_gap(degree: u32, attempts: u32, span: Span) -> Self {
        let wanted = format!("has a second eigenvalue below 2 sqrt({degree} - 1)");
        Self { attempts, wanted, help: "raise `attempts`, or change `lift` or `seed`".to_owned(), span }
    }
}
