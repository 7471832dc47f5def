//! The semidefinite relaxation of the bisection: routers as unit vectors instead of sides.
//!
//! Input: weights between routers, which may be negative. Output: unit vectors, and one number per router.
//! The relaxation makes least the sum over all pairs of weight x squared distance / 4, plus `lift` / 4 times
//! the squared sum of all vectors. Two sides are vectors in one dimension. At the optimum the numbers u prove
//! how good it is: the Laplacian minus diag(u) plus `lift` 1 1^T has no negative eigenvalue, so that 4 x cut
//! >= sum(u) for equal halves, and the sum minus `lift` where one half has a router more.
//!
//! Vectors have few dimensions and are replaced one by one by the best one, given all others (Burer and
//! Monteiro 2003; Wang, Chang and Kolter 2017). The bound is that of Donath and Hoffman (1973) and Boppana
//! (1987). Cost: a sweep is linear in the weights, times [`RANK`].

use super::graph::{CutGraph, first_half};
use super::spectrum::{LeastEigenvalue, least_eigenvalue};
use fabc_base::random::Stream;
use fabc_ir::{CutWeights, PathDemand, WEIGHT_PARTS};

/// The number of dimensions in which the vectors of routers lie.
pub(super) const RANK: usize = 16;
/// `lift` in parts of the largest degree over the routers.
const LIFT: f64 = 8.0;
/// The random numbers of the first vectors.
const FIRST_STREAM: u64 = 1 << 20;
/// Sweeps end when vectors move by less than this, squared and summed over a router.
const SETTLED: f64 = 1e-13;

/// Weights between routers, and their sums.
pub(super) struct PairWeights {
    /// The weights of router v are `entries[starts[v]..starts[v + 1]]`.
    starts: Vec<usize>,
    /// Each as (other router, weight), ascending.
    entries: Vec<(u32, f64)>,
    /// `[router]`: the sum of its weights.
    degrees: Vec<f64>,
    /// The largest sum of absolute weights of a router.
    largest: f64,
}

impl PairWeights {
    /// The links of a graph.
    pub(super) fn of_links(graph: &CutGraph) -> Self {
        Self::new(
            (0..graph.len()).map(|vertex| {
                graph.edges(vertex).iter().map(|&(to, links)| (to, f64::from(links))).collect()
            }),
        )
    }

    /// The weights by rows. Every pair must be in both of its rows.
    pub(super) fn new(rows: impl Iterator<Item = Vec<(u32, f64)>>) -> Self {
        let (mut starts, mut entries, mut degrees) = (vec![0], Vec::new(), Vec::new());
        let mut largest = 1.0f64;
        for row in rows {
            degrees.push(row.iter().map(|(_, weight)| weight).sum());
            largest = largest.max(row.iter().map(|(_, weight)| weight.abs()).sum());
            entries.extend(row);
            starts.push(entries.len());
        }
        Self { starts, entries, degrees, largest }
    }

    /// The number of routers, which is the number of rows.
    pub(super) fn len(&self) -> usize {
        self.degrees.len()
    }
    /// The number of weights, each pair twice.
    pub(super) fn entry_count(&self) -> usize {
        self.entries.len()
    }
    fn row(&self, router: usize) -> &[(u32, f64)] {
        &self.entries[self.starts[router]..self.starts[router + 1]]
    }
}

/// Vectors of routers and the numbers that prove a bound.
#[derive(Clone)]
pub(super) struct Relaxation {
    /// `[router]`: its vector of length 1.
    pub(super) vectors: Vec<[f64; RANK]>,
    /// `[router]`: the number u of the bound, before it is rounded.
    diagonal: Vec<f64>,
    lift: f64,
}

impl Relaxation {
    /// Random vectors for a graph.
    pub(super) fn start(graph: &CutGraph) -> Self {
        let most = (0..graph.len()).map(|vertex| graph.degree(vertex)).max().unwrap_or(1).max(1);
        let mut stream = Stream::new(1, FIRST_STREAM);
        let mut vector = || {
            let mut vector = [0.0; RANK];
            vector.iter_mut().for_each(|part| *part = stream.below(1 << 20) as f64 - f64::from(1 << 19));
            let length = dot(&vector, &vector).sqrt();
            vector.iter_mut().for_each(|part| *part /= length);
            vector
        };
        Self {
            vectors: (0..graph.len()).map(|_| vector()).collect(),
            diagonal: vec![0.0; graph.len()],
            lift: LIFT * f64::from(most) / graph.len() as f64,
        }
    }

    /// Replaces every vector by the best one, given all others, in so many sweeps at most.
    pub(super) fn settle(&mut self, weights: &PairWeights, sweeps: usize) {
        let lift = self.lift;
        let mut sum = [0.0; RANK];
        self.vectors.iter().for_each(|vector| add(&mut sum, vector, 1.0));
        for _ in 0..sweeps {
            let mut moved = 0.0;
            for router in 0..weights.len() {
                let old = self.vectors[router];
                let mut pull = [0.0; RANK];
                weights
                    .row(router)
                    .iter()
                    .for_each(|&(to, weight)| add(&mut pull, &self.vectors[to as usize], weight));
                add(&mut pull, &sum, -lift);
                add(&mut pull, &old, lift);
                let length = dot(&pull, &pull).sqrt();
                self.diagonal[router] = weights.degrees[router] + lift - length;
                if length > 0.0 {
                    pull.iter_mut().for_each(|part| *part /= length);
                    add(&mut sum, &old, -1.0);
                    add(&mut sum, &pull, 1.0);
                    moved += (0..RANK).map(|at| (pull[at] - old[at]) * (pull[at] - old[at])).sum::<f64>();
                    self.vectors[router] = pull;
                }
            }
            if moved < SETTLED * weights.len() as f64 {
                break;
            }
        }
    }

    /// The value of the relaxation in links, if it has settled.
    pub(super) fn value(&self) -> f64 {
        let odd = if self.vectors.len().is_multiple_of(2) { 0.0 } else { self.lift };
        (self.diagonal.iter().sum::<f64>() - odd) / 4.0
    }

    /// The squared distance of two routers over 4: 1 on different sides, 0 on one.
    pub(super) fn distance(&self, a: usize, b: usize) -> f64 {
        (1.0 - dot(&self.vectors[a], &self.vectors[b])) / 2.0
    }

    /// Rounded numbers that prove a lower bound. They are lowered until no eigenvalue is negative, by as much
    /// as `steps` of an iteration tell.
    pub(super) fn certificate(
        &self,
        weights: &PairWeights,
        demands: Vec<PathDemand>,
        steps: usize,
    ) -> CutWeights {
        let routers = weights.len();
        let scale = 2.0 * weights.largest + self.lift * routers as f64;
        let product = |vector: &[f64]| {
            let sum: f64 = vector.iter().sum();
            let row = |router: usize| {
                let pulled: f64 =
                    weights.row(router).iter().map(|&(to, weight)| weight * vector[to as usize]).sum();
                (weights.degrees[router] - self.diagonal[router]) * vector[router] - pulled + self.lift * sum
            };
            (0..routers).map(row).collect()
        };
        let LeastEigenvalue { value, residual, .. } =
            least_eigenvalue(routers, &product, false, scale, steps);
        // What the checker takes off for rounding, twice.
        let trace = 2.0 * scale * routers as f64;
        let rounding = 8.0 * (routers as f64 + 2.0) * f64::EPSILON * trace + 1e-9 * scale;
        let shift = value - residual - rounding;
        let parts = WEIGHT_PARTS as f64;
        let diagonal: Vec<i64> =
            self.diagonal.iter().map(|number| libm::floor((number + shift) * parts) as i64).collect();
        let lift = libm::ceil(self.lift * parts) as u64;
        let mut certificate = CutWeights { least: 0, lift, diagonal, demands };
        certificate.least = certificate.proved_links();
        certificate
    }

    /// Halves that planes through the origin suggest: the routers farthest on one side of a random plane.
    pub(super) fn halves(&self, planes: usize) -> Vec<Vec<bool>> {
        let half = |plane: usize| {
            let mut stream = Stream::new(1, FIRST_STREAM + 1 + plane as u64);
            let mut normal = [0.0; RANK];
            // A sum of uniform numbers is near enough to a normal one.
            normal.iter_mut().for_each(|part| {
                *part = (0..6).map(|_| stream.below(1 << 16) as f64).sum::<f64>() - 196_605.0
            });
            let heights: Vec<f64> = self.vectors.iter().map(|vector| dot(vector, &normal)).collect();
            first_half(heights.len(), |a, b| heights[a].total_cmp(&heights[b]))
        };
        (0..planes).map(half).collect()
    }
}

fn dot(one: &[f64; RANK], other: &[f64; RANK]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Adds a multiple of a vector to another one.
fn add(sum: &mut [f64; RANK], vector: &[f64; RANK], factor: f64) {
    sum.iter_mut().zip(vector).for_each(|(sum, part)| *sum += factor * part);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(graph: &CutGraph) -> u64 {
        let weights = PairWeights::of_links(graph);
        let mut relaxation = Relaxation::start(graph);
        relaxation.settle(&weights, 400);
        relaxation.certificate(&weights, Vec::new(), 200).least
    }

    #[test]
    fn symmetric_graphs_have_the_bound_of_their_second_eigenvalue() {
        // The hypercube of 64: lambda2 is 2, and 2 x 64 / 4 is its width.
        let cube = (0..64u32).map(|at| (0..6).map(|bit| (at ^ (1 << bit), 1)).collect());
        assert_eq!(bound(&CutGraph::new(cube, vec![1; 64])), 32);
    }

    #[test]
    fn unlike_degrees_are_weighed() {
        // A complete graph of ten with a router at each of them: nine of ten halves of it cut 25 links, and
        // the second eigenvalue, below 1, proves 5 of 20 routers.
        let row = |at: u32| match at {
            0..10 => (0..10).filter(|&to| to != at).chain([at + 10]).map(|to| (to, 1)).collect(),
            _ => vec![(at - 10, 1)],
        };
        let graph = CutGraph::new((0..20).map(row), vec![1; 20]);
        let exact = super::super::search::least_cut(&graph).expect("small").links;
        let bound = bound(&graph);
        assert!(bound <= exact && 2 * bound > exact, "{bound} of {exact}");
    }
}
