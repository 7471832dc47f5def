//! The options of `fabc job`, as clap reads them.

use crate::args::hosts::HostArgs;
use clap::Args;
use std::path::PathBuf;

/// `fabc job`.
#[derive(Clone, Debug, Args)]
pub struct JobArgs {
    /// A directory that `fabc build` wrote
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// Only this job of the spec [default: all of them]
    #[arg(long, value_name = "NAME")]
    pub job: Option<String>,

    /// Another placement: `order`, `aligned`, `search`, or a file of lines `rank,chip` [default: that of the
    /// spec]
    #[arg(long, value_name = "PLACE")]
    pub place: Option<String>,

    /// Another value of a setting of the job, such as `axes.data=8`, `batch.sequences=512`,
    /// `layers.in.size=64MiB` or `zero=3`. May be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// The scenario, such as `X[0,0]`
    #[arg(long, default_value = "nominal", value_name = "NAME")]
    pub scenario: String,

    /// Search the flow of all messages for their bounds, as `fabc build` does. This takes some seconds for
    /// hundreds of chips
    #[arg(long)]
    pub certify: bool,

    /// Write files for launchers: `ranks=DIR`, `hostfile=DIR`, `rankfile=DIR`, `mesh=DIR`, `groups=DIR` or
    /// `msccl=DIR`
    #[arg(long, value_name = "FORMAT=DIR", value_delimiter = ',')]
    pub emit: Vec<String>,

    /// How hosts are called in these files.
    #[command(flatten)]
    pub hosts: HostArgs,

    /// Print fabc.job/1 instead of text, a line for each job
    #[arg(long)]
    pub json: bool,
}
