//! Errors about collectives that cannot be planned. Codes FAB056n.

use fabc_base::diag::{Failure, Span};
use fabc_check::CheckError;
use fabc_passes::collective::CollectiveError;
use fabc_passes::scheduled::ScheduledError;
use miette::Diagnostic;
use thiserror::Error;

/// The reason why a collective has no schedule.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
pub enum CollectivesError {
    /// FAB0563: nothing can be planned on the scene.
    #[error("nothing can be scheduled in `{scenario}`: {reason}")]
    #[diagnostic(code(FAB0563), help("`fabc explain FAB0563` lists what a collective needs"))]
    NotPlanned {
        /// The name of the scenario.
        scenario: String,
        /// The reason of the planner.
        reason: CollectiveError,
        /// The collective of the spec that asks for the plan.
        #[label("of this collective")]
        span: Option<Span>,
    },
    /// FAB0566: no vectors can be scheduled for the collective.
    #[error("collective `{name}` cannot be scheduled: {reason}")]
    #[diagnostic(code(FAB0566), help("`fabc explain FAB0566` lists what a schedule of vectors needs"))]
    NotScheduled {
        /// The name of the collective.
        name: String,
        /// The reason of the scheduler.
        reason: ScheduledError,
        /// The place of the collective.
        #[label("this collective")]
        span: Span,
    },
    /// FAB0562: a spec names a root that its fabric does not have.
    #[error("collective `{collective}`: there is no router `{root}`")]
    #[diagnostic(code(FAB0562), help("{hint}"))]
    NoRoot {
        /// The name of the collective.
        collective: String,
        /// The root as the spec writes it.
        root: String,
        /// The routers that there are, as a hint.
        hint: String,
        /// The place of the collective.
        #[label("of this collective")]
        span: Span,
    },
    /// FAB0568: groups that do not fit the chips or the size.
    #[error("{collective}: {problem}")]
    #[diagnostic(code(FAB0568), help("{hint}"))]
    Groups {
        /// The collective, or the option of the command line.
        collective: String,
        /// The sentence that says what does not fit.
        problem: String,
        /// The sentence that says what would fit.
        hint: String,
        /// The place of the collective, if it stands in a spec.
        #[label("this collective")]
        span: Option<Span>,
    },
    /// FAB0901: the checker convicts a schedule.
    #[error("fabc has a bug: the checker convicts a schedule of `{collective}` by `{algorithm}`: {error}")]
    #[diagnostic(code(FAB0901), help("your spec is not at fault. Please report this text with the spec"))]
    Convicted {
        /// The kind of the collective.
        collective: &'static str,
        /// The algorithm of the schedule.
        algorithm: &'static str,
        /// The error of the checker.
        error: Box<CheckError>,
    },
}

impl CollectivesError {
    /// The exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            CollectivesError::NotPlanned { .. }
            | CollectivesError::NotScheduled { .. }
            | CollectivesError::Groups { .. }
            | CollectivesError::NoRoot { .. } => 1,
            CollectivesError::Convicted { .. } => 4,
        }
    }
    /// The same error, with the name of its scenario.
    pub fn in_scenario(self, name: &str) -> Self {
        match self {
            CollectivesError::NotPlanned { reason, span, .. } => {
                CollectivesError::NotPlanned { scenario: name.to_owned(), reason, span }
            }
            other => other,
        }
    }
    /// The same error, with the place of its collective in a spec.
    pub fn at_place(self, place: Span) -> Self {
        match self {
            CollectivesError::NotPlanned { scenario, reason, .. } => {
                CollectivesError::NotPlanned { scenario, reason, span: Some(place) }
            }
            other => other,
        }
    }
}

/// A convicted schedule is an error of fabc, everything else one of the spec.
impl From<CollectivesError> for Failure {
    fn from(error: CollectivesError) -> Self {
        match error {
            CollectivesError::Convicted { .. } => Failure::internal(error),
            _ => Failure::spec(error),
        }
    }
}

impl From<CollectiveError> for CollectivesError {
    fn from(reason: CollectiveError) -> Self {
        CollectivesError::NotPlanned { scenario: String::new(), reason, span: None }
    }
}
