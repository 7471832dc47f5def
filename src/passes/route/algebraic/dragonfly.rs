//! Next hops in dragonflies.
//!
//! Inside a group a packet goes straight to its destination. Otherwise it heads for a global link to the
//! destination's group, or takes two global links where that is shorter.

use fabc_base::ids::NodeId;
use fabc_ir::{LinkClass, Topology};

/// The global links of a dragonfly, by router and by group.
pub(super) struct DragonflyHops {
    /// Number of routers in a group.
    size: u32,
    groups: u32,
    /// `[router]`: the routers at the far ends of its global links, by port.
    across: Vec<Vec<u32>>,
    /// `[group * groups + other]`: the routers of the group with a link to the other one, ascending.
    holders: Vec<Vec<u32>>,
}

impl DragonflyHops {
    /// Collects the global links of a dragonfly whose groups have `size` routers.
    pub(super) fn new(topology: &Topology, size: u32) -> Self {
        let groups = topology.node_count() / size as usize;
        let global = |node: NodeId| {
            let channels = topology
                .channels_from(node)
                .filter(|&channel| topology.link(channel).class == LinkClass::Global);
            channels.map(|channel| topology.target(channel).node.0).collect::<Vec<u32>>()
        };
        let across: Vec<Vec<u32>> = topology.nodes().map(global).collect();
        let mut holders = vec![Vec::new(); groups * groups];
        for (router, far) in (0u32..).zip(&across) {
            for other in far {
                let group_holders: &mut Vec<u32> =
                    &mut holders[(router / size) as usize * groups + (other / size) as usize];
                if group_holders.last() != Some(&router) {
                    group_holders.push(router);
                }
            }
        }
        Self { size, groups: groups as u32, across, holders }
    }

    /// The next router on the route between two different routers.
    pub(super) fn next_router(&self, from: u32, to: u32) -> u32 {
        let (from_group, to_group) = (from / self.size, to / self.size);
        let across = |router: u32| self.across[router as usize].iter().copied();
        if from_group == to_group || across(from).any(|far| far == to) {
            return to;
        }
        // Two hops: a global link then a local one, a local link then a global one, or two global links.
        let direct = across(from).find(|far| far / self.size == to_group);
        let via_own_group = || across(to).find(|far| far / self.size == from_group);
        let via_third_group = || across(from).find(|&far| across(far).any(|further| further == to));
        // Three hops: via any router with a link to that group. Destinations are spread over those routers.
        let holders = &self.holders[(from_group * self.groups + to_group) as usize];
        let via_holder = || holders[(to % self.size) as usize % holders.len()];
        direct.or_else(via_own_group).or_else(via_third_group).unwrap_or_else(via_holder)
    }
}
