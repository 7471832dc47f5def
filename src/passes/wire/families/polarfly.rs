//! PolarFlies: the points of a projective plane over a finite field, joined where they are orthogonal.
//!
//! Sources: Brown 1966 (ER_q); Lakhotia and others 2022 (PolarFly). Cost: linear in the links.

use crate::wire::edge::UnnumberedLink;
use fabc_base::algebra::ProjectivePlane;
use fabc_model::Network;

/// The links of a PolarFly.
pub(super) fn edges(network: &Network, q: u32) -> Vec<UnnumberedLink> {
    let plane = ProjectivePlane::new(q);
    let pairs_above = |point: u32| {
        plane
            .orthogonal(point)
            .into_iter()
            .filter(move |&other| other > point)
            .map(move |other| [point, other])
    };
    (0..ProjectivePlane::count(q))
        .flat_map(pairs_above)
        .map(|ends| UnnumberedLink::local(network, ends))
        .collect()
}

/// Adds the neighbors of a router.
pub(super) fn neighbors(plane: &ProjectivePlane, router: u32, list: &mut Vec<u32>) {
    list.extend(plane.orthogonal(router).into_iter().filter(|&other| other != router));
}
