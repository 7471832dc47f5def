//! Bundleflies: the star product of a slim fly with a Paley graph.
//!
//! Router x p + a is element a of the Paley graph at router x of the slim fly. Where x < y are joined, a
//! meets g a. Here g is the generator of the field of p elements. Source: Lei and others 2020.

use super::slim_fly;
use crate::wire::edge::{BlockPattern, UnnumberedLink};
use fabc_base::algebra::SupernodeGraph;
use fabc_model::Network;

pub(super) fn edges(network: &Network, q: u32, p: u32) -> Vec<UnnumberedLink> {
    let SupernodeGraph { links, across } = SupernodeGraph::paley(p);
    let mut edges = Vec::new();
    for bundle in 0..2 * q * q {
        edges.extend(
            links.iter().map(|ends| UnnumberedLink::local(network, ends.map(|place| bundle * p + place))),
        );
    }
    for [x, y] in slim_fly::router_pairs(q) {
        edges.extend(
            across.iter().zip(0..).map(|(&b, a)| UnnumberedLink::global(network, [x * p + a, y * p + b])),
        );
    }
    edges
}

/// The state that is needed to list neighbors without all links.
pub(super) struct ImplicitBundlefly {
    bundles: slim_fly::ImplicitSlimFly,
    places: BlockPattern,
}

impl ImplicitBundlefly {
    pub(super) fn new(q: u32, p: u32) -> Self {
        let SupernodeGraph { links, across } = SupernodeGraph::paley(p);
        Self { bundles: slim_fly::ImplicitSlimFly::new(q), places: BlockPattern::new(&links, &across) }
    }
    /// Adds the neighbors of a router.
    pub(super) fn neighbors(&self, router: u32, list: &mut Vec<u32>) {
        let size = self.places.inside.len() as u32;
        let (bundle, place) = (router / size, router % size);
        let first = list.len();
        self.bundles.neighbors(bundle, list);
        list[first..].iter_mut().for_each(|other| *other = self.places.meets(bundle, place, *other));
        list.extend(self.places.inside[place as usize].iter().map(|other| bundle * size + other));
    }
}
