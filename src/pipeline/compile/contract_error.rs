//! Errors of a contract that is impossible before anything is searched.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// A `require` that cannot hold.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
pub enum ContractError {
    /// FAB0330: a bound contradicts the line.
    #[error("`require {text}` cannot hold: {reason}")]
    #[diagnostic(code(FAB0330), help("{argument}"))]
    Bound {
        /// The line, without the word `require`.
        text: String,
        /// The statement of the bound, with its value.
        reason: String,
        /// The reason why the bound holds.
        argument: String,
        /// The short form, such as `at most 0.0142773`.
        short: String,
        /// The place of the line.
        #[label("{short}")]
        span: Span,
    },
    /// FAB0331: another line contradicts the line.
    #[error("`require {text}` and `require {other}` cannot both hold")]
    #[diagnostic(code(FAB0331), help("{argument}"))]
    Lines {
        /// The later line, without the word `require`.
        text: String,
        /// The earlier line, without the word `require`.
        other: String,
        /// The reason why both cannot hold.
        argument: String,
        /// The place of the later line.
        #[label("this")]
        span: Span,
        /// The place of the earlier line.
        #[label("contradicts this")]
        first: Span,
    },
    /// FAB0332: the metric of the line is not measured on such a network.
    #[error("`require {text}` cannot be decided: {what} is not measured")]
    #[diagnostic(code(FAB0332), help("{why}"))]
    Unmeasured {
        /// The line, without the word `require`.
        text: String,
        /// The metric in words, such as `the bisection`.
        what: &'static str,
        /// The reason, such as `its links run one way`.
        why: String,
        /// The place of the line.
        #[label("this network has none")]
        span: Span,
    },
}
