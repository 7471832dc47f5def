//! Options of `fabc sim` for third-party tables.

use clap::Args;

/// Tables and a network of anybody, and what no file says of its routers and links.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Third-party tables, instead of a directory")]
pub struct ForeignArgs {
    /// Forwarding tables: fabc.tables/1, fabc.tables.bin/1, or a dump of OpenSM
    #[arg(long, value_name = "FILE", requires = "topology", conflicts_with = "block")]
    pub tables: Option<String>,

    /// The network of the tables: fabc.topology/1 or /2, or the output of ibnetdiscover
    #[arg(long, value_name = "FILE", requires = "tables")]
    pub topology: Option<String>,

    /// The SL2VL tables of an InfiniBand subnet, as OpenSM dumps them. Without them there is one virtual lane
    #[arg(long, value_name = "FILE", requires = "tables")]
    pub sl2vl: Option<String>,

    /// The service level of every path, as ibdmchk reads it or OpenSM dumps it. Without it all are 0
    #[arg(long, value_name = "FILE", requires = "sl2vl")]
    pub path_sl: Option<String>,

    /// Virtual channels of a port [default: two more than the tables use]
    #[arg(long, value_name = "N", requires = "tables", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub vcs: Option<u8>,

    /// Flits of a queue
    #[arg(long, value_name = "FLITS", default_value_t = 200, requires = "tables", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub buffer: u32,

    /// Bytes of a flit; a channel moves one per cycle of 1 GHz
    #[arg(long, value_name = "BYTES", default_value_t = 64, requires = "tables", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub flit: u32,

    /// Cycles of a link
    #[arg(long, value_name = "CYCLES", default_value_t = 1, requires = "tables", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub link_latency: u32,

    /// Cycles of a router
    #[arg(long, value_name = "CYCLES", default_value_t = 3, requires = "tables", value_parser = clap::value_parser!(u32).range(0..=1 << 16))]
    pub router_latency: u32,
}
