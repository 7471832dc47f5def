//! The lit channels of a topology, laid out for searches.

use super::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Scene, Symmetry};
use std::fmt::Display;

/// Lit channels by the router they leave.
pub(super) struct LitGraph {
    /// `[node]`: where its channels start in `hops`; one more at the end.
    starts: Vec<u32>,
    /// (channel, router it leads to), in port order.
    hops: Vec<(ChannelId, u32)>,
}

impl LitGraph {
    pub(super) fn new(scene: &Scene<'_>) -> Self {
        let mut starts = vec![0];
        let mut hops = Vec::new();
        for node in scene.topology.nodes() {
            hops.extend(scene.channels_from(node).map(|channel| (channel, scene.topology.target(channel).node.0)));
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

/// Whether a scene says of every link if it is lit.
pub(super) fn expect_lit(scene: &Scene<'_>) -> Result<(), CheckError> {
    expect_length("lit links", "entries", scene.lit.len(), scene.topology.links().len())
}

/// Whether something has as many entries as it must.
pub(super) fn expect_length(of: &str, entries: impl Display, found: usize, expected: usize) -> Result<(), CheckError> {
    if found == expected {
        return Ok(());
    }
    Err(CheckError::Shape { scenario: of.to_owned(), what: format!("{found} {entries}, but there must be {expected}") })
}

/// The symmetry of a scene: that of the topology where the lit links keep it and no chip is dead, otherwise
/// the trivial one.
pub(super) fn symmetry_of(scene: &Scene<'_>) -> Symmetry {
    let symmetry = scene.topology.symmetry();
    if scene.dead.is_empty() && keeps_dark(scene, symmetry) { symmetry.clone() } else { symmetry.without() }
}

/// The sources that stand for all that live, and how many each stands for.
pub(super) fn representative_sources(scene: &Scene<'_>, symmetry: &Symmetry) -> (Vec<NodeId>, u64) {
    (symmetry.canonical_nodes().filter(|&node| scene.is_endpoint(node)).collect(), symmetry.order() as u64)
}

/// Whether every image of a dark link is dark; the symmetry must be one of the topology.
pub(super) fn keeps_dark(scene: &Scene<'_>, symmetry: &Symmetry) -> bool {
    let topology = scene.topology;
    topology.links().enumerate().filter(|&(id, _)| !scene.is_lit(id)).all(|(_, link)| {
        (1..symmetry.order())
            .all(|g| topology.outgoing(symmetry.image(g, link.a.node), link.a.port).is_some_and(|image| !scene.is_lit(image.link())))
    })
}

/// `+x`, or the number of a port that has no name.
pub(super) fn port_name(port: usize) -> String {
    fabc_model::PORT_NAMES.get(port).map_or_else(|| format!("port{port}"), |&name| name.to_owned())
}
