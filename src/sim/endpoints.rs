//! Where packets come from and go to: the chips of a pod, the hosts of a network.

use fabc_ir::Scene;
use fabc_model::Fabric;

/// The endpoints, numbered router by router.
pub(super) struct EndpointMap {
    /// `[endpoint]`: the router of the endpoint.
    pub(super) router: Vec<u32>,
    /// `[router]`: its first endpoint. One more entry holds the number of all endpoints.
    pub(super) first: Vec<u32>,
}

impl EndpointMap {
    /// The endpoints of the surviving routers that have hosts.
    pub(super) fn surviving(scene: &Scene<'_>) -> Self {
        let topology = scene.topology;
        Self::by_hosts(topology.nodes().map(|node| if scene.lives(node) { topology.hosts(node) } else { 0 }))
    }

    /// The endpoints of a fabric before it is wired. A family says which routers have hosts. Every chip of a
    /// pod is an endpoint.
    pub(super) fn declared(fabric: &Fabric) -> Self {
        Self::by_hosts(fabric.declared_hosts().into_iter())
    }

    /// Numbers endpoints by the hosts of every router.
    fn by_hosts(hosts: impl Iterator<Item = u16>) -> Self {
        let (mut router, mut first) = (Vec::new(), vec![0]);
        for (number, hosts) in (0u32..).zip(hosts) {
            router.extend((0..hosts).map(|_| number));
            first.push(router.len() as u32);
        }
        Self { router, first }
    }

    /// The number of all endpoints.
    pub(super) fn count(&self) -> u32 {
        self.router.len() as u32
    }

    /// The number of routers, including those without endpoints.
    pub(super) fn routers(&self) -> usize {
        self.first.len() - 1
    }

    /// The endpoints of a range of routers.
    pub(super) fn of_routers(&self, routers: &std::ops::Range<u32>) -> std::ops::Range<u32> {
        self.first[routers.start as usize]..self.first[routers.end as usize]
    }

    /// The endpoints of a router.
    pub(super) fn of_router(&self, router: usize) -> std::ops::Range<u32> {
        self.first[router]..self.first[router + 1]
    }
}
