//! The numbers of a report, recomputed from primary counts by formulas of the checker's own.
//!
//! Comes in: how many ordered pairs are how far apart, how many channels are lit, what a walk of the tables
//! counted, units of a flow and both sums of the dual lengths. Goes out: every metric and bound as an exact
//! ratio. Nothing here is shared with `ir/metrics.rs`, from which the report is written: an error there or
//! here makes the two differ. Compared is by products of 256 bits, never with an epsilon.

use super::CheckError;
use crate::ids::NodeId;
use crate::ir::{FloorMetrics, FlowCertificate, NetworkMetrics, Walk};
use crate::model::{Demand, DemandShape, FloorMetric, GraphMetric, Metric, Reference, Require, Scale};
use std::cmp::Ordering;

/// A ratio of integers, as it came: not in lowest terms. The second one is positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    over: u128,
    under: u128,
}

impl Exact {
    /// `over / under`; `None` where that is no number.
    pub(super) fn new(over: u128, under: u128) -> Option<Self> {
        (under > 0).then_some(Self { over, under })
    }
    /// What stands over the line, and under it.
    pub(super) fn parts(self) -> (u128, u128) {
        (self.over, self.under)
    }
    /// An integer.
    pub(super) fn integer(value: u64) -> Self {
        Self { over: u128::from(value), under: 1 }
    }
    /// A plain decimal text, such as `0.0625`; `None` where it is none, or one that no report has reason to
    /// write.
    pub(super) fn decimal(text: &str) -> Option<Self> {
        let (before, after) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(before) || !digits(after) {
            return None;
        }
        let under = 10u128.checked_pow(u32::try_from(after.len()).ok()?)?;
        let over = before.parse::<u128>().ok()?.checked_mul(under)?.checked_add(after.parse().ok()?)?;
        Some(Self { over, under })
    }
    /// Times another ratio; `None` past 128 bits.
    pub(super) fn times(self, over: u128, under: u128) -> Option<Self> {
        let product = |one: Self| Some(Self { over: one.over.checked_mul(over)?, under: one.under.checked_mul(under)? });
        product(self).filter(|_| under > 0).or_else(|| {
            let (mine, other) = (self.reduced(), Self::new(over, under)?.reduced());
            let (left, right) =
                (Self { over: mine.over, under: other.under }.reduced(), Self { over: other.over, under: mine.under }.reduced());
            Some(Self { over: left.over.checked_mul(right.over)?, under: left.under.checked_mul(right.under)? })
        })
    }
    /// Divided by another ratio; `None` past 128 bits, and where that is zero.
    pub(super) fn by(self, other: Self) -> Option<Self> {
        if other.over == 0 { None } else { self.times(other.under, other.over) }
    }
    /// The least integer that is not below it.
    pub(super) fn rounded_up(self) -> u128 {
        self.over / self.under + u128::from(!self.over.is_multiple_of(self.under))
    }
    /// The value, if it is whole.
    pub(super) fn whole(self) -> Option<u128> {
        self.over.is_multiple_of(self.under).then(|| self.over / self.under)
    }
    /// About as much.
    pub(super) fn about(self) -> f64 {
        self.over as f64 / self.under as f64
    }
    /// How it compares with another one.
    pub(super) fn against(self, other: Self) -> Ordering {
        product_of(self.over, other.under).cmp(&product_of(other.over, self.under))
    }

    fn reduced(self) -> Self {
        // Stein's algorithm: halves and differences only.
        let (mut a, mut b) = (self.over, self.under);
        if a == 0 {
            return Self { over: 0, under: 1 };
        }
        let twos = (a | b).trailing_zeros();
        a >>= a.trailing_zeros();
        while b > 0 {
            b >>= b.trailing_zeros();
            if a > b {
                std::mem::swap(&mut a, &mut b);
            }
            b -= a;
        }
        Self { over: self.over / (a << twos), under: self.under / (a << twos) }
    }
}

/// The product as (upper, lower) 128 bits.
fn product_of(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a_high, a_low, b_high, b_low) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let (low, one, two, high) = (a_low * b_low, a_high * b_low, a_low * b_high, a_high * b_high);
    let middle = (low >> 64) + (one & LOW) + (two & LOW);
    (high + (one >> 64) + (two >> 64) + (middle >> 64), (middle << 64) | (low & LOW))
}

/// What was counted in one scenario.
#[derive(Debug)]
pub struct Counts {
    /// `nominal`, or what has failed.
    pub scenario: String,
    /// Routers that live.
    pub routers: u64,
    /// Channels that are lit.
    pub channels: u64,
    /// `[h]`: ordered pairs at distance h.
    pub pairs_at: Vec<u64>,
    /// Sum over ordered pairs of weight x distance.
    pub weighted_hops: u64,
    /// Weights of the router that sends most.
    pub sent_most: u64,
    /// Lower end of lambda that a flow proves, if there is one.
    pub(super) flow: Option<Exact>,
    /// Sum of the dual lengths of lit channels, and sum over ordered pairs of weight x shortest length; both
    /// positive.
    pub dual: (u128, u128),
    /// Bandwidth of a channel of capacity 1, bit/s.
    pub bandwidth_bps: u64,
    /// Clock of the routers, Hz.
    pub clock_hz: u64,
    /// Capacity of all lit channels together.
    pub capacity: u64,
    /// Parts of a unit that loads are counted in.
    pub parts: u64,
    /// Hosts of a router that carries hosts, at least 1.
    pub hosts: u64,
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
    /// Upper end of lambda.
    pub(super) high: Exact,
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
            what: format!("the certificates count in units so large that `{}` does not fit 128 bits", metric.name()),
        };
        // One route per pair, no channel loaded more than `load`: every pair can have 1 / load at once.
        let of_tables = counts.walk.as_ref().and_then(|walk| Exact::new(u128::from(counts.parts), u128::from(busiest(walk))));
        let low = [counts.flow, of_tables].into_iter().flatten().reduce(|a, b| if a.against(b) == Ordering::Less { b } else { a });
        let low = low.unwrap_or(Exact { over: 0, under: 1 });
        let high = Exact { over: counts.dual.0, under: counts.dual.1 };
        let mut values = Vec::new();
        for metric in Metric::ALL {
            // Without tables there is nothing to measure; a product that does not fit is another matter.
            let known = match metric {
                Metric::DisjointTrees => counts.trees.is_some(),
                Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => low.over > 0 || counts.walk.is_some(),
                metric => counts.walk.is_some() || !of_routes(metric),
            };
            let value = if known { Some(formula(metric, &counts, low, high).ok_or_else(|| too_large(metric))?) } else { None };
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
        flow_as(Metric::MaxChannelLoad, &self.counts, self.high)
    }
    /// Loads of channels, in units, and how many channels have them.
    pub(super) fn load_histogram(&self) -> Option<Vec<(Exact, u64)>> {
        let parts = u128::from(self.counts.parts);
        let units = |&(load, channels): &(u64, u64)| Some((Exact::new(u128::from(load), parts)?, channels));
        self.counts.walk.as_ref()?.load_histogram.iter().map(units).collect()
    }
    /// Load of a lit channel on average.
    pub(super) fn mean_channel_load(&self) -> Option<Exact> {
        let sum = |walk: &Walk| walk.load_histogram.iter().fold(0, |sum, &(load, channels)| sum + u128::from(load) * u128::from(channels));
        Exact::new(sum(self.counts.walk.as_ref()?), u128::from(self.counts.channels) * u128::from(self.counts.parts))
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
        Metric::MaxChannelLoad | Metric::LoadRatio | Metric::HopsRatio | Metric::VcBalance | Metric::Latency | Metric::LatencyMax => true,
        Metric::Diameter | Metric::AverageHops | Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::DisjointTrees => {
            false
        }
        Metric::Graph(_) | Metric::Floor(_) | Metric::Simulated(_) | Metric::Collective(_) => false,
    }
}

fn formula(metric: Metric, counts: &Counts, low: Exact, high: Exact) -> Option<Exact> {
    let pairs: u128 = counts.pairs_at.iter().map(|&pairs| u128::from(pairs)).sum();
    match metric {
        Metric::Diameter => counts.pairs_at.iter().rposition(|&pairs| pairs > 0).map(|hops| Exact::integer(hops as u64)),
        Metric::AverageHops => Exact::new(steps(&counts.pairs_at), pairs),
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => flow_as(metric, counts, low),
        Metric::MaxChannelLoad => Exact::new(u128::from(busiest(counts.walk.as_ref()?)), u128::from(counts.parts)),
        Metric::LoadRatio => high.times(u128::from(busiest(counts.walk.as_ref()?)), u128::from(counts.parts)),
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
    let injected = || rate.times(u128::from(counts.sent_most), u128::from(counts.hosts));
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

/// Weights of the router that sends most, when nobody sends to a dead one.
pub(super) fn sent_most(demand: &Demand, dead: Option<NodeId>) -> u64 {
    let chips = || (0..demand.node_count() as u32).map(NodeId);
    let sent = |source: NodeId| -> u64 {
        chips().filter(|&to| to != source && Some(to) != dead).map(|to| u64::from(demand.weight(source, to))).sum()
    };
    let living = chips().filter(|&chip| Some(chip) != dead);
    match demand.shape() {
        // Of the chips that live, at most the group of the dead one fares worse: the last or the first chip
        // is of another group, or all are alike.
        DemandShape::Uniform => living.take(1).map(sent).max().unwrap_or(0),
        DemandShape::Groups(_) => {
            let last = living.clone().next_back();
            living.take(1).chain(last).map(sent).max().unwrap_or(0)
        }
        DemandShape::Matrix(_) => living.map(sent).max().unwrap_or(0),
    }
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
        Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::DisjointTrees => Ordering::Less,
        // Never of a fault.
        Metric::Graph(_) | Metric::Floor(_) | Metric::Simulated(_) | Metric::Collective(_) => {
            return None;
        }
    };
    // The healthy fabric comes first.
    let faults = scenarios.get(1..)?.iter().map(|fault| Some((fault.value(metric)?, fault.counts.scenario.as_str())));
    let faults = faults.collect::<Option<Vec<_>>>()?;
    faults.into_iter().reduce(|worst, next| if next.0.against(worst.0) == bad { next } else { worst })
}

/// The value of a metric of the graph of a network; `None` where it was not measured.
fn network_value(network: &NetworkMetrics, metric: GraphMetric) -> Option<Exact> {
    match metric {
        GraphMetric::Routers => Some(Exact::integer(network.routers)),
        GraphMetric::Hosts => Some(Exact::integer(network.hosts)),
        GraphMetric::Links => Some(Exact::integer(network.links)),
        GraphMetric::Bisection => network.bisection.as_ref().map(|bisection| Exact::integer(bisection.least())),
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
                    Reference::Bound => flow_as(require.metric, &scenario.counts, scenario.high)?,
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
    let more_is_better = matches!(require.metric, Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::DisjointTrees);
    let faults = scenarios.get(1..)?.iter().map(|scenario| of(scenario).map(|(measured, wanted)| (measured, wanted, name(scenario))));
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
    use crate::model::Component;
    use proptest::prelude::*;

    #[test]
    fn decimals_are_read_to_the_last_digit() {
        let exact = |text: &str| Exact::decimal(text).unwrap();
        assert_eq!(exact("0.1").against(Exact::new(1, 10).unwrap()), Ordering::Equal);
        assert_eq!(exact("0.333333333").against(Exact::new(1, 3).unwrap()), Ordering::Less);
        assert_eq!(exact("512").rounded_up(), 512);
        assert_eq!(exact("512.000000000000000001").rounded_up(), 513);
        for none in ["", ".", "1.", ".5", "-1", "1e3", "inf", "0x1", "1.2.3"] {
            assert!(Exact::decimal(none).is_none(), "{none}");
        }
    }

    #[test]
    fn what_does_not_fit_is_none() {
        let large = Exact::new(u128::MAX, 1).unwrap();
        assert!(large.times(2, 1).is_none());
        assert_eq!(large.times(2, 2).unwrap().against(large), Ordering::Equal);
        assert_eq!(large.times(3, u128::MAX).unwrap().rounded_up(), 3);
        assert!(large.times(1, 0).is_none() && large.by(Exact::integer(0)).is_none());
        assert_eq!(large.against(Exact::new(u128::MAX - 1, 1).unwrap()), Ordering::Greater);
    }

    #[test]
    fn the_chip_that_sends_most_is_found_in_any_demand() {
        let component = |group, weight| Component { group, weight };
        let cells = (0..144).map(|at| if at % 13 == 0 { 0 } else { (at * 7 % 11) as u32 });
        for demand in [
            Demand::uniform(12),
            Demand::groups(12, vec![component(6, 5)]),
            Demand::groups(12, vec![component(12, 1), component(4, 4), component(2, 3)]),
            Demand::matrix(12, cells.collect()),
        ] {
            for dead in std::iter::once(None).chain((0..12).map(|chip| Some(NodeId(chip)))) {
                let living = || (0..12).map(NodeId).filter(|&chip| Some(chip) != dead);
                let sent = |from: NodeId| living().map(|to| u64::from(demand.weight(from, to))).sum::<u64>();
                assert_eq!(Some(sent_most(&demand, dead)), living().map(sent).max(), "{demand:?} without {dead:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn ratios_compare_as_their_terms_multiply(a in 0u128.., b in 1u128.., c in 0u128.., d in 1u128..) {
            let (one, two) = (Exact::new(a, b).unwrap(), Exact::new(c, d).unwrap());
            prop_assert_eq!(one.against(two), two.against(one).reverse());
            prop_assert_eq!(one.against(one.reduced()), Ordering::Equal);
            prop_assert_eq!(one.reduced().against(two), one.against(two));
            // The floats agree where they can tell.
            if (one.about() / two.about() - 1.0).abs() > 1e-12 {
                prop_assert_eq!(one.against(two), one.about().total_cmp(&two.about()));
            }
        }
    }
}
