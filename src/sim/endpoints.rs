//! Where packets come from and go to: the chips of a pod, the hosts of a network.

use fabc_ir::Scene;
use fabc_model::Fabric;

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
        Self::by_hosts(topology.nodes().map(|node| if scene.lives(node) { topology.hosts(node) } else { 0 }))
    }

    /// Those of a fabric before it is wired. A family says which routers have hosts. Every chip is one.
    pub(super) fn declared(fabric: &Fabric) -> Self {
        Self::by_hosts(fabric.declared_hosts().into_iter())
    }

    /// By the hosts of every router.
    fn by_hosts(hosts: impl Iterator<Item = u16>) -> Self {
        let (mut router, mut first) = (Vec::new(), vec![0]);
        for (number, hosts) in (0u32..).zip(hosts) {
            router.extend((0..hosts).map(|_| number));
            first.push(router.len() as u32);
        }
        Self { router, first }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        self.router.len() as u32
    }

    /// How many routers there are, those without endpoints among them.
    pub(super) fn routers(&self) -> usize {
        self.first.len() - 1
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
