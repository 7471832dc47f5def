//! The numbers of the report, per scenario, by the definitions of design.md section 3.

use crate::model::{Metric, Require};

/// What a walk of all tables found; made by the checker, not by the router.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// `[channel class]` under the tables' symmetry: routes of all ordered pairs over one channel of the class, each as often as its weight in
    /// the demand.
    pub loads: Vec<u64>,
    /// `[load]` ascending: (load, number of lit channels that carry it).
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
    /// Weighted routes over the busiest channel.
    pub fn max_channel_load(&self) -> u64 {
        self.load_histogram.last().map_or(0, |&(load, _)| load)
    }
    /// Hops of all routes.
    pub fn total_hops(&self) -> u64 {
        self.vc_hops.iter().sum()
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
    /// Largest hop distance.
    pub diameter: u32,
    /// `[h]`: ordered pairs at distance h.
    pub hop_histogram: Vec<u64>,
    /// Sum of hop distances over ordered pairs.
    pub hop_total: u64,
    /// The same with every pair as often as its weight in the demand.
    pub demand_hops: u64,
    /// Weights of the chip that sends most.
    pub sent_most: u64,
    /// Certified lower end of lambda: a feasible flow, or 1 / max_channel_load, whichever is larger.
    pub flow_low: f64,
    /// Certified upper end of lambda.
    pub flow_high: f64,
    /// Bandwidth of one channel, GB/s.
    pub channel_bandwidth: f64,
    /// OCS-disjoint spanning trees over the cubes.
    pub disjoint_trees: u32,
    /// What the routing reached; `None` before routing.
    pub routed: Option<Walk>,
}

impl ScenarioMetrics {
    /// Ordered pairs of distinct routers.
    pub fn pairs(&self) -> u64 {
        self.nodes * (self.nodes - 1)
    }
    /// Mean hop distance.
    pub fn average_hops(&self) -> f64 {
        self.hop_total as f64 / self.pairs() as f64
    }
    /// lambda <= channels / sum of weight x hop distance.
    pub fn distance_bound(&self) -> f64 {
        self.channels as f64 / self.demand_hops as f64
    }
    /// No single-path routing has a smaller maximum channel load: ceil(1 / dual).
    pub fn load_bound(&self) -> u64 {
        // A dual a rounding error below 1/k must not lift the bound to k + 1.
        (1.0 / self.flow_high - 1e-9).ceil() as u64
    }
    /// Routes over a lit channel on average; `None` before routing.
    pub fn mean_channel_load(&self) -> Option<f64> {
        self.routed.as_ref().map(|walk| walk.total_hops() as f64 / self.channels as f64)
    }
    /// Hops of a route on average; `None` before routing.
    pub fn mean_route_hops(&self) -> Option<f64> {
        self.routed.as_ref().map(|walk| walk.total_hops() as f64 / self.pairs() as f64)
    }
    /// The value of a metric; `None` if it needs routes and there are none.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        let injection = self.flow_low * self.sent_most as f64;
        Some(match metric {
            Metric::Diameter => f64::from(self.diameter),
            Metric::AverageHops => self.average_hops(),
            Metric::ConcurrentFlow => self.flow_low,
            Metric::Injection => injection,
            Metric::Bandwidth => injection * self.channel_bandwidth,
            Metric::MaxChannelLoad => self.routed.as_ref()?.max_channel_load() as f64,
            Metric::LoadRatio => self.routed.as_ref()?.max_channel_load() as f64 * self.flow_high,
            Metric::HopsRatio => self.routed.as_ref()?.total_hops() as f64 / self.hop_total as f64,
            Metric::VcBalance => {
                let walk = self.routed.as_ref()?;
                *walk.vc_hops.iter().max()? as f64 / walk.total_hops() as f64
            }
            Metric::DisjointTrees => f64::from(self.disjoint_trees),
        })
    }
}

/// The worst value of a metric over all fault scenarios, and the scenario; `None` without faults or before routing.
pub fn worst(scenarios: &[ScenarioMetrics], metric: Metric) -> Option<(f64, &str)> {
    let mut worst: Option<(f64, &str)> = None;
    for scenario in scenarios.iter().filter(|scenario| scenario.scenario != "nominal") {
        let value = scenario.value(metric)?;
        if worst.is_none_or(|(so_far, _)| if metric.larger_is_better() { value < so_far } else { value > so_far }) {
            worst = Some((value, &scenario.scenario));
        }
    }
    worst
}

/// What a topology synthesized for the demand is compared with: the one that the same search finds for uniform demand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UniformTopology {
    /// Certified lower end of its lambda on the demand.
    pub flow_low: f64,
    /// Certified upper end.
    pub flow_high: f64,
}

impl UniformTopology {
    /// The gain in lambda on the demand, as a certified interval.
    pub fn gain(&self, nominal: &ScenarioMetrics) -> (f64, f64) {
        (nominal.flow_low / self.flow_high, nominal.flow_high / self.flow_low)
    }
}

/// How a `require` came out.
#[derive(Clone, Debug)]
pub struct RequireOutcome {
    /// The line of the spec.
    pub require: Require,
    /// The measured value; `None` if the build stopped before it was known.
    pub measured: Option<f64>,
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

    /// Whether it holds; `None` if it was not measured.
    pub fn holds(&self) -> Option<bool> {
        self.measured.map(|measured| self.require.comparison.holds(measured, self.require.value))
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
