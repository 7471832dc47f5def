//! The options of `fabc route`.

use clap::Args;
use std::path::PathBuf;

/// `fabc route`.
#[derive(Clone, Debug, Args)]
pub struct RouteArgs {
    /// A directory that `fabc build` wrote
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// The router that sends, such as `cube3[1,2,3]` or `237`
    #[arg(value_name = "FROM")]
    pub source: String,

    /// The router that receives
    #[arg(value_name = "TO")]
    pub destination: String,

    /// The scenario, such as `X[0,0]`. `all` compares every scenario, the slowest first
    #[arg(long, value_name = "NAME", default_value = "nominal")]
    pub scenario: String,

    /// Print `fabc.route/1`
    #[arg(long)]
    pub json: bool,
}
