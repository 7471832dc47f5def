//! The latency of hops, by a formula of the checker's own.

use fabc_base::ids::{IdVec, LinkId};
use fabc_ir::Topology;
use fabc_model::Fabric;

/// `[link]`: cycles of a flit through a router and over a link without contention.
pub(super) fn cycles_of_hops(fabric: &Fabric, topology: &Topology) -> IdVec<LinkId, u64> {
    let through_router = u64::from(fabric.router.latency_cycles);
    topology.links().ids().map(|link| through_router + cycles_over_cable(fabric, topology, link)).collect()
}

/// Cycles over a link: the latency of its type, and the time of its length in full cycles.
pub(super) fn cycles_over_cable(fabric: &Fabric, topology: &Topology, link: LinkId) -> u64 {
    let link_type = &fabric.link_types[topology.links()[link].link_type];
    // ps per metre x 0.1 m x Hz, in units of which 10^13 make a cycle.
    let time =
        u128::from(link_type.per_metre_ps) * u128::from(topology.length(link)) * u128::from(fabric.clock_hz);
    let cycle = 10u128.pow(13);
    u64::from(link_type.latency_cycles) + (time / cycle) as u64 + u64::from(time % cycle > 0)
}
