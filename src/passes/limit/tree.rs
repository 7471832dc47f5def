//! Counts the copies of a position in the tree of cubes, distance by distance.

use super::shape::Shape;
use rayon::prelude::*;

/// Lengths of the links, all positive.
#[derive(Clone)]
pub(super) struct Lengths {
    /// `[axis][coordinate]`: of the copper links from that coordinate to the next one.
    pub(super) copper: [Vec<usize>; 3],
    pub(super) fiber: usize,
}

impl Lengths {
    /// Length of the copper between two positions.
    pub(super) fn between(&self, dims: [usize; 3], p: usize, q: usize) -> usize {
        let [ax, ay, _] = dims;
        let at = |position: usize| [position % ax, position / ax % ay, position / (ax * ay)];
        let (p, q) = (at(p), at(q));
        (0..3)
            .map(|axis| self.copper[axis][p[axis].min(q[axis])..p[axis].max(q[axis])].iter().sum::<usize>())
            .sum()
    }
}

/// Least sum of lengths over the ordered pairs of a pod, and the distances that were counted: `0..levels`.
///
/// At most `budget` distances are looked at; everything farther then counts as `levels`, which leaves a
/// smaller, still valid sum.
pub(super) fn distance(shape: &Shape, lengths: &Lengths, budget: usize) -> (u128, usize) {
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

/// How many distances there are at which no more copies of position `q` than `most` are within reach, by the
/// position they are seen from.
pub(super) fn levels_to(shape: &Shape, lengths: &Lengths, q: usize, most: u64) -> Vec<usize> {
    let mut levels = vec![0; shape.positions()];
    Counter::new(shape, q, lengths, most + 1).sum(usize::MAX, |d, within| {
        levels
            .iter_mut()
            .zip(within)
            .filter(|&(_, &copies)| copies <= most)
            .for_each(|(levels, _)| *levels = d + 1);
    });
    levels
}

/// The counts for one position q. With F(t, d) = copies of q within d of a cube entered through slot t, the
/// exit back through t barred, and G(s, d) = max of F(t, d) over the slots t that s can be wired to, both cut
/// at `cubes`:
///
/// N(p, d) = [q within d of p inside the cube] + sum over slots s of G(s, d - fiber - copper from p to s),
/// F(t, d) = N(position of t, d) - G(t, d - fiber).
struct Counter<'a> {
    shape: &'a Shape,
    cubes: u64,
    /// `[position]`: length from q inside the cube.
    inside: Vec<usize>,
    /// `[d % fiber][slot]`: G for the last distances.
    beyond: Vec<Vec<u64>>,
    spread: Spread<'a>,
}

impl<'a> Counter<'a> {
    fn new(shape: &'a Shape, q: usize, lengths: &'a Lengths, cubes: u64) -> Self {
        Self {
            shape,
            cubes,
            inside: (0..shape.positions()).map(|position| lengths.between(shape.dims, position, q)).collect(),
            beyond: vec![vec![0; shape.position.len()]; lengths.fiber],
            spread: Spread::new(shape.dims, &lengths.copper),
        }
    }

    /// Sum over all positions p of the lengths to the nearest `cubes` copies, and the distances counted.
    /// Tells the copies within each; exactly where there are fewer than `cubes`.
    fn sum(mut self, budget: usize, mut tell: impl FnMut(usize, &[u64])) -> (u128, usize) {
        let cubes = self.cubes;
        let fiber = self.beyond.len();
        // After this many distances without a new copy there is none.
        let patience = fiber + self.spread.copper.iter().flatten().sum::<usize>() + 1;
        let mut sum = 0u128;
        let mut best = vec![0u64; self.shape.position.len()];
        let (mut before, mut still) = (0u128, 0);
        for d in 0..budget {
            let barred = &self.beyond[d % fiber];
            let mut within = vec![0u64; self.shape.positions()];
            if d >= fiber {
                for (&copies, &position) in barred.iter().zip(&self.shape.position) {
                    within[position] += copies;
                }
                self.spread.step(d - fiber, &mut within);
            }
            let (mut missing, mut seen) = (0u64, 0u128);
            for (copies, &inside) in within.iter_mut().zip(&self.inside) {
                *copies += u64::from(inside <= d);
                missing += cubes.saturating_sub(*copies);
                seen += u128::from(*copies);
            }
            tell(d, &within);
            sum += u128::from(missing);
            still = if seen == before { still + 1 } else { 0 };
            before = seen;
            if missing == 0 || still > patience {
                return (sum, d + 1);
            }
            for (slot, copies) in best.iter_mut().enumerate() {
                *copies = (within[self.shape.position[slot]] - barred[slot]).min(cubes);
            }
            let best_of: Vec<u64> = self
                .shape
                .partners
                .iter()
                .map(|set| set.iter().map(|&slot| best[slot]).max().unwrap_or(0))
                .collect();
            for (copies, &set) in self.beyond[d % fiber].iter_mut().zip(&self.shape.partners_of) {
                *copies = best_of[set];
            }
        }
        (sum, budget)
    }
}

/// Adds up, at every position, what all positions had as much earlier as they are away; axis by axis, in
/// constant time per position.
struct Spread<'a> {
    dims: [usize; 3],
    copper: &'a [Vec<usize>; 3],
    /// Distances that the running sums go back.
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

    /// Takes the values of distance `d`, leaves the sums; to be called for d = 0, 1, 2, ...
    fn step(&mut self, d: usize, values: &mut [u64]) {
        let [ax, ay, _] = self.dims;
        let (positions, kept) = (values.len(), self.kept);
        // Where the sums of `ago` distances before stand; before the first they are zero.
        let earlier = |ago: usize| (d + kept - ago) % kept * positions;
        let now = earlier(0);
        for (axis, stride) in [1, ax, ax * ay].into_iter().enumerate() {
            let dim = self.dims[axis];
            let copper = &self.copper[axis];
            let [up, down] = &mut self.running[axis];
            for line in (0..positions).step_by(stride * dim) {
                for at in 0..dim {
                    let from = (at > 0).then(|| earlier(copper[at - 1]));
                    for position in line + at * stride..line + (at + 1) * stride {
                        up[now + position] =
                            values[position] + from.map_or(0, |from| up[from + position - stride]);
                    }
                }
                for at in (0..dim).rev() {
                    let from = (at + 1 < dim).then(|| earlier(copper[at]));
                    for position in line + at * stride..line + (at + 1) * stride {
                        down[now + position] =
                            values[position] + from.map_or(0, |from| down[from + position + stride]);
                    }
                }
            }
            for (position, value) in values.iter_mut().enumerate() {
                *value = up[now + position] + down[now + position] - *value;
            }
        }
    }
}
