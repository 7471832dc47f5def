//! Where packets come from and go to: the chips of a pod, the hosts of a network.

use crate::ids::Id;
use crate::ir::Scene;

/// Endpoints, numbered router by router.
pub(super) struct Endpoints {
    /// `[endpoint]`: its router.
    pub(super) router: Vec<u32>,
    /// `[router]`: its first endpoint, and behind the last router the number of all.
    pub(super) first: Vec<u32>,
}

impl Endpoints {
    /// Those of the routers that live and have hosts.
    pub(super) fn of(scene: &Scene<'_>) -> Self {
        let topology = scene.topology;
        let (mut router, mut first) = (Vec::new(), Vec::with_capacity(topology.node_count() + 1));
        for node in topology.nodes() {
            first.push(router.len() as u32);
            let hosts = if scene.lives(node) { topology.hosts(node) } else { 0 };
            router.extend((0..hosts).map(|_| node.index() as u32));
        }
        first.push(router.len() as u32);
        Self { router, first }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        self.router.len() as u32
    }

    /// Those of some routers in a row.
    pub(super) fn of_routers(&self, routers: &std::ops::Range<u32>) -> std::ops::Range<u32> {
        self.first[routers.start as usize]..self.first[routers.end as usize]
    }

    /// Those of a router.
    pub(super) fn at(&self, router: usize) -> std::ops::Range<u32> {
        self.first[router]..self.first[router + 1]
    }
}
