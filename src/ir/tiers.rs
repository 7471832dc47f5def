//! The tiers of a topology whose routes go up and then down.

use crate::Topology;
use fabc_base::ids::{Id, NodeId};
use fabc_model::{TierOrder, router_tiers};

/// `[router]`: its tier. Endpoints have 0. `None` if the topology has no tiers, or links that run one way.
pub fn topology_tiers(topology: &Topology) -> Option<Vec<u32>> {
    if topology.has_simplex() {
        return None;
    }
    let endpoints: Vec<bool> = topology.nodes().map(|node| topology.is_endpoint(node)).collect();
    let links: Vec<[u32; 2]> = topology.links().iter().map(|link| [link.a.node.0, link.b.node.0]).collect();
    router_tiers(&endpoints, &links)
}

/// `[router]`: its tier by an order. Under [`TierOrder::UpDown`] every router has a tier of its own. `None`
/// if the topology has no such order.
pub fn ordered_tiers(topology: &Topology, order: TierOrder) -> Option<Vec<u32>> {
    let TierOrder::UpDown { root } = order else { return topology_tiers(topology) };
    if topology.has_simplex() || root as usize >= topology.node_count() {
        return None;
    }
    let mut distances = vec![u32::MAX; topology.node_count()];
    distances[root as usize] = 0;
    let mut reached = vec![NodeId(root)];
    let mut place = 0;
    while let Some(&router) = reached.get(place) {
        place += 1;
        for channel in topology.channels_from(router) {
            let next = topology.target(channel).node;
            if distances[next.index()] == u32::MAX {
                distances[next.index()] = distances[router.index()] + 1;
                reached.push(next);
            }
        }
    }
    let mut from_top: Vec<usize> = (0..distances.len()).collect();
    from_top.sort_by_key(|&router| (distances[router], router));
    let mut tiers = vec![0; distances.len()];
    from_top.iter().rev().zip(0..).for_each(|(&router, tier)| tiers[router] = tier);
    Some(tiers)
}
