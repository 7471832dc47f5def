//! The metrics that a spec can require, and what each of them needs.

use super::job::JobMetric;
use super::reference::Reference;
use super::word::words;

/// A metric that a spec can require. Definitions: `docs/language.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Metric {
    /// Largest hop distance between endpoints.
    Diameter,
    /// Mean hop distance over ordered pairs.
    AverageHops,
    /// Certified lower end of the maximum concurrent flow.
    ConcurrentFlow,
    /// Flits per cycle that the busiest host injects.
    Injection,
    /// Bandwidth of the busiest host, GB/s.
    Bandwidth,
    /// Routes over the busiest channel, by weight over capacity.
    MaxChannelLoad,
    /// Maximum channel load over its lower bound.
    LoadRatio,
    /// Mean route hops over mean hop distance.
    HopsRatio,
    /// Largest share of the hops on one virtual channel.
    VcBalance,
    /// Zero-load latency of a flit in ns, the mean over all routes.
    Latency,
    /// Zero-load latency of a flit in ns, the largest over all routes.
    LatencyMax,
    /// OCS-disjoint spanning trees over the cubes.
    DisjointTrees,
    /// The largest load that a permutation of hosts puts on a channel. Only where tables have many paths.
    Permutation,
    /// Expected flows on the fullest member of a next-hop group over the mean. Only of `ecmp`.
    Collision,
    /// All flows of a group on one member, over the least that the fullest member can have. Only of `ecmp`.
    CollisionWorst,
    /// A metric of the graph of a network. Pods have none, nor have faults.
    Graph(GraphMetric),
    /// A metric of the cables on a floor.
    Floor(FloorMetric),
    /// A metric of the switches, cables and prices, with the hosts. Faults have none.
    Hardware(HardwareMetric),
    /// A metric of a simulation.
    Simulated(SimulatedMetric),
    /// A metric of the fastest schedule of a collective.
    Collective(CollectiveMetric),
    /// A metric of a step of a job.
    Job(JobMetric),
}

/// A metric of a simulation, at its worst seed and scenario. Definitions: `docs/simulation.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SimulatedMetric {
    /// The largest stable rate of all runs, in flits per cycle and endpoint.
    Saturation,
    /// The saturation over the static bound. For finite traffic, the lower bound of the cycles over the
    /// cycles taken.
    Share,
    /// Mean latency at a share of the static bound, in ns.
    Latency,
    /// The flits accepted in overload over the saturation, at the worst stated multiple of it.
    Sustained,
    /// The packets of the worst source in overload over those of the best one, at the worst multiple.
    Fairness,
    /// Of hotspot traffic in overload: of the packets for all endpoints but the hot ones, the part that is
    /// delivered, at the worst multiple.
    Elsewhere,
    /// For finite traffic: the time from the first cycle to the last delivery, in ns.
    Time,
}

words!(SimulatedMetric {
    Saturation = "saturation",
    Share = "share",
    Latency = "latency",
    Sustained = "sustained",
    Fairness = "fairness",
    Elsewhere = "elsewhere",
    Time = "time",
});

impl SimulatedMetric {
    /// Whether it is defined for finite traffic (`finite`), or for traffic that goes on.
    pub fn is_of(self, finite: bool) -> bool {
        match self {
            SimulatedMetric::Share => true,
            SimulatedMetric::Time => finite,
            SimulatedMetric::Saturation | SimulatedMetric::Latency => !finite,
            SimulatedMetric::Sustained | SimulatedMetric::Fairness | SimulatedMetric::Elsewhere => !finite,
        }
    }

    /// Whether runs in overload measure it.
    pub fn is_of_overload(self) -> bool {
        matches!(self, SimulatedMetric::Sustained | SimulatedMetric::Fairness | SimulatedMetric::Elsewhere)
    }
}

/// A metric of the fastest schedule of a collective. Definitions: `docs/collectives.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CollectiveMetric {
    /// The time that it takes, in ns.
    Time,
    /// The lower bound of the time over the time.
    Share,
    /// Number of rounds, one after the other.
    Steps,
    /// Number of chunk times, one after the other.
    Volume,
    /// The bus bandwidth in GB/s: size over time, times [`crate::Collective::bus_factor`].
    Bandwidth,
    /// The time from the first cycle of all until it is over, in ns. Only where vectors are scheduled.
    /// Without a collective, until all are over.
    Makespan,
    /// The makespan over its lower bound.
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
    /// The metrics that are also defined for all collectives together.
    pub const OF_ALL: [CollectiveMetric; 2] = [CollectiveMetric::Makespan, CollectiveMetric::MakespanRatio];

    /// Whether it is defined only where vectors are scheduled.
    pub fn is_scheduled(self) -> bool {
        matches!(self, CollectiveMetric::Makespan | CollectiveMetric::MakespanRatio)
    }
}

/// A metric of the cables on a floor. Definitions: `docs/language.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FloorMetric {
    /// Length of all cables together, m.
    CableLength,
    /// Mean length of the cables, m.
    AverageCable,
    /// Length of the longest cable, m.
    LongestCable,
    /// Price of all cables, with the price of laying them.
    Cost,
    /// Power of all cables together, W.
    Power,
    /// Number of bundles of cables.
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

impl HardwareMetric {
    /// Whether the metric counts something.
    pub fn is_count(self) -> bool {
        matches!(self, HardwareMetric::Switches | HardwareMetric::Cables)
    }
}

impl FloorMetric {
    /// Whether the metric is a length, in m.
    pub fn is_length(self) -> bool {
        matches!(self, FloorMetric::CableLength | FloorMetric::AverageCable | FloorMetric::LongestCable)
    }
}

/// A metric of the switches, cables and prices of a fabric, with its hosts. Definitions: `docs/language.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum HardwareMetric {
    /// Number of switches: what carries traffic, stands in no box and is no endpoint.
    Switches,
    /// Number of cables, with those of hosts.
    Cables,
    /// The largest bandwidth from below a router over its bandwidth upwards.
    Oversubscription,
    /// Price of all routers, switches and cables over the number of hosts.
    CostPerHost,
    /// Power of all routers, switches and cables over the number of hosts, W.
    PowerPerHost,
}

words!(HardwareMetric {
    Switches = "switches",
    Cables = "cables",
    Oversubscription = "oversubscription",
    CostPerHost = "cost_per_host",
    PowerPerHost = "power_per_host",
});

/// A metric of the graph of a network. Definitions: `docs/language.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GraphMetric {
    /// Number of routers of the network.
    Routers,
    /// Number of hosts of all routers.
    Hosts,
    /// Number of links of the network.
    Links,
    /// Certified lower bound of the bisection, in links.
    Bisection,
    /// The least that these links carry in one direction, GB/s.
    BisectionBandwidth,
    /// Certified lower bound of the links between two halves of the routers with hosts.
    HostBisection,
    /// The least that these links carry in one direction, GB/s.
    HostBisectionBandwidth,
    /// Shortest paths of an ordered pair on average.
    ShortestPaths,
    /// The fewest links without which the network is disconnected.
    EdgeConnectivity,
    /// Share of the links that have failed when the network becomes disconnected: the median over random
    /// orders.
    DisconnectShare,
}

words!(GraphMetric {
    Routers = "routers",
    Hosts = "hosts",
    Links = "links",
    Bisection = "bisection",
    BisectionBandwidth = "bisection_bandwidth",
    HostBisection = "host_bisection",
    HostBisectionBandwidth = "host_bisection_bandwidth",
    ShortestPaths = "shortest_paths",
    EdgeConnectivity = "edge_connectivity",
    DisconnectShare = "disconnect_share",
});

impl GraphMetric {
    /// Whether it is a count. The others are ratios.
    pub fn is_count(self) -> bool {
        !self.is_bandwidth() && !matches!(self, GraphMetric::ShortestPaths | GraphMetric::DisconnectShare)
    }
    /// Whether it is a bandwidth, in GB/s.
    pub fn is_bandwidth(self) -> bool {
        matches!(self, GraphMetric::BisectionBandwidth | GraphMetric::HostBisectionBandwidth)
    }
    /// Whether it is about what runs between two halves, of all routers or of those with hosts.
    pub fn is_of_halves(self) -> bool {
        self.is_of_host_halves() || matches!(self, GraphMetric::Bisection | GraphMetric::BisectionBandwidth)
    }
    /// Whether it is about what runs between two halves of the routers with hosts.
    pub fn is_of_host_halves(self) -> bool {
        matches!(self, GraphMetric::HostBisection | GraphMetric::HostBisectionBandwidth)
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
    /// The metrics of every scenario that only routings with many paths have. Reports leave them out where
    /// they are not measured.
    pub const MANY_PATHS: [Metric; 3] = [Metric::Permutation, Metric::Collision, Metric::CollisionWorst];

    /// [`Metric::ALL`], and those that only some routings have.
    pub fn of_scenarios() -> impl Iterator<Item = Metric> + Clone {
        Metric::ALL.into_iter().chain(Metric::MANY_PATHS)
    }
    /// All metrics that a spec may name.
    pub fn every() -> impl Iterator<Item = Metric> + Clone {
        Metric::of_scenarios()
            .chain(GraphMetric::ALL.into_iter().map(Metric::Graph))
            .chain(FloorMetric::ALL.into_iter().map(Metric::Floor))
            .chain(HardwareMetric::ALL.into_iter().map(Metric::Hardware))
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
            Metric::Permutation => "permutation",
            Metric::Collision => "collision",
            Metric::CollisionWorst => "collision_worst",
            Metric::Graph(metric) => metric.name(),
            Metric::Floor(metric) => metric.name(),
            Metric::Hardware(metric) => metric.name(),
            Metric::Simulated(metric) => metric.name(),
            Metric::Collective(metric) => metric.name(),
            Metric::Job(metric) => metric.name(),
        }
    }
    /// Whether it is about the routes of forwarding tables, so that it needs them.
    pub fn needs_routes(self) -> bool {
        matches!(
            self,
            Metric::MaxChannelLoad
                | Metric::LoadRatio
                | Metric::HopsRatio
                | Metric::VcBalance
                | Metric::Latency
                | Metric::LatencyMax
                | Metric::Permutation
                | Metric::Collision
                | Metric::CollisionWorst
        )
    }
    /// Whether it is measured for the healthy fabric only.
    pub fn is_of_healthy(self) -> bool {
        matches!(self, Metric::Graph(_) | Metric::Floor(_) | Metric::Hardware(_))
    }
    /// Whether it is a power, in W.
    pub fn is_power(self) -> bool {
        matches!(self, Metric::Floor(FloorMetric::Power) | Metric::Hardware(HardwareMetric::PowerPerHost))
    }
    /// Whether it is about traffic. Then it is undefined for a fault after which nobody sends.
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
    /// The references that a share of this metric may have, nominal or under a fault.
    pub fn references(self, fault: bool) -> &'static [Reference] {
        use Reference::{Bound, Nominal, Universal};
        match (self, fault) {
            (
                Metric::Floor(_)
                | Metric::Hardware(_)
                | Metric::Simulated(_)
                | Metric::Collective(_)
                | Metric::Job(_),
                _,
            ) => &[],
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
    /// The unit of its values. Empty for counts and ratios.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::Bandwidth
            | Metric::Collective(CollectiveMetric::Bandwidth)
            | Metric::Graph(GraphMetric::BisectionBandwidth | GraphMetric::HostBisectionBandwidth) => "GB/s",
            Metric::Latency
            | Metric::LatencyMax
            | Metric::Simulated(SimulatedMetric::Latency | SimulatedMetric::Time)
            | Metric::Collective(CollectiveMetric::Time | CollectiveMetric::Makespan)
            | Metric::Job(JobMetric::Communication | JobMetric::Step | JobMetric::Exposed) => "ns",
            Metric::Floor(metric) if metric.is_length() => "m",
            metric if metric.is_power() => "W",
            _ => "",
        }
    }
    /// Whether a larger value is better. It decides which fault is the worst.
    pub fn larger_is_better(self) -> bool {
        let of_flow = matches!(self, Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth);
        let of_runs = match self {
            Metric::Simulated(metric) => {
                metric.is_of_overload()
                    || matches!(metric, SimulatedMetric::Saturation | SimulatedMetric::Share)
            }
            _ => false,
        };
        let of_schedules =
            matches!(self, Metric::Collective(CollectiveMetric::Share | CollectiveMetric::Bandwidth));
        of_flow
            || of_runs
            || of_schedules
            || matches!(self, Metric::DisjointTrees | Metric::Graph(_) | Metric::Job(JobMetric::Share))
    }
}
