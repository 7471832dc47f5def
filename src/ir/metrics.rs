//! The numbers of the report, per scenario, by the definitions of `docs/language.md`; exact until they are
//! printed.
//!
//! These formulas are the compiler's. The checker has its own (`check/measures.rs`), so that an error here
//! can be convicted.

use super::{ConcurrentFlow, Fraction};
use crate::model::{Metric, Require};
use crate::units::Decimal;

/// What a walk of all tables found; made by the checker, not by the router.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// `[channel class]` under the tables' symmetry: routes of all ordered pairs over one channel of the
    /// class, each as often as its weight in the demand times the slowness of the channel: load in parts of a
    /// unit.
    pub loads: Vec<u64>,
    /// `[load]` ascending: (load in parts, number of lit channels that carry it).
    pub load_histogram: Vec<(u64, u64)>,
    /// `[vc]`: hops of all routes on that virtual channel.
    pub vc_hops: Vec<u64>,
    /// `[h]`: ordered pairs whose route has h hops.
    pub route_hops: Vec<u64>,
    /// Most table entries of any router.
    pub entries_max: u64,
    /// Table entries of all routers.
    pub entries_total: u64,
}

impl Walk {
    /// Load of the busiest channel, in parts of a unit.
    pub fn max_channel_load(&self) -> u64 {
        self.load_histogram.last().map_or(0, |&(load, _)| load)
    }
    /// Hops of all routes.
    pub fn total_hops(&self) -> u64 {
        self.vc_hops.iter().sum()
    }
    /// The loads of all channels together, in parts of a unit.
    pub fn total_load(&self) -> u64 {
        self.load_histogram.iter().map(|&(load, channels)| load * channels).sum()
    }
}

/// The metrics of one scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct ScenarioMetrics {
    /// `nominal`, or the dark OCSes.
    pub scenario: String,
    /// Number of routers that live.
    pub nodes: u64,
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
    /// Weights of the router that sends most.
    pub sent_most: u64,
    /// Certified lower end of lambda: a feasible flow, or 1 / max_channel_load, whichever is larger.
    pub flow_low: Fraction,
    /// Certified upper end of lambda.
    pub flow_high: Fraction,
    /// Bandwidth of a channel of capacity 1, GB/s.
    pub channel_bandwidth: Fraction,
    /// Hosts of a router that carries hosts, at least 1: its injection is per host.
    pub hosts: u64,
    /// OCS-disjoint spanning trees over the cubes; `None` where there are no OCSes.
    pub disjoint_trees: Option<u32>,
    /// What the routing reached; `None` before routing.
    pub routed: Option<Walk>,
}

impl ScenarioMetrics {
    /// Ordered pairs of distinct routers.
    pub fn pairs(&self) -> u64 {
        self.nodes * (self.nodes - 1)
    }
    /// Mean hop distance.
    pub fn average_hops(&self) -> Fraction {
        Fraction::new(self.hop_total, self.pairs())
    }
    /// lambda <= capacity of all channels / sum of weight x hop distance.
    pub fn distance_bound(&self) -> Fraction {
        Fraction::new(self.capacity, self.demand_hops)
    }
    /// No single-path routing has a smaller maximum channel load: 1 / dual, rounded up to whole parts.
    pub fn load_bound(&self) -> Fraction {
        let least = Fraction::whole(self.parts).over(self.flow_high).ceil();
        // Lengths bound what some routing reaches, and that is counted in 64 bits.
        self.load(u64::try_from(least).unwrap_or(u64::MAX))
    }
    /// A load that is given in parts, in units: routes by their weights, over the capacity.
    pub fn load(&self, parts: u64) -> Fraction {
        Fraction::new(parts, self.parts)
    }
    /// Load of a lit channel on average, in units; `None` before routing.
    pub fn mean_channel_load(&self) -> Option<Fraction> {
        self.routed.as_ref().map(|walk| Fraction::new(walk.total_load(), u128::from(self.channels) * u128::from(self.parts)))
    }
    /// Hops of a route on average, every pair once; `None` before routing.
    pub fn mean_route_hops(&self) -> Option<Fraction> {
        self.routed.as_ref().map(|walk| Fraction::new(walk.total_hops(), self.pairs()))
    }
    /// What a host of the router that sends most injects when every pair sends at a rate times its weight.
    pub fn injection_at(&self, rate: Fraction) -> Fraction {
        rate.times(Fraction::new(self.sent_most, self.hosts))
    }
    /// The value of a metric; `None` if it needs routes, or OCSes, and there are none.
    pub fn value(&self, metric: Metric) -> Option<Fraction> {
        Some(match metric {
            Metric::Diameter => Fraction::whole(self.diameter),
            Metric::AverageHops => self.average_hops(),
            Metric::ConcurrentFlow => self.flow_low,
            Metric::Injection => self.injection_at(self.flow_low),
            Metric::Bandwidth => self.injection_at(self.flow_low).times(self.channel_bandwidth),
            Metric::MaxChannelLoad => self.load(self.routed.as_ref()?.max_channel_load()),
            Metric::LoadRatio => self.load(self.routed.as_ref()?.max_channel_load()).times(self.flow_high),
            Metric::HopsRatio => Fraction::new(self.routed.as_ref()?.total_hops(), self.hop_total),
            Metric::VcBalance => {
                let walk = self.routed.as_ref()?;
                Fraction::new(*walk.vc_hops.iter().max()?, walk.total_hops())
            }
            Metric::DisjointTrees => Fraction::whole(self.disjoint_trees?),
        })
    }
}

/// The worst value of a metric over all fault scenarios, and the first scenario that has it; `None` without
/// faults or before routing.
pub fn worst(scenarios: &[ScenarioMetrics], metric: Metric) -> Option<(Fraction, &str)> {
    let mut worst: Option<(Fraction, &str)> = None;
    for scenario in scenarios.iter().filter(|scenario| scenario.scenario != "nominal") {
        let value = scenario.value(metric)?;
        if worst.is_none_or(|(so_far, _)| if metric.larger_is_better() { value < so_far } else { value > so_far }) {
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
        (nominal.flow_low.over(self.flow_high), nominal.flow_high.over(self.flow_low))
    }
}

/// How a `require` came out.
#[derive(Clone, Debug)]
pub struct RequireOutcome {
    /// The line of the spec.
    pub require: Require,
    /// The measured value; `None` if the build stopped before it was known.
    pub measured: Option<Fraction>,
    /// The scenario it was measured in, for `fault.` metrics.
    pub scenario: Option<String>,
}

impl RequireOutcome {
    /// Measures one `require`; `fault.` metrics take the worst fault.
    pub fn of(require: &Require, scenarios: &[ScenarioMetrics]) -> Self {
        let (measured, scenario) = if require.fault {
            worst(scenarios, require.metric).map_or((None, None), |(value, scenario)| (Some(value), Some(scenario.to_owned())))
        } else {
            (scenarios[0].value(require.metric), None)
        };
        Self { require: require.clone(), measured, scenario }
    }

    /// Whether it holds, of the exact value and of the value as written; `None` if it was not measured.
    pub fn holds(&self) -> Option<bool> {
        self.measured.map(|measured| self.holds_at(measured))
    }
    /// Whether a value would satisfy it.
    pub fn holds_at(&self, value: Fraction) -> bool {
        let number = self.require.value_text.split(' ').next().and_then(Decimal::parse).expect("`resolve` wrote a decimal number");
        self.require.comparison.holds(value, Fraction::decimal(number))
    }
}

/// Why a pass may have stopped.
pub const STOPPED_BY: [&str; 8] = ["optimal", "gap", "budget", "node_limit", "cut_limit", "fixed", "time_limit", "done"];

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
        let counters =
            [("rounds", flow.rounds), ("sweeps", flow.sweeps)].into_iter().filter(|&(name, count)| name == "rounds" || count > 0);
        Self {
            name: "flow".to_owned(),
            stopped_by: flow.stopped_by.name().to_owned(),
            counters: counters.map(|(name, count)| (name.to_owned(), u64::from(count))).collect(),
            notes: Vec::new(),
        }
    }
}
