//! Kautz graphs: words of `length` letters out of degree + 1, neighboring letters different, in
//! lexicographic order; an arc drops the first letter and appends one.
//!
//! Source: Kautz 1968.

use super::edge::Edge;
use crate::model::{Arcs, Network};

/// The arcs of a Kautz graph; of duplex ones, opposite arcs once.
pub(super) fn edges(network: &Network, degree: u32, length: u32, arcs: Arcs) -> Vec<Edge> {
    let mut edges = Vec::new();
    for router in 0..network.router_count() as u32 {
        for next in successors(degree, length, router) {
            let merged = arcs == Arcs::Duplex && next < router && successors(degree, length, next).any(|back| back == router);
            if !merged {
                let ends = [router, next];
                edges.push(Edge::local(network, ends));
            }
        }
    }
    edges
}

/// The routers that arcs lead to, ascending.
///
/// A number is the first letter, then for each later one its rank among the letters that differ from the one
/// before, in base `degree`.
fn successors(degree: u32, length: u32, router: u32) -> impl Iterator<Item = u32> {
    // Of one letter, all others follow; else the second letter and the ranks after it, and any rank in the
    // last place.
    let (first, skipped) = match length {
        1 => (0, router),
        _ => {
            let place = degree.pow(length - 2);
            let (letter, rank) = (router / place / degree, router / place % degree);
            let second = if rank < letter { rank } else { rank + 1 };
            ((second * place + router % place) * degree, u32::MAX)
        }
    };
    let count = if length == 1 { degree + 1 } else { degree };
    (first..first + count).filter(move |&next| next != skipped)
}
