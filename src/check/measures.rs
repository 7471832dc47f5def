//! The numbers of a report, recomputed from primary counts by formulas of the checker's own.
//!
//! Comes in: how many ordered pairs are how far apart, how many channels are lit, what a walk of the tables
//! counted, units of a flow and both sums of the dual lengths. Goes out: every metric and bound as an exact
//! ratio. Nothing here is shared with `ir/metrics.rs`, from which the report is written: an error there or
//! here makes the two differ.

use super::CheckError;
use super::exact::Exact;
use fabc_base::ids::NodeId;
use fabc_ir::{FloorMetrics, FlowCertificate, NetworkMetrics, Topology, Walk};
use fabc_model::{Demand, DemandShape, FloorMetric, GraphMetric, Metric, Reference, Require, Scale};
use std::cmp::Ordering;

/// What was counted in one scenario.
#[derive(Debug)]
pub struct Counts {
    /// `nominal`, or what has failed.
    pub scenario: String,
    /// Routers that live.
    pub routers: u64,
    /// Routers that live and have hosts.
    pub endpoints: u64,
    /// Channels that are lit.
    pub channels: u64,
    /// `[h]`: ordered pairs at distance h.
    pub pairs_at: Vec<u64>,
    /// Sum over ordered pairs of weight x distance.
    pub weighted_hops: u64,
    /// Weights of the host that sends most, as weights of its router over hosts of its router.
    pub sent_per_host: [u64; 2],
    /// Lower end of lambda that a flow proves, if there is one.
    pub(super) flow: Option<Exact>,
    /// Sum of the dual lengths of lit channels, and sum over ordered pairs of weight x shortest length. The
    /// first is positive, the second is 0 where nobody sends.
    pub dual: (u128, u128),
    /// Bandwidth of a channel of capacity 1, bit/s.
    pub bandwidth_bps: u64,
    /// Clock of the routers, Hz.
    pub clock_hz: u64,
    /// Capacity of all lit channels together.
    pub capacity: u64,
    /// Parts of a unit that loads are counted in.
    pub parts: u64,
    /// Tree sets that are whole; `None` without switches.
    pub trees: Option<u64>,
    /// What the walk of the tables counted.
    pub walk: Option<Walk>,
}

/// The numbers that a report must give for one scenario.
pub(super) struct Measures {
    pub(super) counts: Counts,
    /// Lower end of lambda; zero where nothing proves one.
    pub(super) low: Exact,
    /// Upper end of lambda; `None` where nobody sends.
    pub(super) high: Option<Exact>,
    values: Vec<(Metric, Option<Exact>)>,
}

impl Measures {
    /// All metrics of a scenario.
    ///
    /// # Errors
    /// Certificates of units so large that 128 bits do not hold what follows from them.
    pub(super) fn new(counts: Counts) -> Result<Self, CheckError> {
        let too_large = |metric: Metric| CheckError::Shape {
            scenario: counts.scenario.clone(),
            what: format!(
                "the certificates count in units so large that `{}` does not fit 128 bits",
                metric.name()
            ),
        };
        // One route per pair, no channel loaded more than `load`: every pair can have 1 / load at once.
        let of_tables = counts
            .walk
            .as_ref()
            .and_then(|walk| Exact::new(u128::from(counts.parts), u128::from(busiest(walk))));
        let low = [counts.flow, of_tables]
            .into_iter()
            .flatten()
            .reduce(|a, b| if a.against(b) == Ordering::Less { b } else { a });
        let low = low.unwrap_or(Exact { over: 0, under: 1 });
        let high = Exact::new(counts.dual.0, counts.dual.1);
        let mut values = Vec::new();
        for metric in Metric::ALL {
            // Without tables there is nothing to measure; a product that does not fit is another matter.
            let known = match metric {
                Metric::DisjointTrees => counts.trees.is_some(),
                Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::LoadRatio
                    if high.is_none() =>
                {
                    false
                }
                Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => {
                    low.over > 0 || counts.walk.is_some()
                }
                metric => counts.walk.is_some() || !of_routes(metric),
            };
            let value = if known {
                Some(formula(metric, &counts, low, high).ok_or_else(|| too_large(metric))?)
            } else {
                None
            };
            values.push((metric, value));
        }
        Ok(Self { counts, low, high, values })
    }

    /// The value of a metric; `None` if it needs tables and there are none.
    pub(super) fn value(&self, metric: Metric) -> Option<Exact> {
        self.values.iter().find(|(known, _)| *known == metric).and_then(|&(_, value)| value)
    }
    /// Capacity of all channels over the sum of weight x distance: an upper bound on lambda.
    pub(super) fn distance_bound(&self) -> Option<Exact> {
        Exact::new(u128::from(self.counts.capacity), u128::from(self.counts.weighted_hops))
    }
    /// What no single-path routing goes below on its busiest channel: whole parts of a unit.
    pub(super) fn load_at_least(&self) -> Option<Exact> {
        self.high.map_or(Some(Exact::integer(0)), |high| flow_as(Metric::MaxChannelLoad, &self.counts, high))
    }
    /// Whether a line about this metric passes over this scenario: nobody sends in it.
    fn is_silent_on(&self, metric: Metric) -> bool {
        let of_traffic = [
            Metric::ConcurrentFlow,
            Metric::Injection,
            Metric::Bandwidth,
            Metric::MaxChannelLoad,
            Metric::LoadRatio,
        ]
        .contains(&metric);
        of_traffic && self.high.is_none()
    }
    /// Loads of channels, in units, and how many channels have them.
    pub(super) fn load_histogram(&self) -> Option<Vec<(Exact, u64)>> {
        let parts = u128::from(self.counts.parts);
        let units = |&(load, channels): &(u64, u64)| Some((Exact::new(u128::from(load), parts)?, channels));
        self.counts.walk.as_ref()?.load_histogram.iter().map(units).collect()
    }
    /// Load of a lit channel on average.
    pub(super) fn mean_channel_load(&self) -> Option<Exact> {
        let sum = |walk: &Walk| {
            walk.load_histogram
                .iter()
                .fold(0, |sum, &(load, channels)| sum + u128::from(load) * u128::from(channels))
        };
        Exact::new(
            sum(self.counts.walk.as_ref()?),
            u128::from(self.counts.channels) * u128::from(self.counts.parts),
        )
    }
    /// Hops of a route on average, every pair once.
    pub(super) fn mean_route_hops(&self) -> Option<Exact> {
        let walk = self.counts.walk.as_ref()?;
        Exact::new(steps(&walk.route_hops), walk.route_hops.iter().map(|&pairs| u128::from(pairs)).sum())
    }
    /// Table entries of a router on average.
    pub(super) fn mean_entries(&self) -> Option<Exact> {
        Exact::new(u128::from(self.counts.walk.as_ref()?.entries_total), u128::from(self.counts.routers))
    }
    /// Hops of all routes.
    pub(super) fn hops_walked(&self) -> u64 {
        self.counts.walk.as_ref().map_or(0, |walk| walk.vc_hops.iter().sum())
    }
    /// Whether lambda is proved to reach a bound on all topologies.
    pub(super) fn reaches(&self, limit: Exact) -> bool {
        self.low.against(limit) != Ordering::Less
    }
}

/// Whether a metric is one of the routes.
fn of_routes(metric: Metric) -> bool {
    match metric {
        Metric::MaxChannelLoad
        | Metric::LoadRatio
        | Metric::HopsRatio
        | Metric::VcBalance
        | Metric::Latency
        | Metric::LatencyMax => true,
        Metric::Diameter
        | Metric::AverageHops
        | Metric::ConcurrentFlow
        | Metric::Injection
        | Metric::Bandwidth
        | Metric::DisjointTrees => false,
        Metric::Graph(_) | Metric::Floor(_) | Metric::Simulated(_) | Metric::Collective(_) => false,
    }
}

fn formula(metric: Metric, counts: &Counts, low: Exact, high: Option<Exact>) -> Option<Exact> {
    let pairs: u128 = counts.pairs_at.iter().map(|&pairs| u128::from(pairs)).sum();
    match metric {
        Metric::Diameter => {
            counts.pairs_at.iter().rposition(|&pairs| pairs > 0).map(|hops| Exact::integer(hops as u64))
        }
        Metric::AverageHops => Exact::new(steps(&counts.pairs_at), pairs),
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => flow_as(metric, counts, low),
        Metric::MaxChannelLoad => {
            Exact::new(u128::from(busiest(counts.walk.as_ref()?)), u128::from(counts.parts))
        }
        Metric::LoadRatio => {
            high?.times(u128::from(busiest(counts.walk.as_ref()?)), u128::from(counts.parts))
        }
        Metric::HopsRatio => Exact::new(steps(&counts.walk.as_ref()?.route_hops), steps(&counts.pairs_at)),
        Metric::VcBalance => {
            let hops = &counts.walk.as_ref()?.vc_hops;
            Exact::new(u128::from(*hops.iter().max()?), hops.iter().map(|&hops| u128::from(hops)).sum())
        }
        Metric::Latency => {
            let walk = counts.walk.as_ref()?;
            let routes: u128 = walk.route_hops.iter().map(|&routes| u128::from(routes)).sum();
            in_time(Exact::new(u128::from(walk.cycles_total), routes)?, counts)
        }
        Metric::LatencyMax => in_time(Exact::integer(counts.walk.as_ref()?.cycles_most), counts),
        Metric::DisjointTrees => counts.trees.map(Exact::integer),
        Metric::Graph(_) | Metric::Floor(_) | Metric::Simulated(_) | Metric::Collective(_) => None,
    }
}

/// Cycles as ns.
fn in_time(cycles: Exact, counts: &Counts) -> Option<Exact> {
    cycles.times(1_000_000_000, u128::from(counts.clock_hz))
}

/// What every pair sends at once, in the unit of a metric of the flow; for the load of channels the load that
/// one route per pair then makes at least, in whole parts.
fn flow_as(metric: Metric, counts: &Counts, rate: Exact) -> Option<Exact> {
    let [weights, hosts] = counts.sent_per_host.map(u128::from);
    let injected = || rate.times(weights, hosts);
    match metric {
        Metric::ConcurrentFlow => Some(rate),
        Metric::Injection => injected(),
        // Bits to bytes, bytes to gigabytes.
        Metric::Bandwidth => injected()?.times(u128::from(counts.bandwidth_bps), 8 * 1_000_000_000),
        Metric::MaxChannelLoad => {
            let (over, under) = rate.parts();
            let parts = u128::from(counts.parts);
            Exact::new(Exact::new(under, over)?.times(parts, 1)?.rounded_up(), parts)
        }
        _ => None,
    }
}

/// The load of the busiest channel.
fn busiest(walk: &Walk) -> u64 {
    walk.load_histogram.iter().filter(|(_, channels)| *channels > 0).map(|(load, _)| *load).max().unwrap_or(0)
}

/// Hops of all pairs of a histogram.
fn steps(pairs_at: &[u64]) -> u128 {
    pairs_at.iter().zip(0u128..).map(|(&pairs, hops)| u128::from(pairs) * hops).sum()
}

/// The lower end of lambda that a flow proves: `demand` units per weight of a pair (twice that where the
/// reverse counts too) while nothing carries more than `busiest`.
pub(super) fn flow_end(flow: &FlowCertificate) -> Option<Exact> {
    let sent = u128::from(flow.demand) + if flow.mirrored { u128::from(flow.demand) } else { 0 };
    Exact::new(sent.checked_mul(u128::from(flow.parts))?, u128::from(flow.busiest))
}

/// What the host that sends most sends, when nobody sends to a dead router: weights of its router, and the
/// hosts that share them.
pub(super) fn sent_per_host(demand: &Demand, topology: &Topology, dead: Option<NodeId>) -> [u64; 2] {
    let living = || topology.endpoints().filter(|&router| Some(router) != dead);
    let sent = |source: NodeId| -> u64 {
        living().filter(|&to| to != source).map(|to| u64::from(demand.weight(source, to))).sum()
    };
    let share = |source: NodeId| [sent(source), u64::from(topology.hosts(source))];
    let hosts = || living().map(|router| topology.hosts(router));
    let alike = hosts().min() == hosts().max();
    let (first, last) = (living().next(), living().next_back());
    let candidates: Vec<NodeId> = match demand.shape() {
        // Of the routers that live, at most the group of the dead one fares worse: the last or the first
        // router is of another group, or all are alike.
        DemandShape::Uniform | DemandShape::Groups(_) if alike => first.into_iter().chain(last).collect(),
        _ => living().collect(),
    };
    let larger = |one: [u64; 2], other: [u64; 2]| {
        if u128::from(other[0]) * u128::from(one[1]) > u128::from(one[0]) * u128::from(other[1]) {
            other
        } else {
            one
        }
    };
    candidates.into_iter().map(share).reduce(larger).unwrap_or([0, 1])
}

/// The worst value of a metric over the faults, and the first fault that has it; `None` without faults, or
/// where one is not known.
pub(super) fn worst_of(scenarios: &[Measures], metric: Metric) -> Option<(Exact, &str)> {
    let bad = match metric {
        Metric::Diameter
        | Metric::AverageHops
        | Metric::MaxChannelLoad
        | Metric::LoadRatio
        | Metric::HopsRatio
        | Metric::VcBalance
        | Metric::Latency
        | Metric::LatencyMax => Ordering::Greater,
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::DisjointTrees => {
            Ordering::Less
        }
        // Never of a fault.
        Metric::Graph(_) | Metric::Floor(_) | Metric::Simulated(_) | Metric::Collective(_) => {
            return None;
        }
    };
    // The healthy fabric comes first.
    let faults = scenarios.get(1..)?.iter().filter(|fault| !fault.is_silent_on(metric));
    let faults = faults.map(|fault| Some((fault.value(metric)?, fault.counts.scenario.as_str())));
    let faults = faults.collect::<Option<Vec<_>>>()?;
    faults.into_iter().reduce(|worst, next| if next.0.against(worst.0) == bad { next } else { worst })
}

/// The value of a metric of the graph of a network; `None` where it was not measured.
fn network_value(network: &NetworkMetrics, metric: GraphMetric) -> Option<Exact> {
    match metric {
        GraphMetric::Routers => Some(Exact::integer(network.routers)),
        GraphMetric::Hosts => Some(Exact::integer(network.hosts)),
        GraphMetric::Links => Some(Exact::integer(network.links)),
        GraphMetric::Bisection => {
            network.bisection.as_ref().map(|bisection| Exact::integer(bisection.least()))
        }
        GraphMetric::BisectionBandwidth => {
            let of = network.bisection.as_ref()?;
            // Bits to bytes, bytes to gigabytes.
            Exact::new(u128::from(of.least()) * u128::from(of.narrowest_bps), 8 * 1_000_000_000)
        }
        GraphMetric::ShortestPaths => {
            let layers = || network.paths.iter().flat_map(|paths| &paths.at);
            Exact::new(layers().map(|at| at.paths).sum(), layers().map(|at| u128::from(at.pairs)).sum())
        }
        GraphMetric::EdgeConnectivity => network.edge_connectivity.map(Exact::integer),
        GraphMetric::DisconnectShare => {
            let mut runs = network.failures.as_ref()?.parts_at.clone();
            runs.sort_unstable();
            Exact::new((*runs.get(runs.len().checked_sub(1)? / 2)?).into(), network.links.into())
        }
    }
}

/// The value of a metric of the cables on a floor: metres, prices, watts.
fn floor_value(floor: &FloorMetrics, metric: FloorMetric) -> Option<Exact> {
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

/// What a `require` is about: the measured value and what it is compared with, both in the unit of the line,
/// and the fault that they were taken in. `None` where they are not known; of a share, the fault that falls
/// shortest of it.
pub(super) fn compared<'a>(
    require: &Require,
    scenarios: &'a [Measures],
    universal: Option<Exact>,
    network: Option<&NetworkMetrics>,
    cables: Option<&FloorMetrics>,
) -> Option<(Exact, Exact, Option<&'a str>)> {
    let number = Exact::decimal(&require.value.to_string())?;
    let of = |scenario: &Measures| -> Option<(Exact, Exact)> {
        let measured = match require.metric {
            Metric::Graph(metric) => network_value(network?, metric)?,
            Metric::Floor(metric) => floor_value(cables?, metric)?,
            metric => scenario.value(metric)?,
        };
        Some(match require.scale {
            Scale::Metric => (measured, number),
            Scale::Cycles => (measured.times(u128::from(scenario.counts.clock_hz), 1_000_000_000)?, number),
            Scale::ShareOf(reference) => {
                let whole = match reference {
                    Reference::Universal => flow_as(require.metric, &scenario.counts, universal?)?,
                    Reference::Bound => flow_as(require.metric, &scenario.counts, scenario.high?)?,
                    Reference::Nominal => scenarios.first()?.value(require.metric)?,
                };
                let (over, under) = number.parts();
                (measured, whole.times(over, under)?)
            }
        })
    };
    if !require.fault {
        return of(scenarios.first()?).map(|(measured, wanted)| (measured, wanted, None));
    }
    let name = |scenario: &'a Measures| Some(scenario.counts.scenario.as_str());
    if !matches!(require.scale, Scale::ShareOf(_)) {
        let (_, worst) = worst_of(scenarios, require.metric)?;
        let scenario = scenarios.iter().find(|scenario| scenario.counts.scenario == worst)?;
        return of(scenario).map(|(measured, wanted)| (measured, wanted, name(scenario)));
    }
    let more_is_better = matches!(
        require.metric,
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::DisjointTrees
    );
    let faults = scenarios.get(1..)?.iter().filter(|scenario| !scenario.is_silent_on(require.metric));
    let faults =
        faults.map(|scenario| of(scenario).map(|(measured, wanted)| (measured, wanted, name(scenario))));
    let faults = faults.collect::<Option<Vec<_>>>()?;
    // The first one that nothing falls shorter than.
    faults.into_iter().reduce(|worst, next| match (worst.0.by(worst.1), next.0.by(next.1)) {
        (Some(one), Some(other)) => {
            let shorter = if more_is_better { Ordering::Less } else { Ordering::Greater };
            if other.against(one) == shorter { next } else { worst }
        }
        _ => worst,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_ir::Symmetry;
    use fabc_model::Component;

    #[test]
    fn the_host_that_sends_most_is_found_in_any_demand() {
        let component = |group, weight| Component { group, weight };
        let cells = (0..144).map(|at| if at % 13 == 0 { 0 } else { (at * 7 % 11) as u32 });
        for demand in [
            Demand::uniform(12),
            Demand::groups(12, vec![component(6, 5)]),
            Demand::groups(12, vec![component(12, 1), component(4, 4), component(2, 3)]),
            Demand::matrix(12, cells.collect()),
        ] {
            for hosts in [vec![1; 12], vec![2; 12], (1..=12).collect::<Vec<u16>>()] {
                let topology =
                    Topology::new(1, Vec::new(), Symmetry::trivial(1, 12)).with_hosts(hosts.clone());
                for dead in std::iter::once(None).chain((0..12).map(|chip| Some(NodeId(chip)))) {
                    let living = || (0..12).map(NodeId).filter(|&chip| Some(chip) != dead);
                    let sent =
                        |from: NodeId| living().map(|to| u64::from(demand.weight(from, to))).sum::<u64>();
                    let share = |from: NodeId| sent(from) as f64 / f64::from(hosts[from.0 as usize]);
                    let most = living().map(share).fold(0.0, f64::max);
                    let [weights, shared] = sent_per_host(&demand, &topology, dead);
                    assert_eq!(
                        weights as f64 / shared as f64,
                        most,
                        "{demand:?} at {hosts:?} without {dead:?}"
                    );
                    let of_model = demand.sent_per_host(dead, |router| hosts[router.0 as usize]);
                    assert_eq!(
                        u128::from(of_model.weights) * u128::from(shared),
                        u128::from(weights) * u128::from(of_model.hosts)
                    );
                }
            }
        }
    }
}
