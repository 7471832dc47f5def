//! What cannot be planned. Codes FAB056n.

use crate::check::CheckError;
use crate::passes::collective::CollectiveError;
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
    },
    /// The checker convicts a schedule.
    #[error("fabc has a bug: the checker convicts a schedule of `{collective}` by `{algorithm}`: {error}")]
    #[diagnostic(code(FAB0901), help("this is not the fault of your spec; please report it with the spec and this text"))]
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
            CollectivesError::NotPlanned { .. } => 1,
            CollectivesError::Convicted { .. } => 4,
        }
    }
    /// The same error, of a scenario.
    pub fn of(self, name: &str) -> Self {
        match self {
            CollectivesError::NotPlanned { reason, .. } => CollectivesError::NotPlanned { scenario: name.to_owned(), reason },
            convicted @ CollectivesError::Convicted { .. } => convicted,
        }
    }
}

impl From<CollectiveError> for CollectivesError {
    fn from(reason: CollectiveError) -> Self {
        CollectivesError::NotPlanned { scenario: String::new(), reason }
    }
}
