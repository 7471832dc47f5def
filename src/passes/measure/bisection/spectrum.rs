//! The second least eigenvalue of the Laplacian, from below, and its vector.
//!
//! Input: a connected graph. Output: a lower bound on the eigenvalue, as far as an iteration can tell, and
//! the Fiedler vector. The checker proves what is concluded from the bound.
//!
//! Method: Lanczos iteration in the space orthogonal to the vector of ones, with every new vector made
//! orthogonal to all before it. Sturm counts give the least eigenvalue of the tridiagonal matrix, inverse
//! iteration gives its vector, and the residual follows from that. Plain floats in a fixed order give the
//! same bits everywhere. Sources: Lanczos 1950; Fiedler 1973; Parlett, The Symmetric Eigenvalue Problem.
//! Cost: at most [`STEPS`] products with the Laplacian, and as many squared times the routers.

use super::graph::CutGraph;
use fabc_base::random::Stream;

/// The most steps of the iteration.
const STEPS: usize = 600;
/// The number of steps between two tests of the residual.
const LOOK: usize = 20;
/// The residual at which the iteration ends. Also the margin subtracted from the value for the rounding of
/// both. Both are parts of the largest possible eigenvalue.
const RESIDUAL: f64 = 1e-9;
const MARGIN: f64 = 1e-8;

/// The result of the iteration.
pub(super) struct Spectrum {
    /// The second least eigenvalue is at least this. `None` if the iteration did not settle.
    pub(super) lower_bound: Option<f64>,
    /// `[router]`: the vector of that eigenvalue.
    pub(super) fiedler: Vec<f64>,
    /// The number of steps taken.
    pub(super) steps: u64,
}

/// The spectrum of a connected graph with two vertices or more.
pub(super) fn spectrum(graph: &CutGraph) -> Spectrum {
    let scale =
        2.0 * f64::from((0..graph.len()).map(|vertex| graph.degree(vertex)).max().unwrap_or(1).max(1));
    let found = least_eigenvalue(graph.len(), &|vector: &[f64]| product(graph, vector), true, scale, STEPS);
    let lower_bound = found.value - found.residual - MARGIN * scale;
    let settled = found.residual <= RESIDUAL * scale || found.steps + 1 == graph.len() as u64;
    Spectrum { lower_bound: settled.then_some(lower_bound), fiedler: found.vector, steps: found.steps }
}

/// The result of an iteration for the least eigenvalue.
pub(super) struct LeastEigenvalue {
    /// An eigenvalue is as near to this as the residual.
    pub(super) value: f64,
    pub(super) residual: f64,
    /// `[row]`: its vector, of length 1.
    pub(super) vector: Vec<f64>,
    /// The number of steps taken.
    pub(super) steps: u64,
}

/// The least eigenvalue of a symmetric matrix of so many rows, given by its products. If `centered`, only
/// vectors count whose entries sum to 0, which the matrix must keep. `scale` is at least its largest
/// eigenvalue.
pub(super) fn least_eigenvalue(
    rows: usize,
    product: &dyn Fn(&[f64]) -> Vec<f64>,
    centered: bool,
    scale: f64,
    most_steps: usize,
) -> LeastEigenvalue {
    let mut stream = Stream::new(1, 0);
    let mut vector: Vec<f64> =
        (0..rows).map(|_| stream.below(1 << 20) as f64 / f64::from(1 << 20) - 0.5).collect();
    let (mut basis, mut diagonal, mut off_diagonal): (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) =
        (Vec::new(), Vec::new(), Vec::new());
    let center = |vector: &mut [f64]| {
        if centered {
            center(vector);
        }
    };
    center(&mut vector);
    normalize(&mut vector);
    let max_steps = most_steps.min(rows - usize::from(centered));
    loop {
        let mut next = product(&vector);
        diagonal.push(dot(&vector, &next));
        basis.push(std::mem::take(&mut vector));
        // Two passes of orthogonalization are enough.
        for _ in 0..2 {
            center(&mut next);
            for known in &basis {
                let along = dot(known, &next);
                next.iter_mut().zip(known).for_each(|(value, part)| *value -= along * part);
            }
        }
        let length = normalize(&mut next);
        let steps = diagonal.len();
        // A subspace that the matrix maps into itself holds exact eigenvectors.
        let closed = length <= RESIDUAL * scale;
        if closed || steps == max_steps || steps.is_multiple_of(LOOK) {
            let (value, vector_in_basis) = least_pair(&diagonal, &off_diagonal);
            let residual =
                if closed { length } else { length * vector_in_basis.last().map_or(0.0, |last| last.abs()) };
            if closed || steps == max_steps || residual <= RESIDUAL * scale {
                let vector = (0..rows).map(|row| {
                    basis.iter().zip(&vector_in_basis).map(|(vector, part)| vector[row] * part).sum()
                });
                return LeastEigenvalue { value, residual, vector: vector.collect(), steps: steps as u64 };
            }
        }
        off_diagonal.push(length);
        vector = next;
    }
}

/// The Laplacian times a vector.
fn product(graph: &CutGraph, vector: &[f64]) -> Vec<f64> {
    let row = |vertex: usize| {
        let edges = graph.edges(vertex).iter();
        edges.map(|&(to, links)| f64::from(links) * (vector[vertex] - vector[to as usize])).sum()
    };
    (0..graph.len()).map(row).collect()
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Subtracts the mean of a vector.
fn center(vector: &mut [f64]) {
    let mean = vector.iter().sum::<f64>() / vector.len() as f64;
    vector.iter_mut().for_each(|value| *value -= mean);
}

/// Scales a vector to length 1, unless it is 0. Returns its length before.
fn normalize(vector: &mut [f64]) -> f64 {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
    length
}

/// The least eigenvalue of a symmetric tridiagonal matrix, and its vector of length 1.
fn least_pair(diagonal: &[f64], off_diagonal: &[f64]) -> (f64, Vec<f64>) {
    const HALVINGS: u32 = 120;
    const ITERATIONS: u32 = 4;
    let off_diagonal_at =
        |at: usize| at.checked_sub(1).and_then(|at| off_diagonal.get(at)).copied().unwrap_or(0.0);
    // The eigenvalues lie in Gershgorin's circles.
    let reach = |at: usize| {
        off_diagonal_at(at).abs() + if at + 1 < diagonal.len() { off_diagonal_at(at + 1).abs() } else { 0.0 }
    };
    let circles = || (0..diagonal.len()).map(|at| (diagonal[at] - reach(at), diagonal[at] + reach(at)));
    let (mut low, mut high) =
        circles().fold((f64::MAX, f64::MIN), |(low, high), (a, b)| (low.min(a), high.max(b)));
    let width = (high - low).max(f64::MIN_POSITIVE);
    // The pivots of the matrix minus a shift. All are positive exactly if every eigenvalue is above the
    // shift.
    let pivots = |shift: f64| {
        let mut pivots = Vec::with_capacity(diagonal.len());
        for (at, entry) in diagonal.iter().enumerate() {
            let before = pivots.last().map_or(0.0, |pivot| off_diagonal_at(at) * off_diagonal_at(at) / pivot);
            let pivot = entry - shift - before;
            if pivot <= 0.0 {
                return None;
            }
            pivots.push(pivot);
        }
        Some(pivots)
    };
    low -= width * 1e-3;
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if pivots(middle).is_some() { low = middle } else { high = middle }
    }
    let mut vector = vec![1.0; diagonal.len()];
    if let Some(pivots) = pivots(low - width * 1e-14).or_else(|| pivots(low)) {
        for _ in 0..ITERATIONS {
            for at in 1..vector.len() {
                vector[at] -= off_diagonal_at(at) / pivots[at - 1] * vector[at - 1];
            }
            for at in (0..vector.len()).rev() {
                let after =
                    if at + 1 < vector.len() { off_diagonal_at(at + 1) * vector[at + 1] } else { 0.0 };
                vector[at] = (vector[at] - after) / pivots[at];
            }
            normalize(&mut vector);
        }
    }
    (low, vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(routers: u32) -> CutGraph {
        let row = |at: u32| vec![((at + 1) % routers, 1), ((at + routers - 1) % routers, 1)];
        CutGraph::new((0..routers).map(row), vec![1; routers as usize])
    }

    #[test]
    fn the_value_of_rings_and_complete_graphs_is_known() {
        for routers in [3u32, 4, 5, 64, 500] {
            let found = spectrum(&ring(routers)).lower_bound.expect("settled");
            let exact = 2.0 - 2.0 * libm::cos(2.0 * std::f64::consts::PI / f64::from(routers));
            assert!(found <= exact && exact - found < 1e-6, "{routers}: {found} of {exact}");
        }
        let complete = CutGraph::new(
            (0..20).map(|at| (0..20).filter(|&to| to != at).map(|to| (to, 1)).collect()),
            vec![1; 20],
        );
        let found = spectrum(&complete).lower_bound.expect("settled");
        assert!(found <= 20.0 && 20.0 - found < 1e-5, "{found}");
    }

    #[test]
    fn the_vector_parts_a_path_in_its_middle() {
        let row = |at: u32| {
            [at.checked_sub(1), Some(at + 1).filter(|&to| to < 10)]
                .into_iter()
                .flatten()
                .map(|to| (to, 1))
                .collect()
        };
        let path = CutGraph::new((0..10).map(row), vec![1; 10]);
        let fiedler = spectrum(&path).fiedler;
        assert!(
            fiedler.windows(2).all(|two| two[0] < two[1]) || fiedler.windows(2).all(|two| two[0] > two[1]),
            "{fiedler:?}"
        );
    }
}
