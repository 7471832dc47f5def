//! The universal limit: what no topology of a pod can carry more than.

use super::{ConcurrentFlow, Fraction};
use std::cmp::Ordering;

/// The argument behind a [`UniversalLimit`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LimitArgument {
    /// The infinite tree of cubes.
    Tree {
        /// `[axis][coordinate]`: length of the copper links from that coordinate to the next one.
        copper: [Vec<u32>; 3],
        /// Length of a fiber.
        fiber: u32,
        /// Distances 0..levels were counted; what lies farther counts as `levels`.
        levels: u32,
    },
    /// The tree of cubes with copper of length 1, in which the cubes behind the face ports of a cube are at
    /// most all cubes. A word is a face port; what words to the same cube lose is at least their prices less
    /// the deficit of that cube.
    OneHop {
        /// Length of a fiber.
        fiber: u32,
        /// `[class of words]`: the price of each.
        prices: Vec<u32>,
        /// By how much a set of words may fall short of its prices at most: those to another cube, those to
        /// the own cube.
        deficits: [u64; 2],
    },
    /// A plane through all cubes: positions below it on one side, the others on the other.
    Plane {
        /// 0, 1, 2 for x, y, z.
        axis: u32,
        /// Coordinates 0..below are on the first side.
        below: u32,
    },
    /// Cubes `first..first + count` against all others.
    Cubes {
        /// The first of them.
        first: u32,
        /// How many.
        count: u32,
    },
}

/// lambda <= volume / distance for every topology that the switches of a pod can realise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UniversalLimit {
    /// Largest possible sum of length x capacity over channels (tree), or capacity across a cut in one
    /// direction.
    pub volume: u128,
    /// Least possible sum of lengths over ordered pairs (tree), or ordered pairs across the cut in that
    /// direction.
    pub distance: u128,
    /// What proves it.
    pub argument: LimitArgument,
}

impl UniversalLimit {
    /// The bound on lambda.
    pub fn value(&self) -> Fraction {
        Fraction::new(self.volume, self.distance)
    }
    /// How this bound compares with another, exactly; the smaller is the stronger.
    pub fn compare(&self, other: &Self) -> Ordering {
        self.value().cmp(&other.value())
    }
    /// Whether a certified flow, or a maximum channel load in parts (lambda >= parts / load), reaches the
    /// bound exactly: then no topology of the pod carries more.
    pub fn is_met(&self, flow: &ConcurrentFlow, max_channel_load: Option<u64>) -> bool {
        let parts = flow.primal.as_ref().map_or(1, |flow| flow.parts);
        let of_tables = max_channel_load.filter(|&load| load > 0).map(|load| Fraction::new(parts, load));
        flow.lower_end().max(of_tables.unwrap_or(Fraction::ZERO)) >= self.value()
    }
}
