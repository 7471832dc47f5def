//! The options of `fabc sim`, as clap reads them.

use crate::args::foreign::ForeignArgs;
use clap::Args;
use fabc_model::Scenarios;
use fabc_pipeline::scenarios::NOMINAL;
use std::path::PathBuf;

/// The name that stands for every scenario.
const ALL: &str = "all";

/// `fabc sim`.
#[derive(Clone, Debug, Args)]
pub struct SimArgs {
    /// Directories that `fabc build` wrote
    #[arg(value_name = "DIR", required_unless_present = "tables", conflicts_with = "tables", num_args = 1..)]
    pub directories: Vec<PathBuf>,

    /// Settings of the simulation, as in a `simulate` block of a spec (docs/language.md), such as
    /// `traffic = tornado; rates = 0.4;`
    #[arg(long, value_name = "SETTINGS", conflicts_with = "block")]
    pub with: Option<String>,

    /// Run this `simulate` block of the spec [default: all blocks, if no other option is given]
    #[arg(long, value_name = "NAME", conflicts_with = "saturation")]
    pub block: Option<String>,

    /// Search for the rate at which the fabric saturates. Without rates, run nothing else [default: this
    /// search and a curve]
    #[arg(long)]
    pub saturation: bool,

    /// Print one table of all directories: saturation, static bounds, and ratios to the first
    #[arg(long, conflicts_with_all = ["block", "tables"])]
    pub compare: bool,

    /// Run the phases of this job of the spec, each message after those whose data it needs, beside the times
    /// of the plan
    #[arg(long, value_name = "NAME", conflicts_with_all = ["block", "saturation", "compare", "tables", "collective", "csv", "svg"])]
    pub job: Option<String>,

    /// Run the schedule of this collective of the spec in the same way
    #[arg(long, value_name = "NAME", conflicts_with_all = ["block", "saturation", "compare", "tables", "csv", "svg"])]
    pub collective: Option<String>,

    /// The scenario, such as `X[0,0]`, or `all` [default: those of `scenarios`, or `nominal`]
    #[arg(long, value_name = "NAME", conflicts_with = "tables")]
    pub scenario: Option<String>,

    /// The form of the result.
    #[command(flatten)]
    pub form: SimForms,

    /// Third-party tables.
    #[command(flatten)]
    pub foreign: ForeignArgs,
}

/// Forms of `fabc sim`, of which text is the default.
#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
pub struct SimForms {
    /// Print fabc.simulation/1
    #[arg(long)]
    pub json: bool,

    /// Print a row per run
    #[arg(long)]
    pub csv: bool,

    /// Print a picture of latency over load
    #[arg(long)]
    pub svg: bool,
}

impl SimArgs {
    /// Whether the command line names a fabric and nothing else.
    pub(crate) fn is_plain(&self) -> bool {
        self.with.is_none() && !self.saturation && self.scenario.as_deref().is_none_or(|name| name == NOMINAL)
    }

    /// The scenario to run, or `None` for all of them. `--scenario` wins over the `scenarios` of a
    /// simulation.
    pub(crate) fn scenario_to_run(&self, scenarios: Scenarios) -> Option<&str> {
        match self.scenario.as_deref() {
            Some(ALL) => None,
            None if scenarios == Scenarios::All => None,
            named => named.or(Some(NOMINAL)),
        }
    }
}
