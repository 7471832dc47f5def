//! The rule of random and synthesized networks: regular, without parallel links. Xpanders also have a
//! matching between every two meta-nodes. Randomness is no claim that could be verified.

use crate::wiring::rule::FamilyRule;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{End, LinkClass, Topology};

/// Routers that all have the same number of links.
pub(super) struct Regular {
    pub(super) routers: u32,
    pub(super) degree: u32,
    pub(super) simplex: bool,
    /// Whether the symmetry of the topology tells the ports.
    pub(super) symmetric: bool,
}

impl FamilyRule for Regular {
    fn routers(&self) -> usize {
        self.routers as usize
    }

    fn links(&self) -> u64 {
        let link_ends = u64::from(self.routers) * u64::from(self.degree);
        if self.simplex { link_ends } else { link_ends / 2 }
    }

    fn degree(&self, _: u32) -> u32 {
        self.degree
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        (from != to).then_some((1, LinkClass::Local))
    }

    fn simplex(&self) -> bool {
        self.simplex
    }

    fn numbers_ports(&self, _: LinkClass) -> bool {
        self.symmetric
    }

    /// The first router of an orbit has its ports by neighbor. The symmetry takes them to the others.
    fn misplaced(&self, topology: &Topology, channel: ChannelId) -> Option<String> {
        let (End { node, port }, neighbor) = (topology.source(channel), topology.target(channel).node);
        let symmetry = topology.symmetry();
        let back = symmetry.inverse(symmetry.element_to(node));
        let [first, met] = [node, neighbor].map(|router| symmetry.image(back, router));
        let lower = topology.channels_from(first).filter(|&other| topology.target(other).node < met);
        let expected = lower.count();
        (port.index() != expected).then(|| {
            let (name, met) = (topology.name(node), topology.name(neighbor));
            format!("{name} meets {met} at port{port}, but its symmetry puts that link at port{expected}")
        })
    }
}

/// Verifies that every router has one neighbor in each meta-node of `lift` routers but its own.
pub(super) fn verify_matched(topology: &Topology, lift: u32) -> Result<(), String> {
    for node in topology.nodes() {
        let neighbors = topology.channels_from(node).map(|channel| topology.target(channel).node);
        let mut blocks_met: Vec<u32> =
            neighbors.map(|NodeId(neighbor)| neighbor / lift).chain([node.0 / lift]).collect();
        blocks_met.sort_unstable();
        if let Some(duplicate) = blocks_met.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!(
                "{} has two neighbors in meta-node {}, or one in its own",
                topology.name(node),
                duplicate[0]
            ));
        }
    }
    Ok(())
}
