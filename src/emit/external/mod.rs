//! Formats that other programs read and that are written only where `--emit` names them: they are large, and
//! say nothing new.
//!
//! Comes in: a compiled pod. Goes out: chunks of files, in order, so that no file is ever whole in memory.

mod chunks;
mod infiniband;
mod lanes;
mod nominal;
mod ocs_ports;
mod tables_csv;
mod tons;

pub use chunks::{EmitError, Take};

use crate::compiled::Compiled;
use fabc_model::{AllowedTurns, Fabric, RoutingChoice, TableKey};

/// Which of these formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum External {
    OpensmLft,
    OpensmSl2vl,
    OpensmPathSl,
    Ibnetdiscover,
    TonsBundle,
    TablesCsv,
    OcsPorts,
}

impl External {
    /// Whether it is about tables.
    pub(super) fn is_of_tables(self) -> bool {
        matches!(
            self,
            External::OpensmLft | External::OpensmSl2vl | External::OpensmPathSl | External::TablesCsv
        )
    }
}

/// Refuses what a format never holds, whatever is found for the fabric.
pub(super) fn fits(external: External, fabric: &Fabric) -> Result<(), EmitError> {
    let by_input =
        matches!(fabric.routing, RoutingChoice::AllowedTurns(AllowedTurns { key: TableKey::DstInput, .. }));
    match external {
        External::OpensmLft if by_input => Err(EmitError::NeedsKey { format: "opensm_lft" }),
        External::TonsBundle => tons::fits(fabric),
        _ => Ok(()),
    }
}

/// Writes one format, chunk by chunk; nothing where the pod has no tables.
pub(super) fn each_chunk<E: From<EmitError>>(
    external: External,
    compiled: &Compiled,
    take: &mut Take<'_, E>,
) -> Result<(), E> {
    fits(external, &compiled.fabric)?;
    match external {
        External::OpensmLft => infiniband::opensm_lft(compiled, take),
        External::OpensmSl2vl => lanes::opensm_sl2vl(compiled, take),
        External::OpensmPathSl => lanes::opensm_path_sl(compiled, take),
        External::Ibnetdiscover => infiniband::ibnetdiscover(compiled, take),
        External::TonsBundle => tons::bundle(compiled, take),
        External::TablesCsv => tables_csv::tables(compiled, take),
        External::OcsPorts => ocs_ports::ports(compiled, take),
    }
}
