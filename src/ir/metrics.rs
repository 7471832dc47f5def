//! The metrics of the report, per scenario, by the definitions of `docs/language.md`. They are exact until
//! they are printed.
//!
//! These formulas are the compiler's. The checker has its own (`check/measures.rs`), so that it can convict
//! an error here.

use super::{Collisions, ConcurrentFlow, FloorMetrics, Fraction, Hardware, NetworkMetrics, Walk};
use fabc_base::units::BITS_OF_A_GIGABYTE;
use fabc_model::{Metric, Reference, Require, ValueScale};

const NANOSECONDS: u64 = 1_000_000_000;

/// The metrics of one scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct ScenarioMetrics {
    /// The name of the scenario: `nominal`, or the fault.
    pub scenario: String,
    /// Number of living routers, with or without hosts.
    pub routers: u64,
    /// Number of living endpoints: routers that send and receive.
    pub endpoints: u64,
    /// Number of lit channels in the scenario.
    pub channels: u64,
    /// Capacity of all lit channels together, in units.
    pub capacity: u64,
    /// Number of parts of a unit in which loads are counted. Shares of sprayed packets count as parts, too.
    pub parts: u64,
    /// Largest hop distance between endpoints.
    pub diameter: u32,
    /// `[h]`: number of ordered pairs of endpoints at distance h.
    pub hop_histogram: Vec<u64>,
    /// Sum of hop distances over ordered pairs.
    pub hop_total: u64,
    /// The sum of weight x hop distance over ordered pairs.
    pub demand_hops: u64,
    /// The sum of the weights of the host that sends most.
    pub sent_per_host: Fraction,
    /// Certified lower bound of lambda: that of a feasible flow, or 1 / max_channel_load, whichever is
    /// larger.
    pub flow_low: Fraction,
    /// Certified upper bound of lambda. `None` where a fault leaves nobody who sends.
    pub flow_high: Option<Fraction>,
    /// Bandwidth of a channel of capacity 1, GB/s.
    pub channel_bandwidth: Fraction,
    /// Clock of the routers, Hz.
    pub clock_hz: u64,
    /// Number of OCS-disjoint spanning trees over the cubes. `None` where there are no OCSes.
    pub disjoint_trees: Option<u32>,
    /// The totals of the routes. `None` before routing.
    pub routed: Option<Walk>,
    /// The largest load that a permutation of hosts puts on a channel. `None` unless tables have many paths
    /// and it was measured.
    pub permutation: Option<Fraction>,
    /// The collisions of flows. `None` unless a hash of flows chooses the paths.
    pub collisions: Option<Collisions>,
}

impl ScenarioMetrics {
    /// Number of ordered pairs of distinct endpoints.
    pub fn pairs(&self) -> u64 {
        self.endpoints * (self.endpoints - 1)
    }
    /// Whether the fault leaves nobody who sends. Rates and their bounds have no meaning then.
    pub fn is_idle(&self) -> bool {
        self.demand_hops == 0
    }
    /// Certified upper bound of lambda.
    ///
    /// # Panics
    /// Nobody sends, which only a fault can bring about.
    pub fn flow_ceiling(&self) -> Fraction {
        self.flow_high.expect("a healthy fabric has a demand")
    }
    /// [`ScenarioMetrics::distance_bound`] of a healthy fabric.
    ///
    /// # Panics
    /// As [`ScenarioMetrics::flow_ceiling`].
    pub fn distance_ceiling(&self) -> Fraction {
        self.distance_bound().expect("a healthy fabric has a demand")
    }
    /// Mean number of table entries of a living router. `None` before routing.
    pub fn mean_entries(&self) -> Option<Fraction> {
        self.routed.as_ref().map(|walk| Fraction::new(walk.entries_total, self.routers))
    }
    /// Mean hop distance over ordered pairs.
    pub fn average_hops(&self) -> Fraction {
        Fraction::new(self.hop_total, self.pairs())
    }
    /// The distance bound: lambda <= capacity of all channels / sum of weight x hop distance. `None` where
    /// nobody sends.
    pub fn distance_bound(&self) -> Option<Fraction> {
        (!self.is_idle()).then(|| Fraction::new(self.capacity, self.demand_hops))
    }
    /// A lower bound on the maximum channel load: 1 / dual, rounded up to whole parts.
    pub fn load_bound(&self) -> Fraction {
        self.flow_high.map_or(Fraction::ZERO, |rate| self.units().load_at(rate))
    }
    /// Converts a load from parts to units, which are routes by their weights over the capacity.
    pub fn load(&self, parts: u64) -> Fraction {
        Fraction::new(parts, self.parts)
    }
    /// Mean load of a lit channel, in units. `None` before routing.
    pub fn mean_channel_load(&self) -> Option<Fraction> {
        self.routed
            .as_ref()
            .map(|walk| Fraction::new(walk.total_load(), u128::from(self.channels) * u128::from(self.parts)))
    }
    /// Mean hops of a route, every pair once. `None` before routing.
    pub fn mean_route_hops(&self) -> Option<Fraction> {
        self.routed.as_ref().map(|walk| Fraction::new(walk.total_hops(), self.pairs()))
    }
    /// Flits per cycle that the busiest host injects when every pair sends at `rate` times its weight.
    pub fn injection_at(&self, rate: Fraction) -> Fraction {
        self.units().injection_at(rate)
    }
    /// The conversion from a rate of every pair to the metrics of a flow.
    fn units(&self) -> Units {
        let Self { parts, sent_per_host, channel_bandwidth, .. } = *self;
        Units { parts: Some(parts), sent_per_host, channel_bandwidth }
    }
    /// The value of the reference of a required share. `None` where it is not known.
    fn reference(
        &self,
        metric: Metric,
        reference: Reference,
        nominal: &Self,
        universal: Option<Fraction>,
    ) -> Option<Fraction> {
        match reference {
            Reference::Universal => self.units().metric_at(metric, universal?),
            Reference::Bound => self.units().metric_at(metric, self.flow_high?),
            Reference::Nominal => nominal.value(metric),
        }
    }
    /// The value of a metric. `None` if it needs routes, or OCSes, and there are none.
    pub fn value(&self, metric: Metric) -> Option<Fraction> {
        Some(match metric {
            Metric::Diameter => Fraction::integer(self.diameter),
            Metric::AverageHops => self.average_hops(),
            // Where nobody sends, any rate is possible.
            Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth if self.is_idle() => return None,
            // Without tables and without a flow, nothing proves a lower bound.
            Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth
                if self.flow_low.is_zero() && self.routed.is_none() =>
            {
                return None;
            }
            Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => {
                self.units().metric_at(metric, self.flow_low)?
            }
            Metric::MaxChannelLoad => self.load(self.routed.as_ref()?.max_channel_load()),
            Metric::LoadRatio => self.load(self.routed.as_ref()?.max_channel_load()).times(self.flow_high?),
            Metric::HopsRatio => Fraction::new(self.routed.as_ref()?.total_hops(), self.hop_total),
            Metric::VcBalance => {
                let walk = self.routed.as_ref()?;
                Fraction::new(*walk.vc_hops.iter().max()?, walk.total_hops())
            }
            Metric::Latency => {
                let walk = self.routed.as_ref()?;
                let routes = u128::from(walk.route_hops.iter().sum::<u64>()) * u128::from(walk.shares);
                nanoseconds(Fraction::new(walk.cycles_total, routes), self.clock_hz)
            }
            Metric::LatencyMax => {
                nanoseconds(Fraction::integer(self.routed.as_ref()?.cycles_most), self.clock_hz)
            }
            Metric::DisjointTrees => Fraction::integer(self.disjoint_trees?),
            Metric::Permutation => self.permutation?,
            Metric::Collision => self.collisions?.expected_over_mean()?,
            Metric::CollisionWorst => self.collisions?.worst_over_even(),
            Metric::Graph(_)
            | Metric::Floor(_)
            | Metric::Hardware(_)
            | Metric::Simulated(_)
            | Metric::Collective(_)
            | Metric::Job(_) => {
                return None;
            }
        })
    }
}

/// The conversion from a rate of every pair per weight to the metrics that describe a flow.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// Number of parts of a unit in which loads are counted. `None` where packets are sprayed and the number
    /// is not known yet, so that any load is possible.
    pub parts: Option<u64>,
    /// The sum of the weights of the host that sends most.
    pub sent_per_host: Fraction,
    /// Bandwidth of a channel of capacity 1, GB/s.
    pub channel_bandwidth: Fraction,
}

impl Units {
    /// Flits per cycle that the busiest host injects at a rate.
    pub fn injection_at(&self, rate: Fraction) -> Fraction {
        rate.times(self.sent_per_host)
    }
    /// A lower bound on the load of the busiest channel, if no rate above this one is possible. In units,
    /// rounded up to whole parts.
    pub fn load_at(&self, rate: Fraction) -> Fraction {
        let Some(parts) = self.parts else { return Fraction::integer(1u8).over(rate) };
        let least_load = Fraction::integer(parts).over(rate).ceil();
        // The bound is below the load of some routing, and that is counted in 64 bits.
        Fraction::new(u64::try_from(least_load).unwrap_or(u64::MAX), parts)
    }
    /// Converts a rate to a metric of the flow. For `max_channel_load` see [`Units::load_at`]. `None` for
    /// other metrics.
    pub fn metric_at(&self, metric: Metric, rate: Fraction) -> Option<Fraction> {
        match metric {
            Metric::ConcurrentFlow => Some(rate),
            Metric::Injection => Some(self.injection_at(rate)),
            Metric::Bandwidth => Some(self.injection_at(rate).times(self.channel_bandwidth)),
            Metric::MaxChannelLoad => Some(self.load_at(rate)),
            _ => None,
        }
    }
}

/// Converts a bandwidth from bit/s to GB/s.
pub fn gigabytes(bps: impl Into<u128>) -> Fraction {
    Fraction::new(bps, BITS_OF_A_GIGABYTE)
}

/// Converts a time from router cycles to ns.
pub fn nanoseconds(cycles: Fraction, clock_hz: u64) -> Fraction {
    cycles.times(Fraction::new(NANOSECONDS, clock_hz))
}

/// Converts a time from ns to router cycles.
fn in_cycles(nanoseconds: Fraction, clock_hz: u64) -> Fraction {
    nanoseconds.times(Fraction::new(clock_hz, NANOSECONDS))
}

/// The worst value of a metric over all fault scenarios, and the first scenario that has it. `None` without
/// faults or before routing. For a rate, faults after which nobody sends are left out.
pub fn worst(scenarios: &[ScenarioMetrics], metric: Metric) -> Option<(Fraction, &str)> {
    let mut worst: Option<(Fraction, &str)> = None;
    let compared = |scenario: &&ScenarioMetrics| {
        scenario.scenario != "nominal" && !(scenario.is_idle() && metric.needs_demand())
    };
    for scenario in scenarios.iter().filter(compared) {
        let value = scenario.value(metric)?;
        if worst
            .is_none_or(|(so_far, _)| if metric.larger_is_better() { value < so_far } else { value > so_far })
        {
            worst = Some((value, &scenario.scenario));
        }
    }
    worst
}

/// The topology that the same search finds for uniform demand. A topology that was synthesized for the demand
/// is compared with it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UniformTopology {
    /// Certified lower bound of its lambda on the demand.
    pub flow_low: Fraction,
    /// Certified upper bound of its lambda on the demand.
    pub flow_high: Fraction,
}

impl UniformTopology {
    /// The gain in lambda on the demand, as a certified interval (least, most).
    pub fn gain(&self, nominal: &ScenarioMetrics) -> (Fraction, Fraction) {
        (nominal.flow_low.over(self.flow_high), nominal.flow_ceiling().over(self.flow_low))
    }
}

/// The metrics that only the healthy fabric has.
#[derive(Clone, Copy, Debug)]
pub struct HealthyMetrics<'a> {
    /// The graph of a network. `None` for a pod.
    pub network: Option<&'a NetworkMetrics>,
    /// The totals of a floor. `None` without a floor.
    pub cables: Option<&'a FloorMetrics>,
    /// The switches, cables and prices.
    pub hardware: &'a Hardware,
}

/// The outcome of a `require`.
#[derive(Clone, Debug)]
pub struct RequireOutcome {
    /// The line of the spec.
    pub require: Require,
    /// The measured value, in cycles where the line is in cycles. `None` if the build stopped before it was
    /// known.
    pub measured: Option<Fraction>,
    /// The value that it was compared with: the number of the line, or the share of the reference.
    pub wanted: Option<Fraction>,
    /// The scenario in which it was measured, for `fault.` metrics.
    pub scenario: Option<String>,
}

impl RequireOutcome {
    /// Measures one `require`. A `fault.` metric takes the worst fault, and a share the fault that falls
    /// furthest short of it. `universal` is the universal bound.
    pub fn evaluate(
        require: &Require,
        scenarios: &[ScenarioMetrics],
        universal: Option<Fraction>,
        healthy: HealthyMetrics<'_>,
    ) -> Self {
        let (metric, number) = (require.metric, Fraction::from(require.value));
        let compared = |scenario: &ScenarioMetrics| {
            let measured = match metric {
                Metric::Graph(metric) => healthy.network?.value(metric)?,
                Metric::Hardware(metric) => healthy.hardware.value(metric)?,
                Metric::Floor(metric) => healthy.cables?.value(metric),
                metric => scenario.value(metric)?,
            };
            Some(match require.scale {
                ValueScale::Metric => (measured, number),
                ValueScale::Cycles => (in_cycles(measured, scenario.clock_hz), number),
                ValueScale::ShareOf(reference) => {
                    (measured, number.times(scenario.reference(metric, reference, &scenarios[0], universal)?))
                }
            })
        };
        let (comparison, scenario) = match (require.fault, require.scale) {
            (false, _) => (compared(&scenarios[0]), None),
            (true, ValueScale::ShareOf(_)) => {
                let faults =
                    scenarios[1..].iter().filter(|fault| !(fault.is_idle() && metric.needs_demand()));
                let faults =
                    faults.map(|fault| Some((compared(fault)?, &fault.scenario))).collect::<Option<Vec<_>>>();
                let share = |&((measured, wanted), _): &((Fraction, Fraction), &String)| {
                    (!wanted.is_zero()).then(|| measured.over(wanted))
                };
                let worse = |first, second| {
                    if metric.larger_is_better() {
                        share(&second) < share(&first)
                    } else {
                        share(&second) > share(&first)
                    }
                };
                let worst = faults.and_then(|faults| {
                    faults.into_iter().reduce(|worst, next| if worse(worst, next) { next } else { worst })
                });
                (worst.map(|(comparison, _)| comparison), worst.map(|(_, scenario)| scenario.clone()))
            }
            (true, _) => {
                let worst = worst(scenarios, metric).map(|(_, name)| name);
                let fault = worst.and_then(|name| scenarios.iter().find(|fault| fault.scenario == name));
                (fault.and_then(compared), worst.map(str::to_owned))
            }
        };
        Self {
            require: require.clone(),
            measured: comparison.map(|(measured, _)| measured),
            wanted: comparison.map(|(_, wanted)| wanted),
            scenario,
        }
    }

    /// Whether it holds for the exact value. `None` if nothing was measured.
    pub fn holds(&self) -> Option<bool> {
        self.measured.and_then(|measured| self.holds_at(measured))
    }
    /// Whether a value would satisfy it. `None` if the reference of a share is not known.
    pub fn holds_at(&self, value: Fraction) -> Option<bool> {
        Some(self.require.comparison.holds(value, self.wanted?))
    }
}

/// The state of the contract of a spec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContractState {
    /// Every `require` of the spec holds.
    Kept,
    /// At least one `require` fails.
    Broken,
    /// No `require` is known to fail, but some were not measured.
    Open,
}

impl ContractState {
    /// The state that follows from all lines together.
    pub fn of_outcomes(outcomes: &[RequireOutcome]) -> Self {
        let any = |verdict| outcomes.iter().any(|outcome| outcome.holds() == verdict);
        match (any(Some(false)), any(None)) {
            (true, _) => ContractState::Broken,
            (false, true) => ContractState::Open,
            (false, false) => ContractState::Kept,
        }
    }
    /// The word in manifests: `kept`, `broken`, `open`.
    pub fn name(self) -> &'static str {
        match self {
            ContractState::Kept => "kept",
            ContractState::Broken => "broken",
            ContractState::Open => "open",
        }
    }
}

/// The reasons for which a pass may stop.
pub const STOPPED_BY: [&str; 8] =
    ["optimal", "gap", "budget", "node_limit", "cut_limit", "fixed", "time_limit", "done"];

/// The record of one pass: counted work, never time.
#[derive(Clone, Debug)]
pub struct PassRecord {
    /// The name of the pass.
    pub name: String,
    /// Why the pass stopped: one of [`STOPPED_BY`].
    pub stopped_by: String,
    /// (counter, count), in a fixed order.
    pub counters: Vec<(String, u64)>,
    /// Notes about how the pass went, one sentence each.
    pub notes: Vec<String>,
}

impl PassRecord {
    /// The record of the analysis of the flow.
    pub fn of_flow(flow: &ConcurrentFlow) -> Self {
        let counters = [("rounds", flow.rounds), ("sweeps", flow.sweeps)]
            .into_iter()
            .filter(|&(name, count)| name == "rounds" || count > 0);
        Self {
            name: "flow".to_owned(),
            stopped_by: flow.stopped_by.name().to_owned(),
            counters: counters.map(|(name, count)| (name.to_owned(), u64::from(count))).collect(),
            notes: Vec::new(),
        }
    }
}
