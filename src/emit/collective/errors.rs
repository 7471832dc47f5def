//! Errors of writing a schedule in a format of other programs.

use miette::Diagnostic;
use thiserror::Error;

/// The reason why a schedule cannot be written in a format.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum ProgramError {
    /// The schedule is larger than the readers of the format allow.
    #[error("`{format}` cannot hold this schedule: {what}")]
    #[diagnostic(code(FAB0565), help("{hint}"))]
    TooLarge {
        /// Name of the format, for the message.
        format: &'static str,
        /// The numbers that exceed a limit.
        what: String,
        /// How to get a smaller schedule.
        hint: &'static str,
    },
    /// The format has no way to write this kind of schedule.
    #[error("`{format}` cannot hold this schedule, which has {kind}")]
    #[diagnostic(
        code(FAB0565),
        help(
            "use `--algorithm` to choose another one: those of rounds (`gather_reduce`, `steps`, `pull`) fit all formats"
        )
    )]
    Unwritten {
        /// Name of the format, for the message.
        format: &'static str,
        /// What the schedule consists of.
        kind: &'static str,
    },
    /// The format needs times, and this kind of schedule has none.
    #[error("`{format}` holds times, and with barriers trees have a timetable of rounds alone")]
    #[diagnostic(
        code(FAB0565),
        help("leave `--barrier` out, or choose an algorithm of rounds: `--algorithm gather_reduce`")
    )]
    Untimed {
        /// Name of the format, for the message.
        format: &'static str,
    },
}

impl ProgramError {
    pub(super) fn unwritten(format: &'static str, kind: &'static str) -> Self {
        ProgramError::Unwritten { format, kind }
    }
    pub(super) fn too_large(format: &'static str, what: &str) -> Self {
        let hint = "fewer chunks need fewer steps: add `--chunks 1`. The format `collective=FILE` holds every schedule";
        ProgramError::TooLarge { format, what: what.to_owned(), hint }
    }
}
