//! A sweep: one spec or several with many values of their parameters, and the outcome of every run.

/// The runs of a sweep, in a fixed order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SweepPlan {
    /// The stage after which every run stops. `None`: runs are built completely.
    pub until: Option<String>,
    /// The swept parameters. The one that changes least often comes first.
    pub parameters: Vec<String>,
    /// The metrics that `table.txt` shows. Empty: as many as fit.
    pub columns: Vec<String>,
    /// The runs, one per combination of values.
    pub runs: Vec<SweepRun>,
}

/// One run: a combination of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SweepRun {
    /// `[parameter]`: its value, as it was written.
    pub values: Vec<String>,
    /// The name of the fabric and of its directory.
    pub fabric: String,
    /// Hash of the normal form, its inputs, the stage and the version. Runs with one key are one run.
    pub key: String,
    /// The (name, value) pairs that the manifest records about parameters and changes.
    pub settings: Vec<(String, String)>,
}

/// The outcome of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum SweepOutcome {
    /// The run was built, and has metrics.
    Built {
        /// The state of the contract, as in the manifest: `kept`, `broken` or `open`.
        contract: String,
        /// (metric, value): the value that a `require` compares, as the report writes it.
        metrics: Vec<(String, String)>,
    },
    /// The run failed with an error.
    Failed {
        /// The code of the first error, such as FAB0201.
        code: String,
        /// The message of the first error.
        message: String,
    },
}

impl SweepOutcome {
    /// The state as a word: `kept`, `broken`, `open` or `failed`.
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

    /// The code and message of the error, if it failed.
    pub fn error(&self) -> Option<String> {
        match self {
            SweepOutcome::Failed { code, message } => Some(format!("{code}: {message}")),
            SweepOutcome::Built { .. } => None,
        }
    }
}
