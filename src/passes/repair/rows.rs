//! Tables by destination: the output of every router for packets to it.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::{ForwardingTables, TableEntry, Topology};

/// Marks a missing entry or a missing state.
pub(super) const NONE: u32 = u32::MAX;

/// Tables laid out by destination.
pub(super) struct TableRows<'a> {
    tables: &'a ForwardingTables,
    nodes: usize,
    /// Keys of a router for one destination: the injected packets, then (in port, in VC).
    inputs: usize,
    /// `[router class][dst]`: start of the entries for the destination, with one more entry at the end.
    starts: Vec<Vec<u32>>,
}

impl<'a> TableRows<'a> {
    /// Lays out tables of the whole topology, keyed by destination and input.
    pub(super) fn new(topology: &Topology, tables: &'a ForwardingTables) -> Self {
        let nodes = topology.node_count();
        let starts = |entries: &Vec<TableEntry>| {
            let mut starts = vec![0; nodes + 1];
            entries.iter().for_each(|entry| starts[entry.dst.index() + 1] += 1);
            (0..nodes).for_each(|dst| starts[dst + 1] += starts[dst]);
            starts
        };
        let inputs = topology.ports() * usize::from(tables.vcs) + 1;
        Self { tables, nodes, inputs, starts: tables.routers.iter().map(starts).collect() }
    }

    /// `[router * inputs + input]`: the output (port * vcs + vc) of every key for packets to `dst`, or
    /// [`NONE`] without an entry.
    pub(super) fn fill(&self, dst: NodeId, row: &mut Vec<u32>) {
        let (symmetry, vcs) = (&self.tables.symmetry, usize::from(self.tables.vcs));
        row.clear();
        row.resize(self.nodes * self.inputs, NONE);
        for node in (0..self.nodes).map(NodeId::new) {
            let class = symmetry.class(node);
            let seen = symmetry.image(symmetry.inverse(symmetry.element_to(node)), dst).index();
            for entry in &self.tables.routers[class]
                [self.starts[class][seen] as usize..self.starts[class][seen + 1] as usize]
            {
                let input = if entry.in_port < 0 {
                    0
                } else {
                    1 + entry.in_port as usize * vcs + entry.in_vc as usize
                };
                row[node.index() * self.inputs + input] =
                    u32::from(entry.out_port) * u32::from(self.tables.vcs) + u32::from(entry.out_vc);
            }
        }
    }
}
