//! What a format of other programs cannot hold of a schedule.

use miette::Diagnostic;
use thiserror::Error;

/// Why a schedule is not written in a format.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum ProgramError {
    /// Larger than what reads it allows.
    #[error("`{format}` cannot hold this schedule: {what}")]
    #[diagnostic(code(FAB0565), help("{hint}"))]
    TooLarge {
        /// The format.
        format: &'static str,
        /// The numbers, and how they come about.
        what: String,
        /// What is smaller.
        hint: &'static str,
    },
    /// Of a kind that is not written so.
    #[error("`{format}` holds schedules of rounds, and this one is of {kind}")]
    #[diagnostic(
        code(FAB0565),
        help("`--algorithm` chooses one of rounds, such as `gather_reduce`, `steps` or `pull`")
    )]
    Unwritten {
        /// The format.
        format: &'static str,
        /// What it is made of.
        kind: &'static str,
    },
    /// Of a kind that has no times.
    #[error("`{format}` holds times, and with barriers trees have a timetable of rounds alone")]
    #[diagnostic(
        code(FAB0565),
        help("leave `--barrier` out, or choose an algorithm of rounds: `--algorithm gather_reduce`")
    )]
    Untimed {
        /// The format.
        format: &'static str,
    },
}

impl ProgramError {
    pub(super) fn unwritten(format: &'static str, kind: &'static str) -> Self {
        ProgramError::Unwritten { format, kind }
    }
    pub(super) fn too_large(format: &'static str, what: &str) -> Self {
        let hint = "fewer chunks are fewer steps: `--chunks 1`; and `collective=FILE` holds every schedule";
        ProgramError::TooLarge { format, what: what.to_owned(), hint }
    }
}
