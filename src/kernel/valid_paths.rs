//! Valid paths through tiers: up, and then down.
//!
//! Every router has a tier. Every link joins two different tiers, or two routers of tier 0, which are then
//! endpoints. A path is valid if no hop up follows a hop down, and a link of two endpoints is a path of its
//! own. Where endpoints have tier 0, none of them forwards, because a path can only come to it by a hop down.
//! Of equally short paths, they take those that begin with a local link, where there are any.

use crate::conviction::Conviction;
use crate::lit_graph::expect_length;
use crate::network::NOWHERE;
use fabc_topology::ids::{Id, PortId};
use fabc_topology::{LinkClass, Scene};

/// Stands for "no valid path".
pub(crate) const NO_PATH: u32 = u32::MAX;

/// The lit channels of a scene and the tiers of its routers.
pub struct TierGraph {
    /// Output ports per router, unused ones included.
    pub ports: usize,
    /// `[router]`: its tier, by which links lead up or down.
    pub tiers: Vec<u32>,
    /// `[slot]`: the router at the other end of a lit channel, or [`NOWHERE`].
    pub next: Vec<u32>,
    /// `[router]`: the number of its ports up to the last one with a lit channel.
    used_ports: Vec<usize>,
    /// `[slot]`: whether a global link leaves by it.
    global: Vec<bool>,
}

/// The lengths of the shortest valid paths to one destination.
#[derive(Default)]
pub struct ValidPaths {
    /// `[router]`: hops of its shortest valid path, or the largest number.
    pub hops: Vec<u32>,
    /// `[router]`: whether its valid paths go down at once.
    pub descends: Vec<bool>,
    /// The routers with a path, by rising hops. The destination is the first.
    pub order: Vec<u32>,
}

impl TierGraph {
    /// The channels of a scene between these tiers.
    ///
    /// # Errors
    /// A link within a tier, one that runs one way, or a number of tiers that is not that of the routers.
    pub fn new(scene: &Scene<'_>, tiers: &[u32]) -> Result<Self, Conviction> {
        let topology = scene.topology;
        expect_length("tiers", "routers", tiers.len(), topology.node_count())?;
        for link in topology.links().iter() {
            let tier = tiers[link.a.node.index()];
            let is_direct =
                tier == 0 && topology.is_endpoint(link.a.node) && topology.is_endpoint(link.b.node);
            if link.simplex || tier == tiers[link.b.node.index()] && !is_direct {
                let what = format!("a link from {} to {} does not join two tiers", link.a.node, link.b.node);
                return Err(Conviction::Shape { subject: "tiers".to_owned(), what });
            }
        }
        let ports = topology.ports();
        let slots = topology.nodes().flat_map(|node| (0..ports).map(move |port| (node, PortId::new(port))));
        let lit: Vec<_> = slots.map(|(node, port)| scene.outgoing(node, port)).collect();
        let next: Vec<u32> =
            lit.iter().map(|id| id.map_or(NOWHERE, |id| topology.target(id).node.0)).collect();
        let last_used = |router: usize| next[router * ports..][..ports].iter().rposition(|&to| to != NOWHERE);
        let used_ports =
            (0..tiers.len()).map(|router| last_used(router).map_or(0, |port| port + 1)).collect();
        let is_global = |id| topology.link(id).class == LinkClass::Global;
        let global = lit.iter().map(|id| id.is_some_and(is_global)).collect();
        Ok(Self { ports, tiers: tiers.to_vec(), next, used_ports, global })
    }

    /// Finds the shortest valid paths to a destination, backwards from it.
    pub fn search(&self, destination: usize, paths: &mut ValidPaths) {
        let ValidPaths { hops, descends, order } = paths;
        hops.clear();
        hops.resize(self.tiers.len(), NO_PATH);
        (*hops)[destination] = 0;
        // First those that can go down all the way. They must, since packets may come to them from above.
        let mut descending = vec![destination as u32];
        let mut place = 0;
        while let Some(&router) = descending.get(place) {
            place += 1;
            let above = |before: &&u32| **before != NOWHERE && self.is_above(**before, router);
            for &before in self.neighbors(router as usize).iter().filter(above) {
                if hops[before as usize] == NO_PATH {
                    hops[before as usize] = hops[router as usize] + 1;
                    descending.push(before);
                }
            }
        }
        descends.clear();
        descends.extend(hops.iter().map(|&hops| hops != NO_PATH));
        // Then, by rising hops, those that go up to one of these.
        let (mut layer, mut distance, mut place) = (Vec::new(), 0, 0);
        order.clear();
        while place < descending.len() || !layer.is_empty() {
            while let Some(&router) =
                descending.get(place).filter(|&&router| hops[router as usize] == distance)
            {
                place += 1;
                layer.push(router);
            }
            order.extend(&layer);
            // A router of tier 0 sends nothing on: no path goes up from it after a hop down.
            let sends_on = |router: &u32| self.tiers[*router as usize] > 0 || *router as usize == destination;
            for router in std::mem::take(&mut layer).into_iter().filter(sends_on) {
                let below = |before: &&u32| **before != NOWHERE && !self.is_above(**before, router);
                for &before in self.neighbors(router as usize).iter().filter(below) {
                    if hops[before as usize] == NO_PATH {
                        hops[before as usize] = distance + 1;
                        layer.push(before);
                    }
                }
            }
            distance += 1;
        }
    }

    /// The ports of a router on shortest valid paths to the destination of `paths`, ascending.
    pub fn members<'a>(&'a self, router: usize, paths: &'a ValidPaths) -> impl Iterator<Item = u16> + 'a {
        let hops = paths.hops[router];
        let descends = paths.descends[router];
        let is_lowest = self.tiers[router] == 0;
        let is_member = move |port: &usize| {
            let next = self.next[router * self.ports + port];
            let hops_left = if next == NOWHERE { NO_PATH } else { paths.hops[next as usize] };
            let is_direct = || is_lowest && hops_left == 0;
            let is_valid = || {
                self.is_above(next, router as u32) != descends && (paths.descends[next as usize] || !descends)
            };
            hops != NO_PATH && hops_left != NO_PATH && hops_left + 1 == hops && (is_direct() || is_valid())
        };
        let is_local = move |port: &usize| !self.global[router * self.ports + port];
        let ports = 0..self.used_ports[router];
        let local_only = is_lowest && ports.clone().any(|port| is_member(&port) && is_local(&port));
        let is_taken = move |port: &usize| is_member(port) && (!local_only || is_local(port));
        ports.filter(is_taken).map(|port| port as u16)
    }

    fn is_above(&self, router: u32, other: u32) -> bool {
        self.tiers[router as usize] > self.tiers[other as usize]
    }

    /// `[port]`: the router at the other end, for the ports up to the last one with a lit channel.
    fn neighbors(&self, router: usize) -> &[u32] {
        &self.next[router * self.ports..][..self.used_ports[router]]
    }
}
