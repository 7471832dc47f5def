//! The options about hosts, as clap reads them, for the files of launchers.

use clap::Args;
use fabc_emit::{HostChips, HostNaming};

/// `--host` and `--chips-per-host`.
#[derive(Clone, Debug, Args)]
pub struct HostArgs {
    /// Names of hosts in `ranks`, `hostfile` and `rankfile`: a template such as `node-{cube}-{host:02}`, with
    /// the fields host, index, chip, name, in pods cube, x, y, z, and with boxes box
    #[arg(long, allow_hyphen_values = true, value_name = "TEMPLATE", requires = "emit")]
    pub host: Option<String>,

    /// Chips of a host: so many consecutive ones, or in cubes a block such as `2x2x1` [default: the GPUs of a
    /// box, or 1]
    #[arg(long, value_name = "CHIPS", requires = "emit", value_parser = parse_chips)]
    pub chips_per_host: Option<HostChips>,
}

impl HostArgs {
    /// The names of hosts that these options ask for.
    pub(crate) fn naming(&self) -> HostNaming {
        HostNaming { template: self.host.clone(), chips: self.chips_per_host }
    }
}

fn parse_chips(text: &str) -> Result<HostChips, String> {
    HostChips::parse(text)
        .ok_or_else(|| "a number such as 4, or the sides of a block such as 2x2x1".to_owned())
}
