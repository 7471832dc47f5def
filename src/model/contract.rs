//! The contract: what a spec requires of the result.

use super::word::words;
use fabc_base::diag::Span;
use fabc_base::units::{Decimal, Unit, unit};

/// `require metric >= value`.
#[derive(Clone, Debug)]
pub struct Require {
    /// The metric.
    pub metric: Metric,
    /// Whether it is about the worst tolerated fault (`fault.` prefix).
    pub fault: bool,
    /// What of the spec it is about, where it is not the fabric itself.
    pub of: Option<Subject>,
    /// How it must compare.
    pub comparison: Comparison,
    /// With what: the number, or the factor of a share.
    pub value: Decimal,
    /// What the number counts.
    pub scale: Scale,
    /// The value in its normal form: `10.5 GB/s`, `98 % of universal`, `1.05 * bound`.
    pub value_text: String,
    /// The unit that it is written with, for messages: the value counts that of the metric.
    pub unit: WrittenUnit,
    /// The whole line.
    pub span: Span,
}

impl Require {
    /// The line without `require`: `fault.diameter <= 7`.
    pub fn text(&self) -> String {
        format!("{} {} {}", self.metric_text(), self.comparison.symbol(), self.value_text)
    }
    /// The same with the unit of the spec: `g.time <= 1 us` where [`Require::text`] has 1000 ns.
    pub fn as_written(&self) -> String {
        let value = match (self.unit.0, self.scale) {
            (Some(unit), Scale::Metric) => {
                self.unit.of(self.metric.unit(), self.value).map(|number| format!("{number} {}", unit.name))
            }
            _ => None,
        };
        format!(
            "{} {} {}",
            self.metric_text(),
            self.comparison.symbol(),
            value.unwrap_or_else(|| self.value_text.clone())
        )
    }
    /// The unit in which messages tell its values: the one that the spec writes, else that of the metric,
    /// which may be none.
    pub fn unit_name(&self) -> &'static str {
        match (self.scale, self.unit.0) {
            (Scale::Cycles, _) => "cycles",
            (Scale::Metric, Some(unit)) => unit.name,
            _ => self.metric.unit(),
        }
    }
    /// What it is about, as in the line: `fault.diameter`.
    pub fn metric_text(&self) -> String {
        let name = self.metric.name();
        let fault = if self.fault { "fault." } else { "" };
        match &self.of {
            Some(Subject::Simulation(OfSimulation { name: of, share: Some(share) })) => {
                format!("{fault}{of}.{name}({share})")
            }
            Some(
                Subject::Simulation(OfSimulation { name: of, .. })
                | Subject::Collective(OfCollective { written: of, .. }),
            ) => {
                format!("{fault}{of}.{name}")
            }
            None => format!("{fault}{name}"),
        }
    }
    /// The simulation that it is about.
    pub fn simulation(&self) -> Option<&OfSimulation> {
        if let Some(Subject::Simulation(of)) = &self.of { Some(of) } else { None }
    }
    /// The name of the collective that it is about.
    pub fn collective(&self) -> Option<&str> {
        if let Some(Subject::Collective(of)) = &self.of { Some(&of.name) } else { None }
    }
}

/// The unit that a spec writes behind the value of a `require`, if there is one. It decides nothing, so its
/// debug text, which keys of kept builds are made of, is always the same.
#[derive(Clone, Copy, Default)]
pub struct WrittenUnit(pub Option<&'static Unit>);

impl std::fmt::Debug for WrittenUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("as written")
    }
}

impl WrittenUnit {
    /// How much of what both count are the unit of a metric and the written one.
    pub fn factors(self, of_metric: &str) -> [u64; 2] {
        match (self.0, unit(of_metric)) {
            (Some(written), Some(of_metric)) if written.dimension == of_metric.dimension => {
                [of_metric.factor, written.factor]
            }
            _ => [1, 1],
        }
    }
    /// A number in the unit of a metric, in the written one.
    fn of(self, of_metric: &str, number: Decimal) -> Option<Decimal> {
        let [of_metric, written] = self.factors(of_metric);
        number.product(Decimal::whole(of_metric))?.divided(Decimal::whole(written))
    }
}

/// What a `require` is about, where it is not the fabric itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// A simulation, and at which share of the static bound (`peak.latency(0.5)`).
    Simulation(OfSimulation),
    /// A collective.
    Collective(OfCollective),
}

/// Which collective a `require` is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfCollective {
    /// Its name.
    pub name: String,
    /// As written: that, or its kind where there is one of it.
    pub written: String,
}

/// What of which simulation a `require` is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfSimulation {
    /// Its name.
    pub name: String,
    /// The rate, as a share of the static bound, of a metric of single runs.
    pub share: Option<Decimal>,
}

/// What the value of a `require` counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// The metric as it is; bandwidths in GB/s, latencies in ns.
    Metric,
    /// Router cycles, of a latency.
    Cycles,
    /// A share of something that is known when it is compared.
    ShareOf(Reference),
}

/// The names of [`Reference`], in its order.
pub const REFERENCES: [&str; 3] = ["universal", "bound", "nominal"];

/// What a value may be a share of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reference {
    /// What no topology of these switches can exceed.
    Universal,
    /// What nothing on this topology, in the scenario that is measured, can exceed.
    Bound,
    /// The healthy fabric.
    Nominal,
}

impl Reference {
    /// All of them.
    pub const ALL: [Reference; 3] = [Reference::Universal, Reference::Bound, Reference::Nominal];

    /// The name in specs.
    pub fn name(self) -> &'static str {
        REFERENCES[self as usize]
    }
}

/// What can be required. Definitions: `docs/language.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Metric {
    /// Largest hop distance.
    Diameter,
    /// Mean hop distance over ordered pairs.
    AverageHops,
    /// Certified lower end of the maximum concurrent flow.
    ConcurrentFlow,
    /// Flits per cycle per node.
    Injection,
    /// GB/s per chip.
    Bandwidth,
    /// Routes over the busiest channel.
    MaxChannelLoad,
    /// Maximum channel load over its lower bound.
    LoadRatio,
    /// Mean route hops over mean hop distance.
    HopsRatio,
    /// Largest share of hops in one VC.
    VcBalance,
    /// Zero-load latency of a flit, mean over all routes, ns.
    Latency,
    /// The largest one, ns.
    LatencyMax,
    /// OCS-disjoint spanning trees over the cubes.
    DisjointTrees,
    /// What is measured of the graph of a network, known of no pod and of no fault.
    Graph(GraphMetric),
    /// What the cables on a floor come to.
    Floor(FloorMetric),
    /// What a simulation finds.
    Simulated(SimulatedMetric),
    /// What the fastest schedule of a collective comes to.
    Collective(CollectiveMetric),
}

/// What a simulation finds, at its worst seed and scenario. Definitions: `docs/simulation.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SimulatedMetric {
    /// The largest stable rate that was run, flits per cycle and endpoint.
    Saturation,
    /// The same over the static bound; of traffic that ends, the lower bound of its cycles over them.
    Share,
    /// Mean latency at a share of the static bound.
    Latency,
    /// Of traffic that ends: from the first cycle to the last delivery.
    Time,
}

words!(SimulatedMetric { Saturation = "saturation", Share = "share", Latency = "latency", Time = "time" });

impl SimulatedMetric {
    /// Whether it is known of traffic that ends, or of traffic that does not.
    pub fn is_of(self, finite: bool) -> bool {
        match self {
            SimulatedMetric::Share => true,
            SimulatedMetric::Time => finite,
            SimulatedMetric::Saturation | SimulatedMetric::Latency => !finite,
        }
    }
}

/// What the fastest schedule of a collective comes to. Definitions: `docs/collectives.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CollectiveMetric {
    /// How long it takes.
    Time,
    /// What no schedule takes less than, over that.
    Share,
    /// Rounds, one after the other.
    Steps,
    /// Chunk times, one after the other.
    Volume,
    /// Size over time, times what makes it comparable with the bandwidth of a port.
    Bandwidth,
    /// Where vectors are scheduled: from the first cycle of all until it is over. Of no single collective:
    /// until all are.
    Makespan,
    /// That over what no plan ends before.
    MakespanRatio,
}

words!(CollectiveMetric {
    Time = "time",
    Share = "share",
    Steps = "steps",
    Volume = "volume",
    Bandwidth = "bandwidth",
    Makespan = "makespan",
    MakespanRatio = "makespan_ratio",
});

impl CollectiveMetric {
    /// What is known of all collectives together as well.
    pub const OF_ALL: [CollectiveMetric; 2] = [CollectiveMetric::Makespan, CollectiveMetric::MakespanRatio];

    /// Whether it is known where vectors are scheduled alone.
    pub fn is_scheduled(self) -> bool {
        matches!(self, CollectiveMetric::Makespan | CollectiveMetric::MakespanRatio)
    }
}

/// What the cables on a floor come to. Definitions: `docs/language.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FloorMetric {
    /// Length of all cables, m.
    CableLength,
    /// Mean length of a cable, m.
    AverageCable,
    /// The longest cable, m.
    LongestCable,
    /// Price of all cables, laid.
    Cost,
    /// Power of all cables, W.
    Power,
    /// Bundles of cables.
    Bundles,
}

words!(FloorMetric {
    CableLength = "cable_length",
    AverageCable = "average_cable",
    LongestCable = "longest_cable",
    Cost = "cost",
    Power = "power",
    Bundles = "bundles",
});

impl FloorMetric {
    /// Whether it is a length.
    pub fn is_length(self) -> bool {
        matches!(self, FloorMetric::CableLength | FloorMetric::AverageCable | FloorMetric::LongestCable)
    }
}

/// What is measured of the graph of a network. Definitions: `docs/language.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GraphMetric {
    /// Number of routers.
    Routers,
    /// Number of hosts.
    Hosts,
    /// Number of links.
    Links,
    /// Certified lower end of the bisection, links.
    Bisection,
    /// What these links carry in one direction at least, GB/s.
    BisectionBandwidth,
    /// Shortest paths of an ordered pair on average.
    ShortestPaths,
    /// Fewest links without which the network falls apart.
    EdgeConnectivity,
    /// Share of the links that have failed when the network falls apart, in the median of random orders.
    DisconnectShare,
}

words!(GraphMetric {
    Routers = "routers",
    Hosts = "hosts",
    Links = "links",
    Bisection = "bisection",
    BisectionBandwidth = "bisection_bandwidth",
    ShortestPaths = "shortest_paths",
    EdgeConnectivity = "edge_connectivity",
    DisconnectShare = "disconnect_share",
});

impl GraphMetric {
    /// Whether it counts something; the others are ratios.
    pub fn is_count(self) -> bool {
        !matches!(
            self,
            GraphMetric::BisectionBandwidth | GraphMetric::ShortestPaths | GraphMetric::DisconnectShare
        )
    }
    /// Whether it is about the links between two halves.
    pub fn is_of_halves(self) -> bool {
        matches!(self, GraphMetric::Bisection | GraphMetric::BisectionBandwidth)
    }
}

impl Metric {
    /// The metrics of every scenario, in report order.
    pub const ALL: [Metric; 12] = [
        Metric::Diameter,
        Metric::AverageHops,
        Metric::ConcurrentFlow,
        Metric::Injection,
        Metric::Bandwidth,
        Metric::MaxChannelLoad,
        Metric::LoadRatio,
        Metric::HopsRatio,
        Metric::VcBalance,
        Metric::Latency,
        Metric::LatencyMax,
        Metric::DisjointTrees,
    ];
    /// All metrics that a spec may name.
    pub fn every() -> impl Iterator<Item = Metric> + Clone {
        Metric::ALL
            .into_iter()
            .chain(GraphMetric::ALL.into_iter().map(Metric::Graph))
            .chain(FloorMetric::ALL.into_iter().map(Metric::Floor))
            .chain(CollectiveMetric::OF_ALL.into_iter().map(Metric::Collective))
    }
    /// The name in specs and reports.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Diameter => "diameter",
            Metric::AverageHops => "average_hops",
            Metric::ConcurrentFlow => "concurrent_flow",
            Metric::Injection => "injection",
            Metric::Bandwidth => "bandwidth",
            Metric::MaxChannelLoad => "max_channel_load",
            Metric::LoadRatio => "load_ratio",
            Metric::HopsRatio => "hops_ratio",
            Metric::VcBalance => "vc_balance",
            Metric::Latency => "latency",
            Metric::LatencyMax => "latency_max",
            Metric::DisjointTrees => "disjoint_trees",
            Metric::Graph(metric) => metric.name(),
            Metric::Floor(metric) => metric.name(),
            Metric::Simulated(metric) => metric.name(),
            Metric::Collective(metric) => metric.name(),
        }
    }
    /// Whether it is about the routes of forwarding tables.
    pub fn needs_routes(self) -> bool {
        matches!(
            self,
            Metric::MaxChannelLoad
                | Metric::LoadRatio
                | Metric::HopsRatio
                | Metric::VcBalance
                | Metric::Latency
                | Metric::LatencyMax
        )
    }
    /// Whether it is about traffic, so that it says nothing of a fault that leaves nobody who sends.
    pub fn needs_demand(self) -> bool {
        matches!(
            self,
            Metric::ConcurrentFlow
                | Metric::Injection
                | Metric::Bandwidth
                | Metric::MaxChannelLoad
                | Metric::LoadRatio
        )
    }
    /// What a value of it may be a share of, nominal and under a fault.
    pub fn references(self, fault: bool) -> &'static [Reference] {
        use Reference::{Bound, Nominal, Universal};
        match (self, fault) {
            (Metric::Floor(_) | Metric::Simulated(_) | Metric::Collective(_), _) => &[],
            (
                Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::MaxChannelLoad,
                false,
            ) => &[Universal, Bound],
            (
                Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::MaxChannelLoad,
                true,
            ) => &[Universal, Bound, Nominal],
            (_, true) => &[Nominal],
            (_, false) => &[],
        }
    }
    /// The unit that its values are told in; empty for counts and ratios.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Bandwidth
            | Metric::Collective(CollectiveMetric::Bandwidth)
            | Metric::Graph(GraphMetric::BisectionBandwidth) => "GB/s",
            Metric::Latency
            | Metric::LatencyMax
            | Metric::Simulated(SimulatedMetric::Latency | SimulatedMetric::Time)
            | Metric::Collective(CollectiveMetric::Time | CollectiveMetric::Makespan) => "ns",
            Metric::Floor(metric) if metric.is_length() => "m",
            Metric::Floor(FloorMetric::Power) => "W",
            _ => "",
        }
    }
    /// Whether a larger value is the better one (decides which fault is the worst).
    pub fn larger_is_better(self) -> bool {
        let of_flow = matches!(self, Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth);
        let of_runs = matches!(self, Metric::Simulated(SimulatedMetric::Saturation | SimulatedMetric::Share));
        let of_schedules =
            matches!(self, Metric::Collective(CollectiveMetric::Share | CollectiveMetric::Bandwidth));
        of_flow || of_runs || of_schedules || matches!(self, Metric::DisjointTrees | Metric::Graph(_))
    }
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `==`
    Equal,
}

impl Comparison {
    /// All comparisons.
    pub const ALL: [Comparison; 5] =
        [Comparison::AtMost, Comparison::AtLeast, Comparison::Less, Comparison::Greater, Comparison::Equal];
    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::AtMost => "<=",
            Comparison::AtLeast => ">=",
            Comparison::Less => "<",
            Comparison::Greater => ">",
            Comparison::Equal => "==",
        }
    }
    /// Whether larger values satisfy it.
    pub fn wants_more(self) -> bool {
        matches!(self, Comparison::AtLeast | Comparison::Greater)
    }
    /// Whether `measured` satisfies it.
    pub fn holds<T: PartialOrd>(self, measured: T, wanted: T) -> bool {
        match self {
            Comparison::AtMost => measured <= wanted,
            Comparison::AtLeast => measured >= wanted,
            Comparison::Less => measured < wanted,
            Comparison::Greater => measured > wanted,
            Comparison::Equal => measured == wanted,
        }
    }
}
