//! Errors of constants, parameters and values that are set from outside.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error of a constant, a parameter or a change.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum BindError {
    #[error("{subject} is {again} twice")]
    #[diagnostic(code(FAB0102), help("{help}"))]
    Twice {
        subject: String,
        again: &'static str,
        help: &'static str,
        #[label("{again} again")]
        span: Span,
        #[label("{again} first here")]
        first: Span,
    },

    #[error("there is no parameter `{name}` to set")]
    #[diagnostic(code(FAB0142), help("{help}"))]
    NoParameter {
        name: String,
        help: String,
        #[label("no `param` has this name")]
        span: Span,
        #[label("{declared_as}")]
        declared: Option<Span>,
        declared_as: &'static str,
    },

    #[error("the parameter `{name}` takes {wanted}")]
    #[diagnostic(code(FAB0143), help("{help}"))]
    WrongValue {
        name: String,
        wanted: String,
        help: String,
        #[label("{note}")]
        span: Span,
        note: String,
        #[label("this is {wanted}")]
        declared: Span,
    },

    #[error("the parameter `{name}` must be {wanted}")]
    #[diagnostic(code(FAB0144))]
    NotAmong {
        name: String,
        wanted: String,
        #[help]
        help: Option<String>,
        #[label("{note}")]
        span: Span,
        note: String,
        #[label("declared here")]
        declared: Span,
    },

    #[error("{path} declares no {subject}")]
    #[diagnostic(code(FAB0148), help("{help}"))]
    NothingToChange {
        path: String,
        subject: String,
        help: String,
        #[label("nothing to change")]
        span: Span,
    },

    #[error("{subject} cannot be calculated: {problem}")]
    #[diagnostic(code(FAB0146), help("{help}"))]
    NoValue {
        subject: String,
        problem: String,
        help: &'static str,
        #[label("{problem}")]
        span: Span,
    },

    #[error("the constant `{name}` is {kind}, but {wanted} belongs here")]
    #[diagnostic(code(FAB0147), help("{help}"))]
    WrongPlace {
        name: String,
        kind: &'static str,
        wanted: &'static str,
        help: &'static str,
        #[label("{wanted} expected")]
        span: Span,
        #[label("{kind}")]
        declared: Span,
    },
}
