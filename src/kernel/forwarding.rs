//! The compiler's tables, laid out for look-ups.
//!
//! Tables list the canonical routers. The symmetry carries them to the others. Let a router be the image of a
//! canonical router under an element g. Its entries for a destination d are those of the canonical router for
//! the image of d under the inverse of g.

use crate::conviction::TableConviction;
use crate::lit_graph::port_name;
use crate::table::{Lookup, LookupTable, MISSING, packed};
use fabc_topology::ids::{Id, NodeId, PortId};
use fabc_topology::{ForwardingTables, Scene, TableEntry, TableKey};
use rayon::prelude::*;

/// Tables in which a router can follow every entry.
pub struct Forwarding<'a> {
    tables: &'a ForwardingTables,
    nodes: usize,
    lookup: Lookup,
    vcs: usize,
    /// Entries of a router for one destination, missing ones included.
    entries: usize,
    /// `[router class][destination]`: where the entries for the destination start, with one more number at
    /// the end.
    starts: Vec<Vec<u32>>,
}

impl<'a> Forwarding<'a> {
    /// Lays out tables. They must list the canonical routers of their symmetry.
    ///
    /// # Errors
    /// An entry that is out of range, out of order, in conflict with another, or that leaves by a dark port.
    pub fn new(scene: &Scene<'_>, tables: &'a ForwardingTables) -> Result<Self, TableConviction> {
        let (ports, vcs) = (scene.topology.ports(), usize::from(tables.vcs));
        let lookup = match tables.key {
            TableKey::DstInput => Lookup::Input,
            TableKey::Dst => Lookup::Destination,
            TableKey::DstCount(count) => Lookup::Count(count),
        };
        let routers: Vec<_> = tables.symmetry.canonical_nodes().zip(&tables.routers).collect();
        let index =
            |(node, entries): (NodeId, &Vec<TableEntry>)| index_of_entries(scene, tables, node, entries);
        // All routers are checked, so that the first error is the same with any number of threads.
        let starts: Vec<Result<Vec<u32>, TableConviction>> = routers.into_par_iter().map(index).collect();
        let starts = starts.into_iter().collect::<Result<_, _>>()?;
        Ok(Self {
            tables,
            nodes: scene.topology.node_count(),
            lookup,
            vcs,
            entries: lookup.entries(ports, vcs),
            starts,
        })
    }
}

/// Checks the entries of one router and finds where those for each destination start.
fn index_of_entries(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    node: NodeId,
    entries: &[TableEntry],
) -> Result<Vec<u32>, TableConviction> {
    let (nodes, ports, vcs) =
        (scene.topology.node_count(), scene.topology.ports() as i32, i32::from(tables.vcs));
    let mut starts = vec![0u32; nodes + 1];
    for (k, entry) in entries.iter().enumerate() {
        let refused = |reason: String| {
            let TableEntry { dst, in_port, in_vc, out_port, out_vc } = entry;
            let message = format!("entry [{dst},{in_port},{in_vc},{out_port},{out_vc}] {reason}");
            Err(TableConviction::Entry { router: node, what: message })
        };
        if entry.dst.index() >= nodes {
            return refused(format!("is for a router that does not exist, there are {nodes}"));
        }
        if entry.dst == node {
            return refused("is for packets that are at their destination already".to_owned());
        }
        let (in_port, in_vc) = (i32::from(entry.in_port), i32::from(entry.in_vc));
        let injected = in_port == -1 && in_vc == -1;
        let arrived =
            tables.key == TableKey::DstInput && (0..ports).contains(&in_port) && (0..vcs).contains(&in_vc);
        if !injected && !arrived {
            return refused(format!(
                "has an input by which no packet arrives: {ports} ports with {vcs} VCs, or -1,-1 for injected"
            ));
        }
        if i32::from(entry.out_vc) >= vcs {
            return refused(format!("sends on VC {}, but there are {vcs}", entry.out_vc));
        }
        if i32::from(entry.out_port) >= ports {
            return refused(format!("leaves by port {}, but there are {ports}", entry.out_port));
        }
        if scene.outgoing(node, PortId(entry.out_port)).is_none() {
            return refused(format!("leaves by {}, which is dark", port_name(usize::from(entry.out_port))));
        }
        if let Some(before) = k.checked_sub(1).map(|before| &entries[before]) {
            let key = |entry: &TableEntry| (entry.dst, entry.in_port, entry.in_vc);
            if key(before) == key(entry) {
                return refused(format!(
                    "conflicts with the entry before it, which leaves by {},{}",
                    before.out_port, before.out_vc
                ));
            }
            if key(before) > key(entry) {
                return refused("is out of order".to_owned());
            }
        }
        starts[entry.dst.index() + 1] = k as u32 + 1;
    }
    for destination in 0..nodes {
        starts[destination + 1] = starts[destination + 1].max(starts[destination]);
    }
    Ok(starts)
}

impl LookupTable for Forwarding<'_> {
    fn vcs(&self) -> usize {
        self.vcs
    }

    fn lookup(&self) -> Lookup {
        self.lookup
    }

    fn fill(&self, destination: usize, row: &mut Vec<u32>) -> Option<usize> {
        let symmetry = &self.tables.symmetry;
        row.clear();
        row.resize(self.nodes * self.entries, MISSING);
        let mut count = 0;
        for node in (0..self.nodes).map(NodeId::new) {
            let class = symmetry.class(node);
            let carried =
                symmetry.image(symmetry.inverse(symmetry.element_to(node)), NodeId::new(destination)).index();
            let range = self.starts[class][carried] as usize..self.starts[class][carried + 1] as usize;
            count += range.len();
            for entry in &self.tables.routers[class][range] {
                let input = if entry.in_port < 0 {
                    0
                } else {
                    1 + entry.in_port as usize * self.vcs + entry.in_vc as usize
                };
                row[node.index() * self.entries + input] = packed(entry.out_port, entry.out_vc);
            }
        }
        Some(count)
    }
}
