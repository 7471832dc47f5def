//! Options that say which runs of simulations a verification makes again.

use clap::Args;
use fabc_model::Rate;
use fabc_pipeline::scenarios::NOMINAL;
use fabc_pipeline::verify::{DigestSpan, Remake};

/// Which runs are made again.
#[derive(Clone, Copy, Debug, Args)]
pub struct RemakeArgs {
    /// How many runs of every simulation to repeat, beside those that decide, or `all`
    #[arg(long, value_name = "N|all", value_parser = parse_runs, default_value = "2", requires = "directory")]
    pub remake: RemadeRuns,

    /// Selects these runs, together with the hash of all files
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "directory")]
    pub remake_seed: u64,
}

/// A number of runs. `None` means all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RemadeRuns(Option<usize>);

impl RemakeArgs {
    pub(crate) fn remake(self) -> Remake {
        Remake { runs: self.remake.0, seed: self.remake_seed }
    }
}

/// Reads a number of runs: `2` or `all`.
fn parse_runs(text: &str) -> Result<RemadeRuns, String> {
    match text {
        "all" => Ok(RemadeRuns(None)),
        number => number
            .parse()
            .map(|runs| RemadeRuns(Some(runs)))
            .map_err(|_| "it is a number of runs, or `all`".to_owned()),
    }
}

/// `--window`: one digest span of one run.
#[derive(Clone, Debug, Args)]
pub struct WindowArgs {
    /// Repeat only the window of a run that contains this cycle
    #[arg(long, value_name = "CYCLE", requires_all = ["directory", "block"], conflicts_with = "changed")]
    pub window: Option<u64>,

    /// The simulation of the window
    #[arg(long, value_name = "NAME", requires = "window")]
    pub block: Option<String>,

    /// The scenario of the window
    #[arg(long, value_name = "NAME", requires = "window", default_value = NOMINAL)]
    pub scenario: String,

    /// The rate of the window [default: the first of the simulation]
    #[arg(long, value_name = "RATE", requires = "window", value_parser = parse_rate)]
    pub rate: Option<Rate>,

    /// The seed of the window [default: the first of the simulation]
    #[arg(long, value_name = "SEED", requires = "window")]
    pub seed: Option<u64>,
}

impl WindowArgs {
    pub(crate) fn digest_span(&self) -> Option<DigestSpan> {
        let (simulation, cycle) = (self.block.clone()?, self.window?);
        Some(DigestSpan {
            simulation,
            scenario: self.scenario.clone(),
            rate: self.rate,
            seed: self.seed,
            cycle,
        })
    }
}

fn parse_rate(text: &str) -> Result<Rate, String> {
    Rate::parse(text).ok_or_else(|| {
        format!("`{text}` is not a rate: write a number above 0, with at most six digits after the point")
    })
}
