//! The values of metrics that only the healthy fabric has, as exact ratios by the checker's own formulas.
//!
//! Input: recounted totals of a network, its hardware or its floor. Output: the value of a metric.

use super::exact::Exact;
use fabc_ir::{FloorMetrics, Hardware, HostBisection, NetworkMetrics};
use fabc_model::{FloorMetric, GraphMetric, HardwareMetric};

/// The value of a metric of the graph of a network. `None` if it was not measured.
pub(super) fn network_value(network: &NetworkMetrics, metric: GraphMetric) -> Option<Exact> {
    match metric {
        GraphMetric::Routers => Some(Exact::integer(network.routers)),
        GraphMetric::Hosts => Some(Exact::integer(network.hosts)),
        GraphMetric::Links => Some(Exact::integer(network.links)),
        GraphMetric::Bisection => {
            network.bisection.as_ref().map(|bisection| Exact::integer(bisection.at_least()))
        }
        GraphMetric::BisectionBandwidth => {
            let bisection = network.bisection.as_ref()?;
            gigabytes(bisection.at_least(), bisection.narrowest_bps)
        }
        GraphMetric::HostBisection | GraphMetric::HostBisectionBandwidth => host_value(network, metric),
        GraphMetric::ShortestPaths => {
            let layers = || network.paths.iter().flat_map(|paths| &paths.by_distance);
            Exact::new(
                layers().map(|layer| layer.paths).sum(),
                layers().map(|layer| u128::from(layer.pairs)).sum(),
            )
        }
        GraphMetric::EdgeConnectivity => network.edge_connectivity.map(Exact::integer),
        GraphMetric::DisconnectShare => {
            let mut runs = network.failures.as_ref()?.parts_at.clone();
            runs.sort_unstable();
            Exact::new((*runs.get(runs.len().checked_sub(1)? / 2)?).into(), network.links.into())
        }
    }
}

/// The value of a metric of the bisection between hosts. Where all routers have hosts, their halves are those
/// of all routers.
fn host_value(network: &NetworkMetrics, metric: GraphMetric) -> Option<Exact> {
    let is_bandwidth = metric == GraphMetric::HostBisectionBandwidth;
    match &network.host_bisection {
        None if is_bandwidth => network_value(network, GraphMetric::BisectionBandwidth),
        None => network_value(network, GraphMetric::Bisection),
        Some(bisection) if bisection.is_open => None,
        Some(bisection) if is_bandwidth => gigabytes(bisection.at_least(), bisection.unit_bps),
        Some(bisection) => Some(Exact::integer(least_links(bisection))),
    }
}

/// The smallest number of links between two halves of the routers with hosts, if each is as wide as the
/// widest.
pub(super) fn least_links(bisection: &HostBisection) -> u64 {
    bisection.at_least().div_ceil(bisection.widest)
}

/// A bandwidth in GB/s, from a count and the bit/s of one.
pub(super) fn gigabytes(count: u64, bps: u64) -> Option<Exact> {
    // Bits to bytes, bytes to gigabytes.
    Exact::new(u128::from(count) * u128::from(bps), 8 * 1_000_000_000)
}

/// The value of a metric of the cables on a floor, in metres, prices or watts.
pub(super) fn floor_value(floor: &FloorMetrics, metric: FloorMetric) -> Option<Exact> {
    let metres = u128::from(floor.lengths[0]);
    match metric {
        FloorMetric::CableLength => Exact::new(metres, 10),
        FloorMetric::AverageCable => Exact::new(metres, 10 * u128::from(floor.cables)),
        FloorMetric::LongestCable => Exact::new(floor.longest.into(), 10),
        FloorMetric::Cost => Exact::new(floor.cost, 10_000),
        FloorMetric::Power => Exact::new(floor.power_mw.into(), 1000),
        FloorMetric::Bundles => Some(Exact::integer(floor.bundles)),
    }
}

/// The value of a metric of switches, cables and prices, in prices or watts. `None` where it has none.
pub(super) fn hardware_value(hardware: &Hardware, metric: HardwareMetric) -> Option<Exact> {
    let hosts = u128::from(hardware.hosts);
    match metric {
        HardwareMetric::Switches => Some(Exact::integer(hardware.switches)),
        HardwareMetric::Cables => Some(Exact::integer(hardware.router_cables + hardware.host_cables)),
        HardwareMetric::Oversubscription => {
            let worst = hardware.oversubscription?;
            Exact::new(worst.below.into(), worst.up.into())
        }
        HardwareMetric::CostPerHost => Exact::new(hardware.totals?.cost, 10_000 * hosts),
        HardwareMetric::PowerPerHost => Exact::new(hardware.totals?.power_mw, 1_000 * hosts),
    }
}
