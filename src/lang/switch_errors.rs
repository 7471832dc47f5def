//! Errors of files for switches and faults: those that fabc writes (FAB01nn), and cross-connects that it
//! reads (FAB0203).

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error of a file for switches or faults.
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

    #[error("SONiC cannot describe {ocs}: its switches have no sides, and each port carries both directions")]
    #[diagnostic(
        code(FAB0145),
        help(
            "couple two sides (`couple P with Q`), give each direction its own fiber (`duplex = pair;`), or write `config_db = none;`"
        )
    )]
    NoSides {
        ocs: String,
        #[label("this configuration joins a port of side A to one of side B")]
        span: Span,
        #[label("any two ports, each in one fiber")]
        couple: Span,
    },

    #[error("tables of faults cannot be named after `{router}`: {problem}")]
    #[diagnostic(code(FAB0141), help("rename the routers in the file, or write `faults = 0`"))]
    RouterFileName {
        router: String,
        problem: String,
        #[label("this file names the routers")]
        span: Span,
        #[label("each fault has a file of tables with its name")]
        faults: Span,
    },

    #[error("`{path}` does not fit this pod: {problem}")]
    #[diagnostic(
        code(FAB0203),
        help(
            "the file must be a `fabc.ocs/1` document for the OCSes of this spec, such as the ocs.json of an earlier build"
        )
    )]
    CrossConnectsMisfit {
        path: String,
        /// The problem, with its place in the file.
        problem: String,
        #[label("read here")]
        span: Span,
        #[label("this OCS")]
        ocs: Option<Span>,
    },
}
