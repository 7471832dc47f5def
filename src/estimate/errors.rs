//! What cannot be estimated, with the place in the command line. Codes FAB055n.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error of an estimate.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum EstimateError {
    /// Something that has no default.
    #[error("nobody says {what}")]
    #[diagnostic(code(FAB0551), help("{hint}"))]
    Missing {
        /// What is not known.
        what: &'static str,
        /// How to say it.
        hint: String,
        /// The end of the command line.
        #[label("it is missing")]
        span: Span,
    },

    /// No such collective, shape, algorithm, profile.
    #[error("there is no {what} `{name}`")]
    #[diagnostic(code(FAB0552), help("{hint}"))]
    Unknown {
        /// `collective`, `shape`, ..
        what: String,
        /// As given.
        name: String,
        /// What there is.
        hint: String,
        /// Where.
        #[label("this one")]
        span: Span,
    },

    /// A shape whose numbers make no fabric.
    #[error("`{text}` is no fabric: {why}")]
    #[diagnostic(code(FAB0553), help("{hint}"))]
    Shape {
        /// As given.
        text: String,
        /// What is wrong.
        why: String,
        /// What to write.
        hint: String,
        /// Where.
        #[label("here")]
        span: Span,
    },

    /// A size, time or bandwidth that is none.
    #[error("`{text}` is no {what}: {why}")]
    #[diagnostic(code(FAB0554), help("{hint}"))]
    Quantity {
        /// As given.
        text: String,
        /// `size`, `latency`, ..
        what: &'static str,
        /// What is wrong.
        why: String,
        /// What to write.
        hint: String,
        /// Where.
        #[label("here")]
        span: Span,
    },

    /// A number without a unit that is none, or out of its range.
    #[error("`{text}` is no {what}: {why}")]
    #[diagnostic(code(FAB0555), help("{hint}"))]
    Number {
        /// As given.
        text: String,
        /// `skew`, `oversubscription`, ..
        what: &'static str,
        /// What is wrong.
        why: &'static str,
        /// What to write.
        hint: &'static str,
        /// Where.
        #[label("here")]
        span: Span,
    },

    /// Sizes that are no curve.
    #[error("`{text}` are no sizes: {why}")]
    #[diagnostic(
        code(FAB0556),
        help("write `1KiB..4GiB` for twice the size in every step, or sizes between commas")
    )]
    Sizes {
        /// As given.
        text: String,
        /// What is wrong.
        why: String,
        /// Where.
        #[label("here")]
        span: Span,
    },

    /// An option that this fabric or collective has nothing to do with.
    #[error("{option} says nothing about {about}")]
    #[diagnostic(code(FAB0557), help("{hint}"))]
    NotHere {
        /// With its dashes.
        option: &'static str,
        /// The fabric or collective.
        about: String,
        /// Where it does.
        hint: &'static str,
        /// Where.
        #[label("given here")]
        span: Span,
    },
}

impl EstimateError {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            EstimateError::Missing { span, .. }
            | EstimateError::Unknown { span, .. }
            | EstimateError::Shape { span, .. }
            | EstimateError::Quantity { span, .. }
            | EstimateError::Number { span, .. }
            | EstimateError::Sizes { span, .. }
            | EstimateError::NotHere { span, .. } => *span,
        }
    }
}
