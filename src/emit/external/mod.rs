//! Formats that other programs read and that are written only where `--emit` names them: they are large, and say nothing new.
//!
//! Comes in: a compiled pod. Goes out: chunks of files, in order, so that no file is ever whole in memory.

mod infiniband;
mod tables_csv;
mod tons;

use super::unpacked;
use crate::compiled::Compiled;
use crate::ids::{Id, NodeId, PortId};
use crate::ir::{Entry, ForwardingTables, Symmetry, TableKey, Topology};
use miette::Diagnostic;
use thiserror::Error;

/// Why a pod has no such format.
#[derive(Clone, PartialEq, Eq, Debug, Error, Diagnostic)]
pub enum EmitError {
    /// Tables that look at more than the destination.
    #[error("`{format}` has one port per destination, but {router} sends packets to {dst} by {ports}, depending on where they come from")]
    #[diagnostic(
        code(FAB0517),
        help("choose a routing that looks at the destination alone, such as `dimension_order`, or another format, such as `tables_csv`")
    )]
    NotDestinationKeyed {
        /// The format.
        format: &'static str,
        /// The first router that does not fit.
        router: String,
        /// The first destination there.
        dst: String,
        /// The ports.
        ports: String,
    },
    /// A network that a format has no words for.
    #[error("`{format}` cannot hold this network: {reason}")]
    #[diagnostic(code(FAB0534), help("`graphml`, `csv` and `tables_csv` hold every network"))]
    NotHeld {
        /// The format.
        format: &'static str,
        /// What it has no words for.
        reason: &'static str,
    },
    /// A pod that is too large for a format.
    #[error("`{format}` holds pods of at most {most} chips, but this one has {chips}")]
    #[diagnostic(code(FAB0518), help("{reason}"))]
    TooLarge {
        /// The format.
        format: &'static str,
        /// Chips of the pod.
        chips: usize,
        /// Chips that fit.
        most: usize,
        /// Why not more.
        reason: &'static str,
    },
}

/// Which of these formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum External {
    OpensmLft,
    Ibnetdiscover,
    TonsBundle,
    TablesCsv,
}

/// Takes a chunk of the file at a path; the chunks of one file follow each other.
pub type Take<'t, E> = dyn FnMut(&str, &[u8]) -> Result<(), E> + 't;

/// Writes one format, chunk by chunk; nothing where the pod has no tables.
pub(super) fn each_chunk<E: From<EmitError>>(external: External, compiled: &Compiled, take: &mut Take<'_, E>) -> Result<(), E> {
    match external {
        External::OpensmLft => infiniband::opensm_lft(compiled, take),
        External::Ibnetdiscover => infiniband::ibnetdiscover(compiled, take),
        External::TonsBundle if compiled.pod.is_none() => {
            Err(EmitError::NotHeld { format: "tons_bundle", reason: "its files number chips by their place in a pod of cubes" }.into())
        }
        External::TonsBundle => tons::bundle(compiled, take),
        External::TablesCsv => tables_csv::tables(compiled, take),
    }
}

/// The tables of the healthy pod, to be asked for single entries.
struct NominalTables<'c> {
    topology: &'c Topology,
    tables: ForwardingTables,
}

impl<'c> NominalTables<'c> {
    /// `None` if the build stopped before routing.
    fn of(compiled: &'c Compiled) -> Option<Self> {
        let routed = compiled.scenarios.first()?.routed.as_ref()?;
        Some(Self { topology: &compiled.topology, tables: unpacked(&routed.tables) })
    }

    /// Virtual channels that some route uses.
    fn vcs_used(&self, compiled: &Compiled) -> usize {
        let walk = compiled.scenarios.first().and_then(|scenario| scenario.metrics.routed.as_ref());
        walk.map_or(0, |walk| walk.vc_hops.iter().filter(|hops| **hops > 0).count())
    }

    fn symmetry(&self) -> &Symmetry {
        &self.tables.symmetry
    }

    /// The entries of any router for one destination; the entries name the canonical image of the destination.
    fn entries(&self, node: NodeId, dst: NodeId) -> &[Entry] {
        let back = self.symmetry().inverse(self.symmetry().element_to(node));
        let (entries, dst) = (&self.tables.routers[self.symmetry().class(node)], self.symmetry().image(back, dst));
        let start = entries.partition_point(|entry| entry.dst < dst);
        let end = start + entries[start..].iter().take_while(|entry| entry.dst == dst).count();
        &entries[start..end]
    }

    /// The route between two routers: (router, port, VC) of every hop. Checked tables lead to the destination.
    fn route(&self, src: NodeId, dst: NodeId) -> Vec<(NodeId, PortId, u8)> {
        let mut hops = Vec::new();
        let (mut node, mut input) = (src, (-1, -1));
        while node != dst && hops.len() < self.topology.channel_count() {
            let by = if self.tables.key.is_by_destination() { (-1, -1) } else { input };
            let Some(entry) = self.entries(node, dst).iter().find(|entry| (entry.in_port, entry.in_vc) == by) else { break };
            let Some(channel) = self.topology.outgoing(node, PortId::new(entry.out_port.into())) else { break };
            let vc = if self.tables.key == TableKey::DstHop { hops.len() as u8 } else { entry.out_vc };
            hops.push((node, PortId::new(entry.out_port.into()), vc));
            let end = self.topology.target(channel);
            (node, input) = (end.node, (end.port.index() as i16, entry.out_vc as i8));
        }
        hops
    }
}
