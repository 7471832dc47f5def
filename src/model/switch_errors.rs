//! What can be wrong with the files that are written for switches: FAB01nn.

use crate::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error of an `ocs` item that is about its files.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum SwitchError {
    #[error("the files of {ocs} would have the same names as those of {first_ocs}")]
    #[diagnostic(code(FAB0141), help("{help}"))]
    SameFileName {
        ocs: String,
        first_ocs: String,
        help: String,
        #[label("{ocs} is in this group")]
        span: Span,
        #[label("{first_ocs} is in this one")]
        first: Span,
    },

    #[error("SONiC cannot be told about {ocs}: its switches have no sides, and each port carries both directions")]
    #[diagnostic(
        code(FAB0145),
        help("couple two sides (`couple P with Q`), give each direction its own fiber (`duplex = pair;`), or write `config_db = none;`")
    )]
    NoSides {
        ocs: String,
        #[label("this configuration joins a port of side A to one of side B")]
        span: Span,
        #[label("any two ports, each in one fiber")]
        couple: Span,
    },
}
