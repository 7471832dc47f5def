//! Valid paths through tiers: up, and then down.
//!
//! Endpoints are at tier 0. The tier of any other router is its distance from the nearest endpoint in the
//! healthy network, and every link joins two neighboring tiers. A path is valid if no hop up follows a hop
//! down. No endpoint forwards, because a path can only come to it by a hop down.

use crate::conviction::Conviction;
use crate::network::NOWHERE;
use fabc_topology::ids::{Id, NodeId, PortId};
use fabc_topology::{Scene, Topology};

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
            if link.simplex || tiers[link.a.node.index()] == tiers[link.b.node.index()] {
                let what = format!("a link from {} to {} does not join two tiers", link.a.node, link.b.node);
                return Err(Conviction::Shape { subject: "tiers".to_owned(), what });
            }
        }
        let ports = topology.ports();
        let slots = topology.nodes().flat_map(|node| (0..ports).map(move |port| (node, PortId::new(port))));
        let next = slots
            .map(|(node, port)| scene.outgoing(node, port).map_or(NOWHERE, |id| topology.target(id).node.0))
            .collect();
        Ok(Self { ports, tiers, next })
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
        let is_member = move |&(_, &next): &(u16, &u32)| {
            next != NOWHERE
                && hops != NO_PATH
                && paths.hops[next as usize] != NO_PATH
                && paths.hops[next as usize] + 1 == hops
                && self.is_above(next, router as u32) != descends
        };
        (0u16..).zip(self.neighbors(router)).filter(is_member).map(|(port, _)| port)
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
