//! What is measured of the graph of a network beside any traffic: integers, exact.
//!
//! The formulas here are the compiler's; the checker has its own (`check/network`).

use super::{Fraction, Topology};
use fabc_base::ids::NodeId;
use fabc_base::limits;
use fabc_base::units::BITS_OF_A_GIGABYTE;
use fabc_model::{Demand, GraphMetric};

/// A network without faults, measured.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkMetrics {
    /// Routers.
    pub routers: u64,
    /// Hosts of all routers.
    pub hosts: u64,
    /// Links; of simplex ones each is one channel.
    pub links: u64,
    /// Links at routers with hosts.
    pub endpoint_links: u64,
    /// Links between two halves of the routers; `None` where that is not measured.
    pub bisection: Option<Bisection>,
    /// Shortest paths; `None` where that is not measured.
    pub paths: Option<PathCounts>,
    /// The fewest links without which some router with hosts no longer reaches another one; `None` where that
    /// is not measured.
    pub edge_connectivity: Option<u64>,
    /// Links that fail at random, if the spec asks for it.
    pub failures: Option<FailureCurve>,
}

/// The bisection width: how many links at least run between two halves of the routers, one of which has
/// floor(N / 2) of all N.
#[derive(Clone, PartialEq, Debug)]
pub struct Bisection {
    /// No two halves have fewer links between them, as the spectrum proves; 1 where it proves nothing.
    pub by_spectrum: u64,
    /// The same as the certified flow proves it; 0 before the flow is known, and where it proves nothing.
    pub by_flow: u64,
    /// The best halves found have so many.
    pub most: u64,
    /// So many of them are links at routers with hosts.
    pub at_endpoints: u64,
    /// The smaller of these halves, ascending; of equal ones that of router 0.
    pub half: Vec<NodeId>,
    /// Capacity of the channels from one to the other, in units, in the direction that lets less through.
    pub capacity: u64,
    /// The demand in that direction; 0 where nobody sends across.
    pub demand: u64,
    /// Bandwidth of the narrowest link of the network, bit/s.
    pub narrowest_bps: u64,
}

impl Bisection {
    /// No two halves have fewer links between them.
    pub fn least(&self) -> u64 {
        self.by_spectrum.max(self.by_flow)
    }
    /// No two halves have links between them that carry less in one direction, GB/s: each carries as much as
    /// the narrowest of all.
    pub fn bandwidth(&self) -> Fraction {
        Fraction::new(u128::from(self.least()) * u128::from(self.narrowest_bps), BITS_OF_A_GIGABYTE)
    }
    /// What these halves let through, as a rate of every pair per weight; `None` where nobody sends across.
    pub fn flow(&self) -> Option<Fraction> {
        (self.demand > 0).then(|| Fraction::new(self.capacity, self.demand))
    }
}

impl NetworkMetrics {
    /// The same once it is known what every pair can send at a time: that much must get across any halves.
    pub fn with_flow(self, topology: &Topology, demand: &Demand, flow_low: Fraction) -> Self {
        let by_flow = |of: Bisection| Bisection {
            by_flow: least_by_flow(topology, demand, flow_low).unwrap_or(0),
            ..of
        };
        Self { bisection: self.bisection.map(by_flow), ..self }
    }
    /// The value of a metric; `None` where it was not measured.
    pub fn value(&self, metric: GraphMetric) -> Option<Fraction> {
        Some(match metric {
            GraphMetric::Routers => Fraction::whole(self.routers),
            GraphMetric::Hosts => Fraction::whole(self.hosts),
            GraphMetric::Links => Fraction::whole(self.links),
            GraphMetric::Bisection => Fraction::whole(self.bisection.as_ref()?.least()),
            GraphMetric::BisectionBandwidth => self.bisection.as_ref()?.bandwidth(),
            GraphMetric::ShortestPaths => self.paths.as_ref()?.all().mean()?,
            GraphMetric::EdgeConnectivity => Fraction::whole(self.edge_connectivity?),
            GraphMetric::DisconnectShare => self.share(self.failures.as_ref()?.median()),
        })
    }
    /// A number of links as a share of all of them.
    pub fn share(&self, links: u64) -> Fraction {
        Fraction::new(links, self.links.max(1))
    }
}

/// Links between any two halves of the routers, at least, if every pair can send at a rate at once: what they
/// send across, over what the widest link carries. Only where all pairs send alike.
fn least_by_flow(topology: &Topology, demand: &Demand, flow_low: Fraction) -> Option<u64> {
    if !demand.is_uniform() || topology.has_simplex() {
        return None;
    }
    let (routers, senders) = (topology.node_count() as u64, topology.endpoints().count() as u64);
    let half = routers / 2;
    // Pairs across are fewest where one half has as many senders as it can, or as few.
    let across = |inside: u64| inside * (senders - inside);
    let fewest = across(senders.min(half)).min(across(half.saturating_sub(routers - senders)));
    let widest = topology.links().ids().map(|link| topology.capacity(link)).max()?;
    u64::try_from(flow_low.times(Fraction::new(fewest, widest)).ceil()).ok()
}

/// Shortest paths between routers with hosts, as sequences of links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathCounts {
    /// `[distance - 1]`
    pub at: Vec<PathsAt>,
}

/// Ordered pairs at one distance, or at any, and their shortest paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathsAt {
    /// Pairs.
    pub pairs: u64,
    /// Those with one path.
    pub single: u64,
    /// Paths of all of them.
    pub paths: u128,
    /// The fewest of a pair; [`u64::MAX`] where there is no pair.
    pub fewest: u64,
    /// The most of a pair.
    pub most: u64,
}

impl PathCounts {
    /// At any distance.
    pub fn all(&self) -> PathsAt {
        self.at.iter().fold(PathsAt::NONE, |sum, at| sum.with(at))
    }
}

impl PathsAt {
    /// No pair.
    pub const NONE: PathsAt = PathsAt { pairs: 0, single: 0, paths: 0, fewest: u64::MAX, most: 0 };

    /// Both together.
    pub fn with(&self, other: &PathsAt) -> PathsAt {
        PathsAt {
            pairs: self.pairs + other.pairs,
            single: self.single + other.single,
            paths: self.paths + other.paths,
            fewest: self.fewest.min(other.fewest),
            most: self.most.max(other.most),
        }
    }
    /// Paths of a pair on average; `None` where there is no pair.
    pub fn mean(&self) -> Option<Fraction> {
        (self.pairs > 0).then(|| Fraction::new(self.paths, self.pairs))
    }
    /// The share of pairs with one path; `None` where there is no pair.
    pub fn single_share(&self) -> Option<Fraction> {
        (self.pairs > 0).then(|| Fraction::new(self.single, self.pairs))
    }
}

/// Links that fail at random, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailureCurve {
    /// `[seed - 1]`: links that have failed when some router with hosts first does not reach another one.
    pub parts_at: Vec<u64>,
    /// What the median run is like before; `None` where that is not measured.
    pub curve: Option<Vec<FailurePoint>>,
}

/// A moment of the median run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailurePoint {
    /// Percent of the links.
    pub percent: u32,
    /// So many have failed, rounded down.
    pub links: u64,
    /// How far routers with hosts are apart; `None` where some do not reach each other.
    pub reach: Option<FailureReach>,
}

/// How far routers with hosts are apart, over ordered pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FailureReach {
    /// Largest distance.
    pub diameter: u32,
    /// Sum of the distances.
    pub hops: u64,
    /// Pairs.
    pub pairs: u64,
}

impl FailureCurve {
    /// The place of the median run: the lower middle one when runs are sorted by when they fall apart, and
    /// then by seed.
    pub fn median_of(parts_at: &[u64]) -> usize {
        let mut order: Vec<usize> = (0..parts_at.len()).collect();
        order.sort_by_key(|&run| (parts_at[run], run));
        order.get((order.len().max(1) - 1) / 2).copied().unwrap_or(0)
    }
    /// Links that have failed when the median run falls apart.
    pub fn median(&self) -> u64 {
        self.parts_at.get(Self::median_of(&self.parts_at)).copied().unwrap_or(0)
    }
}

impl FailureReach {
    /// Mean distance.
    pub fn average_hops(&self) -> Fraction {
        Fraction::new(self.hops, self.pairs.max(1))
    }
}

/// The percents at which the median run is looked at: every fifth up to the limit, and the limit.
pub fn failure_percents(limit: u32) -> Vec<u32> {
    let mut percents: Vec<u32> = (0..=limit).step_by(5).collect();
    if percents.last() != Some(&limit) {
        percents.push(limit);
    }
    percents
}

/// Why the bisection of a network of so many routers is not measured; `None` where it is.
pub fn bisection_unmeasured(routers: usize, simplex: bool) -> Option<String> {
    if simplex {
        Some("its links run one way".to_owned())
    } else if routers < 2 {
        Some("it has a single router".to_owned())
    } else {
        None
    }
}

/// Why shortest paths, or the edge connectivity where `rounds` is the least degree, are not measured of a
/// network with so many routers with hosts and channels; `None` where they are.
pub fn search_unmeasured(endpoints: usize, channels: usize, rounds: usize) -> Option<String> {
    let steps = endpoints as u128 * channels as u128 * rounds as u128;
    if endpoints < 2 {
        Some("there is one router with hosts".to_owned())
    } else if steps > u128::from(limits::GRAPH_STEPS) {
        Some(format!("it would take {steps} looks at a channel, of at most {}", limits::GRAPH_STEPS))
    } else {
        None
    }
}
