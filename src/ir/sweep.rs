//! A sweep: one spec with many values of its parameters, and what came of every one.

/// The runs of a sweep, in a fixed order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SweepPlan {
    /// The stage after which every run stops; without one, they are built.
    pub until: Option<String>,
    /// The parameters that are swept, the one that changes least often first.
    pub parameters: Vec<String>,
    /// Every combination of their values.
    pub runs: Vec<SweepRun>,
}

/// One combination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SweepRun {
    /// A value for every parameter of the sweep, as it was written.
    pub values: Vec<String>,
    /// The name of the fabric, and of its directory.
    pub fabric: String,
    /// Hash of the normal form, its inputs, the stage and the version: runs of one key are one run.
    pub key: String,
    /// What the manifest says of parameters and changes.
    pub settings: Vec<(String, String)>,
}

/// What came of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum SweepOutcome {
    /// It was built: whether its contract holds (as in the manifest), and its metrics.
    Built {
        /// `kept`, `broken` or `open`.
        contract: String,
        /// Metrics by name: the value that a require compares, as the report writes it.
        metrics: Vec<(String, String)>,
    },
    /// It cannot be had: code and message of the first error.
    Failed {
        /// Such as FAB0201.
        code: String,
        /// In words.
        message: String,
    },
}

impl SweepOutcome {
    /// `kept`, `broken`, `open`, or `failed`.
    pub fn status(&self) -> &str {
        match self {
            SweepOutcome::Built { contract, .. } => contract,
            SweepOutcome::Failed { .. } => "failed",
        }
    }

    /// The value of a metric.
    pub fn metric(&self, name: &str) -> Option<&str> {
        match self {
            SweepOutcome::Built { metrics, .. } => {
                metrics.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
            }
            SweepOutcome::Failed { .. } => None,
        }
    }

    /// Why it failed.
    pub fn error(&self) -> Option<String> {
        match self {
            SweepOutcome::Failed { code, message } => Some(format!("{code}: {message}")),
            SweepOutcome::Built { .. } => None,
        }
    }
}
