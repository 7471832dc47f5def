//! The numbers of the report, per scenario, by the definitions of `docs/language.md`; exact until they are
//! printed.
//!
//! These formulas are the compiler's. The checker has its own (`check/measures.rs`), so that an error here
//! can be convicted.

use super::{ConcurrentFlow, FloorMetrics, Fraction, NetworkMetrics, Walk};
use fabc_base::units::BITS_OF_A_GIGABYTE;
use fabc_model::{Metric, Reference, Require, Scale};

const NANOSECONDS: u64 = 1_000_000_000;

/// The metrics of one scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct ScenarioMetrics {
    /// `nominal`, or the dark OCSes.
    pub scenario: String,
    /// Number of routers that live, those without hosts among them.
    pub routers: u64,
    /// Number of endpoints that live: routers that send and receive.
    pub endpoints: u64,
    /// Number of lit channels.
    pub channels: u64,
    /// Capacity of all lit channels together, in units.
    pub capacity: u64,
    /// Parts of a unit that loads are counted in.
    pub parts: u64,
    /// Largest hop distance.
    pub diameter: u32,
    /// `[h]`: ordered pairs at distance h.
    pub hop_histogram: Vec<u64>,
    /// Sum of hop distances over ordered pairs.
    pub hop_total: u64,
    /// The same with every pair as often as its weight in the demand.
    pub demand_hops: u64,
    /// Weights of the host that sends most.
    pub sent_per_host: Fraction,
    /// Certified lower end of lambda: a feasible flow, or 1 / max_channel_load, whichever is larger.
    pub flow_low: Fraction,
    /// Certified upper end of lambda; `None` where a fault leaves nobody who sends.
    pub flow_high: Option<Fraction>,
    /// Bandwidth of a channel of capacity 1, GB/s.
    pub channel_bandwidth: Fraction,
    /// Clock of the routers, Hz.
    pub clock_hz: u64,
    /// OCS-disjoint spanning trees over the cubes; `None` where there are no OCSes.
    pub disjoint_trees: Option<u32>,
    /// What the routing reached; `None` before routing.
    pub routed: Option<Walk>,
}

impl ScenarioMetrics {
    /// Ordered pairs of distinct endpoints.
    pub fn pairs(&self) -> u64 {
        self.endpoints * (self.endpoints - 1)
    }
    /// Whether the fault leaves nobody who sends: rates and their bounds have no meaning then.
    pub fn is_idle(&self) -> bool {
        self.demand_hops == 0
    }
    /// Certified upper end of lambda. Panics where nobody sends, which only a fault can bring about.
    pub fn flow_ceiling(&self) -> Fraction {
        self.flow_high.expect("a healthy fabric has a demand")
    }
    /// [`ScenarioMetrics::distance_bound`] of a healthy fabric. Panics as [`ScenarioMetrics::flow_ceiling`].
    pub fn distance_ceiling(&self) -> Fraction {
        self.distance_bound().expect("a healthy fabric has a demand")
    }
    /// Table entries of a router on average, over all routers that live; `None` before routing.
    pub fn mean_entries(&self) -> Option<Fraction> {
        self.routed.as_ref().map(|walk| Fraction::new(walk.entries_total, self.routers))
    }
    /// Mean hop distance.
    pub fn average_hops(&self) -> Fraction {
        Fraction::new(self.hop_total, self.pairs())
    }
    /// lambda <= capacity of all channels / sum of weight x hop distance; `None` where nobody sends.
    pub fn distance_bound(&self) -> Option<Fraction> {
        (!self.is_idle()).then(|| Fraction::new(self.capacity, self.demand_hops))
    }
    /// No single-path routing has a smaller maximum channel load: 1 / dual, rounded up to whole parts.
    pub fn load_bound(&self) -> Fraction {
        self.flow_high.map_or(Fraction::ZERO, |rate| self.units().load_at(rate))
    }
    /// A load that is given in parts, in units: routes by their weights, over the capacity.
    pub fn load(&self, parts: u64) -> Fraction {
        Fraction::new(parts, self.parts)
    }
    /// Load of a lit channel on average, in units; `None` before routing.
    pub fn mean_channel_load(&self) -> Option<Fraction> {
        self.routed
            .as_ref()
            .map(|walk| Fraction::new(walk.total_load(), u128::from(self.channels) * u128::from(self.parts)))
    }
    /// Hops of a route on average, every pair once; `None` before routing.
    pub fn mean_route_hops(&self) -> Option<Fraction> {
        self.routed.as_ref().map(|walk| Fraction::new(walk.total_hops(), self.pairs()))
    }
    /// What the host that sends most injects when every pair sends at a rate times its weight.
    pub fn injection_at(&self, rate: Fraction) -> Fraction {
        self.units().injection_at(rate)
    }
    /// What turns a rate of every pair into the metrics of a flow.
    fn units(&self) -> Units {
        let Self { parts, sent_per_host, channel_bandwidth, .. } = *self;
        Units { parts, sent_per_host, channel_bandwidth }
    }
    /// What a required share of a metric is a share of; `None` where it is not known.
    fn reference(
        &self,
        metric: Metric,
        of: Reference,
        nominal: &Self,
        universal: Option<Fraction>,
    ) -> Option<Fraction> {
        match of {
            Reference::Universal => self.units().of_rate(metric, universal?),
            Reference::Bound => self.units().of_rate(metric, self.flow_high?),
            Reference::Nominal => nominal.value(metric),
        }
    }
    /// The value of a metric; `None` if it needs routes, or OCSes, and there are none.
    pub fn value(&self, metric: Metric) -> Option<Fraction> {
        Some(match metric {
            Metric::Diameter => Fraction::whole(self.diameter),
            Metric::AverageHops => self.average_hops(),
            // Where nobody sends, any rate would do.
            Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth if self.is_idle() => return None,
            // Without tables, and without a flow of its own, nothing proves a lower end.
            Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth
                if self.flow_low.is_zero() && self.routed.is_none() =>
            {
                return None;
            }
            Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth => {
                self.units().of_rate(metric, self.flow_low)?
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
                nanoseconds(
                    Fraction::new(walk.cycles_total, walk.route_hops.iter().sum::<u64>()),
                    self.clock_hz,
                )
            }
            Metric::LatencyMax => {
                nanoseconds(Fraction::whole(self.routed.as_ref()?.cycles_most), self.clock_hz)
            }
            Metric::DisjointTrees => Fraction::whole(self.disjoint_trees?),
            Metric::Graph(_) | Metric::Floor(_) | Metric::Simulated(_) | Metric::Collective(_) => {
                return None;
            }
        })
    }
}

/// What turns a rate of every pair per weight into the metrics that a flow is told in.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// Parts of a unit that loads are counted in.
    pub parts: u64,
    /// Weights of the host that sends most.
    pub sent_per_host: Fraction,
    /// Bandwidth of a channel of capacity 1, GB/s.
    pub channel_bandwidth: Fraction,
}

impl Units {
    /// What the host that sends most injects at a rate.
    pub fn injection_at(&self, rate: Fraction) -> Fraction {
        rate.times(self.sent_per_host)
    }
    /// The load of the busiest channel, in whole parts of a unit, that one route per pair makes at least
    /// where no more than this rate is possible.
    pub fn load_at(&self, rate: Fraction) -> Fraction {
        let least = Fraction::whole(self.parts).over(rate).ceil();
        // Lengths bound what some routing reaches, and that is counted in 64 bits.
        Fraction::new(u64::try_from(least).unwrap_or(u64::MAX), self.parts)
    }
    /// A rate as such a metric; of `max_channel_load` see [`Units::load_at`]. `None` for all others.
    pub fn of_rate(&self, metric: Metric, rate: Fraction) -> Option<Fraction> {
        match metric {
            Metric::ConcurrentFlow => Some(rate),
            Metric::Injection => Some(self.injection_at(rate)),
            Metric::Bandwidth => Some(self.injection_at(rate).times(self.channel_bandwidth)),
            Metric::MaxChannelLoad => Some(self.load_at(rate)),
            _ => None,
        }
    }
}

/// A bandwidth in bit/s, in GB/s.
pub fn gigabytes(bps: u64) -> Fraction {
    Fraction::new(bps, BITS_OF_A_GIGABYTE)
}

/// A time in router cycles, in ns.
pub fn nanoseconds(cycles: Fraction, clock_hz: u64) -> Fraction {
    cycles.times(Fraction::new(NANOSECONDS, clock_hz))
}

/// A time in ns, in router cycles.
fn in_cycles(nanoseconds: Fraction, clock_hz: u64) -> Fraction {
    nanoseconds.times(Fraction::new(clock_hz, NANOSECONDS))
}

/// The worst value of a metric over all fault scenarios, and the first scenario that has it; `None` without
/// faults or before routing. A fault that leaves nobody who sends has no rate, and is left out where one is
/// asked for.
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

/// What a topology synthesized for the demand is compared with: the one that the same search finds for
/// uniform demand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UniformTopology {
    /// Certified lower end of its lambda on the demand.
    pub flow_low: Fraction,
    /// Certified upper end.
    pub flow_high: Fraction,
}

impl UniformTopology {
    /// The gain in lambda on the demand, as a certified interval.
    pub fn gain(&self, nominal: &ScenarioMetrics) -> (Fraction, Fraction) {
        (nominal.flow_low.over(self.flow_high), nominal.flow_ceiling().over(self.flow_low))
    }
}

/// How a `require` came out.
#[derive(Clone, Debug)]
pub struct RequireOutcome {
    /// The line of the spec.
    pub require: Require,
    /// The measured value, in cycles where the line is; `None` if the build stopped before it was known.
    pub measured: Option<Fraction>,
    /// What it was compared with: the number of the line, or its share.
    pub wanted: Option<Fraction>,
    /// The scenario it was measured in, for `fault.` metrics.
    pub scenario: Option<String>,
}

impl RequireOutcome {
    /// Measures one `require`; `fault.` metrics take the worst fault, which of a share is the one that falls
    /// shortest of it. `universal` is what no topology of the switches exceeds, `network` what was measured
    /// of a network, `cables` what the cables on a floor come to.
    pub fn of(
        require: &Require,
        scenarios: &[ScenarioMetrics],
        universal: Option<Fraction>,
        network: Option<&NetworkMetrics>,
        cables: Option<&FloorMetrics>,
    ) -> Self {
        let (metric, number) = (require.metric, Fraction::from(require.value));
        let compared = |of: &ScenarioMetrics| {
            let measured = match metric {
                Metric::Graph(metric) => network?.value(metric)?,
                Metric::Floor(metric) => cables?.value(metric),
                metric => of.value(metric)?,
            };
            Some(match require.scale {
                Scale::Metric => (measured, number),
                Scale::Cycles => (in_cycles(measured, of.clock_hz), number),
                Scale::ShareOf(reference) => {
                    (measured, number.times(of.reference(metric, reference, &scenarios[0], universal)?))
                }
            })
        };
        let (found, scenario) = match (require.fault, require.scale) {
            (false, _) => (compared(&scenarios[0]), None),
            (true, Scale::ShareOf(_)) => {
                let faults = scenarios[1..].iter().filter(|of| !(of.is_idle() && metric.needs_demand()));
                let faults = faults.map(|of| Some((compared(of)?, &of.scenario))).collect::<Option<Vec<_>>>();
                let share = |&((measured, wanted), _): &((Fraction, Fraction), &String)| {
                    (!wanted.is_zero()).then(|| measured.over(wanted))
                };
                let worse = |one, other| {
                    if metric.larger_is_better() {
                        share(&other) < share(&one)
                    } else {
                        share(&other) > share(&one)
                    }
                };
                let worst = faults.and_then(|faults| {
                    faults.into_iter().reduce(|one, other| if worse(one, other) { other } else { one })
                });
                (worst.map(|(found, _)| found), worst.map(|(_, scenario)| scenario.clone()))
            }
            (true, _) => {
                let worst = worst(scenarios, metric).map(|(_, name)| name);
                let of = worst.and_then(|name| scenarios.iter().find(|of| of.scenario == name));
                (of.and_then(compared), worst.map(str::to_owned))
            }
        };
        Self {
            require: require.clone(),
            measured: found.map(|(measured, _)| measured),
            wanted: found.map(|(_, wanted)| wanted),
            scenario,
        }
    }

    /// Whether it holds, of the exact value and of the value as written; `None` if it was not measured.
    pub fn holds(&self) -> Option<bool> {
        self.measured.and_then(|measured| self.holds_at(measured))
    }
    /// Whether a value would satisfy it; `None` if what it is a share of is not known.
    pub fn holds_at(&self, value: Fraction) -> Option<bool> {
        Some(self.require.comparison.holds(value, self.wanted?))
    }
}

/// What has become of the contract of a spec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contract {
    /// Every `require` holds.
    Kept,
    /// At least one does not.
    Broken,
    /// None is known to fail, but some were not measured.
    Open,
}

impl Contract {
    /// What all lines together came to.
    pub fn of(outcomes: &[RequireOutcome]) -> Self {
        let any = |verdict| outcomes.iter().any(|outcome| outcome.holds() == verdict);
        match (any(Some(false)), any(None)) {
            (true, _) => Contract::Broken,
            (false, true) => Contract::Open,
            (false, false) => Contract::Kept,
        }
    }
    /// The word of manifests.
    pub fn name(self) -> &'static str {
        match self {
            Contract::Kept => "kept",
            Contract::Broken => "broken",
            Contract::Open => "open",
        }
    }
}

/// Why a pass may have stopped.
pub const STOPPED_BY: [&str; 8] =
    ["optimal", "gap", "budget", "node_limit", "cut_limit", "fixed", "time_limit", "done"];

/// What one pass did: counted work, never time.
#[derive(Clone, Debug)]
pub struct PassRecord {
    /// Name of the pass.
    pub name: String,
    /// Why it stopped: one of [`STOPPED_BY`].
    pub stopped_by: String,
    /// Counters, in a fixed order.
    pub counters: Vec<(String, u64)>,
    /// What a reader should know about how the pass went, sentence by sentence.
    pub notes: Vec<String>,
}

impl PassRecord {
    /// What the analysis of the flow did.
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
