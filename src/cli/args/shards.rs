//! The options of `fabc shards`: a build by several processes.

use crate::args::candidates;
use crate::args::choice::choice_parser;
use crate::args::sweep::EngineArgs;
use clap::{Args, Subcommand};
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::TablesForm;
use std::path::PathBuf;

/// How many pieces a merge makes again.
pub(crate) const REMADE_PIECES: usize = 1;

/// `fabc shards`.
#[derive(Clone, Debug, Args)]
pub struct ShardsArgs {
    /// A step of it.
    #[command(subcommand)]
    pub step: ShardsStep,
}

/// The steps of a build by several processes.
#[derive(Clone, Debug, Subcommand)]
pub enum ShardsStep {
    /// Build a spec with several processes, on this machine or a cluster, and merge the shards
    Submit(SubmitArgs),
    /// Build from the results of all shards (`fabc build --shard`)
    Merge(MergeArgs),
}

/// `fabc shards merge`.
#[derive(Clone, Debug, Args)]
pub struct MergeArgs {
    /// The directory of the shards, such as `out/pod_256.shards`
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// Write to OUT/FABRIC/ [default: beside DIR]
    #[arg(long, short, value_name = "OUT")]
    pub out: Option<PathBuf>,

    /// Make so many pieces again, and compare them. Chosen by the hash of all results
    #[arg(long, value_name = "N", default_value_t = REMADE_PIECES)]
    pub remake: usize,

    /// Print fabc.report/1 instead of text
    #[arg(long)]
    pub json: bool,
}

/// `fabc shards submit`.
#[derive(Clone, Debug, Args)]
pub struct SubmitArgs {
    /// The spec, or the directory of shards that were begun
    #[arg(value_name = "SPEC|DIR", add = candidates::specs())]
    pub spec: String,

    /// Give a parameter of the spec another value, such as `--set cubes=8`. Can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Stop after a stage
    #[arg(long, value_parser = choice_parser::<Stage>(), value_name = "STAGE")]
    pub until: Option<Stage>,

    /// Write to DIR/FABRIC/ [default: out]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// The form of the forwarding tables
    #[arg(long = "tables-form", value_parser = choice_parser::<TablesForm>(), default_value = "auto", value_name = "FORM")]
    pub tables: TablesForm,

    /// How it is handed over.
    #[command(flatten)]
    pub job: EngineArgs,

    /// Print fabc.report/1 of the merged build instead of text
    #[arg(long)]
    pub json: bool,
}
