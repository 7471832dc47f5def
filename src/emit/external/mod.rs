//! Formats of other programs. They are large and repeat other artifacts, so fabc writes them only if `--emit`
//! names them.
//!
//! Input: a compiled fabric. Output: chunks of files, in order, so that no file is ever entirely in memory.

mod addressing;
mod bgp;
mod chunks;
mod frr;
mod infiniband;
mod ip_batch;
mod lanes;
mod launch;
mod nccl;
mod nominal;
mod ocs_ports;
mod perfetto;
mod scheduler;
mod sonic;
mod switch_names;
mod switch_network;
mod tables_csv;
mod tier_blocks;
mod tons;

pub use chunks::{EmitError, Take};
pub(super) use launch::LaunchFile;
pub use launch::{HostChips, HostNaming, LaunchedJob, LaunchedJobs};
pub(super) use nominal::NominalTables;
pub use scheduler::Scheduled;
pub(super) use scheduler::SchedulerFile;

use crate::compiled::CompiledFabric;
use fabc_model::{AllowedTurns, Fabric, RoutingChoice, TableKey};

/// A format of another program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum External {
    OpensmLft,
    OpensmSl2vl,
    OpensmPathSl,
    Ibnetdiscover,
    TonsBundle,
    TablesCsv,
    OcsPorts,
    Scheduler(SchedulerFile),
    NcclTopo,
    Launch(LaunchFile),
    Frr,
    Routes,
    Sonic,
    Perfetto,
}

impl External {
    /// Whether the format needs forwarding tables.
    pub(super) fn needs_tables(self) -> bool {
        matches!(
            self,
            External::OpensmLft
                | External::OpensmSl2vl
                | External::OpensmPathSl
                | External::TablesCsv
                | External::Launch(_)
        ) || self.configures_switches()
    }
    /// Whether the format has one port per destination, so that tables with groups do not fit.
    pub(super) fn needs_one_path(self) -> bool {
        self.needs_tables() && !self.configures_switches() && !matches!(self, External::Launch(_))
    }
    /// Whether the format configures switches with next-hop groups.
    fn configures_switches(self) -> bool {
        matches!(self, External::Frr | External::Routes | External::Sonic)
    }
}

/// Refuses a format that cannot hold this fabric, before it is compiled.
pub(super) fn check_fabric(external: External, fabric: &Fabric) -> Result<(), EmitError> {
    let by_input =
        matches!(fabric.routing, RoutingChoice::AllowedTurns(AllowedTurns { key: TableKey::DstInput, .. }));
    match external {
        External::OpensmLft if by_input => Err(EmitError::NeedsKey { format: "opensm_lft" }),
        External::TonsBundle => tons::check_fabric(fabric),
        External::Scheduler(file) => file.check_fabric(fabric, &HostNaming::default()),
        External::NcclTopo => nccl::check_fabric(fabric),
        External::Launch(file) => file.check_fabric(fabric, &HostNaming::default()),
        External::Frr => addressing::check_fabric("frr", fabric),
        External::Routes => addressing::check_fabric("routes", fabric),
        External::Sonic => addressing::check_fabric("sonic", fabric),
        External::Perfetto => perfetto::check_fabric(fabric),
        _ => Ok(()),
    }
}

/// Writes one format, chunk by chunk. Writes nothing if the format needs tables and there are none.
pub(super) fn each_chunk<E: From<EmitError>>(
    external: External,
    compiled: &CompiledFabric,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    check_fabric(external, &compiled.fabric)?;
    match external {
        External::OpensmLft => infiniband::opensm_lft(compiled, take),
        External::OpensmSl2vl => lanes::opensm_sl2vl(compiled, take),
        External::OpensmPathSl => lanes::opensm_path_sl(compiled, take),
        External::Ibnetdiscover => infiniband::ibnetdiscover(compiled, take),
        External::TonsBundle => tons::bundle(compiled, take),
        External::TablesCsv => tables_csv::tables(compiled, take),
        External::OcsPorts => ocs_ports::ports(compiled, take),
        External::Scheduler(file) => file.write(Scheduled::Whole(compiled), &HostNaming::default(), take),
        External::NcclTopo => nccl::topologies(compiled, take),
        External::Launch(file) => {
            file.write(&LaunchedJobs::new(compiled, &HostNaming::default()), take).map(|_| ())
        }
        External::Frr => frr::FRR.write(compiled, take),
        External::Routes => ip_batch::routes(compiled, take),
        External::Sonic => sonic::SONIC.write(compiled, take),
        External::Perfetto => perfetto::trace(compiled, take),
    }
}
