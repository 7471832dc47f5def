//! The tiers of a topology whose routes go up and then down.

use crate::Topology;
use fabc_base::ids::{Id, NodeId};
use fabc_model::{TierOrder, router_tiers, tiers_with_direct_links};

/// `[router]`: its tier. Endpoints have 0. `None` if the topology has no tiers, or links that run one way.
pub fn topology_tiers(topology: &Topology) -> Option<Vec<u32>> {
    let Ends { endpoints, links } = Ends::new(topology)?;
    router_tiers(&endpoints, &links)
}

/// The same as [`topology_tiers`] for endpoints that forward nothing: GPUs of boxes. Links may join two of
/// them.
pub fn tiers_above_endpoints(topology: &Topology) -> Option<Vec<u32>> {
    let Ends { endpoints, links } = Ends::new(topology)?;
    tiers_with_direct_links(&endpoints, &links)
}

/// Endpoints and links, from which tiers follow.
struct Ends {
    /// `[router]`: whether it is an endpoint.
    endpoints: Vec<bool>,
    /// The routers of every link.
    links: Vec<[u32; 2]>,
}

impl Ends {
    /// The ends of all links. `None` if some run one way.
    fn new(topology: &Topology) -> Option<Self> {
        let endpoints = topology.nodes().map(|node| topology.is_endpoint(node)).collect();
        let links = topology.links().iter().map(|link| [link.a.node.0, link.b.node.0]).collect();
        (!topology.has_simplex()).then_some(Self { endpoints, links })
    }
}

/// `[router]`: its tier by an order. Under [`TierOrder::UpDown`] every router has a tier of its own. `None`
/// if the topology has no such order.
pub fn ordered_tiers(topology: &Topology, order: TierOrder) -> Option<Vec<u32>> {
    let TierOrder::UpDown { root } = order else { return tiers_above_endpoints(topology) };
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
