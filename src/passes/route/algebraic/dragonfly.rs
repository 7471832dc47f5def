//! Dragonflies: inside a group at once, else towards a link to the other group; two links between groups
//! where that is shorter.

use fabc_base::ids::NodeId;
use fabc_ir::{LinkClass, Topology};

/// Who is joined to whom between groups.
pub(super) struct Groups {
    /// Routers of a group.
    size: u32,
    groups: u32,
    /// `[router]`: the routers at the other ends of its global links, by port.
    across: Vec<Vec<u32>>,
    /// `[group * groups + other]`: the routers of the group with a link to the other one, ascending.
    holders: Vec<Vec<u32>>,
}

impl Groups {
    /// Groups of `size` routers.
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
                let known: &mut Vec<u32> =
                    &mut holders[(router / size) as usize * groups + (other / size) as usize];
                if known.last() != Some(&router) {
                    known.push(router);
                }
            }
        }
        Self { size, groups: groups as u32, across, holders }
    }

    /// The router that comes next on the way from one to another, which differ.
    pub(super) fn next(&self, from: u32, to: u32) -> u32 {
        let (here, there) = (from / self.size, to / self.size);
        let across = |router: u32| self.across[router as usize].iter().copied();
        if here == there || across(from).any(|far| far == to) {
            return to;
        }
        // Two hops: into the group and on, on and into the group, over a third one.
        let own = across(from).find(|far| far / self.size == there);
        let beside = || across(to).find(|far| far / self.size == here);
        let third = || across(from).find(|&far| across(far).any(|further| further == to));
        // Three: any router with a link to the group, destinations spread over them by their place in it.
        let holders = &self.holders[(here * self.groups + there) as usize];
        let any = || holders[(to % self.size) as usize % holders.len()];
        own.or_else(beside).or_else(third).unwrap_or_else(any)
    }
}
