//! Halves of the routers that a family makes plausible: where a cut of the whole network may run.
//!
//! In: a network. Out: halves, `[router]`; their balance is mended by whoever asks. Cost: linear in the
//! routers, per half.

use crate::model::{Family, Network};

/// Plausible halves: of a grid the lower part of every axis. Families without any have none.
pub fn halves(network: &Network) -> Vec<Vec<bool>> {
    match &network.family {
        Family::Torus(sides) | Family::Mesh(sides) | Family::HyperX(sides) => of_axes(sides),
        Family::Dragonfly(_) | Family::FatTree { .. } | Family::Kautz { .. } | Family::Listed(_) => Vec::new(),
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
