//! Counts the copies of a position in the tree of cubes, distance by distance.

use super::shape::Shape;
use rayon::prelude::*;

/// Least sum of lengths over the ordered pairs of a pod, and the distances that were counted: `0..levels`.
///
/// At most `budget` distances are looked at; everything farther then counts as `levels`, which leaves a smaller, still valid sum.
pub(super) fn distance(shape: &Shape, copper: usize, fiber: usize, budget: usize) -> (u128, usize) {
    let per_class: Vec<(u128, usize)> = shape
        .classes
        .par_iter()
        .map(|&(position, members)| {
            let (sum, levels) = Counter::new(shape, position, copper, fiber).sum(budget);
            (u128::from(members) * sum, levels)
        })
        .collect();
    let sum: u128 = per_class.iter().map(|&(sum, _)| sum).sum();
    (sum * u128::from(shape.cubes), per_class.iter().map(|&(_, levels)| levels).max().unwrap_or(0))
}

/// The counts for one position q. With F(t, d) = copies of q within d of a cube entered through slot t, the exit back through t barred, and
/// G(s, d) = max of F(t, d) over the slots t that s can be wired to, both cut at the number of cubes:
///
/// N(p, d) = [q within d of p inside the cube] + sum over slots s of G(s, d - fiber - copper * hops(p, s)),
/// F(t, d) = N(position of t, d) - G(t, d - fiber).
struct Counter<'a> {
    shape: &'a Shape,
    /// `[position]`: length from q inside the cube.
    inside: Vec<usize>,
    copper: usize,
    /// `[d % fiber][slot]`: G for the last distances.
    beyond: Vec<Vec<u64>>,
    spread: Spread,
}

impl<'a> Counter<'a> {
    fn new(shape: &'a Shape, q: usize, copper: usize, fiber: usize) -> Self {
        let to = shape.at(q);
        let hops = |position: usize| shape.at(position).iter().zip(to).map(|(&x, y)| x.abs_diff(y)).sum::<usize>();
        Self {
            shape,
            inside: (0..shape.positions()).map(|position| hops(position) * copper).collect(),
            copper,
            beyond: vec![vec![0; shape.position.len()]; fiber],
            spread: Spread::new(shape.dims, copper),
        }
    }

    /// Sum over all positions p of the lengths to the nearest copies, as many as there are cubes; and the distances counted.
    fn sum(mut self, budget: usize) -> (u128, usize) {
        let cubes = self.shape.cubes;
        let fiber = self.beyond.len();
        // After this many distances without a new copy there is none.
        let patience = fiber + self.copper * self.shape.dims.iter().sum::<usize>() + 1;
        let mut sum = 0u128;
        let mut best = vec![0u64; self.shape.position.len()];
        let (mut before, mut still) = (0u128, 0);
        for d in 0..budget {
            let barred = &self.beyond[d % fiber];
            let mut within = vec![0u64; self.shape.positions()];
            if d >= fiber {
                for (slot, &copies) in barred.iter().enumerate() {
                    within[self.shape.position[slot]] += copies;
                }
                self.spread.step(d - fiber, &mut within);
            }
            let (mut missing, mut seen) = (0u64, 0u128);
            for (copies, &inside) in within.iter_mut().zip(&self.inside) {
                *copies += u64::from(inside <= d);
                missing += cubes.saturating_sub(*copies);
                seen += u128::from(*copies);
            }
            sum += u128::from(missing);
            still = if seen == before { still + 1 } else { 0 };
            before = seen;
            if missing == 0 || still > patience {
                return (sum, d + 1);
            }
            for (slot, copies) in best.iter_mut().enumerate() {
                *copies = (within[self.shape.position[slot]] - barred[slot]).min(cubes);
            }
            let best_of: Vec<u64> = self.shape.partners.iter().map(|set| set.iter().map(|&slot| best[slot]).max().unwrap_or(0)).collect();
            for (copies, &set) in self.beyond[d % fiber].iter_mut().zip(&self.shape.partners_of) {
                *copies = best_of[set];
            }
        }
        (sum, budget)
    }
}

/// Adds up, at every position, what all positions had `copper` per hop earlier; axis by axis, in constant time per position.
struct Spread {
    dims: [usize; 3],
    copper: usize,
    /// `[axis][direction][d % copper][position]`: running sums along the axis.
    running: [[Vec<Vec<u64>>; 2]; 3],
}

impl Spread {
    fn new(dims: [usize; 3], copper: usize) -> Self {
        let zero = || vec![vec![0; dims.iter().product()]; copper];
        Self { dims, copper, running: [0, 1, 2].map(|_| [zero(), zero()]) }
    }

    /// Takes the values of distance `d`, leaves the sums; to be called for d = 0, 1, 2, ...
    fn step(&mut self, d: usize, values: &mut [u64]) {
        let [ax, ay, az] = self.dims;
        for (axis, (stride, dim)) in [(1, ax), (ax, ay), (ax * ay, az)].into_iter().enumerate() {
            let [up, down] = &mut self.running[axis];
            let (up, down) = (&mut up[d % self.copper], &mut down[d % self.copper]);
            let coordinate = |position: usize| position / stride % dim;
            // In place: a neighbour must still have its older sum when it is read.
            for position in (0..values.len()).rev() {
                up[position] = values[position] + if coordinate(position) > 0 { up[position - stride] } else { 0 };
            }
            for position in 0..values.len() {
                down[position] = values[position] + if coordinate(position) + 1 < dim { down[position + stride] } else { 0 };
            }
            for (position, value) in values.iter_mut().enumerate() {
                *value = up[position] + down[position] - *value;
            }
        }
    }
}
