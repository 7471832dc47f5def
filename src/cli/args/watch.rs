//! The options of `fabc watch`.

use crate::args::candidates;
use crate::args::choice::choice_parser;
use clap::Args;
use fabc_pipeline::compile::Stage;
use std::path::PathBuf;

/// `fabc watch`.
#[derive(Clone, Debug, Args)]
pub struct WatchArgs {
    /// The spec
    #[arg(value_name = "SPEC", add = candidates::specs())]
    pub spec: String,

    /// Set a parameter of the spec: `--set cubes=8`. Can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// Stop every build after a stage: `analyze` is quick for large fabrics
    #[arg(long, value_parser = choice_parser::<Stage>(), value_name = "STAGE")]
    pub until: Option<Stage>,

    /// Write to DIR/FABRIC/
    #[arg(long, short, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,

    /// The port of the page on this machine. 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,

    /// Open the page in a browser
    #[arg(long)]
    pub open: bool,
}
