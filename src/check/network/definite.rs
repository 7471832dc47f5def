//! Proves by a factorization that a symmetric matrix is positive definite, or that the second smallest
//! eigenvalue of a Laplacian is above a number.
//!
//! Input: the Laplacian L of a graph as links between vertices, and a number mu. Output: whether L - mu I + c
//! 1 1^T is positive definite. That holds exactly if mu is below both c N and the second smallest
//! eigenvalue. The reason is that 1 1^T lifts the vector of ones, which has the first eigenvalue, and leaves
//! all others alone.
//!
//! Cholesky's factorization in floats decides. Suppose that it succeeds on a matrix whose diagonal was
//! lowered by delta. Then the matrix itself is positive definite, if delta bounds the rounding errors.
//! Source: Rump 2006, Verification of positive definiteness, gamma_(n+1) / (1 - gamma_(n+1)) times the
//! trace. Here delta is four times that.
//!
//! Cost: a third of N^3 multiplications, N^2 / 2 floats. Rows of a block are computed in parallel, each in a
//! fixed order.

use fabc_base::ids::Id;
use fabc_ir::Topology;
use rayon::prelude::*;

/// Rows of a block, rows per thread, and columns that stay in the cache meanwhile.
const BLOCK: usize = 128;
const ROWS: usize = 16;
const COLUMNS: usize = 64;

/// Whether the second smallest eigenvalue of the Laplacian of the two-way links is proved to be above `mu`.
pub(super) fn is_second_eigenvalue_above(topology: &Topology, mu: f64) -> bool {
    let routers = topology.node_count();
    let mut rows: Vec<Vec<f64>> = (0..routers).map(|row| vec![0.0; row + 1]).collect();
    let mut degrees = vec![0.0; routers];
    for link in topology.links().iter() {
        let (low, high) =
            (link.a.node.index().min(link.b.node.index()), link.a.node.index().max(link.b.node.index()));
        rows[high][low] -= 1.0;
        degrees[low] += 1.0;
        degrees[high] += 1.0;
    }
    let max_degree = degrees.iter().copied().fold(1.0, f64::max);
    // The vector of ones is lifted to twice the largest degree, an upper bound on the second smallest
    // eigenvalue.
    let lift = 2.0 * max_degree / routers as f64;
    let trace: f64 = degrees.iter().map(|degree| degree + lift + mu).sum();
    for (index, row) in rows.iter_mut().enumerate() {
        row.iter_mut().for_each(|entry| *entry += lift);
        row[index] += degrees[index] - mu;
    }
    is_positive_definite(&mut rows, trace, 0.0)
}

/// Whether a symmetric matrix is proved to be positive definite, given as its lower triangle. `trace` is at
/// least the sum of the absolute values on its diagonal. `error` is at least the norm of what its entries
/// may differ from the true ones. The triangle is overwritten.
pub(super) fn is_positive_definite(rows: &mut [Vec<f64>], trace: f64, error: f64) -> bool {
    let delta = 4.0 * (rows.len() as f64 + 2.0) * f64::EPSILON * trace + error;
    for (index, row) in rows.iter_mut().enumerate() {
        row[index] -= delta;
    }
    factorizes(rows)
}

/// Cholesky's factorization of the lower triangle, in place. `false` at the first pivot that is not
/// positive.
fn factorizes(rows: &mut [Vec<f64>]) -> bool {
    for start in (0..rows.len()).step_by(BLOCK) {
        let (done, rest) = rows.split_at_mut(start);
        let size = rest.len().min(BLOCK);
        let block = &mut rest[..size];
        block.par_chunks_mut(ROWS).for_each(|rows| {
            for columns in (0..start).step_by(COLUMNS) {
                for row in rows.iter_mut() {
                    for column in columns..(columns + COLUMNS).min(start) {
                        let finished_row = &done[column];
                        row[column] = (row[column] - dot(&row[..column], &finished_row[..column]))
                            / finished_row[column];
                    }
                }
            }
        });
        for offset in 0..size {
            let (before, current) = block.split_at_mut(offset);
            let row = &mut current[0];
            for (column, finished_row) in (start..).zip(before.iter()) {
                row[column] =
                    (row[column] - dot(&row[..column], &finished_row[..column])) / finished_row[column];
            }
            let pivot = row[start + offset] - dot(&row[..start + offset], &row[..start + offset]);
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
            row[start + offset] = pivot.sqrt();
        }
    }
    true
}

/// The dot product, in eight partial sums that are added in a fixed order.
fn dot(first: &[f64], second: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (first_chunks, second_chunks) = (first.chunks_exact(LANES), second.chunks_exact(LANES));
    let rest: f64 = first_chunks.remainder().iter().zip(second_chunks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in first_chunks.zip(second_chunks) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::ids::{LinkTypeId, NodeId, PortId};
    use fabc_ir::{End, Link, LinkClass, Symmetry};

    /// A complete graph: its second least eigenvalue is the number of routers.
    fn complete(routers: u32) -> Topology {
        let pairs = (0..routers).flat_map(|a| (a + 1..routers).map(move |b| (a, b)));
        let end = |node: u32, other: u32| End {
            node: NodeId(node),
            port: PortId((other - u32::from(other > node)) as u16),
        };
        let link = |(a, b)| Link {
            a: end(a, b),
            b: end(b, a),
            class: LinkClass::Local,
            link_type: LinkTypeId(0),
            simplex: false,
        };
        Topology::new(routers as usize - 1, pairs.map(link).collect(), Symmetry::trivial(1, routers))
    }

    #[test]
    fn the_eigenvalue_of_complete_graphs_is_their_size() {
        for routers in [2u32, 3, 17, 200] {
            let topology = complete(routers);
            assert!(is_second_eigenvalue_above(&topology, f64::from(routers) - 1e-6), "{routers}");
            assert!(!is_second_eigenvalue_above(&topology, f64::from(routers)), "{routers}");
            assert!(!is_second_eigenvalue_above(&topology, f64::from(routers) + 0.5), "{routers}");
        }
    }
}
