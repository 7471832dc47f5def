//! The tiers of a topology whose routes go up and then down.

use crate::Topology;
use fabc_model::{router_tiers, tiers_with_direct_links};

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
