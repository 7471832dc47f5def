//! What can be wrong with constants, parameters and what is set from outside.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error of a constant, a parameter or a change.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum BindError {
    #[error("{what} is {again} twice")]
    #[diagnostic(code(FAB0102), help("{help}"))]
    Twice {
        what: String,
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
        #[label("{found}")]
        span: Span,
        found: String,
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
        #[label("{found}")]
        span: Span,
        found: String,
        #[label("declared here")]
        declared: Span,
    },

    #[error("{path} declares no {what}")]
    #[diagnostic(code(FAB0148), help("{help}"))]
    NothingToChange {
        path: String,
        what: String,
        help: String,
        #[label("nothing to change")]
        span: Span,
    },

    #[error("{what} cannot be calculated: {problem}")]
    #[diagnostic(code(FAB0146), help("{help}"))]
    NoValue {
        what: String,
        problem: String,
        help: &'static str,
        #[label("{problem}")]
        span: Span,
    },

    #[error("the constant `{name}` is {found}, and {wanted} belongs here")]
    #[diagnostic(code(FAB0147), help("{help}"))]
    WrongPlace {
        name: String,
        found: &'static str,
        wanted: &'static str,
        help: &'static str,
        #[label("{wanted} expected")]
        span: Span,
        #[label("{found}")]
        declared: Span,
    },
}
