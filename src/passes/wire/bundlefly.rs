//! Bundleflies: the star product of a slim fly with a Paley graph.
//!
//! Router x p + a is element a of the Paley graph at router x of the slim fly; where x < y are joined, a
//! meets g a, g the generator of the field of p elements. Source: Lei and others 2020.

use super::edge::{Edge, Places};
use super::slim_fly;
use fabc_base::algebra::Supernode;
use fabc_model::Network;

/// The links of a bundlefly.
pub(super) fn edges(network: &Network, q: u32, p: u32) -> Vec<Edge> {
    let Supernode { links, across } = Supernode::paley(p);
    let mut edges = Vec::new();
    for bundle in 0..2 * q * q {
        edges.extend(links.iter().map(|ends| Edge::local(network, ends.map(|place| bundle * p + place))));
    }
    for [x, y] in slim_fly::pairs(q) {
        edges.extend(across.iter().zip(0..).map(|(&b, a)| Edge::global(network, [x * p + a, y * p + b])));
    }
    edges
}

/// A bundlefly that is not wired whole.
pub(super) struct Implicit {
    bundles: slim_fly::Implicit,
    places: Places,
}

impl Implicit {
    pub(super) fn new(q: u32, p: u32) -> Self {
        let Supernode { links, across } = Supernode::paley(p);
        Self { bundles: slim_fly::Implicit::new(q), places: Places::new(&links, &across) }
    }
    /// Adds the neighbors of a router.
    pub(super) fn neighbors(&self, router: u32, found: &mut Vec<u32>) {
        let size = self.places.inside.len() as u32;
        let (bundle, place) = (router / size, router % size);
        let first = found.len();
        self.bundles.neighbors(bundle, found);
        found[first..].iter_mut().for_each(|other| *other = self.places.meets(bundle, place, *other));
        found.extend(self.places.inside[place as usize].iter().map(|other| bundle * size + other));
    }
}
