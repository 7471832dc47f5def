//! The traffic that a fabric must carry: an integer weight per ordered pair of endpoints. Endpoints are the
//! chips of a pod, or the routers of a network that have hosts.
//!
//! In: components or a matrix that `resolve` has checked. Out: weights by pair, by source, and as planes of
//! destinations. Groups are implicit: only a matrix takes memory per pair.
//!
//! Invariants:
//! - Some weight is positive.
//! - No endpoint sends to itself.
//! - Weights are at most [`WEIGHT`](fabc_base::limits::WEIGHT), so that integer flows fit 64 bits.
//! - A router that is no endpoint neither sends nor receives.

use crate::ids::{Id, NodeId};
use fixedbitset::FixedBitSet;
use std::sync::Arc;

/// The traffic to carry: endpoint s sends to endpoint t at a rate proportional to `weight(s, t)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demand {
    nodes: usize,
    /// The endpoints. `None` where every node is one.
    endpoints: Option<Arc<EndpointSubset>>,
    shape: DemandShape,
}

/// The routers that send and receive, where others only forward.
#[derive(PartialEq, Eq, Debug)]
struct EndpointSubset {
    nodes: Vec<NodeId>,
    /// `[node]`: its index among the endpoints, if it is one.
    ranks: Vec<Option<u32>>,
}

/// The form in which a demand is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DemandShape {
    /// Every ordered pair of distinct endpoints has weight 1.
    Uniform,
    /// The sum of all-to-alls within groups, by ascending group size.
    Groups(Vec<DemandComponent>),
    /// `[source * endpoints + destination]`: the weight, both as indices among the endpoints.
    Matrix(Arc<[u32]>),
}

/// An all-to-all within each group of consecutive endpoints.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DemandComponent {
    /// Endpoints per group. It divides the number of endpoints.
    pub group: u32,
    /// The weight that every ordered pair within a group gets in addition.
    pub weight: u32,
}

/// Destinations to which one source sends a common part of their weight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DemandPlane {
    /// The common part of the weight.
    pub weight: u32,
    /// The destinations, as a bit set over nodes. It never holds the source itself.
    pub destinations: FixedBitSet,
}

/// What one host sends: the weights of its router, divided by the hosts that share them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SentPerHost {
    /// Sum of the weights of the router's pairs.
    pub weights: u64,
    /// Hosts of the router, at least 1.
    pub hosts: u64,
}

impl Demand {
    /// Weight 1 for every ordered pair of distinct nodes.
    pub fn uniform(nodes: usize) -> Self {
        Self { nodes, endpoints: None, shape: DemandShape::Uniform }
    }

    /// The sum of components, each with a group size of its own that divides `nodes`. A single all-to-all of
    /// weight 1 is the uniform demand.
    pub fn groups(nodes: usize, mut components: Vec<DemandComponent>) -> Self {
        components.retain(|component| component.weight > 0);
        components.sort();
        if components == [DemandComponent { group: nodes as u32, weight: 1 }] {
            return Self::uniform(nodes);
        }
        Self { nodes, endpoints: None, shape: DemandShape::Groups(components) }
    }

    /// A demand from a matrix, row by row: `[source * nodes + destination]`. Its diagonal must be zero.
    pub fn matrix(nodes: usize, weights: Vec<u32>) -> Self {
        Self { nodes, endpoints: None, shape: DemandShape::Matrix(weights.into()) }
    }

    /// The same demand among some of `routers` routers, as many as it has nodes. Node i becomes the i-th of
    /// `endpoints`, which ascend.
    pub fn among_endpoints(self, routers: usize, endpoints: Vec<NodeId>) -> Self {
        debug_assert!(
            self.endpoints.is_none() && endpoints.len() == self.nodes && endpoints.is_sorted_by(|a, b| a < b)
        );
        if endpoints.len() == routers {
            return self;
        }
        let mut ranks = vec![None; routers];
        for (rank, node) in endpoints.iter().enumerate() {
            ranks[node.index()] = Some(rank as u32);
        }
        Self { nodes: routers, endpoints: Some(Arc::new(EndpointSubset { nodes: endpoints, ranks })), ..self }
    }

    /// The form in which the demand is given.
    pub fn shape(&self) -> &DemandShape {
        &self.shape
    }
    /// Whether every ordered pair of distinct nodes has weight 1. A matrix of ones counts as a matrix.
    pub fn is_uniform(&self) -> bool {
        self.shape == DemandShape::Uniform && self.endpoints.is_none()
    }
    /// Number of nodes, endpoints or not.
    pub fn node_count(&self) -> usize {
        self.nodes
    }
    /// Number of nodes that may send and receive.
    pub fn endpoint_count(&self) -> usize {
        self.endpoints.as_ref().map_or(self.nodes, |endpoints| endpoints.nodes.len())
    }
    /// The nodes that may send and receive, by id.
    pub fn endpoints(&self) -> impl Iterator<Item = NodeId> {
        (0..self.endpoint_count()).map(|rank| self.endpoint(rank))
    }
    /// Whether a node may send and receive.
    pub fn is_endpoint(&self, node: NodeId) -> bool {
        self.rank(node).is_some()
    }

    /// The weight of an ordered pair. 0 from a node to itself, and where one of the two is no endpoint.
    #[inline]
    pub fn weight(&self, source: NodeId, destination: NodeId) -> u32 {
        match (self.rank(source), self.rank(destination)) {
            (Some(source), Some(destination)) => self.weight_of_ranks(source, destination),
            _ => 0,
        }
    }

    /// `[destination]`: the weights from one node, over all nodes.
    pub fn row(&self, source: NodeId) -> Vec<u32> {
        if self.is_uniform() {
            let mut row = vec![1; self.nodes];
            row[source.index()] = 0;
            return row;
        }
        (0..self.nodes).map(|destination| self.weight(source, NodeId::new(destination))).collect()
    }

    /// The sum of the weights from a node.
    pub fn sent_by(&self, source: NodeId) -> u64 {
        let Some(rank) = self.rank(source) else { return 0 };
        match &self.shape {
            DemandShape::Uniform => self.endpoint_count() as u64 - 1,
            DemandShape::Groups(components) => components
                .iter()
                .map(|component| u64::from(component.weight) * u64::from(component.group - 1))
                .sum(),
            DemandShape::Matrix(weights) => {
                self.matrix_row(weights, rank).iter().map(|&weight| u64::from(weight)).sum()
            }
        }
    }

    /// The largest sum of weights from one node. Nobody sends to a dead node, and it sends nothing.
    pub fn sent_most(&self, dead: Option<NodeId>) -> u64 {
        let to_dead = |source| dead.map_or(0, |dead| u64::from(self.weight(source, dead)));
        let living = self.endpoints().filter(|&source| Some(source) != dead);
        living.map(|source| self.sent_by(source) - to_dead(source)).max().unwrap_or(0)
    }

    /// The largest share of one host: the sum of its router's weights over the hosts of that router. `hosts`
    /// gives the hosts of a router. Nobody sends to a dead node, and it sends nothing.
    pub fn sent_per_host(&self, dead: Option<NodeId>, hosts: impl Fn(NodeId) -> u16) -> SentPerHost {
        let to_dead = |source| dead.map_or(0, |dead| u64::from(self.weight(source, dead)));
        let living = self.endpoints().filter(|&source| Some(source) != dead);
        let sent_by_host = |source| SentPerHost {
            weights: self.sent_by(source) - to_dead(source),
            hosts: u64::from(hosts(source).max(1)),
        };
        let more = |first: &SentPerHost, second: &SentPerHost| {
            (first.weights * second.hosts).cmp(&(second.weights * first.hosts))
        };
        living.map(sent_by_host).max_by(more).unwrap_or(SentPerHost { weights: 0, hosts: 1 })
    }

    /// The demand among some of the nodes, numbered in the order of `chips`.
    pub fn among(&self, chips: &[NodeId]) -> Self {
        if chips.len() == self.nodes {
            return self.clone();
        }
        let kept = (0..chips.len()).filter(|&place| self.is_endpoint(chips[place]));
        let (places, left): (Vec<NodeId>, Vec<NodeId>) =
            kept.map(|place| (NodeId::new(place), chips[place])).unzip();
        let demand = match &self.shape {
            DemandShape::Uniform => Self::uniform(left.len()),
            // Groups that lose a chip are no longer equal.
            _ => Self::matrix(
                left.len(),
                left.iter().flat_map(|&s| left.iter().map(move |&t| self.weight(s, t))).collect(),
            ),
        };
        demand.among_endpoints(chips.len(), places)
    }

    /// The sum of all weights.
    pub fn total(&self) -> u64 {
        match &self.shape {
            DemandShape::Matrix(weights) => weights.iter().map(|&weight| u64::from(weight)).sum(),
            _ => self.endpoint_count() as u64 * self.sent_by(self.endpoint(0)),
        }
    }

    /// The largest weight of a pair.
    pub fn largest(&self) -> u32 {
        match &self.shape {
            DemandShape::Uniform => 1,
            // The first two endpoints share every group.
            DemandShape::Groups(_) => self.weight_of_ranks(0, 1),
            DemandShape::Matrix(weights) => weights.iter().copied().max().unwrap_or(0),
        }
    }

    /// Whether every pair has the same weight as its reverse.
    pub fn is_symmetric(&self) -> bool {
        let count = self.endpoint_count();
        match &self.shape {
            DemandShape::Matrix(weights) => {
                (0..count).all(|s| (s + 1..count).all(|t| weights[s * count + t] == weights[t * count + s]))
            }
            _ => true,
        }
    }

    /// The destinations of a source, split into planes. The weight of a pair is the sum over the planes that
    /// hold its destination.
    ///
    /// Uniform demand has one plane, groups have one per component, a matrix has one per binary digit of its
    /// weights. A node that is no endpoint has none.
    pub fn planes(&self, source: NodeId) -> Vec<DemandPlane> {
        let Some(rank) = self.rank(source) else { return Vec::new() };
        let within = |first: usize, count: usize, weight: u32| {
            let mut destinations = FixedBitSet::with_capacity(self.nodes);
            match &self.endpoints {
                None => destinations.insert_range(first..first + count),
                Some(endpoints) => {
                    destinations.extend(endpoints.nodes[first..first + count].iter().map(|node| node.index()))
                }
            }
            destinations.set(source.index(), false);
            DemandPlane { weight, destinations }
        };
        match &self.shape {
            DemandShape::Uniform => vec![within(0, self.endpoint_count(), 1)],
            DemandShape::Groups(components) => {
                let plane = |component: &DemandComponent| {
                    let size = component.group as usize;
                    within(rank / size * size, size, component.weight)
                };
                components.iter().map(plane).collect()
            }
            DemandShape::Matrix(weights) => {
                let row = self.matrix_row(weights, rank);
                let digits = u32::BITS - self.largest().leading_zeros();
                let plane = |digit: u32| {
                    let mut destinations = FixedBitSet::with_capacity(self.nodes);
                    let held = (0..row.len()).filter(|&destination| row[destination] >> digit & 1 == 1);
                    destinations.extend(held.map(|destination| self.endpoint(destination).index()));
                    DemandPlane { weight: 1 << digit, destinations }
                };
                (0..digits).map(plane).filter(|plane| !plane.destinations.is_clear()).collect()
            }
        }
    }

    /// Whether a permutation of the nodes keeps the weight of every pair and takes endpoints to endpoints.
    pub fn is_kept_by(&self, image: impl Fn(NodeId) -> NodeId) -> bool {
        if self.is_uniform() {
            return true;
        }
        // A permutation that takes endpoints to endpoints takes the others to the others.
        let Some(images) =
            self.endpoints().map(|node| self.rank(image(node))).collect::<Option<Vec<usize>>>()
        else {
            return false;
        };
        match &self.shape {
            DemandShape::Uniform => true,
            // Groups must go to groups: all endpoints of a group land in the group where its first one lands.
            DemandShape::Groups(components) => components.iter().all(|component| {
                let group = component.group as usize;
                images
                    .chunks(group)
                    .all(|images| images.iter().all(|image| image / group == images[0] / group))
            }),
            DemandShape::Matrix(weights) => images.iter().enumerate().all(|(source, &image)| {
                let (here, there) = (self.matrix_row(weights, source), self.matrix_row(weights, image));
                here.iter().zip(&images).all(|(&weight, &destination)| weight == there[destination])
            }),
        }
    }

    /// The matrix as `demand = matrix` reads it: one line per source, one number per destination, both
    /// endpoints by id.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        let count = self.endpoint_count();
        for source in 0..count {
            let row: Vec<String> =
                (0..count).map(|destination| self.weight_of_ranks(source, destination).to_string()).collect();
            out.push_str(&row.join(","));
            out.push('\n');
        }
        out
    }

    /// The index of a node among the endpoints.
    fn rank(&self, node: NodeId) -> Option<usize> {
        match &self.endpoints {
            None => Some(node.index()),
            Some(endpoints) => endpoints.ranks[node.index()].map(|rank| rank as usize),
        }
    }

    fn endpoint(&self, rank: usize) -> NodeId {
        self.endpoints.as_ref().map_or(NodeId::new(rank), |endpoints| endpoints.nodes[rank])
    }

    fn weight_of_ranks(&self, source: usize, destination: usize) -> u32 {
        match &self.shape {
            _ if source == destination => 0,
            DemandShape::Uniform => 1,
            DemandShape::Groups(components) => {
                let together = |component: &&DemandComponent| {
                    source / component.group as usize == destination / component.group as usize
                };
                components.iter().filter(together).map(|component| component.weight).sum()
            }
            DemandShape::Matrix(weights) => self.matrix_row(weights, source)[destination],
        }
    }

    fn matrix_row<'a>(&self, weights: &'a [u32], source: usize) -> &'a [u32] {
        let count = self.endpoint_count();
        &weights[source * count..][..count]
    }
}

#[cfg(test)]
mod tests;
