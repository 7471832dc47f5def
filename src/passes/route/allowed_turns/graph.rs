//! The topology as the router sees it: flat arrays over (router, port) slots, with classes under the symmetry.
//!
//! A *slot* is `node * ports + out_port`, a *state* is `slot * vcs + vc` (a packet on that channel and VC), a *symbol* is
//! `class * vcs + vc`. A rank order over symbols orders all states at once: if every route rises in rank, the quotient dependency
//! graph is acyclic, and so is the full one.

use crate::ids::{ChannelId, Id, IdVec, LinkId};
use crate::ir::{Symmetry, Topology};

/// Marks a dark slot.
pub(super) const DARK: u32 = u32::MAX;

/// Lengths per class under the topology's symmetry, as lengths per class under another one.
pub(super) fn spread(topology: &Topology, symmetry: &Symmetry, lengths: &[u64]) -> Vec<u64> {
    let mut spread = vec![0; topology.class_count(symmetry)];
    for channel in (0..topology.channel_count()).map(ChannelId::new) {
        spread[topology.channel_class(symmetry, channel).index()] = lengths[topology.channel_class(topology.symmetry(), channel).index()];
    }
    spread
}

/// The lit part of a topology.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) nodes: usize,
    pub(super) ports: usize,
    pub(super) vcs: usize,
    /// Channel classes, dark ones included.
    pub(super) classes: usize,
    /// `[slot]`: node that the channel leads to, or [`DARK`].
    pub(super) target: Vec<u32>,
    /// `[slot]`: its class.
    pub(super) class: Vec<u32>,
    /// Canonical destinations.
    pub(super) destinations: Vec<u32>,
    /// The symmetry that the classes are under.
    pub(super) symmetry: Symmetry,
}

impl Graph {
    /// `symmetry` must keep the lit links.
    pub(super) fn new(topology: &Topology, symmetry: &Symmetry, alive: &IdVec<LinkId, bool>, vcs: usize) -> Self {
        let (nodes, ports) = (topology.node_count(), topology.ports());
        let mut target = vec![DARK; nodes * ports];
        let mut class = vec![DARK; nodes * ports];
        for node in topology.nodes() {
            for channel in topology.channels_from(node).filter(|channel| alive[channel.link()]) {
                let slot = node.index() * ports + topology.source(channel).port.index();
                target[slot] = topology.target(channel).node.0;
                class[slot] = topology.channel_class(symmetry, channel).0;
            }
        }
        Self {
            nodes,
            ports,
            vcs,
            classes: topology.class_count(symmetry),
            target,
            class,
            destinations: symmetry.canonical_nodes().map(|node| node.0).collect(),
            symmetry: symmetry.clone(),
        }
    }

    /// Number of symbols.
    pub(super) fn symbols(&self) -> usize {
        self.classes * self.vcs
    }
    /// Number of states.
    pub(super) fn states(&self) -> usize {
        self.nodes * self.ports * self.vcs
    }
    /// The symbol of a state.
    pub(super) fn symbol(&self, state: usize) -> usize {
        self.class[state / self.vcs] as usize * self.vcs + state % self.vcs
    }
    /// The same, or symbol 0 for a dark state, whose cost to go is infinite anyway.
    pub(super) fn symbol_or_dark(&self, state: usize) -> usize {
        let class = self.class[state / self.vcs];
        if class == DARK { 0 } else { class as usize * self.vcs + state % self.vcs }
    }
    /// The node that a state leads to.
    pub(super) fn head(&self, state: usize) -> usize {
        self.target[state / self.vcs] as usize
    }
    /// The lit slots out of a node.
    pub(super) fn slots(&self, node: usize) -> std::ops::Range<usize> {
        node * self.ports..(node + 1) * self.ports
    }

    /// Distances to a destination under a cost per class, and the nodes by rising distance.
    pub(super) fn distances(&self, destination: u32, cost: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let mut distance = vec![u32::MAX; self.nodes];
        let mut order = Vec::with_capacity(self.nodes);
        let mut open = std::collections::BinaryHeap::new();
        distance[destination as usize] = 0;
        open.push(std::cmp::Reverse((0u32, destination)));
        while let Some(std::cmp::Reverse((here, node))) = open.pop() {
            if distance[node as usize] != here {
                continue;
            }
            order.push(node);
            // Links are lit both ways and cost the same both ways, so distances to the destination are distances from it.
            for slot in self.slots(node as usize).filter(|&slot| self.target[slot] != DARK) {
                let (to, through) = (self.target[slot], here + cost[self.class[slot] as usize]);
                if through < distance[to as usize] {
                    distance[to as usize] = through;
                    open.push(std::cmp::Reverse((through, to)));
                }
            }
        }
        (distance, order)
    }
}
