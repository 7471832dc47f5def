//! Errors of estimates, with their place in the command line. Codes FAB055n.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error of an estimate.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum EstimateError {
    /// A value without a default is missing.
    #[error("{what} is missing")]
    #[diagnostic(code(FAB0551), help("{hint}"))]
    Missing {
        /// What is missing, as a clause of the message.
        what: &'static str,
        /// How the user can give it.
        hint: String,
        /// The end of the command line.
        #[label("it is missing")]
        span: Span,
    },

    /// There is no such collective, shape, algorithm or profile.
    #[error("there is no {what} `{name}`")]
    #[diagnostic(code(FAB0552), help("{hint}"))]
    Unknown {
        /// The kind of name: `collective`, `shape`, ..
        what: String,
        /// The name as the user wrote it.
        name: String,
        /// The known names, or a suggestion.
        hint: String,
        /// Place of the name in the command line.
        #[label("this one")]
        span: Span,
    },

    /// The numbers of a shape describe no fabric.
    #[error("`{text}` is not a fabric: {why}")]
    #[diagnostic(code(FAB0553), help("{hint}"))]
    Shape {
        /// The text as the user wrote it.
        text: String,
        /// Why the numbers make no fabric.
        why: String,
        /// What the user should write instead.
        hint: String,
        /// Place of the wrong number.
        #[label("here")]
        span: Span,
    },

    /// A size, time or bandwidth that does not parse or is out of range.
    #[error("`{text}` is not a valid {what}: {why}")]
    #[diagnostic(code(FAB0554), help("{hint}"))]
    Quantity {
        /// The text as the user wrote it.
        text: String,
        /// The kind of quantity: `size`, `latency`, ..
        what: &'static str,
        /// Why the text is no such quantity.
        why: String,
        /// What the user should write instead.
        hint: String,
        /// Place of the wrong part.
        #[label("here")]
        span: Span,
    },

    /// A number without a unit that does not parse or is out of range.
    #[error("`{text}` is not a valid {what}: {why}")]
    #[diagnostic(code(FAB0555), help("{hint}"))]
    Number {
        /// The text as the user wrote it.
        text: String,
        /// Name of the number: `skew`, `oversubscription`, ..
        what: &'static str,
        /// Why the number is refused.
        why: &'static str,
        /// What the user should write instead.
        hint: &'static str,
        /// Place of the number in the command line.
        #[label("here")]
        span: Span,
    },

    /// Sizes that do not form a curve.
    #[error("`{text}` are not sizes: {why}")]
    #[diagnostic(
        code(FAB0556),
        help("write `1KiB..4GiB`, which doubles the size in every step, or sizes separated by commas")
    )]
    Sizes {
        /// The text as the user wrote it.
        text: String,
        /// Why the sizes make no curve.
        why: String,
        /// Place of the sizes in the command line.
        #[label("here")]
        span: Span,
    },

    /// An option that does not apply to this fabric or collective.
    #[error("{option} has no effect on {about}")]
    #[diagnostic(code(FAB0557), help("{hint}"))]
    NotHere {
        /// The option with its dashes.
        option: &'static str,
        /// The fabric or collective that it does not apply to.
        about: String,
        /// Fabrics or collectives that the option applies to.
        hint: &'static str,
        /// Place of the option in the command line.
        #[label("given here")]
        span: Span,
    },
}

impl EstimateError {
    /// Place of the error in the command line.
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
