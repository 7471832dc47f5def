//! The lit channels of a topology, laid out for searches.

use super::CheckError;
use crate::ids::{ChannelId, Id, IdVec, LinkId, NodeId};
use crate::ir::{Symmetry, Topology};
use std::fmt::Display;

/// Lit channels by the router they leave.
pub(super) struct LitGraph {
    /// `[node]`: where its channels start in `hops`; one more at the end.
    starts: Vec<u32>,
    /// (channel, router it leads to), in port order.
    hops: Vec<(ChannelId, u32)>,
}

impl LitGraph {
    pub(super) fn new(topology: &Topology, alive: &IdVec<LinkId, bool>) -> Self {
        let mut starts = vec![0];
        let mut hops = Vec::new();
        for node in topology.nodes() {
            let lit = topology.channels_from(node).filter(|channel| alive[channel.link()]);
            hops.extend(lit.map(|channel| (channel, topology.target(channel).node.0)));
            starts.push(hops.len() as u32);
        }
        Self { starts, hops }
    }

    pub(super) fn node_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn channels(&self) -> impl Iterator<Item = ChannelId> {
        self.hops.iter().map(|&(channel, _)| channel)
    }

    pub(super) fn from(&self, node: usize) -> &[(ChannelId, u32)] {
        &self.hops[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Hops from `source` to every node, `u32::MAX` where there is no way; `queue` is scratch.
    pub(super) fn hops_from(&self, source: NodeId, queue: &mut Vec<u32>) -> Vec<u32> {
        let mut hops = vec![u32::MAX; self.node_count()];
        hops[source.index()] = 0;
        queue.clear();
        queue.push(source.0);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            for &(_, to) in self.from(node as usize) {
                if hops[to as usize] == u32::MAX {
                    hops[to as usize] = hops[node as usize] + 1;
                    queue.push(to);
                }
            }
        }
        hops
    }
}

/// Whether `alive` has an entry for every link.
pub(super) fn expect_alive(topology: &Topology, alive: &IdVec<LinkId, bool>) -> Result<(), CheckError> {
    expect_length("lit links", "entries", alive.len(), topology.links().len())
}

/// Whether something has as many entries as it must.
pub(super) fn expect_length(of: &str, entries: impl Display, found: usize, expected: usize) -> Result<(), CheckError> {
    if found == expected {
        return Ok(());
    }
    Err(CheckError::Shape { scenario: of.to_owned(), what: format!("{found} {entries}, but there must be {expected}") })
}

/// The symmetry of a scenario: that of the topology where the lit links keep it and no chip is dead, otherwise the trivial one.
pub(super) fn symmetry_of(topology: &Topology, alive: &IdVec<LinkId, bool>, dead: Option<NodeId>) -> Symmetry {
    let symmetry = topology.symmetry();
    if dead.is_none() && keeps_alive(topology, symmetry, alive) { symmetry.clone() } else { symmetry.without() }
}

/// The sources that stand for all that live, and how many each stands for.
pub(super) fn representative_sources(topology: &Topology, symmetry: &Symmetry, dead: Option<NodeId>) -> (Vec<NodeId>, u64) {
    let sends = |&node: &NodeId| Some(node) != dead && topology.is_endpoint(node);
    (symmetry.canonical_nodes().filter(sends).collect(), symmetry.order() as u64)
}

/// Whether every image of a lit link is lit; the symmetry must be one of the topology.
pub(super) fn keeps_alive(topology: &Topology, symmetry: &Symmetry, alive: &IdVec<LinkId, bool>) -> bool {
    topology.links().enumerate().filter(|&(id, _)| !alive[id]).all(|(_, link)| {
        (1..symmetry.order())
            .all(|g| topology.outgoing(symmetry.image(g, link.a.node), link.a.port).is_some_and(|image| !alive[image.link()]))
    })
}

/// `+x`, or the number of a port that has no name.
pub(super) fn port_name(port: usize) -> String {
    crate::model::PORT_NAMES.get(port).map_or_else(|| format!("port{port}"), |&name| name.to_owned())
}
