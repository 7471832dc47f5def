//! The rank order of the channels, in which every route rises.

use fabc_ir::{Symmetry, Topology};

/// The rank order of all (channel class, VC), optimized for the healthy fabric. Faults use it as well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnOrder {
    /// Virtual channels that routes use, never more than the budget.
    pub vcs: u8,
    /// Whether the order keeps the topology's symmetry. Otherwise every channel is a class of its own.
    pub symmetric: bool,
    /// `[channel class * vcs + vc]`: the rank, with the channel classes of that symmetry.
    pub ranks: Vec<u32>,
    /// Ordered pairs with a canonical source that have no near-shortest path under this order.
    pub lost: u64,
}

impl TurnOrder {
    /// The ranks under `symmetry`, which is the topology's own or the trivial one.
    pub(super) fn expanded(&self, topology: &Topology, symmetry: &Symmetry) -> Vec<u32> {
        let vcs = usize::from(self.vcs);
        if !self.symmetric || symmetry == topology.symmetry() {
            return self.ranks.clone();
        }
        let row = topology.ports() * vcs;
        symmetry
            .canonical_nodes()
            .flat_map(|node| self.ranks[topology.symmetry().class(node) * row..][..row].iter().copied())
            .collect()
    }
}
