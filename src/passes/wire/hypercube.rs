//! Hypercubes: routers whose numbers differ in one bit are joined; of folded ones, also those that differ in
//! all.
//!
//! Source of the folded ones: El-Amawy and Latifi 1991.

use super::edge::Edge;
use fabc_model::Network;

/// The links of a hypercube.
pub(super) fn edges(network: &Network, dimensions: u32, folded: bool) -> Vec<Edge> {
    let all = (1u32 << dimensions) - 1;
    let differences = (0..dimensions).map(|bit| 1 << bit).chain(folded.then_some(all));
    let pairs = differences.flat_map(|difference| (0..=all).map(move |router| [router, router ^ difference]));
    pairs.filter(|[one, other]| one < other).map(|ends| Edge::local(network, ends)).collect()
}

/// Adds the neighbors of a router.
pub(super) fn neighbors(dimensions: u32, folded: bool, router: u32, found: &mut Vec<u32>) {
    found.extend((0..dimensions).map(|bit| router ^ 1 << bit));
    if folded {
        found.push(router ^ ((1 << dimensions) - 1));
    }
}
