//! The options of `fabc diff`.

use clap::Args;
use std::path::PathBuf;

/// `fabc diff`.
#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    /// A directory that `fabc build` wrote, or a spec, which is compiled as far as B was
    #[arg(value_name = "A")]
    pub a: String,

    /// The other directory or spec
    #[arg(value_name = "B")]
    pub b: String,

    /// Set a parameter of A or B, where they are specs. Can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Accept figures that differ by no more than this: `0.1%`, or `max_channel_load=0.5%` for one metric.
    /// Can be repeated
    #[arg(long, value_name = "[METRIC=]PERCENT")]
    pub tolerance: Vec<String>,

    /// Print fabc.diff/1 instead of text
    #[arg(long)]
    pub json: bool,

    /// Write a page that shows both side by side
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
}
