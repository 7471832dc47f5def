//! Options of the commands for a pod that runs.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `fabc plan`.
#[derive(Clone, Debug, Args)]
pub struct PlanArgs {
    /// The directory of the new topology, as `fabc build` wrote it
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// The live cross-connects: an `ocs.json`, a directory that `fabc build` wrote, or a folder with the
    /// state of every switch (SONiC CONFIG_DB or STATE_DB, Polatis)
    #[arg(long, value_name = "LIVE")]
    pub live: String,

    /// The map from face ports to ports of switches without labels, as `--emit ocs_ports` writes it
    #[arg(long, value_name = "MAP")]
    pub ports: Option<PathBuf>,

    /// Print fabc.plan/1 instead of text
    #[arg(long)]
    pub json: bool,

    /// Write one RFC 6902 patch per run of steps on a switch into DIR, numbered in their order
    #[arg(long, value_name = "DIR")]
    pub patch: Option<PathBuf>,

    /// Find tables for every moment of the change, with the live ranks, and write the plan and the tables
    /// into OUT. LIVE must be the directory that runs
    #[arg(long, short, value_name = "OUT")]
    pub out: Option<PathBuf>,

    /// A switch whose place a spare one takes, such as `X[0,0]`: its cross-connects are removed, and added
    /// again on the spare one. Can be repeated
    #[arg(long, value_name = "SWITCH")]
    pub replace: Vec<String>,

    /// The live tables are the last ones of a plan that `fabc plan --out` wrote here, not those of LIVE
    #[arg(long, value_name = "WAY", requires = "out")]
    pub running: Option<PathBuf>,

    /// Keep the live ranks to the end, or end with the tables of DIR. The latter takes twice the virtual
    /// channels during the change
    #[arg(long, value_enum, value_name = "ORDER", default_value = "keep", requires = "out")]
    pub order: TablesOrder,

    /// The largest allowed load during the change, over the larger of the loads before and after
    #[arg(long, value_name = "FACTOR", default_value = "1.15", requires = "out")]
    pub load: Factor,
}

/// The order of the last tables of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TablesOrder {
    /// That of the live tables
    Keep,
    /// That of the new build
    New,
}

/// A factor of at least 1.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Factor(pub f64);

impl std::str::FromStr for Factor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
        if (1.0..=1000.0).contains(&number) {
            Ok(Self(number))
        } else {
            Err("it must be from 1 to 1000".to_owned())
        }
    }
}

/// `fabc drift`.
#[derive(Clone, Debug, Args)]
pub struct DriftArgs {
    /// The directory that the switches should match, as `fabc build` wrote it
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// The live settings: an `ocs.json`, a directory that `fabc build` wrote, or a folder with the state of
    /// every switch (SONiC CONFIG_DB or STATE_DB, Polatis)
    #[arg(long, value_name = "LIVE")]
    pub live: String,

    /// Count cross-connects that are being tuned as set
    #[arg(long)]
    pub allow_pending: bool,

    /// The measured power of light: a CSV file with lines `port,dbm` of receivers at face ports, or a folder
    /// with `X_0_0.json` of Polatis switches (`optical-switch:opm-power`)
    #[arg(long, value_name = "POWER")]
    pub power: Option<PathBuf>,

    /// The map from face ports to ports of switches without labels, as `--emit ocs_ports` writes it
    #[arg(long, value_name = "MAP")]
    pub ports: Option<PathBuf>,

    /// Print fabc.drift/1 instead of text
    #[arg(long)]
    pub json: bool,
}

/// `fabc repair`.
#[derive(Clone, Debug, Args)]
pub struct RepairArgs {
    /// A directory that `fabc build` wrote
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// What is down, all at once: a switch (`X[0,0]`), a router (`cube3[1,2,3]`), a link by one of its ends
    /// (`cube0[1,2,3].+x`), a whole cube or group (`cube5`). Can be repeated
    #[arg(long, value_name = "NAME", required_unless_present = "live")]
    pub down: Vec<String>,

    /// The slice, for a pod in slices. The output uses the names of its kind
    #[arg(long, value_name = "NAME", conflicts_with_all = ["live", "running"])]
    pub slice: Option<String>,

    /// For a pod in slices: replace cubes with dead chips by other cubes, and repair the tables of every
    /// slice that other failures touch
    #[arg(long, requires = "down", conflicts_with_all = ["slice", "live", "running", "from"])]
    pub swap: bool,

    /// The live tables are the last ones of a plan that `fabc plan --out` wrote here, not those of DIR
    #[arg(long, value_name = "WAY")]
    pub running: Option<PathBuf>,

    /// Links that the live switches leave dark are down as well. LIVE is as in `fabc drift`
    #[arg(long, value_name = "LIVE")]
    pub live: Option<String>,

    /// The map from face ports to ports of switches without labels, as `--emit ocs_ports` writes it
    #[arg(long, value_name = "MAP", requires = "live")]
    pub ports: Option<PathBuf>,

    /// Write the tables, changes and verdict to DIR, replacing earlier ones. With `--swap`, write the
    /// placement (`placed/`) and the repairs of slices (`repairs/NAME/`)
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,

    /// Reroute only broken routes, or select all routes again, or take the one with the lower load. The
    /// latter selects all routes where that is little work, or where the load is far from the bound
    #[arg(long, value_enum, value_name = "EFFORT", default_value = "auto")]
    pub effort: RepairEffort,

    /// The live tables are those that an earlier repair wrote to this directory
    #[arg(long, value_name = "EARLIER")]
    pub from: Option<PathBuf>,

    /// If the surviving network is disconnected, serve its largest part
    #[arg(long)]
    pub partial: bool,

    /// Print fabc.repair/1 (with `--swap` fabc.placement/1) instead of text
    #[arg(long)]
    pub json: bool,
}

/// How much a repair may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RepairEffort {
    /// The lower load of the others
    Auto,
    /// Routes that still arrive stay as they are
    Local,
    /// All routes are selected again: a lower load, and more changes
    Full,
}
