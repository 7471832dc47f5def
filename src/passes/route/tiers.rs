//! The tiers of a folded Clos network, and an even spread of routes over them.
//!
//! Input: a topology. Output: its [`Tiers`], if endpoints are at the bottom and every link joins two
//! neighboring tiers. Routes then go up and down again. A router chooses among its shortest paths up by a
//! Latin square: the rank of the lowest router plus the rank of the destination, and further up the place of
//! the router, of the destination's ancestor and of the destination. In a fat tree of full radix, and in a
//! k-ary n-tree, every channel of a tier then carries as many routes as the others. Where the numbers of
//! neighbors do not divide each other, the loads differ, and [`minimal`](super::minimal) improves them.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Topology, topology_tiers};
use std::collections::BTreeMap;

/// The tiers of the routers, and their places among their siblings.
pub(super) struct Tiers {
    /// `[router]`: its tier. Endpoints have 0.
    tier: Vec<u32>,
    /// `[router]`: its class. Siblings are routers of one tier with the same neighbors above.
    class: Vec<u32>,
    /// `[router]`: its place among its siblings, by id.
    place: Vec<u32>,
    /// `[router]`: its place among all routers of tier 0, class by class. Meaningless above tier 0.
    rank: Vec<u32>,
    classes: usize,
}

/// A destination, with its ancestors.
pub(super) struct TierDestination {
    rank: u32,
    place: u32,
    /// `[class]`: the place of the ancestor in the class. 0 where the class has none.
    ancestors: Vec<u32>,
}

impl Tiers {
    /// The tiers of a topology. `None` if it has none, or if it has a symmetry or simplex links.
    pub(super) fn of_topology(topology: &Topology) -> Option<Self> {
        if !topology.symmetry().is_trivial() {
            return None;
        }
        let tier = topology_tiers(topology)?;
        let mut siblings: BTreeMap<(u32, Vec<u32>), Vec<u32>> = BTreeMap::new();
        for node in topology.nodes() {
            let above = uppers(topology, &tier, node);
            siblings.entry((tier[node.index()], above)).or_default().push(node.0);
        }
        // Classes in the order of their first routers.
        let mut classes: Vec<Vec<u32>> = siblings.into_values().collect();
        classes.sort_unstable_by_key(|routers| routers[0]);
        let nodes = topology.node_count();
        let (mut class, mut place, mut rank) = (vec![0; nodes], vec![0; nodes], vec![0; nodes]);
        let mut ranked = 0;
        for (number, routers) in classes.iter().enumerate() {
            for (position, &router) in routers.iter().enumerate() {
                class[router as usize] = number as u32;
                place[router as usize] = position as u32;
                rank[router as usize] = ranked + position as u32;
            }
            if tier[routers[0] as usize] == 0 {
                ranked += routers.len() as u32;
            }
        }
        Some(Self { tier, class, place, rank, classes: classes.len() })
    }

    /// Whether a hop leads up.
    pub(super) fn climbs(&self, from: u32, to: u32) -> bool {
        self.tier[to as usize] > self.tier[from as usize]
    }

    /// A destination, with its ancestors.
    pub(super) fn destination(&self, topology: &Topology, destination: NodeId) -> TierDestination {
        let mut ancestors = vec![0; self.classes];
        let mut seen = vec![false; topology.node_count()];
        let mut open = vec![destination.0];
        while let Some(router) = open.pop() {
            ancestors[self.class[router as usize] as usize] = self.place[router as usize];
            for above in uppers(topology, &self.tier, NodeId(router)) {
                if !std::mem::replace(&mut seen[above as usize], true) {
                    open.push(above);
                }
            }
        }
        let index = destination.index();
        TierDestination { rank: self.rank[index], place: self.place[index], ancestors }
    }

    /// The number of the channel that a router takes to a destination. Callers reduce it modulo the number of
    /// channels to choose from.
    pub(super) fn choice(&self, router: u32, destination: &TierDestination, climbs: bool) -> usize {
        let index = router as usize;
        let number = match (climbs, self.tier[index]) {
            (false, _) => destination.place,
            (true, 0) => self.rank[index] + destination.rank,
            (true, _) => {
                let ancestor = destination.ancestors[self.class[index] as usize];
                self.place[index] + ancestor + destination.place
            }
        };
        number as usize
    }
}

/// The neighbors above a router, ascending, each once.
fn uppers(topology: &Topology, tier: &[u32], node: NodeId) -> Vec<u32> {
    let heads = topology.channels_from(node).map(|channel| topology.target(channel).node.0);
    let mut above: Vec<u32> = heads.filter(|&head| tier[head as usize] > tier[node.index()]).collect();
    above.sort_unstable();
    above.dedup();
    above
}
