//! The tiers of a topology whose routes go up and then down.

use crate::Topology;
use fabc_model::router_tiers;

/// `[router]`: its tier. Endpoints have 0. `None` if the topology has no tiers, or links that run one way.
pub fn topology_tiers(topology: &Topology) -> Option<Vec<u32>> {
    if topology.has_simplex() {
        return None;
    }
    let endpoints: Vec<bool> = topology.nodes().map(|node| topology.is_endpoint(node)).collect();
    let links: Vec<[u32; 2]> = topology.links().iter().map(|link| [link.a.node.0, link.b.node.0]).collect();
    router_tiers(&endpoints, &links)
}
