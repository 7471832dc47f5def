//! Bundleflies: the star product of a slim fly with a Paley graph.
//!
//! Router x p + a is element a of the Paley graph at router x of the slim fly; where x < y are joined, a
//! meets g a, g the generator of the field of p elements. Source: Lei and others 2020.

use super::edge::Edge;
use super::slim_fly;
use crate::algebra::Supernode;
use crate::model::Network;

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
