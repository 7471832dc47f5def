//! The options of `fabc verify`.

use crate::args::remake::{RemakeArgs, WindowArgs};
use clap::{ArgGroup, Args};
use std::path::PathBuf;

/// `fabc verify`.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("judged").multiple(true)), group(ArgGroup::new("chained").multiple(true)))]
pub struct VerifyArgs {
    /// A directory that `fabc build` wrote
    #[arg(value_name = "DIR", required_unless_present_any = ["tables", "collective"], conflicts_with_all = ["tables", "collective"])]
    pub directory: Option<PathBuf>,

    /// Which runs of simulations are made again
    #[command(flatten)]
    pub remake: RemakeArgs,

    /// One window instead
    #[command(flatten)]
    pub window: WindowArgs,

    /// Verify what `fabc repair DIR` wrote: its changes and tables against DIR
    #[arg(long, value_name = "OUT", requires = "directory", groups = ["changed", "chained"])]
    pub repair: Option<PathBuf>,

    /// Verify what `fabc plan DIR --live LIVE --out OUT` wrote: the tables of every moment, from those of
    /// LIVE
    #[arg(long, value_name = "OUT", requires_all = ["directory", "from"], conflicts_with = "repair", groups = ["changed", "chained"])]
    pub plan: Option<PathBuf>,

    /// The earlier repair that a repair changes, or the directory that a plan or a signed placement starts
    /// from
    #[arg(long, value_name = "EARLIER", requires = "chained")]
    pub from: Option<PathBuf>,

    /// Verify also that every named directory has a signature (manifest.json.sig, of `ssh-keygen -Y sign -n
    /// fabc`) by a key of this file, which has the form of ssh-keygen's allowed_signers
    #[arg(long, value_name = "FILE", requires = "directory", group = "chained")]
    pub signed_by: Option<PathBuf>,

    /// The live tables are the last ones of a plan that `fabc plan --out` wrote here, not those of the
    /// directory that a repair or plan starts from
    #[arg(long, value_name = "WAY", requires = "changed")]
    pub running: Option<PathBuf>,

    /// Play again what `fabc operate DIR --out OUT` wrote, and compare its files
    #[arg(long, value_name = "OUT", requires = "directory", conflicts_with = "changed")]
    pub operate: Option<PathBuf>,

    /// Verify what `--emit frr` wrote: whether BGP finds the next-hop groups of DIR in every scenario
    #[arg(long, value_name = "DIR", requires = "directory", conflicts_with = "changed")]
    pub frr: Option<PathBuf>,

    /// Verify what `--emit sonic` wrote: whether BGP finds the next-hop groups of DIR in every scenario
    #[arg(long, value_name = "DIR", requires = "directory", conflicts_with = "changed")]
    pub sonic: Option<PathBuf>,

    /// Verify what `--emit routes` wrote: whether its routes are the next-hop groups of DIR
    #[arg(long, value_name = "DIR", requires = "directory", conflicts_with = "changed")]
    pub routes: Option<PathBuf>,

    /// Verify forwarding tables: fabc.tables/1, fabc.tables.bin/1, or a dump of OpenSM
    #[arg(long, value_name = "FILE", requires = "topology", group = "judged")]
    pub tables: Option<String>,

    /// Verify the schedule of a collective: fabc.collective/1 of the healthy fabric (an all-to-all with its
    /// tables), MSCCL XML, or an execution plan of MSCCL++
    #[arg(long, value_name = "FILE", requires = "topology", group = "judged")]
    pub collective: Option<String>,

    /// The network of the tables or schedule: fabc.topology/1 or /2, or the output of ibnetdiscover
    #[arg(long, value_name = "FILE", requires = "judged")]
    pub topology: Option<String>,

    /// The SL2VL tables of an InfiniBand subnet, as OpenSM dumps them. Without them there is one virtual lane
    #[arg(long, value_name = "FILE", requires = "tables", conflicts_with = "collective")]
    pub sl2vl: Option<String>,

    /// The service level of every path, as ibdmchk reads it or OpenSM dumps it. Without it all are 0
    #[arg(long, value_name = "FILE", requires = "sl2vl")]
    pub path_sl: Option<String>,

    /// Print fabc.verified/1 instead of text
    #[arg(long)]
    pub json: bool,
}
