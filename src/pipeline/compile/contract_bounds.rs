//! The bounds behind the contract before the search: what no result of the build can exceed.
//!
//! In: a fabric, and its topology and distances where they are known. Out: proved bounds on metrics, each
//! with its argument. They are the universal bound of the switches, and what the ports of the busiest sender
//! carry. They are also Moore's bound on distances (Hoffman & Singleton 1960), and the exact distances of a
//! fixed topology. A ratio to a bound has a least value as well.

use fabc_base::ids::NodeId;
use fabc_ir::{
    Collisions, Distances, Fraction, Hardware, LimitArgument, Scenario, Scene, Topology, Units, gigabytes,
    nanoseconds, tiers_above_endpoints,
};
use fabc_model::{
    Ecmp, Fabric, Faults, GraphMetric, HardwareMetric, Metric, Pod, Reference, Require, ValueScale,
};
use fabc_passes::limit;
use fabc_passes::measure::collision::{self, KnownExpectations};
use fabc_passes::route::groups;

/// A one-sided constraint on a quantity: the demand of a `require` line, or a proved bound.
#[derive(Clone)]
pub(super) struct SidedBound<T> {
    /// The metric, and whether it is of the worst fault. Flows are counted as rates of every pair.
    pub(super) quantity: (Metric, bool),
    /// Whether `value` is an upper limit. Otherwise it is a lower limit.
    pub(super) is_upper: bool,
    pub(super) value: Fraction,
    /// Whether the value itself is excluded, too.
    pub(super) is_open: bool,
    /// The line or the argument behind it.
    pub(super) source: T,
}

/// The reason why a bound holds.
#[derive(Clone)]
pub(super) struct BoundArgument {
    /// The beginning of a message, such as `no topology of these switches exceeds`.
    pub(super) reason: &'static str,
    pub(super) why: String,
}

impl<T> SidedBound<T> {
    /// Whether no value satisfies both.
    pub(super) fn contradicts<U>(&self, other: &SidedBound<U>) -> bool {
        if self.quantity != other.quantity || self.is_upper == other.is_upper {
            return false;
        }
        let (low, high) = if self.is_upper { (other.value, self.value) } else { (self.value, other.value) };
        low > high || (low == high && (self.is_open || other.is_open))
    }
}

/// The metric from which this one is computed. Injection and bandwidth follow from the concurrent flow.
pub(super) fn base_metric(metric: Metric) -> Metric {
    match metric {
        Metric::Injection | Metric::Bandwidth => Metric::ConcurrentFlow,
        other => other,
    }
}

/// The most counts for the universal bound that are quick: some 60 ms. Cubes of 4 x 4 x 4 take a sixth of
/// them.
const EARLY_COUNTS: usize = 1 << 22;

/// The universal bound, and its argument. `None` if no line needs it, or if only the build can find it.
pub(super) fn universal_bound(fabric: &Fabric) -> Option<(Fraction, String)> {
    let pod = fabric.pod()?;
    let needs_bound = |require: &Require| {
        let is_flow = matches!(base_metric(require.metric), Metric::ConcurrentFlow | Metric::MaxChannelLoad);
        is_flow && require.scale != ValueScale::ShareOf(Reference::Bound)
    };
    if !fabric.requires.iter().any(needs_bound) {
        return None;
    }
    let limit = limit::universal_within(EARLY_COUNTS, pod, &fabric.demand, &fabric.capacities)?;
    let why = match limit.argument {
        LimitArgument::Tree { .. } | LimitArgument::OneHop { .. } => {
            "universal bound: from any chip, distances in every wiring are at least those in a tree of cubes"
        }
        LimitArgument::Plane { .. } => {
            "universal bound: half of all pairs cross a plane through the cubes, and no fiber does"
        }
        LimitArgument::Cubes { .. } => {
            "universal bound: no wiring has more fibers between these cubes and the others"
        }
    };
    Some((limit.value(), why.to_owned()))
}

/// Why a value is known before the search.
const BY_PARAMETERS: &str = "it follows from the parameters of the network";
const BY_PARAMETERS_OF_POD: &str = "it follows from the parameters of the pod";
const THIS_NETWORK: &str = "this network has";
const THIS_POD: &str = "this pod has";
const NO_ROUTERS_HAVE_MORE: &str = "no two halves of these routers have more than";
const NO_HOSTS_HAVE_MORE: &str = "no two halves of the routers with hosts have more than";

/// The sum over the smaller half of the values of routers.
fn least_sum(routers: &[NodeId], value: impl Fn(NodeId) -> u64) -> u64 {
    let mut values: Vec<u64> = routers.iter().map(|&router| value(router)).collect();
    values.sort_unstable();
    values[..values.len() / 2].iter().sum()
}

/// Collects the bounds on the result.
struct Bounds {
    bounds: Vec<SidedBound<BoundArgument>>,
    /// Whether the bounds hold under every tolerated fault as well. They do not if a router may die. It takes
    /// its traffic along, which changes the pairs and the sums.
    of_faults: bool,
}

impl Bounds {
    fn add(&mut self, metric: Metric, is_upper: bool, value: Fraction, reason: &'static str, why: &str) {
        for fault in [Some(false), self.of_faults.then_some(true)].into_iter().flatten() {
            let source = BoundArgument { reason, why: why.to_owned() };
            self.bounds.push(SidedBound {
                quantity: (metric, fault),
                is_upper,
                value,
                is_open: false,
                source,
            });
        }
    }
    /// Adds a count that follows from the parameters.
    fn add_count(&mut self, metric: Metric, count: u64) {
        self.add_value(metric, Fraction::integer(count), THIS_NETWORK, BY_PARAMETERS);
    }
    /// Adds a value that the fabric has. `reason` and `why` are those of a [`BoundArgument`].
    fn add_value(&mut self, metric: Metric, value: Fraction, reason: &'static str, why: &str) {
        for is_upper in [true, false] {
            let source = BoundArgument { reason, why: why.to_owned() };
            self.bounds.push(SidedBound {
                quantity: (metric, false),
                is_upper,
                value,
                is_open: false,
                source,
            });
        }
    }
    /// Adds the counts of routers, hosts and links of a network, and the hardware of a fabric.
    fn add_counts(&mut self, fabric: &Fabric, topology: Option<&Topology>) {
        if fabric.pod().is_none() {
            self.add_count(Metric::Graph(GraphMetric::Routers), fabric.node_count() as u64);
            self.add_count(
                Metric::Graph(GraphMetric::Hosts),
                fabric.declared_hosts().into_iter().map(u64::from).sum(),
            );
            if let Some(topology) = topology {
                self.add_count(Metric::Graph(GraphMetric::Links), topology.links().len() as u64);
                self.add_halves(fabric, topology);
            }
        }
        self.add_hardware(fabric, topology);
    }
    /// Adds bounds on what runs between halves, if a line asks for them: all links of the routers that have
    /// least would run across.
    fn add_halves(&mut self, fabric: &Fabric, topology: &Topology) {
        let is_asked = |line: &Require| matches!(line.metric, Metric::Graph(metric) if metric.is_of_halves());
        if !fabric.requires.iter().any(is_asked) || topology.has_simplex() {
            return;
        }
        let why = "a cut around the half with the fewest links has no more";
        let unit_bps = u128::from(topology.capacities().unit_bps());
        let in_gigabytes = |capacity: u64| gigabytes(u128::from(capacity) * unit_bps);
        let capacities = || topology.links().ids().map(|link| topology.capacity(link));
        let (narrowest, widest) = (capacities().min().unwrap_or(1), capacities().max().unwrap_or(1));
        let all: Vec<NodeId> = topology.nodes().collect();
        let links = least_sum(&all, |node| topology.channels_from(node).count() as u64);
        let mut add = |metric: GraphMetric, value: Fraction, reason: &'static str| {
            self.add(Metric::Graph(metric), true, value, reason, why);
        };
        add(GraphMetric::Bisection, Fraction::integer(links), NO_ROUTERS_HAVE_MORE);
        add(GraphMetric::BisectionBandwidth, in_gigabytes(links * narrowest), NO_ROUTERS_HAVE_MORE);
        let hosts: Vec<NodeId> = topology.endpoints().collect();
        if hosts.len() == all.len() {
            add(GraphMetric::HostBisection, Fraction::integer(links), NO_ROUTERS_HAVE_MORE);
            add(GraphMetric::HostBisectionBandwidth, in_gigabytes(links * narrowest), NO_ROUTERS_HAVE_MORE);
            return;
        }
        let capacity = |node: NodeId| {
            topology.channels_from(node).map(|channel| topology.channel_capacity(channel)).sum::<u64>()
        };
        let capacity = least_sum(&hosts, capacity);
        let links = Fraction::integer(capacity.div_ceil(widest));
        add(GraphMetric::HostBisection, links, NO_HOSTS_HAVE_MORE);
        add(GraphMetric::HostBisectionBandwidth, in_gigabytes(capacity), NO_HOSTS_HAVE_MORE);
    }
    /// Adds the metrics of the hardware, if a line asks for them. On a floor, prices wait for the places of
    /// routers.
    fn add_hardware(&mut self, fabric: &Fabric, topology: Option<&Topology>) {
        if !fabric.requires.iter().any(|line| matches!(line.metric, Metric::Hardware(_))) {
            return;
        }
        let (hardware, reason, why) = match (fabric.pod(), topology) {
            (Some(pod), _) => (Hardware::of_pod(fabric, pod, None), THIS_POD, BY_PARAMETERS_OF_POD),
            (None, Some(topology)) => (Hardware::new(fabric, topology, None), THIS_NETWORK, BY_PARAMETERS),
            (None, None) => return,
        };
        let is_known = |metric: &HardwareMetric| {
            fabric.floor.is_none()
                || !matches!(metric, HardwareMetric::CostPerHost | HardwareMetric::PowerPerHost)
        };
        for metric in HardwareMetric::ALL.into_iter().filter(is_known) {
            if let Some(value) = hardware.value(metric) {
                self.add_value(Metric::Hardware(metric), value, reason, why);
            }
        }
    }
    /// Adds the collisions of flows in the healthy network, if a line asks for them.
    fn add_collisions(&mut self, fabric: &Fabric, topology: Option<&Topology>) {
        let of_collisions =
            |line: &Require| matches!(line.metric, Metric::Collision | Metric::CollisionWorst);
        let topology = topology.filter(|_| fabric.requires.iter().any(of_collisions));
        let Some(collisions) = topology.and_then(|topology| healthy_collisions(fabric, topology)) else {
            return;
        };
        let why = "its next-hop groups and the flows that share them follow from its tiers and hosts";
        if let Some(value) = collisions.expected_over_mean() {
            self.add_value(Metric::Collision, value, THIS_NETWORK, why);
        }
        self.add_value(Metric::CollisionWorst, collisions.worst_over_even(), THIS_NETWORK, why);
    }
    /// Adds what a fixed topology has exactly while it is healthy. Faults can only increase it.
    fn add_exact(&mut self, metric: Metric, value: Fraction) {
        for is_upper in [true, false] {
            let source = BoundArgument {
                reason: "this topology has",
                why: "nothing is searched here: the topology is fixed".to_owned(),
            };
            self.bounds.push(SidedBound {
                quantity: (metric, false),
                is_upper,
                value,
                is_open: false,
                source,
            });
        }
        self.add(metric, false, value, "without any fault this topology has", "faults make no path shorter");
    }
}

/// All bounds on the metrics of the result.
pub(super) fn result_bounds(
    fabric: &Fabric,
    topology: Option<&Topology>,
    distances: Option<&Distances>,
    units: &Units,
    universal: Option<&(Fraction, String)>,
) -> Vec<SidedBound<BoundArgument>> {
    let mut bounds = Bounds { bounds: Vec::new(), of_faults: fabric.budget.faults != Faults::Router };
    let widest = widest(fabric, topology);
    let leaving_rate = Fraction::new(widest.capacity, fabric.demand.sent_most(None).max(1));
    let why = format!(
        "the endpoint that sends most has {} ports, and all its traffic leaves by them",
        widest.ports
    );
    let mut rate = (leaving_rate, why.as_str());
    bounds.add(Metric::ConcurrentFlow, true, leaving_rate, "no topology exceeds", &why);
    if let Some((value, why)) = universal {
        bounds.add(Metric::ConcurrentFlow, true, *value, "no topology of these switches exceeds", why);
        rate = if *value < leaving_rate { (*value, why) } else { rate };
    }
    // A rate of zero means that no topology joins the routers. The build says so.
    if !rate.0.is_zero() {
        let reason = "every routing on any of these topologies has at least";
        bounds.add(Metric::MaxChannelLoad, false, units.load_at(rate.0), reason, rate.1);
    }

    let (diameter, mean_hops) = match distances {
        Some(distances) => {
            let mean_hops = Fraction::new(distances.total, distances.histogram.iter().sum::<u64>().max(1));
            (Fraction::integer(distances.diameter), mean_hops)
        }
        None => moore(senders(fabric, topology), widest.ports, topology.is_some_and(Topology::has_simplex)),
    };
    for (metric, value) in [(Metric::Diameter, diameter), (Metric::AverageHops, mean_hops)] {
        match distances {
            Some(_) => bounds.add_exact(metric, value),
            None => {
                let why = format!(
                    "Moore's bound: {} ports reach at most so many routers within each number of hops",
                    widest.ports
                );
                bounds.add(metric, false, value, "every topology has at least", &why);
            }
        }
    }
    let hop = fabric.hop_cycles().iter().min().copied().unwrap_or(0);
    let time_of_hops = |hops: Fraction| nanoseconds(hops.times(Fraction::integer(hop)), fabric.clock_hz);
    let why = format!(
        "every hop takes at least {hop} cycles, and there are at least {:.4} on average",
        mean_hops.as_f64()
    );
    bounds.add(Metric::Latency, false, time_of_hops(mean_hops), "every routing has at least", &why);
    let why = format!(
        "every hop takes at least {hop} cycles, and the farthest pair is at least {} apart",
        diameter.ceil()
    );
    bounds.add(Metric::LatencyMax, false, time_of_hops(diameter), "every routing has at least", &why);
    let share = Fraction::new(1u8, fabric.budget.vcs.max(1));
    bounds.add_counts(fabric, topology);
    bounds.add_collisions(fabric, topology);
    bounds.add(
        Metric::VcBalance,
        false,
        share,
        "every routing has at least",
        "the largest of all shares is no smaller than their mean",
    );
    if let Some(pod) = fabric.pod() {
        let why = "every tree joins all cubes, and no two share a switch";
        let max_trees = Fraction::integer(max_disjoint_trees(pod));
        bounds.add(Metric::DisjointTrees, true, max_trees, "no setting of these switches has more than", why);
    }
    bounds.bounds
}

/// The collisions of flows in the healthy network. `None` unless a hash of flows chooses the paths.
fn healthy_collisions(fabric: &Fabric, topology: &Topology) -> Option<Collisions> {
    let Ecmp { flows, .. } = fabric.routing.even_ecmp()?;
    let (scene, tiers) = (Scene::healthy(topology), tiers_above_endpoints(topology)?);
    let tables = groups::route(&scene, &tiers, fabric.relays, &Scenario::nominal().name).ok()?;
    collision::collisions(&scene, &tables, &tiers, flows, &KnownExpectations::default())
}

/// The number of routers that send and receive. It is at least two where only a topology would tell.
pub(super) fn senders(fabric: &Fabric, topology: Option<&Topology>) -> u64 {
    match (topology, fabric.pod()) {
        (Some(topology), _) => topology.endpoints().count() as u64,
        (None, Some(pod)) => pod.node_count() as u64,
        (None, None) => 2,
    }
}

/// The most that leaves any router.
pub(super) struct WidestRouter {
    pub(super) ports: u32,
    /// The capacity of all these ports together, in units.
    pub(super) capacity: u64,
}

pub(super) fn widest(fabric: &Fabric, topology: Option<&Topology>) -> WidestRouter {
    let largest = fabric.link_types.ids().map(|link| fabric.capacities.capacity(link)).max().unwrap_or(1);
    match (topology, fabric.pod()) {
        (Some(topology), _) => {
            let ports =
                topology.nodes().map(|node| topology.channels_from(node).count()).max().unwrap_or(0) as u32;
            let leaves =
                |node| topology.channels_from(node).map(|channel| topology.channel_capacity(channel)).sum();
            WidestRouter { ports, capacity: topology.nodes().map(leaves).max().unwrap_or(0) }
        }
        // Two ports along each axis.
        (None, Some(_)) => WidestRouter {
            ports: fabric.router.radix.min(6),
            capacity: u64::from(fabric.router.radix.min(6)) * largest,
        },
        (None, None) => {
            WidestRouter { ports: fabric.router.radix, capacity: u64::from(fabric.router.radix) * largest }
        }
    }
}

/// Moore's bound: the least diameter and the least mean distance of so many routers with so many ports. Where
/// links run one way, none of the ports leads back.
pub(super) fn moore(routers: u64, ports: u32, simplex: bool) -> (Fraction, Fraction) {
    let further = u128::from(if simplex { ports } else { ports.saturating_sub(1) });
    let (mut remaining, mut ring, mut hops, mut total) =
        (u128::from(routers - 1), u128::from(ports), 0u32, 0u128);
    while remaining > 0 && ring > 0 {
        hops += 1;
        total += u128::from(hops) * ring.min(remaining);
        remaining -= ring.min(remaining);
        ring = ring.saturating_mul(further);
    }
    (Fraction::integer(hops), Fraction::new(total, u128::from(routers - 1)))
}

/// An upper bound on the disjoint sets of switches that each join all cubes. A switch makes as many links as
/// it has pairs of faces. A tree of all cubes takes one link less than there are cubes.
fn max_disjoint_trees(pod: &Pod) -> u64 {
    let cubes = u64::from(pod.cubes);
    if cubes < 2 {
        return 0;
    }
    let fibers = |(a, b): (usize, usize)| (if b == 0 { a / 2 } else { a.min(b) }) as u64;
    let joins = pod.ocses.iter().map(|ocs| fibers((ocs.a.len(), ocs.b.len())).min(cubes - 1));
    joins.sum::<u64>() / (cubes - 1)
}
