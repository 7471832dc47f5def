//! The options of `fabc operate`.

use clap::Args;
use std::path::PathBuf;

/// `fabc operate`.
#[derive(Clone, Debug, Args)]
pub struct OperateArgs {
    /// The built directory of the pod
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// How long, in whole months: `10`, or `0.25`
    #[arg(long, value_name = "YEARS", default_value = "10")]
    pub years: String,

    /// How often parts fail: `host=0.0008/day,cable=0.00005/day,ocs=0.0004/day`
    #[arg(long, value_name = "RATES")]
    pub fail: String,

    /// Chips of a host, which fail together
    #[arg(long, value_name = "CHIPS")]
    pub host_chips: u32,

    /// How the pod is run: `spare = [0, 2]; faults = 1; cables = swap; swap = at_once`. A list stands for one
    /// policy per value. `cables` may be `around`, and `swap` may be `at_night` or `never`. Can be repeated
    #[arg(long, value_name = "SETTINGS")]
    pub policy: Vec<String>,

    /// Runs of every policy. Each has other failures, which all policies share
    #[arg(long, value_name = "SEEDS", default_value_t = 8)]
    pub seeds: u32,

    /// How long a repair takes, once its part is there
    #[arg(long, value_name = "TIME", default_value = "24h")]
    pub repair: String,

    /// Time that a slice loses with every failure
    #[arg(long, value_name = "TIME", default_value = "15min")]
    pub restart: String,

    /// Parts on stock, such as `host=4,ocs=1` [default: as many as are needed]
    #[arg(long, value_name = "PARTS", requires = "restock")]
    pub stock: Option<String>,

    /// How long an ordered part takes. Every failure orders one
    #[arg(long, value_name = "TIME", requires = "stock")]
    pub restock: Option<String>,

    /// When `swap = at_night` swaps cubes
    #[arg(long, value_name = "FROM..TO", default_value = "22:00..06:00")]
    pub night: String,

    /// Write `operate.json`, and `index.html` with curves, to this directory
    #[arg(long, short, value_name = "OUT")]
    pub out: Option<PathBuf>,

    /// Print `fabc.operate/1`
    #[arg(long)]
    pub json: bool,
}
