//! Halves of the routers that a family makes plausible: where a cut of the whole network may run.
//!
//! In: a network. Out: halves, `[router]`; their balance is mended by whoever asks. Cost: linear in the
//! routers, per half.

use fabc_base::algebra::Plane;
use fabc_model::{Family, Network, PolarStar, Supernode};

/// Plausible halves: of a grid the lower part of every axis, of nested groups that of every level; of a
/// PolarStar of inductive quads, half of the pairs {a, f(a)} of every supernode, which no link between
/// supernodes leaves. Families without any have none.
pub fn halves(network: &Network) -> Vec<Vec<bool>> {
    match &network.family {
        Family::Torus(sides) | Family::Mesh(sides) | Family::HyperX(sides) => of_axes(sides),
        Family::Hypercube { dimensions, .. } => of_axes(&vec![2; *dimensions as usize]),
        Family::Levels(levels) => of_axes(&levels.0.iter().rev().map(|level| level.blocks).collect::<Vec<_>>()),
        Family::PolarStar(star) if star.supernode == Supernode::Iq => vec![of_pairs(star)],
        _ => Vec::new(),
    }
}

/// The lower half of every axis that has one; the last axis is fastest.
fn of_axes(sides: &[u32]) -> Vec<Vec<bool>> {
    let routers: u32 = sides.iter().product();
    let mut stride = 1;
    let mut halves = Vec::new();
    for &side in sides.iter().rev() {
        if side > 1 {
            halves.push((0..routers).map(|router| router / stride % side < side / 2).collect());
        }
        stride *= side;
    }
    halves
}

/// Half of the pairs of every supernode; of an odd number, the one in the middle goes with half of the
/// points.
fn of_pairs(star: &PolarStar) -> Vec<bool> {
    let across = star.graph().across;
    let mut pair = vec![0; across.len()];
    let lower = (0u32..).zip(&across).filter(|&(a, &b)| a < b);
    for (number, (a, &b)) in lower.enumerate() {
        (pair[a as usize], pair[b as usize]) = (number, number);
    }
    let (points, pairs) = (Plane::count(star.q), across.len() / 2);
    let within = |point: u32, pair: usize| 2 * pair + 1 < pairs || 2 * pair + 1 == pairs && point < points / 2;
    (0..points).flat_map(|point| pair.iter().map(move |&pair| within(point, pair))).collect()
}
