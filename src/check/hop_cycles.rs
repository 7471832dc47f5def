//! The latency of hops, by a formula of the checker's own.

use fabc_base::ids::{ChannelId, IdVec, LinkId};
use fabc_ir::Topology;
use fabc_model::Fabric;

/// `[channel]`: cycles of a flit through the router before it and over its link without contention.
pub(super) fn cycles_of_hops(fabric: &Fabric, topology: &Topology) -> IdVec<ChannelId, u64> {
    topology.channels().map(|channel| cycles_of_hop(fabric, topology, channel)).collect()
}

/// Cycles of a flit through a router and over the channel that leaves it.
pub(super) fn cycles_of_hop(fabric: &Fabric, topology: &Topology, channel: ChannelId) -> u64 {
    let router = fabric.router_kind(topology.source(channel).node);
    u64::from(router.latency_cycles) + cycles_over_cable(fabric, topology, topology.link_of(channel))
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
