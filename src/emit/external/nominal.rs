//! The tables of the healthy fabric, entry by entry and route by route.

use crate::compiled::CompiledFabric;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{ForwardingTables, Symmetry, TableEntry, Topology};

/// The unpacked tables of the healthy fabric, with lookups.
pub(crate) struct NominalTables<'c> {
    pub(crate) topology: &'c Topology,
    pub(crate) tables: ForwardingTables,
}

impl<'c> NominalTables<'c> {
    /// `None` if the build stopped before routing.
    pub(crate) fn from_compiled(compiled: &'c CompiledFabric) -> Option<Self> {
        let routed = compiled.scenarios.first()?.routed.as_ref()?;
        Some(Self { topology: &compiled.topology, tables: routed.tables.unpacked() })
    }

    /// Number of virtual channels that some route uses.
    pub(crate) fn vcs_used(&self, compiled: &CompiledFabric) -> usize {
        let walk = compiled.scenarios.first().and_then(|scenario| scenario.metrics.routed.as_ref());
        walk.map_or(0, |walk| walk.vc_hops.iter().filter(|hops| **hops > 0).count())
    }

    pub(crate) fn symmetry(&self) -> &Symmetry {
        &self.tables.symmetry
    }

    /// The entries of a router for one destination. They name the canonical image of the destination.
    pub(crate) fn entries(&self, node: NodeId, dst: NodeId) -> &[TableEntry] {
        let back = self.symmetry().inverse(self.symmetry().element_to(node));
        let (entries, dst) =
            (&self.tables.routers[self.symmetry().class(node)], self.symmetry().image(back, dst));
        let start = entries.partition_point(|entry| entry.dst < dst);
        let end = start + entries[start..].iter().take_while(|entry| entry.dst == dst).count();
        &entries[start..end]
    }

    /// The route between two routers, as (router, port, VC) of every hop. Checked tables lead to the
    /// destination.
    pub(crate) fn route(&self, src: NodeId, dst: NodeId) -> Vec<(NodeId, PortId, u8)> {
        let mut hops = Vec::new();
        let (mut node, mut input, mut counted) = (src, (-1, -1), 0);
        while node != dst && hops.len() < self.topology.channel_count() {
            let key = if self.tables.key.is_by_destination() { (-1, -1) } else { input };
            let Some(entry) =
                self.entries(node, dst).iter().find(|entry| (entry.in_port, entry.in_vc) == key)
            else {
                break;
            };
            let Some(channel) = self.topology.outgoing(node, PortId::new(entry.out_port.into())) else {
                break;
            };
            let vc = match self.tables.key.count() {
                Some(count) => {
                    let before = counted;
                    counted += u8::from(self.topology.is_counted(channel, count));
                    before
                }
                None => entry.out_vc,
            };
            hops.push((node, PortId::new(entry.out_port.into()), vc));
            let end = self.topology.target(channel);
            (node, input) = (end.node, (end.port.index() as i16, entry.out_vc as i8));
        }
        hops
    }
}
