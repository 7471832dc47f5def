//! Errors of the files that a spec names, other than specs and cross-connects: FAB01nn.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error of a file that a spec names: a matrix, messages, a trace or a graph.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum FileError {
    #[error("cannot read {path}: {reason}")]
    #[diagnostic(code(FAB0125), help("the path is relative to the spec"))]
    FileUnreadable {
        path: String,
        reason: String,
        #[label("this file")]
        span: Span,
    },

    #[error("{path} is not a demand matrix: {problem}")]
    #[diagnostic(
        code(FAB0128),
        help("one line per source, one integer per destination, separated by commas")
    )]
    DemandMatrix {
        path: String,
        problem: String,
        #[label("this file")]
        span: Span,
    },

    #[error("{path} does not name the hosts of this fabric: {problem}")]
    #[diagnostic(code(FAB0153), help("{help}"))]
    Hosts {
        path: String,
        problem: String,
        help: String,
        #[label("this file")]
        span: Span,
    },

    #[error("{path} does not give the insertion losses of this pod: {problem}")]
    #[diagnostic(code(FAB0154), help("{help}"))]
    Losses {
        path: String,
        problem: String,
        help: String,
        #[label("this file")]
        span: Span,
    },

    #[error("{path} lists no messages: {problem}")]
    #[diagnostic(code(FAB0136), help("a line per message: `from,to,bytes` or `from,to,bytes,earliest`"))]
    Pairs {
        path: String,
        problem: String,
        #[label("this file")]
        span: Span,
    },

    #[error("{path} is not a trace: {problem}")]
    #[diagnostic(code(FAB0137), help("{help}"))]
    Trace {
        path: String,
        problem: String,
        help: String,
        #[label("this file")]
        span: Span,
    },

    #[error("{path}{place}: {problem}")]
    #[diagnostic(code(FAB0133))]
    GraphFile {
        path: String,
        /// The line in the file, such as `, line 7`, or nothing.
        place: String,
        problem: String,
        #[help]
        help: Option<String>,
        #[label("this file")]
        span: Span,
    },

    #[error("{path} is disconnected: no path leads from `{from}` to `{to}`")]
    #[diagnostic(code(FAB0134), help("{help}"))]
    GraphInPieces {
        path: String,
        from: String,
        to: String,
        help: String,
        #[label("this file")]
        span: Span,
    },
}
