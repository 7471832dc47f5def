//! Valid paths through tiers: up, and then down.
//!
//! Endpoints are at tier 0. The tier of any other router is its distance from the nearest endpoint in the
//! healthy network. Every link joins two neighboring tiers, or two endpoints. A path is valid if no hop up
//! follows a hop down, and a link of two endpoints is a path of its own. No endpoint forwards. Of equally
//! short paths, an endpoint takes those that begin with a local link, where there are any.

use crate::conviction::Conviction;
use crate::network::NOWHERE;
use fabc_topology::ids::{Id, NodeId, PortId};
use fabc_topology::{LinkClass, Scene, Topology};

/// Stands for "no valid path".
pub(crate) const NO_PATH: u32 = u32::MAX;

/// The lit channels of a scene and the tiers of its routers.
pub struct TierGraph {
    /// Output ports per router, unused ones included.
    pub ports: usize,
    /// `[router]`: its tier, 0 for endpoints.
    pub tiers: Vec<u32>,
    /// `[slot]`: the router at the other end of a lit channel, or [`NOWHERE`].
    pub next: Vec<u32>,
    /// `[slot]`: whether a global link leaves by it.
    global: Vec<bool>,
}

/// The lengths of the shortest valid paths to one destination.
#[derive(Default)]
pub struct ValidPaths {
    /// `[router]`: hops of its shortest valid path, or the largest number.
    pub hops: Vec<u32>,
    /// The routers with a path, by rising hops. The destination is the first.
    pub order: Vec<u32>,
}

impl TierGraph {
    /// The tiers of a scene.
    ///
    /// # Errors
    /// A link within a tier, or one that runs one way.
    pub fn new(scene: &Scene<'_>) -> Result<Self, Conviction> {
        let topology = scene.topology;
        let tiers = tiers_of_routers(topology);
        for link in topology.links().iter() {
            let tier = tiers[link.a.node.index()];
            if link.simplex || tier > 0 && tier == tiers[link.b.node.index()] {
                let what = format!("a link from {} to {} does not join two tiers", link.a.node, link.b.node);
                return Err(Conviction::Shape { subject: "tiers".to_owned(), what });
            }
        }
        let ports = topology.ports();
        let slots = topology.nodes().flat_map(|node| (0..ports).map(move |port| (node, PortId::new(port))));
        let lit: Vec<_> = slots.map(|(node, port)| scene.outgoing(node, port)).collect();
        let next = lit.iter().map(|id| id.map_or(NOWHERE, |id| topology.target(id).node.0)).collect();
        let is_global = |id| topology.link(id).class == LinkClass::Global;
        Ok(Self { ports, tiers, next, global: lit.iter().map(|id| id.is_some_and(is_global)).collect() })
    }

    /// Finds the shortest valid paths to a destination, backwards from it.
    pub fn search(&self, destination: usize, paths: &mut ValidPaths) {
        paths.hops.clear();
        paths.hops.resize(self.tiers.len(), NO_PATH);
        paths.order.clear();
        paths.hops[destination] = 0;
        paths.order.push(destination as u32);
        let mut place = 0;
        while let Some(&router) = paths.order.get(place) {
            place += 1;
            if self.tiers[router as usize] == 0 && router as usize != destination {
                continue;
            }
            for &before in self.neighbors(router as usize) {
                // From above, packets come down to this router. Then it must send them further down.
                let is_valid = before != NOWHERE
                    && (!self.is_above(before, router) || self.descends(router as usize, paths));
                if is_valid && paths.hops[before as usize] == NO_PATH {
                    paths.hops[before as usize] = paths.hops[router as usize] + 1;
                    paths.order.push(before);
                }
            }
        }
    }

    /// The ports of a router on shortest valid paths to the destination of `paths`, ascending.
    pub fn members<'a>(&'a self, router: usize, paths: &'a ValidPaths) -> impl Iterator<Item = u16> + 'a {
        let hops = paths.hops[router];
        let descends = self.descends(router, paths);
        let is_endpoint = self.tiers[router] == 0;
        let is_member = move |port: &usize| {
            let next = self.next[router * self.ports + port];
            let hops_left = if next == NOWHERE { NO_PATH } else { paths.hops[next as usize] };
            let is_direct = || is_endpoint && hops_left == 0;
            hops != NO_PATH
                && hops_left != NO_PATH
                && hops_left + 1 == hops
                && (self.is_above(next, router as u32) != descends || is_direct())
        };
        let is_local = move |port: &usize| !self.global[router * self.ports + port];
        let local_only = is_endpoint && (0..self.ports).any(|port| is_member(&port) && is_local(&port));
        let is_taken = move |port: &usize| is_member(port) && (!local_only || is_local(port));
        (0..self.ports).filter(is_taken).map(|port| port as u16)
    }

    /// Whether packets go down from a router. They do if that is possible at all: any other path first climbs
    /// and must come down again, so it has at least two hops more.
    fn descends(&self, router: usize, paths: &ValidPaths) -> bool {
        paths.hops[router] == self.tiers[router]
    }

    fn is_above(&self, router: u32, other: u32) -> bool {
        self.tiers[router as usize] > self.tiers[other as usize]
    }

    /// `[port]`: the router at the other end.
    fn neighbors(&self, router: usize) -> &[u32] {
        &self.next[router * self.ports..(router + 1) * self.ports]
    }
}

/// `[router]`: its tier, which is the distance from the nearest endpoint of the healthy network. The largest
/// number for a router that no endpoint reaches.
pub fn tiers_of_routers(topology: &Topology) -> Vec<u32> {
    let mut tiers = vec![NO_PATH; topology.node_count()];
    let mut order: Vec<NodeId> = topology.endpoints().collect();
    for endpoint in &order {
        tiers[endpoint.index()] = 0;
    }
    let mut place = 0;
    while let Some(&router) = order.get(place) {
        place += 1;
        for channel in topology.channels_from(router) {
            let next = topology.target(channel).node;
            if tiers[next.index()] == NO_PATH {
                tiers[next.index()] = tiers[router.index()] + 1;
                order.push(next);
            }
        }
    }
    tiers
}
