//! PolarFlies: the points of a projective plane over a finite field, joined where they are orthogonal.
//!
//! Sources: Brown 1966 (ER_q); Lakhotia and others 2022 (PolarFly). Cost: linear in the links.

use super::edge::Edge;
use fabc_base::algebra::Plane;
use fabc_model::Network;

/// The links of a PolarFly.
pub(super) fn edges(network: &Network, q: u32) -> Vec<Edge> {
    let plane = Plane::new(q);
    let above = |point: u32| {
        plane
            .orthogonal(point)
            .into_iter()
            .filter(move |&other| other > point)
            .map(move |other| [point, other])
    };
    (0..Plane::count(q)).flat_map(above).map(|ends| Edge::local(network, ends)).collect()
}

/// Adds the neighbors of a router.
pub(super) fn neighbors(plane: &Plane, router: u32, found: &mut Vec<u32>) {
    found.extend(plane.orthogonal(router).into_iter().filter(|&other| other != router));
}
