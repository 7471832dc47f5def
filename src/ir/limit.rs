//! The universal limit: an upper bound on the flow of every topology of a pod.

use super::{ConcurrentFlow, Fraction};
use std::cmp::Ordering;

/// The argument behind a [`UniversalLimit`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LimitArgument {
    /// The infinite tree of cubes.
    Tree {
        /// `[axis][coordinate]`: length of the copper links from that coordinate to the next one.
        copper: [Vec<u32>; 3],
        /// Length of a fiber in the same unit.
        fiber: u32,
        /// Distances 0..levels were counted. Larger distances count as `levels`.
        levels: u32,
    },
    /// The tree of cubes with copper of length 1. The cubes behind the face ports of a cube are at most all
    /// cubes. A word is a face port. Words to one cube lose at least their prices minus the deficit of that
    /// cube.
    OneHop {
        /// Length of a fiber, in that unit.
        fiber: u32,
        /// `[class of words]`: the price of each word.
        prices: Vec<u32>,
        /// The most by which a set of words may fall short of its prices: words to another cube, and words to
        /// the own cube.
        deficits: [u64; 2],
    },
    /// A plane through all cubes. Positions below it are on one side, the others on the other side.
    Plane {
        /// The axis: 0, 1, 2 for x, y, z.
        axis: u32,
        /// Coordinates 0..below are on the first side.
        below: u32,
    },
    /// Cubes `first..first + count` against all others.
    Cubes {
        /// The first cube of the set.
        first: u32,
        /// The number of cubes of the set.
        count: u32,
    },
}

/// lambda <= volume / distance for every topology that the switches of a pod can realise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UniversalLimit {
    /// For the tree, the largest possible sum of length x capacity over channels. For a cut, the capacity
    /// across it in one direction.
    pub volume: u128,
    /// For the tree, the least possible sum of lengths over ordered pairs. For a cut, the ordered pairs
    /// across it in that direction.
    pub distance: u128,
    /// The argument that proves it.
    pub argument: LimitArgument,
}

impl UniversalLimit {
    /// The upper bound on lambda, exactly.
    pub fn value(&self) -> Fraction {
        Fraction::new(self.volume, self.distance)
    }
    /// Compares two bounds exactly. The smaller one is the stronger.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.value().cmp(&other.value())
    }
    /// Whether a certified flow, or a maximum channel load in parts (lambda >= parts / load), reaches the
    /// bound exactly. Then no topology of the pod carries more.
    pub fn is_met(&self, flow: &ConcurrentFlow, max_channel_load: Option<u64>) -> bool {
        let parts = flow.primal.as_ref().map_or(1, |flow| flow.parts);
        let of_tables = max_channel_load.filter(|&load| load > 0).map(|load| Fraction::new(parts, load));
        flow.lower_end().max(of_tables.unwrap_or(Fraction::ZERO)) >= self.value()
    }
}
