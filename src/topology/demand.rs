//! The traffic that a fabric must carry: an integer weight per ordered pair of chips, or of the routers of a
//! network that have hosts.
//!
//! Comes in: components or a matrix that `resolve` has checked. Goes out: weights by pair, by source and as
//! planes of destinations. Invariants: some weight is positive; no chip sends to itself; weights are at most
//! [`WEIGHT`](fabc_base::limits::WEIGHT), so that integer flows fit 64 bits; a router that is no endpoint
//! neither sends nor receives. Groups are implicit: only a matrix takes memory per pair.

use crate::ids::{Id, NodeId};
use fixedbitset::FixedBitSet;
use std::sync::Arc;

/// The traffic to carry: chip s sends to chip t at a rate proportional to `weight(s, t)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demand {
    nodes: usize,
    /// `None` where every node is one.
    endpoints: Option<Arc<Endpoints>>,
    shape: DemandShape,
}

/// The routers that send and receive, where others only forward.
#[derive(PartialEq, Eq, Debug)]
struct Endpoints {
    /// By id.
    nodes: Vec<NodeId>,
    /// `[node]`: its place among the endpoints.
    ranks: Vec<Option<u32>>,
}

/// How a demand is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DemandShape {
    /// Every ordered pair of distinct endpoints has weight 1.
    Uniform,
    /// Sum of all-to-alls within groups, in the order of their sizes.
    Groups(Vec<Component>),
    /// `[source * endpoints + destination]`, by their places among the endpoints.
    Matrix(Arc<[u32]>),
}

/// An all-to-all within each group of consecutive endpoints.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Component {
    /// Endpoints per group; divides their number.
    pub group: u32,
    /// What every ordered pair within a group adds to its weight.
    pub weight: u32,
}

/// Destinations of one source that share a part of their weight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plane {
    /// The part.
    pub weight: u32,
    /// The destinations; never the source itself.
    pub destinations: FixedBitSet,
}

/// What a host sends: the weights of its router, over the hosts that share them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SentPerHost {
    /// Sum of the weights of the router's pairs.
    pub weights: u64,
    /// Hosts of the router, at least 1.
    pub hosts: u64,
}

impl Demand {
    /// Weight 1 for every ordered pair of distinct chips.
    pub fn uniform(nodes: usize) -> Self {
        Self { nodes, endpoints: None, shape: DemandShape::Uniform }
    }

    /// The sum of components, each with a group size of its own that divides `nodes`; a single all-to-all of
    /// weight 1 is the uniform demand.
    pub fn groups(nodes: usize, mut components: Vec<Component>) -> Self {
        components.retain(|component| component.weight > 0);
        components.sort();
        if components == [Component { group: nodes as u32, weight: 1 }] {
            return Self::uniform(nodes);
        }
        Self { nodes, endpoints: None, shape: DemandShape::Groups(components) }
    }

    /// A matrix, row by row; its diagonal must be zero.
    pub fn matrix(nodes: usize, weights: Vec<u32>) -> Self {
        Self { nodes, endpoints: None, shape: DemandShape::Matrix(weights.into()) }
    }

    /// The same demand among some of `routers` routers, as many as it has nodes: node i becomes the i-th of
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
        Self { nodes: routers, endpoints: Some(Arc::new(Endpoints { nodes: endpoints, ranks })), ..self }
    }

    /// How it is given.
    pub fn shape(&self) -> &DemandShape {
        &self.shape
    }
    /// Whether every ordered pair of distinct nodes has weight 1 (a matrix of ones counts as a matrix).
    pub fn is_uniform(&self) -> bool {
        self.shape == DemandShape::Uniform && self.endpoints.is_none()
    }
    /// Number of nodes, endpoints and others.
    pub fn node_count(&self) -> usize {
        self.nodes
    }
    /// Number of nodes that may send and receive: the chips of a pod, the routers of a network that have
    /// hosts.
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

    /// The weight of an ordered pair; 0 from a node to itself, and where one of the two is no endpoint.
    #[inline]
    pub fn weight(&self, source: NodeId, destination: NodeId) -> u32 {
        match (self.rank(source), self.rank(destination)) {
            (Some(source), Some(destination)) => self.weight_of_ranks(source, destination),
            _ => 0,
        }
    }

    /// The weights from one node, by destination.
    pub fn row(&self, source: NodeId) -> Vec<u32> {
        if self.is_uniform() {
            let mut row = vec![1; self.nodes];
            row[source.index()] = 0;
            return row;
        }
        (0..self.nodes).map(|destination| self.weight(source, NodeId::new(destination))).collect()
    }

    /// What a node sends: the sum of its weights.
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

    /// What the node that sends most sends; nobody sends to, or hears from, a dead one.
    pub fn sent_most(&self, dead: Option<NodeId>) -> u64 {
        let to_dead = |source| dead.map_or(0, |dead| u64::from(self.weight(source, dead)));
        let living = self.endpoints().filter(|&source| Some(source) != dead);
        living.map(|source| self.sent_by(source) - to_dead(source)).max().unwrap_or(0)
    }

    /// What the host that sends most sends, as weights over hosts: a router's weights are shared by the hosts
    /// behind it. `hosts` are those of a router; nobody sends to, or hears from, a dead one.
    pub fn sent_per_host(&self, dead: Option<NodeId>, hosts: impl Fn(NodeId) -> u16) -> SentPerHost {
        let to_dead = |source| dead.map_or(0, |dead| u64::from(self.weight(source, dead)));
        let living = self.endpoints().filter(|&source| Some(source) != dead);
        let of = |source| SentPerHost {
            weights: self.sent_by(source) - to_dead(source),
            hosts: u64::from(hosts(source).max(1)),
        };
        let more = |one: &SentPerHost, other: &SentPerHost| {
            (one.weights * other.hosts).cmp(&(other.weights * one.hosts))
        };
        living.map(of).max_by(more).unwrap_or(SentPerHost { weights: 0, hosts: 1 })
    }

    /// The demand among some of the nodes, numbered as they are listed.
    pub fn among(&self, chips: &[NodeId]) -> Self {
        if chips.len() == self.nodes {
            return self.clone();
        }
        let kept = (0..chips.len()).filter(|&place| self.is_endpoint(chips[place]));
        let (places, left): (Vec<NodeId>, Vec<NodeId>) =
            kept.map(|place| (NodeId::new(place), chips[place])).unzip();
        let demand = match &self.shape {
            DemandShape::Uniform => Self::uniform(left.len()),
            // Groups that lose a chip are no longer alike.
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

    /// Whether every pair sends as much as its reverse.
    pub fn is_symmetric(&self) -> bool {
        let count = self.endpoint_count();
        match &self.shape {
            DemandShape::Matrix(weights) => {
                (0..count).all(|s| (s + 1..count).all(|t| weights[s * count + t] == weights[t * count + s]))
            }
            _ => true,
        }
    }

    /// The destinations of a source, split into planes: the weight of a pair is the sum over the planes that
    /// hold its destination.
    ///
    /// Uniform demand has one plane, groups one per component, a matrix one per binary digit of its weights;
    /// who is no endpoint has none.
    pub fn planes(&self, source: NodeId) -> Vec<Plane> {
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
            Plane { weight, destinations }
        };
        match &self.shape {
            DemandShape::Uniform => vec![within(0, self.endpoint_count(), 1)],
            DemandShape::Groups(components) => {
                let plane = |component: &Component| {
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
                    Plane { weight: 1 << digit, destinations }
                };
                (0..digits).map(plane).filter(|plane| !plane.destinations.is_clear()).collect()
            }
        }
    }

    /// Whether a permutation of the nodes keeps the weight of every pair, and takes endpoints to endpoints.
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
            // Groups go to groups: all endpoints of one land in the group where its first one lands.
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

    /// As `demand = matrix` reads it: one line per source, one number per destination, both endpoints by id.
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

    /// The place of a node among the endpoints.
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
                let together = |component: &&Component| {
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn component(group: u32, weight: u32) -> Component {
        Component { group, weight }
    }

    fn demands() -> Vec<Demand> {
        let cells = (0..144).map(|at| if at % 13 == 0 { 0 } else { (at * 7 % 11) as u32 });
        let all = [
            Demand::uniform(12),
            Demand::groups(12, vec![component(12, 1), component(4, 4), component(2, 3)]),
            Demand::groups(12, vec![component(6, 5)]),
            Demand::matrix(12, cells.collect()),
        ];
        // The same once more, between nodes that only forward.
        let places = [1, 2, 3, 5, 6, 8, 9, 10, 13, 14, 15, 17].map(NodeId);
        let spread = all.iter().map(|demand| demand.clone().among_endpoints(19, places.to_vec()));
        all.iter().cloned().chain(spread).collect()
    }

    fn nodes(demand: &Demand) -> impl Iterator<Item = NodeId> + use<> {
        (0..demand.node_count()).map(NodeId::new)
    }

    fn keeps(demand: &Demand, image: impl Fn(NodeId) -> NodeId) -> bool {
        nodes(demand).all(|node| demand.is_endpoint(node) == demand.is_endpoint(image(node)))
            && nodes(demand)
                .all(|s| nodes(demand).all(|t| demand.weight(s, t) == demand.weight(image(s), image(t))))
    }

    #[test]
    fn planes_rows_and_sums_agree_with_the_weights() {
        for demand in demands() {
            for source in nodes(&demand) {
                let mut row = vec![0; demand.node_count()];
                for plane in demand.planes(source) {
                    plane.destinations.ones().for_each(|destination| row[destination] += plane.weight);
                }
                assert_eq!(row, demand.row(source), "{demand:?}");
                assert_eq!(row[source.index()], 0);
                assert_eq!(row.iter().map(|&weight| u64::from(weight)).sum::<u64>(), demand.sent_by(source));
            }
            assert_eq!(demand.total(), nodes(&demand).map(|source| demand.sent_by(source)).sum::<u64>());
            assert_eq!(demand.largest(), nodes(&demand).flat_map(|source| demand.row(source)).max().unwrap());
            let symmetric =
                nodes(&demand).all(|s| nodes(&demand).all(|t| demand.weight(s, t) == demand.weight(t, s)));
            assert_eq!(demand.is_symmetric(), symmetric);
        }
    }

    #[test]
    fn what_keeps_a_demand_is_what_keeps_every_weight() {
        for demand in demands() {
            let count = demand.node_count() as u32;
            for shift in 0..count {
                let image = |node: NodeId| NodeId((node.0 + shift) % count);
                assert_eq!(demand.is_kept_by(image), keeps(&demand, image), "{demand:?} shifted by {shift}");
            }
        }
    }

    #[test]
    fn one_all_to_all_of_weight_1_is_uniform() {
        assert!(Demand::groups(8, vec![component(8, 1), component(4, 0)]).is_uniform());
        assert!(!Demand::groups(8, vec![component(8, 2)]).is_uniform());
    }

    #[test]
    fn where_every_node_is_an_endpoint_nothing_changes() {
        for demand in demands().into_iter().take(4) {
            let all: Vec<NodeId> = nodes(&demand).collect();
            assert_eq!(demand.clone().among_endpoints(12, all), demand);
        }
        assert!(!Demand::uniform(2).among_endpoints(3, vec![NodeId(0), NodeId(2)]).is_uniform());
    }

    /// Routers of which some are endpoints, a demand among those, and a permutation of all.
    fn networks() -> impl Strategy<Value = (Demand, Vec<bool>, Vec<u32>)> {
        let mask = prop::collection::vec(any::<bool>(), 2..14)
            .prop_filter("two endpoints", |mask| mask.iter().filter(|&&has| has).count() > 1);
        mask.prop_flat_map(|mask| {
            let count = mask.iter().filter(|&&has| has).count();
            let sizes: Vec<u32> =
                (2..=count as u32).filter(|&size| (count as u32).is_multiple_of(size)).collect();
            let grouped = prop::collection::vec(1u32..5, sizes.len()).prop_map(move |weights| {
                Demand::groups(
                    count,
                    sizes.iter().zip(weights).map(|(&group, weight)| component(group, weight)).collect(),
                )
            });
            let cells = prop::collection::vec(0u32..4, count * count).prop_map(move |mut cells| {
                (0..count).for_each(|at| cells[at * (count + 1)] = 0);
                Demand::matrix(count, cells)
            });
            let routers = mask.len();
            let swaps = Just((0..routers as u32).collect::<Vec<_>>()).prop_shuffle();
            let demand = prop_oneof![Just(Demand::uniform(count)), grouped, cells];
            (demand, Just(mask), swaps)
        })
        .prop_map(|(demand, mask, image)| {
            let endpoints = (0..mask.len()).filter(|&node| mask[node]).map(NodeId::new).collect();
            (demand.among_endpoints(mask.len(), endpoints), mask, image)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn among_endpoints_every_question_has_the_answer_of_the_weights((demand, mask, image) in networks()) {
            prop_assert_eq!(demand.node_count(), mask.len());
            let endpoints: Vec<NodeId> = demand.endpoints().collect();
            prop_assert_eq!(endpoints.clone(), nodes(&demand).filter(|node| mask[node.index()]).collect::<Vec<_>>());
            let sum = |source: NodeId| demand.row(source).into_iter().map(u64::from).sum::<u64>();
            let mut most = 0;
            for source in nodes(&demand) {
                prop_assert_eq!(demand.is_endpoint(source), mask[source.index()]);
                let mut row = vec![0; mask.len()];
                for plane in demand.planes(source) {
                    plane.destinations.ones().for_each(|destination| row[destination] += plane.weight);
                }
                prop_assert_eq!(&row, &demand.row(source));
                let forwards = |node: usize| !mask[source.index()] || !mask[node];
                prop_assert!((0..mask.len()).all(|node| row[node] == 0 || !forwards(node)));
                prop_assert_eq!(demand.sent_by(source), sum(source));
                most = most.max(sum(source));
            }
            prop_assert_eq!(demand.sent_most(None), most);
            prop_assert_eq!(demand.total(), nodes(&demand).map(sum).sum::<u64>());
            prop_assert_eq!(demand.largest(), nodes(&demand).flat_map(|source| demand.row(source)).max().unwrap());
            let symmetric = nodes(&demand).all(|s| nodes(&demand).all(|t| demand.weight(s, t) == demand.weight(t, s)));
            prop_assert_eq!(demand.is_symmetric(), symmetric);
            let image = |node: NodeId| NodeId(image[node.index()]);
            prop_assert_eq!(demand.is_kept_by(image), keeps(&demand, image));
            let cell = |s: &NodeId, t: &NodeId| demand.weight(*s, *t).to_string();
            let line = |s: &NodeId| endpoints.iter().map(|t| cell(s, t)).collect::<Vec<_>>().join(",") + "\n";
            prop_assert_eq!(demand.csv(), endpoints.iter().map(line).collect::<String>());
        }

        #[test]
        fn what_is_left_without_some_nodes_keeps_its_weights((demand, _, order) in networks(), dead in 1usize..4) {
            let mut left: Vec<NodeId> = order.into_iter().skip(dead.min(demand.node_count() - 1)).map(NodeId).collect();
            left.sort();
            let among = demand.among(&left);
            prop_assert_eq!(among.node_count(), left.len());
            for (s, &here) in left.iter().enumerate() {
                for (t, &there) in left.iter().enumerate() {
                    prop_assert_eq!(among.weight(NodeId::new(s), NodeId::new(t)), demand.weight(here, there));
                }
            }
        }
    }
}
