//! The metrics of the graph of a network, without any traffic: exact integers.
//!
//! These formulas are the compiler's. The checker has its own (`check/network`).

use super::{Fraction, Topology, gigabytes};
use fabc_base::ids::NodeId;
use fabc_base::limits;
use fabc_model::{Demand, DemandShape, GraphMetric};

/// The metrics of a network without faults.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkMetrics {
    /// Number of routers of the network.
    pub routers: u64,
    /// Number of hosts of all routers.
    pub hosts: u64,
    /// Number of links. A simplex link is one channel.
    pub links: u64,
    /// Number of links at routers with hosts.
    pub endpoint_links: u64,
    /// The links between two halves of the routers. `None` where that is not measured.
    pub bisection: Option<Bisection>,
    /// What runs between two halves of the routers with hosts. `None` where all routers have hosts, so that
    /// these are the halves of the bisection, and where that is not measured.
    pub host_bisection: Option<HostBisection>,
    /// The numbers of shortest paths. `None` where that is not measured.
    pub paths: Option<PathCounts>,
    /// The fewest links without which some router with hosts cannot reach another one. `None` where that is
    /// not measured.
    pub edge_connectivity: Option<u64>,
    /// The curve of random link failures, if the spec asks for it.
    pub failures: Option<FailureCurve>,
}

/// An interval for the bisection width: the fewest links between two halves of the routers, one of which has
/// floor(N / 2) of all N.
#[derive(Clone, PartialEq, Debug)]
pub struct Bisection {
    /// A lower bound in links, from the spectrum. 1 where the spectrum proves nothing.
    pub by_spectrum: u64,
    /// A lower bound in links, from the certified flow. 0 before the flow is known, and where it proves
    /// nothing.
    pub by_flow: u64,
    /// The width itself, if a search of all halves found it. Otherwise 0.
    pub by_search: u64,
    /// Weights that prove more than the other lower bounds. `None` where none are known.
    pub weights: Option<CutWeights>,
    /// An upper bound in links, from the best halves that were found.
    pub at_most: u64,
    /// Number of these links that are at routers with hosts.
    pub at_endpoints: u64,
    /// The smaller of these halves, ascending. Of equal ones, the half of router 0.
    pub half: Vec<NodeId>,
    /// Capacity of the channels from one half to the other, in units, in the direction with less capacity.
    pub capacity: u64,
    /// The sum of the weights in that direction. 0 where nobody sends across.
    pub demand: u64,
    /// Bandwidth of the narrowest link of the network, bit/s.
    pub narrowest_bps: u64,
}

/// Parts of a link in which [`CutWeights`] counts.
pub const WEIGHT_PARTS: u64 = 1 << 20;

/// A lower bound of a bisection from weights of routers: with demands d between routers that shortest paths
/// carry, and the weights w of the links that are left, the Laplacian of w + d minus the diagonal plus
/// `lift` times the matrix of ones has no negative eigenvalue. All numbers are in [`WEIGHT_PARTS`] of a
/// link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutWeights {
    /// The lower bound in links that they prove.
    pub least: u64,
    /// The factor of the matrix of ones.
    pub lift: u64,
    /// `[router]`: the entry of the diagonal.
    pub diagonal: Vec<i64>,
    /// The demands by kind of pair, ascending. Pairs of other kinds have none.
    pub demands: Vec<PathDemand>,
}

/// A demand of every pair of routers of a kind, which is spread evenly over all its shortest paths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PathDemand {
    /// The distance of the pair, two hops or more.
    pub hops: u8,
    /// How many routers of the pair have hosts.
    pub hosts: u8,
    /// The demand of the pair, in parts of a link. More than 0.
    pub amount: u64,
}

impl CutWeights {
    /// The lower bound in links that follows, if no eigenvalue is negative. Sides +1 and -1 give 4 x the cut
    /// minus the sum of the diagonal, plus `lift` times the squared difference of the sides.
    pub fn proved_links(&self) -> u64 {
        let odd = if self.diagonal.len().is_multiple_of(2) { 0 } else { i128::from(self.lift) };
        let sum: i128 = self.diagonal.iter().copied().map(i128::from).sum();
        let four_links = 4 * i128::from(WEIGHT_PARTS);
        u64::try_from((sum - odd + four_links - 1).div_euclid(four_links)).unwrap_or(0)
    }
}

impl Bisection {
    /// The lower bound in links.
    pub fn at_least(&self) -> u64 {
        let by_weights = self.weights.as_ref().map_or(0, |weights| weights.least);
        self.by_spectrum.max(self.by_flow).max(self.by_search).max(by_weights)
    }
    /// A lower bound of the bisection bandwidth in one direction, GB/s. Each link counts as the narrowest of
    /// all.
    pub fn bandwidth(&self) -> Fraction {
        gigabytes(u128::from(self.at_least()) * u128::from(self.narrowest_bps))
    }
    /// The upper bound of the flow by these halves, as a rate of every pair per weight. `None` where nobody
    /// sends across.
    pub fn flow(&self) -> Option<Fraction> {
        (self.demand > 0).then(|| Fraction::new(self.capacity, self.demand))
    }
}

/// An interval for the least capacity between two halves of the routers with hosts. One half has floor(E / 2)
/// of all E. Every other router is on the side that is better. Capacities are those of the channels in one
/// direction, in units.
#[derive(Clone, PartialEq, Debug)]
pub struct HostBisection {
    /// A lower bound from the certified flow. 0 before the flow is known, and where it proves nothing.
    pub by_flow: u64,
    /// A lower bound from the worst permutation of hosts. 0 before that is known, and where none is measured.
    pub by_permutation: u64,
    /// Whether a lower bound is missing because routing was not asked for.
    pub is_open: bool,
    /// An upper bound: the capacity between the two sides that were found.
    pub at_most: u64,
    /// Number of links between these sides.
    pub links: u64,
    /// The side with fewer routers with hosts, ascending. Of equal ones, that of the first such router.
    pub side: Vec<NodeId>,
    /// Capacity of the widest link of the network.
    pub widest: u64,
    /// Bandwidth of a unit, bit/s.
    pub unit_bps: u64,
}

impl HostBisection {
    /// The lower bound of the capacity, in units.
    pub fn at_least(&self) -> u64 {
        self.by_flow.max(self.by_permutation)
    }
    /// The lower bound in links, if each carried as much as the widest.
    pub fn fewest_links(&self) -> u64 {
        self.at_least().div_ceil(self.widest.max(1))
    }
    /// A lower bound of the bandwidth in one direction, GB/s.
    pub fn bandwidth(&self) -> Fraction {
        gigabytes(u128::from(self.at_least()) * u128::from(self.unit_bps))
    }
    /// The bandwidth between the two sides in one direction, GB/s.
    pub fn bandwidth_at_most(&self) -> Fraction {
        gigabytes(u128::from(self.at_most) * u128::from(self.unit_bps))
    }
}

impl NetworkMetrics {
    /// The same metrics with the bounds of bisections that need the routes. The flow of every pair must cross
    /// any halves. So must a permutation that exchanges the hosts of two halves, and no permutation loads a
    /// channel more than `permutation`, in units of its capacity. `is_open` says that this is not known yet.
    pub fn with_traffic(
        self,
        topology: &Topology,
        demand: &Demand,
        flow_low: Fraction,
        permutation: Option<Fraction>,
        is_open: bool,
    ) -> Self {
        let flow = demand.is_uniform() && !topology.has_simplex();
        let bisection = |bisection: Bisection| {
            let by_flow = flow.then(|| least_by_flow(topology, flow_low)).flatten().unwrap_or(0);
            // Where the flow proves as much, weights are superfluous.
            let at_most = bisection.at_most;
            let is_needed = |weights: &CutWeights| weights.least > by_flow || weights.least == at_most;
            let weights = bisection.weights.filter(is_needed);
            Bisection { by_flow, weights, ..bisection }
        };
        let host_bisection = |bisection: HostBisection| {
            let senders = topology.endpoints().count() as u64;
            let pairs = Fraction::integer((senders / 2) * senders.div_ceil(2));
            let is_even = *demand.shape() == DemandShape::Uniform;
            HostBisection {
                by_flow: if is_even { ceil_or_zero(flow_low.times(pairs)) } else { 0 },
                by_permutation: permutation.map_or(0, |load| least_by_permutation(topology, load)),
                is_open,
                ..bisection
            }
        };
        Self {
            bisection: self.bisection.map(bisection),
            host_bisection: self.host_bisection.map(host_bisection),
            ..self
        }
    }
    /// The value of a metric. `None` where it was not measured.
    pub fn value(&self, metric: GraphMetric) -> Option<Fraction> {
        Some(match metric {
            GraphMetric::Routers => Fraction::integer(self.routers),
            GraphMetric::Hosts => Fraction::integer(self.hosts),
            GraphMetric::Links => Fraction::integer(self.links),
            GraphMetric::Bisection => Fraction::integer(self.bisection.as_ref()?.at_least()),
            GraphMetric::BisectionBandwidth => self.bisection.as_ref()?.bandwidth(),
            GraphMetric::HostBisection => match &self.host_bisection {
                Some(bisection) if bisection.is_open => return None,
                Some(bisection) => Fraction::integer(bisection.fewest_links()),
                None => return self.value(GraphMetric::Bisection),
            },
            GraphMetric::HostBisectionBandwidth => match &self.host_bisection {
                Some(bisection) if bisection.is_open => return None,
                Some(bisection) => bisection.bandwidth(),
                None => return self.value(GraphMetric::BisectionBandwidth),
            },
            GraphMetric::ShortestPaths => self.paths.as_ref()?.at_any_distance().mean()?,
            GraphMetric::EdgeConnectivity => Fraction::integer(self.edge_connectivity?),
            GraphMetric::DisconnectShare => self.share(self.failures.as_ref()?.median()),
        })
    }
    /// A number of links as a share of all of them.
    pub fn share(&self, links: u64) -> Fraction {
        Fraction::new(links, self.links.max(1))
    }
}

/// A lower bound of the capacity between any two halves of the routers with hosts, in units. Partners of a
/// permutation exchange the hosts of two halves, at least as many as the emptiest half has.
fn least_by_permutation(topology: &Topology, load: Fraction) -> u64 {
    let mut hosts: Vec<u64> = topology.endpoints().map(|node| u64::from(topology.hosts(node))).collect();
    hosts.sort_unstable();
    let across: u64 = hosts[..hosts.len() / 2].iter().sum();
    if load.is_zero() { 0 } else { ceil_or_zero(Fraction::integer(across).over(load)) }
}

/// The next integer, or 0 if it exceeds 64 bits.
fn ceil_or_zero(value: Fraction) -> u64 {
    u64::try_from(value.ceil()).unwrap_or(0)
}

/// A lower bound of the links between any two halves, if every pair can send at a rate at once. It is the
/// traffic across over the capacity of the widest link.
fn least_by_flow(topology: &Topology, flow_low: Fraction) -> Option<u64> {
    let (routers, senders) = (topology.node_count() as u64, topology.endpoints().count() as u64);
    let half = routers / 2;
    // The fewest pairs are across if one half has as many senders as possible, or as few.
    let across = |inside: u64| inside * (senders - inside);
    let fewest = across(senders.min(half)).min(across(half.saturating_sub(routers - senders)));
    let widest = topology.links().ids().map(|link| topology.capacity(link)).max()?;
    u64::try_from(flow_low.times(Fraction::new(fewest, widest)).ceil()).ok()
}

/// Shortest paths between routers with hosts, as sequences of links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathCounts {
    /// `[distance - 1]`: the counts of the pairs at that distance.
    pub by_distance: Vec<PathsAt>,
}

/// Ordered pairs at one distance, or at any, and their shortest paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathsAt {
    /// Number of ordered pairs that are counted.
    pub pairs: u64,
    /// Number of pairs with a single shortest path.
    pub single: u64,
    /// Number of shortest paths of all pairs.
    pub paths: u128,
    /// The fewest shortest paths of a pair. [`u64::MAX`] where there is no pair.
    pub fewest: u64,
    /// The most shortest paths of a pair.
    pub most: u64,
}

impl PathCounts {
    /// The counts over all distances.
    pub fn at_any_distance(&self) -> PathsAt {
        self.by_distance.iter().fold(PathsAt::NONE, |sum, paths| sum.with(paths))
    }
}

impl PathsAt {
    /// The counts of no pair.
    pub const NONE: PathsAt = PathsAt { pairs: 0, single: 0, paths: 0, fewest: u64::MAX, most: 0 };

    /// The counts of both together.
    pub fn with(&self, other: &PathsAt) -> PathsAt {
        PathsAt {
            pairs: self.pairs + other.pairs,
            single: self.single + other.single,
            paths: self.paths + other.paths,
            fewest: self.fewest.min(other.fewest),
            most: self.most.max(other.most),
        }
    }
    /// The mean number of shortest paths of a pair. `None` where there is no pair.
    pub fn mean(&self) -> Option<Fraction> {
        (self.pairs > 0).then(|| Fraction::new(self.paths, self.pairs))
    }
    /// The share of pairs with a single shortest path. `None` where there is no pair.
    pub fn single_share(&self) -> Option<Fraction> {
        (self.pairs > 0).then(|| Fraction::new(self.single, self.pairs))
    }
}

/// Links that fail one after the other in random orders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailureCurve {
    /// `[seed - 1]`: number of failed links when some router with hosts first cannot reach another one.
    pub parts_at: Vec<u64>,
    /// Distances in the median run before that. `None` where that is not measured.
    pub curve: Option<Vec<FailurePoint>>,
}

/// One point of the median run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailurePoint {
    /// Percentage of links that have failed.
    pub percent: u32,
    /// Number of failed links, rounded down.
    pub links: u64,
    /// The distances between routers with hosts. `None` where some cannot reach each other.
    pub reach: Option<FailureReach>,
}

/// The distances between routers with hosts, over ordered pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FailureReach {
    /// The largest distance of a pair, in hops.
    pub diameter: u32,
    /// Sum of the distances, in hops.
    pub hops: u64,
    /// Number of ordered pairs that are counted.
    pub pairs: u64,
}

impl FailureCurve {
    /// The index of the median run: the lower middle one of the runs sorted by when they become disconnected,
    /// then by seed.
    pub fn median_of(parts_at: &[u64]) -> usize {
        let mut order: Vec<usize> = (0..parts_at.len()).collect();
        order.sort_by_key(|&run| (parts_at[run], run));
        order.get((order.len().max(1) - 1) / 2).copied().unwrap_or(0)
    }
    /// Number of failed links when the median run becomes disconnected.
    pub fn median(&self) -> u64 {
        self.parts_at.get(Self::median_of(&self.parts_at)).copied().unwrap_or(0)
    }
}

impl FailureReach {
    /// Mean distance of a pair, in hops.
    pub fn average_hops(&self) -> Fraction {
        Fraction::new(self.hops, self.pairs.max(1))
    }
}

/// The percentages at which the median run is measured: every fifth up to the limit, and the limit.
pub fn failure_percents(limit: u32) -> Vec<u32> {
    let mut percents: Vec<u32> = (0..=limit).step_by(5).collect();
    if percents.last() != Some(&limit) {
        percents.push(limit);
    }
    percents
}

/// Why the bisection of a network with this number of routers is not measured. `None` where it is.
pub fn bisection_unmeasured(routers: usize, simplex: bool) -> Option<String> {
    if simplex {
        Some("its links run one way".to_owned())
    } else if routers < 2 {
        Some("it has a single router".to_owned())
    } else {
        None
    }
}

/// Why the bisection between hosts is not measured, in a network with these numbers of routers and of routers
/// with hosts. `None` where it is.
pub fn host_bisection_unmeasured(routers: usize, endpoints: usize, simplex: bool) -> Option<String> {
    let single = || (endpoints < 2).then(|| "it has a single router with hosts".to_owned());
    bisection_unmeasured(routers, simplex).or_else(single)
}

/// Why shortest paths are not measured in a network with these numbers of routers with hosts and of channels.
/// The same for the edge connectivity, where `rounds` is the least degree. `None` where they are measured.
pub fn search_unmeasured(endpoints: usize, channels: usize, rounds: usize) -> Option<String> {
    let steps = endpoints as u128 * channels as u128 * rounds as u128;
    if endpoints < 2 {
        Some("there is one router with hosts".to_owned())
    } else if steps > u128::from(limits::GRAPH_STEPS) {
        Some(format!("it would visit channels {steps} times, at most {} are allowed", limits::GRAPH_STEPS))
    } else {
        None
    }
}
