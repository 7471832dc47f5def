//! Valid paths through tiers: up, and then down.
//!
//! Every router has a tier, and every link joins two different ones. A path is valid if no hop up follows a
//! hop down. Where endpoints have the lowest tier, none of them forwards, because a path can only come to it
//! by a hop down.

use crate::conviction::Conviction;
use crate::lit_graph::expect_length;
use crate::network::NOWHERE;
use fabc_topology::Scene;
use fabc_topology::ids::{Id, PortId};

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
        Ok(Self { ports, tiers: tiers.to_vec(), next })
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
        *descends = hops.iter().map(|&hops| hops != NO_PATH).collect();
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
            for router in std::mem::take(&mut layer) {
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
        let is_member = move |&(_, &next): &(u16, &u32)| {
            next != NOWHERE
                && hops != NO_PATH
                && paths.hops[next as usize] != NO_PATH
                && paths.hops[next as usize] + 1 == hops
                && self.is_above(next, router as u32) != descends
                && (paths.descends[next as usize] || !descends)
        };
        (0u16..).zip(self.neighbors(router)).filter(is_member).map(|(port, _)| port)
    }

    fn is_above(&self, router: u32, other: u32) -> bool {
        self.tiers[router as usize] > self.tiers[other as usize]
    }

    /// `[port]`: the router at the other end.
    fn neighbors(&self, router: usize) -> &[u32] {
        &self.next[router * self.ports..(router + 1) * self.ports]
    }
}
