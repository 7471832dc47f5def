//! The options of `fabc sweep`.

use super::candidates;
use crate::compile::Stage;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `fabc sweep`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SweepArgs {
    /// A step of it; without one, all of them.
    #[command(subcommand)]
    pub step: Option<SweepStep>,

    /// What is swept.
    #[command(flatten)]
    pub plan: SweepPlanArgs,
}

/// The steps of a sweep, for several machines.
#[derive(Clone, Debug, Subcommand)]
pub enum SweepStep {
    /// Write down all runs, and run none
    Plan(SweepPlanArgs),
    /// Run what is not there yet, or a shard of it
    Run {
        /// The directory of the sweep
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Every n-th run, from the i-th on
        #[arg(long, value_name = "i/n", value_parser = shard, default_value = "1/1")]
        shard: Shard,
    },
    /// Write the table and the page of all runs
    Merge {
        /// The directory of the sweep
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

/// What is swept.
#[derive(Clone, Debug, Args)]
pub struct SweepPlanArgs {
    /// The spec; `-` reads standard input
    #[arg(value_name = "SPEC", required = true, add = candidates::specs())]
    pub spec: Option<String>,

    /// The values of a parameter: `cubes=2,4,8`, `seed=1..9` (without 9), `seed=1..=8`; several times, for
    /// all combinations
    #[arg(long, value_name = "NAME=VALUES")]
    pub set: Vec<String>,

    /// Stop every run after a stage
    #[arg(long, value_enum, value_name = "STAGE")]
    pub until: Option<Stage>,

    /// The directory of the sweep [default: out/sweep_FABRIC]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// The part of the runs that one process takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which of them, from 1.
    pub index: usize,
    /// How many parts there are.
    pub count: usize,
}

/// Reads `2/4`.
fn shard(text: &str) -> Result<Shard, String> {
    let wrong = || "a shard is `i/n`, from `1/n` to `n/n`".to_owned();
    let (index, count) = text.split_once('/').ok_or_else(wrong)?;
    let (index, count) = (index.parse().map_err(|_| wrong())?, count.parse().map_err(|_| wrong())?);
    if (1..=count).contains(&index) { Ok(Shard { index, count }) } else { Err(wrong()) }
}
