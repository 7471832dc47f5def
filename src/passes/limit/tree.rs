//! Counts the copies of a position in the tree of cubes, distance by distance.

use super::shape::CubeShape;
use rayon::prelude::*;

/// The lengths of the links, all positive.
#[derive(Clone)]
pub(super) struct Lengths {
    /// `[axis][coordinate]`: the length of the copper links from that coordinate to the next one.
    pub(super) copper: [Vec<usize>; 3],
    pub(super) fiber: usize,
}

impl Lengths {
    /// The length of the copper between two positions of a cube.
    pub(super) fn between(&self, dims: [usize; 3], p: usize, q: usize) -> usize {
        let [ax, ay, _] = dims;
        let coordinates = |position: usize| [position % ax, position / ax % ay, position / (ax * ay)];
        let (p, q) = (coordinates(p), coordinates(q));
        (0..3)
            .map(|axis| self.copper[axis][p[axis].min(q[axis])..p[axis].max(q[axis])].iter().sum::<usize>())
            .sum()
    }
}

/// The least sum of lengths over the ordered pairs of a pod, and the number of distances that were counted:
/// `0..levels`.
///
/// At most `budget` distances are counted. Everything farther then counts as `levels`, which leaves a
/// smaller, still valid sum.
pub(super) fn distance(shape: &CubeShape, lengths: &Lengths, budget: usize) -> (u128, usize) {
    let per_class: Vec<(u128, usize)> = shape
        .classes
        .par_iter()
        .map(|&(position, members)| {
            let (sum, levels) = Counter::new(shape, position, lengths, shape.cubes).sum(budget, |_, _| ());
            (u128::from(members) * sum, levels)
        })
        .collect();
    let sum: u128 = per_class.iter().map(|&(sum, _)| sum).sum();
    (sum * u128::from(shape.cubes), per_class.iter().map(|&(_, levels)| levels).max().unwrap_or(0))
}

/// `[position]`: the number of distances at which at most `max_copies` copies of position `q` are within
/// reach of it.
pub(super) fn levels_to(shape: &CubeShape, lengths: &Lengths, q: usize, max_copies: u64) -> Vec<usize> {
    let mut levels = vec![0; shape.positions()];
    Counter::new(shape, q, lengths, max_copies + 1).sum(usize::MAX, |d, within| {
        levels
            .iter_mut()
            .zip(within)
            .filter(|&(_, &copies)| copies <= max_copies)
            .for_each(|(levels, _)| *levels = d + 1);
    });
    levels
}

/// `[position][distance]`: the most chips that can be so far away from a chip at that position. No position
/// has more copies than there are cubes.
pub(super) fn chips_at(shape: &CubeShape, lengths: &Lengths) -> Vec<Vec<u64>> {
    let copies_of = |q: usize| {
        let mut copies: Vec<Vec<u64>> = Vec::new();
        Counter::new(shape, q, lengths, shape.cubes).sum(usize::MAX, |_, within| {
            copies.push(within.iter().map(|&copies| copies.min(shape.cubes)).collect());
        });
        copies
    };
    let all: Vec<Vec<Vec<u64>>> = (0..shape.positions()).into_par_iter().map(copies_of).collect();
    let levels = all.iter().map(Vec::len).max().unwrap_or(0);
    let mut chips = vec![vec![0; levels]; shape.positions()];
    for copies in &all {
        let mut before = vec![0; shape.positions()];
        for (distance, within) in copies.iter().enumerate() {
            for (position, &now) in within.iter().enumerate() {
                chips[position][distance] += now - before[position];
                before[position] = now;
            }
        }
    }
    chips
}

/// The counts for one position q. Let F(t, d) be the copies of q within d of a cube entered through slot t,
/// without the exit back through t. Let G(s, d) be the max of F(t, d) over the slots t that s can be wired
/// to. Both are cut at `cubes`:
///
/// N(p, d) = [q within d of p inside the cube] + sum over slots s of G(s, d - fiber - copper from p to s),
/// F(t, d) = N(position of t, d) - G(t, d - fiber).
struct Counter<'a> {
    shape: &'a CubeShape,
    cubes: u64,
    /// `[position]`: the length from q inside the cube.
    inside: Vec<usize>,
    /// `[d % fiber][slot]`: G for the last distances.
    copies_beyond: Vec<Vec<u64>>,
    spread: Spread<'a>,
}

impl<'a> Counter<'a> {
    fn new(shape: &'a CubeShape, q: usize, lengths: &'a Lengths, cubes: u64) -> Self {
        Self {
            shape,
            cubes,
            inside: (0..shape.positions()).map(|position| lengths.between(shape.dims, position, q)).collect(),
            copies_beyond: vec![vec![0; shape.position.len()]; lengths.fiber],
            spread: Spread::new(shape.dims, &lengths.copper),
        }
    }

    /// Returns the sum over all positions p of the lengths to the nearest `cubes` copies, and the number of
    /// distances counted. Calls `report` with the copies within each distance, exact where there are fewer
    /// than `cubes`.
    fn sum(mut self, budget: usize, mut report: impl FnMut(usize, &[u64])) -> (u128, usize) {
        let cubes = self.cubes;
        let fiber = self.copies_beyond.len();
        // If this many distances bring no new copy, no later one does.
        let patience = fiber + self.spread.copper.iter().flatten().sum::<usize>() + 1;
        let mut sum = 0u128;
        let mut copies_by_slot = vec![0u64; self.shape.position.len()];
        let (mut before, mut unchanged) = (0u128, 0);
        for d in 0..budget {
            let barred = &self.copies_beyond[d % fiber];
            let mut within = vec![0u64; self.shape.positions()];
            if d >= fiber {
                for (&copies, &position) in barred.iter().zip(&self.shape.position) {
                    within[position] += copies;
                }
                self.spread.step(d - fiber, &mut within);
            }
            let (mut missing, mut copies_seen) = (0u64, 0u128);
            for (copies, &inside) in within.iter_mut().zip(&self.inside) {
                *copies += u64::from(inside <= d);
                missing += cubes.saturating_sub(*copies);
                copies_seen += u128::from(*copies);
            }
            report(d, &within);
            sum += u128::from(missing);
            unchanged = if copies_seen == before { unchanged + 1 } else { 0 };
            before = copies_seen;
            if missing == 0 || unchanged > patience {
                return (sum, d + 1);
            }
            for (slot, copies) in copies_by_slot.iter_mut().enumerate() {
                *copies = (within[self.shape.position[slot]] - barred[slot]).min(cubes);
            }
            let most_copies: Vec<u64> = self
                .shape
                .partners
                .iter()
                .map(|set| set.iter().map(|&slot| copies_by_slot[slot]).max().unwrap_or(0))
                .collect();
            for (copies, &set) in self.copies_beyond[d % fiber].iter_mut().zip(&self.shape.partners_of) {
                *copies = most_copies[set];
            }
        }
        (sum, budget)
    }
}

/// Sums up, at every position, the values of all positions, each as much earlier as it is away. Works axis
/// by axis, in constant time per position.
struct Spread<'a> {
    dims: [usize; 3],
    copper: &'a [Vec<usize>; 3],
    /// The number of distances that the running sums go back.
    kept: usize,
    /// `[axis][direction][d % kept * positions + position]`: running sums along the axis.
    running: [[Vec<u64>; 2]; 3],
}

impl<'a> Spread<'a> {
    fn new(dims: [usize; 3], copper: &'a [Vec<usize>; 3]) -> Self {
        let kept = copper.iter().flatten().max().map_or(1, |longest| longest + 1);
        let zero = || vec![0; dims.iter().product::<usize>() * kept];
        Self { dims, copper, kept, running: [0, 1, 2].map(|_| [zero(), zero()]) }
    }

    /// Replaces the values of distance `d` by the sums. Must be called for d = 0, 1, 2, ...
    fn step(&mut self, d: usize, values: &mut [u64]) {
        let [ax, ay, _] = self.dims;
        let (positions, kept) = (values.len(), self.kept);
        // The offset of the sums of `ago` distances before. Before the first they are zero.
        let earlier = |ago: usize| (d + kept - ago) % kept * positions;
        let current = earlier(0);
        for (axis, stride) in [1, ax, ax * ay].into_iter().enumerate() {
            let dim = self.dims[axis];
            let copper = &self.copper[axis];
            let [up, down] = &mut self.running[axis];
            for line in (0..positions).step_by(stride * dim) {
                for coordinate in 0..dim {
                    let from = (coordinate > 0).then(|| earlier(copper[coordinate - 1]));
                    for position in line + coordinate * stride..line + (coordinate + 1) * stride {
                        up[current + position] =
                            values[position] + from.map_or(0, |from| up[from + position - stride]);
                    }
                }
                for coordinate in (0..dim).rev() {
                    let from = (coordinate + 1 < dim).then(|| earlier(copper[coordinate]));
                    for position in line + coordinate * stride..line + (coordinate + 1) * stride {
                        down[current + position] =
                            values[position] + from.map_or(0, |from| down[from + position + stride]);
                    }
                }
            }
            for (position, value) in values.iter_mut().enumerate() {
                *value = up[current + position] + down[current + position] - *value;
            }
        }
    }
}
