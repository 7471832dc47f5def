//! Hypercubes: routers whose numbers differ in one bit are joined. In folded ones, routers that differ in all
//! bits are joined as well.
//!
//! Source of the folded ones: El-Amawy and Latifi 1991.

use crate::wire::edge::UnnumberedLink;
use fabc_model::Network;

/// The links of a hypercube.
pub(super) fn edges(network: &Network, dimensions: u32, folded: bool) -> Vec<UnnumberedLink> {
    let last_router = (1u32 << dimensions) - 1;
    let differences = (0..dimensions).map(|bit| 1 << bit).chain(folded.then_some(last_router));
    let pairs =
        differences.flat_map(|difference| (0..=last_router).map(move |router| [router, router ^ difference]));
    pairs.filter(|[lower, higher]| lower < higher).map(|ends| UnnumberedLink::local(network, ends)).collect()
}

/// Adds the neighbors of a router.
pub(super) fn neighbors(dimensions: u32, folded: bool, router: u32, list: &mut Vec<u32>) {
    list.extend((0..dimensions).map(|bit| router ^ 1 << bit));
    if folded {
        list.push(router ^ ((1 << dimensions) - 1));
    }
}
