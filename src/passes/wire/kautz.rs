//! Kautz graphs: words of `length` letters out of degree + 1, neighboring letters different, in
//! lexicographic order; an arc drops the first letter and appends one.
//!
//! Source: Kautz 1968.

use super::edge::Edge;
use fabc_model::{Arcs, Network};

/// The arcs of a Kautz graph; of duplex ones, opposite arcs once.
pub(super) fn edges(network: &Network, degree: u32, length: u32, arcs: Arcs) -> Vec<Edge> {
    let mut edges = Vec::new();
    for router in 0..network.router_count() as u32 {
        for next in successors(degree, length, router) {
            let merged = arcs == Arcs::Duplex
                && next < router
                && successors(degree, length, next).any(|back| back == router);
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

/// The routers that arcs come from, ascending.
fn predecessors(degree: u32, length: u32, router: u32) -> Vec<u32> {
    if length == 1 {
        return successors(degree, length, router).collect();
    }
    // Before the first letter any other one, and the last letter is dropped.
    let (words, place) = (degree.pow(length - 1), degree.pow(length - 2));
    let (letter, rest) = (router / words, router % words / degree);
    let before = (0..=degree).filter(|&before| before != letter);
    before.map(|before| before * words + (letter - u32::from(letter > before)) * place + rest).collect()
}

/// Adds the routers that arcs lead to; of duplex ones also those that they come from, each once.
pub(super) fn neighbors(degree: u32, length: u32, arcs: Arcs, router: u32, found: &mut Vec<u32>) {
    found.extend(successors(degree, length, router));
    if arcs == Arcs::Duplex {
        for before in predecessors(degree, length, router) {
            if !successors(degree, length, router).any(|after| after == before) {
                found.push(before);
            }
        }
    }
}
