//! The numbers of a report, recomputed from primary counts by the checker's own formulas.
//!
//! Input: ordered pairs by distance, lit channels, the counts of a walk of the tables, the units of a flow
//! and both sums of the dual lengths. Output: every metric and bound as an exact ratio. Nothing here is
//! shared with `ir/metrics.rs`, which the report is written from. An error in one of them makes the two
//! differ.

use super::CheckError;
use super::collision::{expected_collision, worst_collision};
use super::exact::Exact;
use super::healthy_values::{floor_value, hardware_value, network_value};
use fabc_base::ids::NodeId;
use fabc_ir::{Collisions, FlowCertificate, HealthyMetrics, Permutation, Topology, Walk};
use fabc_model::{Demand, DemandShape, Metric, Reference, Require, ValueScale};
use std::cmp::Ordering;

/// The weights that a router sends, and the hosts that share them.
pub(crate) type WeightsAndHosts = [u64; 2];

/// The primary counts of one scenario.
#[derive(Debug)]
pub struct ScenarioCounts {
    /// `nominal`, or the name of the fault.
    pub scenario: String,
    /// Number of routers that are not dead.
    pub routers: u64,
    /// Number of living routers with hosts.
    pub endpoints: u64,
    /// Number of channels that are lit.
    pub channels: u64,
    /// `[h]`: ordered pairs at distance h.
    pub pairs_at: Vec<u64>,
    /// Sum over ordered pairs of weight x distance.
    pub weighted_hops: u64,
    /// For the host that sends most: the weights of its router, and the hosts that share them.
    pub sent_per_host: WeightsAndHosts,
    /// Lower bound on lambda that a flow proves, if there is one.
    pub(super) flow: Option<Exact>,
    /// Sum of the dual lengths of lit channels, and sum over ordered pairs of weight x shortest length. The
    /// first is positive. The second is 0 if nobody sends.
    pub dual: (u128, u128),
    /// The same sums over paths of fewest hops, where the certificates list lengths for shortest routes.
    pub shortest: Option<(u128, u128)>,
    /// Bandwidth of a channel of capacity 1, in bit/s.
    pub bandwidth_bps: u64,
    /// Clock of the routers, in Hz.
    pub clock_hz: u64,
    /// Sum of the capacities of all lit channels.
    pub capacity: u64,
    /// Parts of a unit that loads are counted in.
    pub parts: u64,
    /// Number of tree sets whose cross-connects are all lit. `None` without switches.
    pub trees: Option<u64>,
    /// The counts of a walk of the tables.
    pub walk: Option<Walk>,
    /// The proved worst permutation of hosts. `None` where it is not measured.
    pub permutation: Option<Permutation>,
    /// The collisions of flows, counted again. `None` unless a hash of flows chooses the paths.
    pub collisions: Option<Collisions>,
}

/// The numbers that a report must give for one scenario.
pub(super) struct ScenarioMeasures {
    pub(super) counts: ScenarioCounts,
    /// Lower bound on lambda. It is zero if nothing proves one.
    pub(super) low: Exact,
    /// Upper bound on lambda. `None` if nobody sends.
    pub(super) high: Option<Exact>,
    values: Vec<(Metric, Option<Exact>)>,
}

impl ScenarioMeasures {
    /// The proved largest load of a permutation of hosts. `None` where it is not measured.
    pub(super) fn permutation(&self) -> Option<Exact> {
        self.value(Metric::Permutation)
    }
    /// Computes all metrics of a scenario.
    ///
    /// # Errors
    /// Certificates in units so large that a metric exceeds 128 bits.
    pub(super) fn new(counts: ScenarioCounts) -> Result<Self, CheckError> {
        let too_large = |metric: Metric| CheckError::Shape {
            scenario: counts.scenario.clone(),
            violation: format!(
                "the certificates count in units so large that `{}` does not fit 128 bits",
                metric.name()
            ),
        };
        // With one route per pair and no load above `load`, every pair can send 1 / load at once.
        let low_by_tables = counts
            .walk
            .as_ref()
            .and_then(|walk| Exact::new(u128::from(counts.parts), u128::from(max_load(walk))));
        let low = [counts.flow, low_by_tables]
            .into_iter()
            .flatten()
            .reduce(|a, b| if a.compare_exact(b) == Ordering::Less { b } else { a });
        let low = low.unwrap_or(Exact { numerator: 0, denominator: 1 });
        let high = Exact::new(counts.dual.0, counts.dual.1);
        let mut values = Vec::new();
        for metric in Metric::of_scenarios() {
            // Without tables some metrics are not measured. A product that exceeds 128 bits is an error
            // instead.
            let is_measured = match metric {
                Metric::DisjointTrees => counts.trees.is_some(),
                Metric::Permutation => counts.permutation.is_some(),
                Metric::Collision => counts.collisions.is_some_and(|counted| counted.expected.is_some()),
                Metric::CollisionWorst => counts.collisions.is_some(),
                Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::LoadRatio
                    if high.is_none() =>
                {
                    false
                }
                Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => {
                    low.numerator > 0 || counts.walk.is_some()
                }
                metric => counts.walk.is_some() || !needs_tables(metric),
            };
            let value = if is_measured {
                Some(metric_value(metric, &counts, low, high).ok_or_else(|| too_large(metric))?)
            } else {
                None
            };
            values.push((metric, value));
        }
        Ok(Self { counts, low, high, values })
    }

    /// The value of a metric. `None` if it needs tables and there are none.
    pub(super) fn value(&self, metric: Metric) -> Option<Exact> {
        self.values.iter().find(|(known, _)| *known == metric).and_then(|&(_, value)| value)
    }
    /// Capacity of all channels over the sum of weight x distance, an upper bound on lambda.
    pub(super) fn distance_bound(&self) -> Option<Exact> {
        Exact::new(u128::from(self.counts.capacity), u128::from(self.counts.weighted_hops))
    }
    /// Lower bound on the maximum channel load, in whole parts of a unit.
    pub(super) fn load_lower_bound(&self) -> Option<Exact> {
        self.high
            .map_or(Some(Exact::integer(0)), |high| convert_flow(Metric::MaxChannelLoad, &self.counts, high))
    }
    /// Lower bound on the maximum channel load of all shortest routes, in whole parts of a unit.
    pub(super) fn shortest_load_bound(&self) -> Option<Exact> {
        let (volume, distance) = self.counts.shortest?;
        let parts = u128::from(self.counts.parts);
        Exact::new(distance.checked_mul(parts)?.div_ceil(volume), parts)
    }
    /// Whether a `require` of this metric skips this scenario, because nobody sends in it.
    fn lacks_traffic_for(&self, metric: Metric) -> bool {
        let needs_traffic = [
            Metric::ConcurrentFlow,
            Metric::Injection,
            Metric::Bandwidth,
            Metric::MaxChannelLoad,
            Metric::LoadRatio,
        ]
        .contains(&metric);
        needs_traffic && self.high.is_none()
    }
    /// Loads of channels in units, each with the number of channels.
    pub(super) fn load_histogram(&self) -> Option<Vec<(Exact, u64)>> {
        let parts = u128::from(self.counts.parts);
        let units = |&(load, channels): &(u64, u64)| Some((Exact::new(u128::from(load), parts)?, channels));
        self.counts.walk.as_ref()?.load_histogram.iter().map(units).collect()
    }
    /// Average load of a lit channel.
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
    /// Average hops of a route, counting every pair once.
    pub(super) fn mean_route_hops(&self) -> Option<Exact> {
        let walk = self.counts.walk.as_ref()?;
        Exact::new(total_hops(&walk.route_hops), walk.route_hops.iter().map(|&pairs| u128::from(pairs)).sum())
    }
    /// Average number of table entries of a router.
    pub(super) fn mean_entries(&self) -> Option<Exact> {
        Exact::new(u128::from(self.counts.walk.as_ref()?.entries_total), u128::from(self.counts.routers))
    }
    /// Sum of the hops of all routes.
    pub(super) fn hops_walked(&self) -> u64 {
        self.counts.walk.as_ref().map_or(0, |walk| walk.vc_hops.iter().sum())
    }
    /// Whether lambda is proved to reach an upper bound on all topologies.
    pub(super) fn proves_at_least(&self, limit: Exact) -> bool {
        self.low.compare_exact(limit) != Ordering::Less
    }
}

/// Whether a metric is measured along routes.
fn needs_tables(metric: Metric) -> bool {
    match metric {
        Metric::MaxChannelLoad
        | Metric::LoadRatio
        | Metric::HopsRatio
        | Metric::VcBalance
        | Metric::Latency
        | Metric::LatencyMax
        | Metric::Permutation
        | Metric::Collision
        | Metric::CollisionWorst => true,
        Metric::Diameter
        | Metric::AverageHops
        | Metric::ConcurrentFlow
        | Metric::Injection
        | Metric::Bandwidth
        | Metric::DisjointTrees => false,
        Metric::Graph(_)
        | Metric::Floor(_)
        | Metric::Hardware(_)
        | Metric::Simulated(_)
        | Metric::Collective(_)
        | Metric::Job(_) => false,
    }
}

fn metric_value(metric: Metric, counts: &ScenarioCounts, low: Exact, high: Option<Exact>) -> Option<Exact> {
    let pairs: u128 = counts.pairs_at.iter().map(|&pairs| u128::from(pairs)).sum();
    match metric {
        Metric::Diameter => {
            counts.pairs_at.iter().rposition(|&pairs| pairs > 0).map(|hops| Exact::integer(hops as u64))
        }
        Metric::AverageHops => Exact::new(total_hops(&counts.pairs_at), pairs),
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => convert_flow(metric, counts, low),
        Metric::MaxChannelLoad => {
            Exact::new(u128::from(max_load(counts.walk.as_ref()?)), u128::from(counts.parts))
        }
        Metric::LoadRatio => {
            high?.times(u128::from(max_load(counts.walk.as_ref()?)), u128::from(counts.parts))
        }
        Metric::HopsRatio => {
            Exact::new(total_hops(&counts.walk.as_ref()?.route_hops), total_hops(&counts.pairs_at))
        }
        Metric::VcBalance => {
            let hops = &counts.walk.as_ref()?.vc_hops;
            Exact::new(u128::from(*hops.iter().max()?), hops.iter().map(|&hops| u128::from(hops)).sum())
        }
        Metric::Latency => {
            let walk = counts.walk.as_ref()?;
            let routes: u128 = walk.route_hops.iter().map(|&routes| u128::from(routes)).sum();
            let shares = u128::from(walk.shares);
            nanoseconds(Exact::new(u128::from(walk.cycles_total), routes.checked_mul(shares)?)?, counts)
        }
        Metric::LatencyMax => nanoseconds(Exact::integer(counts.walk.as_ref()?.cycles_most), counts),
        Metric::DisjointTrees => counts.trees.map(Exact::integer),
        Metric::Permutation => {
            let worst = counts.permutation.as_ref()?;
            Exact::new(worst.load.into(), worst.parts.into())
        }
        Metric::Collision => expected_collision(counts.collisions?),
        Metric::CollisionWorst => worst_collision(counts.collisions?),
        Metric::Graph(_)
        | Metric::Floor(_)
        | Metric::Hardware(_)
        | Metric::Simulated(_)
        | Metric::Collective(_)
        | Metric::Job(_) => None,
    }
}

fn nanoseconds(cycles: Exact, counts: &ScenarioCounts) -> Option<Exact> {
    cycles.times(1_000_000_000, u128::from(counts.clock_hz))
}

/// Converts a rate per pair to the unit of a metric. For the channel load it is the smallest maximum load of
/// one route per pair, in whole parts.
fn convert_flow(metric: Metric, counts: &ScenarioCounts, rate: Exact) -> Option<Exact> {
    let [weights, hosts] = counts.sent_per_host.map(u128::from);
    let injected = || rate.times(weights, hosts);
    match metric {
        Metric::ConcurrentFlow => Some(rate),
        Metric::Injection => injected(),
        // Bits to bytes, bytes to gigabytes.
        Metric::Bandwidth => injected()?.times(u128::from(counts.bandwidth_bps), 8 * 1_000_000_000),
        Metric::MaxChannelLoad => {
            let (numerator, denominator) = rate.parts();
            let parts = u128::from(counts.parts);
            Exact::new(Exact::new(denominator, numerator)?.times(parts, 1)?.rounded_up(), parts)
        }
        _ => None,
    }
}

/// The load of the busiest channel, in parts of a unit.
fn max_load(walk: &Walk) -> u64 {
    walk.load_histogram.iter().filter(|(_, channels)| *channels > 0).map(|(load, _)| *load).max().unwrap_or(0)
}

/// Sum of hops over all pairs of a histogram.
fn total_hops(pairs_at: &[u64]) -> u128 {
    pairs_at.iter().zip(0u128..).map(|(&pairs, hops)| u128::from(pairs) * hops).sum()
}

/// The lower bound on lambda that a flow proves. Every pair sends `demand` units per weight, or twice that
/// if the reverse flow counts too, while no channel carries more than `busiest`.
pub(super) fn flow_lower_bound(flow: &FlowCertificate) -> Option<Exact> {
    let sent = u128::from(flow.demand) + if flow.mirrored { u128::from(flow.demand) } else { 0 };
    Exact::new(sent.checked_mul(u128::from(flow.parts))?, u128::from(flow.busiest))
}

/// The weights that the busiest host sends, when nobody sends to a dead router, as [weights of its router,
/// hosts that share them].
pub(super) fn sent_per_host(demand: &Demand, topology: &Topology, dead: Option<NodeId>) -> WeightsAndHosts {
    let endpoints = || topology.endpoints().filter(|&router| Some(router) != dead);
    let weight_sent = |source: NodeId| -> u64 {
        endpoints().filter(|&to| to != source).map(|to| u64::from(demand.weight(source, to))).sum()
    };
    let weight_per_host = |source: NodeId| [weight_sent(source), u64::from(topology.hosts(source))];
    let hosts = || endpoints().map(|router| topology.hosts(router));
    let equal_hosts = hosts().min() == hosts().max();
    let (first, last) = (endpoints().next(), endpoints().next_back());
    let candidates: Vec<NodeId> = match demand.shape() {
        // Only the group of the dead router can differ from the other living ones. The first or the last
        // router is of another group, unless all are equal.
        DemandShape::Uniform | DemandShape::Groups(_) if equal_hosts => {
            first.into_iter().chain(last).collect()
        }
        _ => endpoints().collect(),
    };
    let larger = |first: [u64; 2], second: [u64; 2]| {
        if u128::from(second[0]) * u128::from(first[1]) > u128::from(first[0]) * u128::from(second[1]) {
            second
        } else {
            first
        }
    };
    candidates.into_iter().map(weight_per_host).reduce(larger).unwrap_or([0, 1])
}

/// The worst value of a metric over the faults, and the first fault that has it. `None` without faults, or
/// if one value is unknown.
pub(super) fn worst_fault(scenarios: &[ScenarioMeasures], metric: Metric) -> Option<(Exact, &str)> {
    let worse_order = match metric {
        Metric::Diameter
        | Metric::AverageHops
        | Metric::MaxChannelLoad
        | Metric::LoadRatio
        | Metric::HopsRatio
        | Metric::VcBalance
        | Metric::Latency
        | Metric::LatencyMax
        | Metric::Permutation
        | Metric::Collision
        | Metric::CollisionWorst => Ordering::Greater,
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::DisjointTrees => {
            Ordering::Less
        }
        // These metrics are not measured under faults.
        Metric::Graph(_)
        | Metric::Floor(_)
        | Metric::Hardware(_)
        | Metric::Simulated(_)
        | Metric::Collective(_)
        | Metric::Job(_) => {
            return None;
        }
    };
    // The healthy fabric comes first.
    let faults = scenarios.get(1..)?.iter().filter(|fault| !fault.lacks_traffic_for(metric));
    let faults = faults.map(|fault| Some((fault.value(metric)?, fault.counts.scenario.as_str())));
    let faults = faults.collect::<Option<Vec<_>>>()?;
    faults
        .into_iter()
        .reduce(|worst, next| if next.0.compare_exact(worst.0) == worse_order { next } else { worst })
}

/// The measured value of a `require`, the value that it is compared with, both in the unit of the line, and
/// the fault. `None` if they are unknown. For a share it is the fault with the worst share.
pub(super) fn compared_values<'a>(
    require: &Require,
    scenarios: &'a [ScenarioMeasures],
    universal: Option<Exact>,
    healthy: HealthyMetrics<'_>,
) -> Option<(Exact, Exact, Option<&'a str>)> {
    let required = Exact::decimal(&require.value.to_string())?;
    let measured_and_wanted = |scenario: &ScenarioMeasures| -> Option<(Exact, Exact)> {
        let measured = match require.metric {
            Metric::Graph(metric) => network_value(healthy.network?, metric)?,
            Metric::Floor(metric) => floor_value(healthy.cables?, metric)?,
            Metric::Hardware(metric) => hardware_value(healthy.hardware, metric)?,
            metric => scenario.value(metric)?,
        };
        Some(match require.scale {
            ValueScale::Metric => (measured, required),
            ValueScale::Cycles => {
                (measured.times(u128::from(scenario.counts.clock_hz), 1_000_000_000)?, required)
            }
            ValueScale::ShareOf(reference) => {
                let reference_value = match reference {
                    Reference::Universal => convert_flow(require.metric, &scenario.counts, universal?)?,
                    Reference::Bound => convert_flow(require.metric, &scenario.counts, scenario.high?)?,
                    Reference::Nominal => scenarios.first()?.value(require.metric)?,
                };
                let (numerator, denominator) = required.parts();
                (measured, reference_value.times(numerator, denominator)?)
            }
        })
    };
    if !require.fault {
        return measured_and_wanted(scenarios.first()?).map(|(measured, wanted)| (measured, wanted, None));
    }
    let name = |scenario: &'a ScenarioMeasures| Some(scenario.counts.scenario.as_str());
    if !matches!(require.scale, ValueScale::ShareOf(_)) {
        let (_, worst) = worst_fault(scenarios, require.metric)?;
        let scenario = scenarios.iter().find(|scenario| scenario.counts.scenario == worst)?;
        return measured_and_wanted(scenario).map(|(measured, wanted)| (measured, wanted, name(scenario)));
    }
    let more_is_better = matches!(
        require.metric,
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::DisjointTrees
    );
    let faults = scenarios.get(1..)?.iter().filter(|scenario| !scenario.lacks_traffic_for(require.metric));
    let faults = faults.map(|scenario| {
        measured_and_wanted(scenario).map(|(measured, wanted)| (measured, wanted, name(scenario)))
    });
    let faults = faults.collect::<Option<Vec<_>>>()?;
    // The first fault with the worst share.
    faults.into_iter().reduce(|worst, next| match (worst.0.divided_by(worst.1), next.0.divided_by(next.1)) {
        (Some(first), Some(second)) => {
            let worse_order = if more_is_better { Ordering::Less } else { Ordering::Greater };
            if second.compare_exact(first) == worse_order { next } else { worst }
        }
        _ => worst,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_ir::Symmetry;
    use fabc_model::DemandComponent;

    #[test]
    fn the_host_that_sends_most_is_found_in_any_demand() {
        let component = |group, weight| DemandComponent { group, weight };
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
