//! What cannot be planned. Codes FAB056n.

use fabc_base::diag::Span;
use fabc_check::CheckError;
use fabc_passes::collective::CollectiveError;
use fabc_passes::scheduled::ScheduledError;
use miette::Diagnostic;
use thiserror::Error;

/// Why a collective has no schedule.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
pub enum CollectivesError {
    /// The scene has none.
    #[error("nothing can be planned in `{scenario}`: {reason}")]
    #[diagnostic(code(FAB0563), help("`fabc explain FAB0563` says what collectives can be planned on"))]
    NotPlanned {
        /// The scenario.
        scenario: String,
        /// Why not.
        reason: CollectiveError,
        /// The collective of the spec that asks for it.
        #[label("of this collective")]
        span: Option<Span>,
    },
    /// No vectors are scheduled for it.
    #[error("collective `{name}` cannot be scheduled: {reason}")]
    #[diagnostic(code(FAB0566), help("`fabc explain FAB0566` says what vectors are scheduled on"))]
    NotScheduled {
        /// Its name.
        name: String,
        /// Why not.
        reason: ScheduledError,
        /// The collective.
        #[label("this collective")]
        span: Span,
    },
    /// A spec names a root that its fabric does not have.
    #[error("collective `{collective}`: there is no router `{root}`")]
    #[diagnostic(code(FAB0562), help("{hint}"))]
    NoRoot {
        /// Its name.
        collective: String,
        /// As it is written.
        root: String,
        /// What there is.
        hint: String,
        /// The collective.
        #[label("of this collective")]
        span: Span,
    },
    /// The checker convicts a schedule.
    #[error("fabc has a bug: the checker convicts a schedule of `{collective}` by `{algorithm}`: {error}")]
    #[diagnostic(
        code(FAB0901),
        help("this is not the fault of your spec; please report it with the spec and this text")
    )]
    Convicted {
        /// The collective.
        collective: &'static str,
        /// The algorithm.
        algorithm: &'static str,
        /// Why.
        error: Box<CheckError>,
    },
}

impl CollectivesError {
    /// The process exit code of it.
    pub fn exit_code(&self) -> u8 {
        match self {
            CollectivesError::NotPlanned { .. }
            | CollectivesError::NotScheduled { .. }
            | CollectivesError::NoRoot { .. } => 1,
            CollectivesError::Convicted { .. } => 4,
        }
    }
    /// The same error, of a scenario.
    pub fn of(self, name: &str) -> Self {
        match self {
            CollectivesError::NotPlanned { reason, span, .. } => {
                CollectivesError::NotPlanned { scenario: name.to_owned(), reason, span }
            }
            other => other,
        }
    }
    /// The same error, of a collective of a spec.
    pub fn at(self, place: Span) -> Self {
        match self {
            CollectivesError::NotPlanned { scenario, reason, .. } => {
                CollectivesError::NotPlanned { scenario, reason, span: Some(place) }
            }
            other => other,
        }
    }
}

impl From<CollectiveError> for CollectivesError {
    fn from(reason: CollectiveError) -> Self {
        CollectivesError::NotPlanned { scenario: String::new(), reason, span: None }
    }
}
