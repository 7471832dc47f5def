//! What is wrong with a contract before anything is searched.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// A `require` that cannot hold.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
pub enum ContractError {
    /// FAB0330: a bound is in the way.
    #[error("`require {text}` cannot hold: {reason}")]
    #[diagnostic(code(FAB0330), help("{argument}"))]
    Bound {
        /// The line without `require`.
        text: String,
        /// What the bound says, with its value.
        reason: String,
        /// Why it holds.
        argument: String,
        /// `at most 0.0142773`
        short: String,
        /// The line.
        #[label("{short}")]
        span: Span,
    },
    /// FAB0331: another line is in the way.
    #[error("`require {text}` and `require {other}` cannot both hold")]
    #[diagnostic(code(FAB0331), help("{argument}"))]
    Lines {
        /// The later line without `require`.
        text: String,
        /// The earlier one.
        other: String,
        /// Why.
        argument: String,
        /// The later line.
        #[label("this")]
        span: Span,
        /// The earlier line.
        #[label("and this")]
        first: Span,
    },
    /// FAB0332: what the line is about is not measured of such a network.
    #[error("`require {text}` cannot be decided: {what} is not measured")]
    #[diagnostic(code(FAB0332), help("{why}"))]
    Unmeasured {
        /// The line without `require`.
        text: String,
        /// `the bisection`
        what: &'static str,
        /// `its links run one way`
        why: String,
        /// The line.
        #[label("this network has none")]
        span: Span,
    },
}
