//! Errors of jobs that come from files: FAB0655 to FAB0661.

use fabc_base::diag::Span;
use fabc_chakra::{TraceError, TraceErrorKind};
use miette::Diagnostic;
use thiserror::Error;

/// An error of a `job` that comes from execution traces, or from a file of phases.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum JobFileError {
    #[error("job `{job}`: {problem}")]
    #[diagnostic(code(FAB0655), help("{help}"))]
    NoTrace {
        job: String,
        problem: TraceError,
        help: String,
        #[label("of these traces")]
        span: Span,
    },

    #[error("job `{job}`: {problem}")]
    #[diagnostic(
        code(FAB0656),
        help("a trace is protobuf: each message follows its length, `GlobalMetadata` first, then the nodes")
    )]
    Garbled {
        job: String,
        problem: TraceError,
        #[label("of these traces")]
        span: Span,
    },

    #[error("job `{job}`: {problem}")]
    #[diagnostic(code(FAB0657), help("`fabc explain FAB0657` lists what a node needs"))]
    BadNode {
        job: String,
        problem: TraceError,
        #[label("of these traces")]
        span: Span,
    },

    #[error("job `{job}`: {problem}")]
    #[diagnostic(
        code(FAB0658),
        help("groups are in a file (`groups = \"comm.json\";`, {form}), or in the metadata of the trace")
    )]
    Groups {
        job: String,
        problem: TraceError,
        form: &'static str,
        #[label("of these groups")]
        span: Span,
    },

    #[error("job `{job}`: {problem}")]
    #[diagnostic(code(FAB0659), help("all ranks of a group run its operations as often"))]
    Counts {
        job: String,
        problem: TraceError,
        #[label("of these traces")]
        span: Span,
    },

    #[error("job `{job}`: {problem}")]
    #[diagnostic(code(FAB0660), help("trace fewer ranks or fewer steps"))]
    TooLarge {
        job: String,
        problem: TraceError,
        #[label("of these traces")]
        span: Span,
    },

    #[error("{path} has no phases of a job: {problem}")]
    #[diagnostic(code(FAB0661), help("`docs/artifacts.md` has the format `fabc.phases/1`"))]
    Phases {
        path: String,
        problem: String,
        #[label("this file")]
        span: Span,
    },
}

impl JobFileError {
    /// The error of a job whose traces are wrong. `span` is the path of the traces, and `groups` that of the
    /// file of groups, if there is one.
    pub(crate) fn of_trace(
        job: String,
        prefix: &str,
        problem: TraceError,
        span: Span,
        groups: Option<Span>,
    ) -> Self {
        match problem.kind() {
            TraceErrorKind::File => {
                let help = format!("the ranks from 0 on are in `{prefix}.0.et`, `{prefix}.1.et` and so on");
                JobFileError::NoTrace { job, problem, help, span }
            }
            TraceErrorKind::Message => JobFileError::Garbled { job, problem, span },
            TraceErrorKind::Node => JobFileError::BadNode { job, problem, span },
            TraceErrorKind::Groups => {
                let form = "`{\"1\":[0,1],\"2\":[2,3]}`";
                JobFileError::Groups { job, problem, form, span: groups.unwrap_or(span) }
            }
            TraceErrorKind::Counts => JobFileError::Counts { job, problem, span },
            TraceErrorKind::Size => JobFileError::TooLarge { job, problem, span },
        }
    }
}
