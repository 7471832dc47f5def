//! The options of `fabc sweep`.

use crate::args::candidates;
use crate::args::choice::choice_parser;
use crate::args::remake::RemakeArgs;
use crate::args::shard::{Shard, parse_shard};
use clap::{Args, Subcommand, ValueEnum};
use fabc_pipeline::compile::Stage;
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
    /// List all runs (sweep.json, runs/) without running them
    Prepare(SweepPlanArgs),
    /// Run all runs that are missing, or a shard of them. `fabc sweep merge` writes the table
    Run {
        /// The directory of the sweep
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Every n-th run, from the i-th on
        #[arg(long, value_name = "i/n", value_parser = parse_shard, default_value = "1/1")]
        shard: Shard,
    },
    /// Write the table (table.txt, table.csv, table.json) and the page (index.html) when all runs have ended
    Merge {
        /// The directory of the sweep
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Print fabc.sweep_table/1 instead of text
        #[arg(long)]
        json: bool,
    },
    /// Verify every run from its files alone, and that the table and the page follow from the runs
    Verify {
        /// The directory of the sweep
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Which runs of simulations are made again
        #[command(flatten)]
        remake: RemakeArgs,
        /// Print fabc.verified/1 instead of text
        #[arg(long)]
        json: bool,
    },
    /// Distribute the runs over processes, on this machine or a cluster, and merge the results
    Submit(SweepSubmitArgs),
}

/// What is swept.
#[derive(Clone, Debug, Args)]
pub struct SweepPlanArgs {
    /// The spec, or `-` for standard input. Several specs come into one table
    #[arg(value_name = "SPEC", required = true, add = candidates::specs())]
    pub specs: Vec<String>,

    /// The values of a parameter: `cubes=2,4,8`, `seed=1..9` (without 9), `seed=1..=8`. Repeat it for all
    /// combinations. Of several specs, it is for those that declare the parameter
    #[arg(long, value_name = "NAME=VALUES")]
    pub set: Vec<String>,

    /// The metrics of table.txt, such as `hosts,cables,fault.bandwidth`. Without it, as many as fit
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub columns: Vec<String>,

    /// Stop every run after a stage
    #[arg(long, value_parser = choice_parser::<Stage>(), value_name = "STAGE")]
    pub until: Option<Stage>,

    /// The directory of the sweep [default: out/sweep_FABRIC, or out/sweep of several specs]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Print fabc.sweep_table/1 instead of text, or fabc.sweep/1 of a sweep that is only prepared
    #[arg(long)]
    pub json: bool,
}

/// `fabc sweep submit`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("specs", |arg| arg.value_name("SPEC|DIR").help("The specs, or the directory of a planned sweep")))]
pub struct SweepSubmitArgs {
    /// What is swept.
    #[command(flatten)]
    pub plan: SweepPlanArgs,

    /// How it is handed over.
    #[command(flatten)]
    pub job: EngineArgs,
}

/// How work is handed to several processes.
#[derive(Clone, Debug, Args)]
pub struct EngineArgs {
    /// The engine that runs the processes
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "local")]
    pub engine: Engine,

    /// Processes at a time [default: the number of cores here, no limit on Slurm and Kubernetes, the
    /// workers of HyperQueue]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub workers: Option<u16>,

    /// Parts of the work, each a task of the engine [default: for a sweep 4 times the workers, or 16, and for
    /// a build the workers, or 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_SHARDS))]
    pub shards: Option<u16>,

    /// Cores of a process
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    pub cores: u16,

    /// The image of the pods of Kubernetes. It has a `fabc` of this version
    #[arg(long, value_name = "IMAGE", required_if_eq("engine", "kubernetes"))]
    pub image: Option<String>,

    /// The claim of the volume that all pods share, with the path in it that is the directory of the work
    #[arg(long, value_name = "NAME[/PATH]", required_if_eq("engine", "kubernetes"))]
    pub claim: Option<String>,

    /// Wait for the end, and merge here. `local` always does so
    #[arg(long)]
    pub wait: bool,

    /// Write the files of the job, print the command that would submit it, and run nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// The most tasks of an array: the default limit of Slurm (`MaxArraySize`).
pub(crate) const MOST_SHARDS: i64 = 1000;

/// Who runs the processes of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Engine {
    /// This machine, watched by this process
    Local,
    /// A HyperQueue server, by its Python package
    Hyperqueue,
    /// Slurm, by `sbatch`
    Slurm,
    /// Kubernetes: an Indexed Job, by `kubectl`
    Kubernetes,
}
