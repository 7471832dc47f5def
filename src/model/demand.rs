//! The traffic that a pod must carry: an integer weight per ordered pair of chips.
//!
//! Comes in: components or a matrix that `resolve` has checked. Goes out: weights by pair, by source and as planes of destinations.
//! Invariants: some weight is positive; no chip sends to itself; weights are at most [`WEIGHT`](crate::limits::WEIGHT), so that integer flows fit 64 bits.
//! Groups are implicit: only a matrix takes memory per pair.

use crate::ids::{Id, NodeId};
use fixedbitset::FixedBitSet;
use std::sync::Arc;

/// The traffic to carry: chip s sends to chip t at a rate proportional to `weight(s, t)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demand {
    nodes: usize,
    shape: DemandShape,
}

/// How a demand is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DemandShape {
    /// Every ordered pair of distinct chips has weight 1.
    Uniform,
    /// Sum of all-to-alls within groups, in the order of their sizes.
    Groups(Vec<Component>),
    /// `[source * nodes + destination]`.
    Matrix(Arc<[u32]>),
}

/// An all-to-all within each group of consecutive chips.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Component {
    /// Chips per group; divides the number of chips.
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

impl Demand {
    /// Weight 1 for every ordered pair of distinct chips.
    pub fn uniform(nodes: usize) -> Self {
        Self { nodes, shape: DemandShape::Uniform }
    }

    /// The sum of components, each with a group size of its own that divides `nodes`; a single all-to-all of weight 1 is the uniform demand.
    pub fn groups(nodes: usize, mut components: Vec<Component>) -> Self {
        components.retain(|component| component.weight > 0);
        components.sort();
        if components == [Component { group: nodes as u32, weight: 1 }] {
            return Self::uniform(nodes);
        }
        Self { nodes, shape: DemandShape::Groups(components) }
    }

    /// A matrix, row by row; its diagonal must be zero.
    pub fn matrix(nodes: usize, weights: Vec<u32>) -> Self {
        Self { nodes, shape: DemandShape::Matrix(weights.into()) }
    }

    /// How it is given.
    pub fn shape(&self) -> &DemandShape {
        &self.shape
    }
    /// Whether it is the uniform demand (a matrix of ones counts as a matrix).
    pub fn is_uniform(&self) -> bool {
        self.shape == DemandShape::Uniform
    }
    /// Number of chips.
    pub fn node_count(&self) -> usize {
        self.nodes
    }

    /// The weight of an ordered pair; 0 from a chip to itself.
    pub fn weight(&self, source: NodeId, destination: NodeId) -> u32 {
        match &self.shape {
            _ if source == destination => 0,
            DemandShape::Uniform => 1,
            DemandShape::Groups(components) => {
                let together = |component: &&Component| source.0 / component.group == destination.0 / component.group;
                components.iter().filter(together).map(|component| component.weight).sum()
            }
            DemandShape::Matrix(weights) => weights[source.index() * self.nodes + destination.index()],
        }
    }

    /// The weights from one chip, by destination.
    pub fn row(&self, source: NodeId) -> Vec<u32> {
        (0..self.nodes).map(|destination| self.weight(source, NodeId::new(destination))).collect()
    }

    /// What a chip sends: the sum of its weights.
    pub fn sent_by(&self, source: NodeId) -> u64 {
        match &self.shape {
            DemandShape::Uniform => self.nodes as u64 - 1,
            DemandShape::Groups(components) => {
                components.iter().map(|component| u64::from(component.weight) * u64::from(component.group - 1)).sum()
            }
            DemandShape::Matrix(weights) => {
                weights[source.index() * self.nodes..][..self.nodes].iter().map(|&weight| u64::from(weight)).sum()
            }
        }
    }

    /// What the chip that sends most sends.
    pub fn sent_most(&self) -> u64 {
        self.sent_most_without(None)
    }

    /// What the chip that sends most sends when nobody sends to, or hears from, a dead one.
    pub fn sent_most_without(&self, dead: Option<NodeId>) -> u64 {
        let to_dead = |source| dead.map_or(0, |dead| u64::from(self.weight(source, dead)));
        let living = self.sources().filter(|&source| Some(source) != dead);
        living.map(|source| self.sent_by(source) - to_dead(source)).max().unwrap_or(0)
    }

    /// The demand among some of the chips, numbered as they are listed.
    pub fn among(&self, chips: &[NodeId]) -> Self {
        if chips.len() == self.nodes {
            return self.clone();
        }
        match &self.shape {
            DemandShape::Uniform => Self::uniform(chips.len()),
            // Groups that lose a chip are no longer alike.
            _ => Self::matrix(chips.len(), chips.iter().flat_map(|&s| chips.iter().map(move |&t| self.weight(s, t))).collect()),
        }
    }

    /// The sum of all weights.
    pub fn total(&self) -> u64 {
        match &self.shape {
            DemandShape::Matrix(weights) => weights.iter().map(|&weight| u64::from(weight)).sum(),
            _ => self.nodes as u64 * self.sent_by(NodeId(0)),
        }
    }

    /// The largest weight of a pair.
    pub fn largest(&self) -> u32 {
        match &self.shape {
            DemandShape::Uniform => 1,
            // Chips 0 and 1 share every group.
            DemandShape::Groups(_) => self.weight(NodeId(0), NodeId(1)),
            DemandShape::Matrix(weights) => weights.iter().copied().max().unwrap_or(0),
        }
    }

    /// Whether every pair sends as much as its reverse.
    pub fn is_symmetric(&self) -> bool {
        match &self.shape {
            DemandShape::Matrix(weights) => {
                (0..self.nodes).all(|s| (s + 1..self.nodes).all(|t| weights[s * self.nodes + t] == weights[t * self.nodes + s]))
            }
            _ => true,
        }
    }

    /// The destinations of a source, split into planes: the weight of a pair is the sum over the planes that hold its destination.
    ///
    /// Uniform demand has one plane, groups one per component, a matrix one per binary digit of its weights.
    pub fn planes(&self, source: NodeId) -> Vec<Plane> {
        let within = |first: usize, count: usize, weight: u32| {
            let mut destinations = FixedBitSet::with_capacity(self.nodes);
            destinations.insert_range(first..first + count);
            destinations.set(source.index(), false);
            Plane { weight, destinations }
        };
        match &self.shape {
            DemandShape::Uniform => vec![within(0, self.nodes, 1)],
            DemandShape::Groups(components) => {
                let plane = |component: &Component| {
                    let size = component.group as usize;
                    within(source.index() / size * size, size, component.weight)
                };
                components.iter().map(plane).collect()
            }
            DemandShape::Matrix(weights) => {
                let row = &weights[source.index() * self.nodes..][..self.nodes];
                let digits = u32::BITS - self.largest().leading_zeros();
                let plane = |digit: u32| {
                    let mut destinations = FixedBitSet::with_capacity(self.nodes);
                    destinations.extend((0..self.nodes).filter(|&destination| row[destination] >> digit & 1 == 1));
                    Plane { weight: 1 << digit, destinations }
                };
                (0..digits).map(plane).filter(|plane| !plane.destinations.is_clear()).collect()
            }
        }
    }

    /// Whether a permutation of the chips keeps the weight of every pair.
    pub fn is_kept_by(&self, image: impl Fn(NodeId) -> NodeId) -> bool {
        match &self.shape {
            DemandShape::Uniform => true,
            // Groups go to groups: all chips of one land in the group where its first chip lands.
            DemandShape::Groups(components) => components.iter().all(|component| {
                let first = |node: NodeId| NodeId(node.0 / component.group * component.group);
                self.sources().all(|node| image(node).0 / component.group == image(first(node)).0 / component.group)
            }),
            DemandShape::Matrix(weights) => {
                let images: Vec<usize> = self.sources().map(|node| image(node).index()).collect();
                weights.chunks(self.nodes).zip(&images).all(|(row, &source)| {
                    let there = &weights[source * self.nodes..][..self.nodes];
                    row.iter().zip(&images).all(|(&weight, &destination)| weight == there[destination])
                })
            }
        }
    }

    /// As `demand = matrix` reads it: one line per source, one number per destination.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        for source in self.sources() {
            let row: Vec<String> = self.row(source).iter().map(u32::to_string).collect();
            out.push_str(&row.join(","));
            out.push('\n');
        }
        out
    }

    fn sources(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes).map(NodeId::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demands() -> Vec<Demand> {
        let component = |group, weight| Component { group, weight };
        let cells = (0..144).map(|at| if at % 13 == 0 { 0 } else { (at * 7 % 11) as u32 });
        vec![
            Demand::uniform(12),
            Demand::groups(12, vec![component(12, 1), component(4, 4), component(2, 3)]),
            Demand::groups(12, vec![component(6, 5)]),
            Demand::matrix(12, cells.collect()),
        ]
    }

    #[test]
    fn planes_rows_and_sums_agree_with_the_weights() {
        for demand in demands() {
            let nodes = || (0..12).map(NodeId);
            for source in nodes() {
                let mut row = vec![0; 12];
                for plane in demand.planes(source) {
                    plane.destinations.ones().for_each(|destination| row[destination] += plane.weight);
                }
                assert_eq!(row, demand.row(source), "{demand:?}");
                assert_eq!(row[source.index()], 0);
                assert_eq!(row.iter().map(|&weight| u64::from(weight)).sum::<u64>(), demand.sent_by(source));
            }
            assert_eq!(demand.total(), nodes().map(|source| demand.sent_by(source)).sum::<u64>());
            assert_eq!(demand.largest(), nodes().flat_map(|source| demand.row(source)).max().unwrap());
            let symmetric = nodes().all(|s| nodes().all(|t| demand.weight(s, t) == demand.weight(t, s)));
            assert_eq!(demand.is_symmetric(), symmetric);
        }
    }

    #[test]
    fn what_keeps_a_demand_is_what_keeps_every_weight() {
        for demand in demands() {
            for shift in 0..12 {
                let image = |node: NodeId| NodeId((node.0 + shift) % 12);
                let nodes = || (0..12).map(NodeId);
                let kept = nodes().all(|s| nodes().all(|t| demand.weight(s, t) == demand.weight(image(s), image(t))));
                assert_eq!(demand.is_kept_by(image), kept, "{demand:?} shifted by {shift}");
            }
        }
    }

    #[test]
    fn one_all_to_all_of_weight_1_is_uniform() {
        assert!(Demand::groups(8, vec![Component { group: 8, weight: 1 }, Component { group: 4, weight: 0 }]).is_uniform());
        assert!(!Demand::groups(8, vec![Component { group: 8, weight: 2 }]).is_uniform());
    }
}
