//! The tiers of routers: which links lead up.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::Topology;
use fabc_model::TierOrder;

/// `[router]`: its tier by the order of a spec. By `up_down` every router has a tier of its own: the highest
/// one is the root, then come the others by their distance from it and by ids.
pub(crate) fn tiers_by_order(topology: &Topology, order: TierOrder) -> Vec<u32> {
    let root = match order {
        TierOrder::Tiers => return tiers_of_routers(topology),
        TierOrder::UpDown { root } => NodeId(root),
    };
    let count = topology.node_count();
    let (mut tiers, mut next) = (vec![0; count], count as u32);
    let mut seen = vec![false; count];
    // Ring by ring around the root. Routers without a path to it come last.
    let mut ring: Vec<NodeId> = topology.nodes().filter(|&node| node == root).collect();
    while !ring.is_empty() || next > 0 {
        if ring.is_empty() {
            ring = topology.nodes().filter(|node| !seen[node.index()]).collect();
        }
        ring.sort_unstable();
        let mut further = Vec::new();
        ring.iter().for_each(|router| seen[router.index()] = true);
        for &router in &ring {
            next -= 1;
            tiers[router.index()] = next;
            let heads = topology.channels_from(router).map(|channel| topology.target(channel).node);
            further.extend(heads.filter(|head| !seen[head.index()]));
        }
        further.sort_unstable();
        further.dedup();
        ring = further;
    }
    tiers
}

/// `[router]`: its tier, which is the distance from the nearest endpoint of the healthy network. The largest
/// number for a router that no endpoint reaches.
pub(crate) fn tiers_of_routers(topology: &Topology) -> Vec<u32> {
    let mut tiers = vec![u32::MAX; topology.node_count()];
    let mut order: Vec<NodeId> = topology.endpoints().collect();
    for endpoint in &order {
        tiers[endpoint.index()] = 0;
    }
    let mut place = 0;
    while let Some(&router) = order.get(place) {
        place += 1;
        for channel in topology.channels_from(router) {
            let next = topology.target(channel).node;
            if tiers[next.index()] == u32::MAX {
                tiers[next.index()] = tiers[router.index()] + 1;
                order.push(next);
            }
        }
    }
    tiers
}
