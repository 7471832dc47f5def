//! Kautz graphs: words of `length` letters out of degree + 1, in lexicographic order. Neighboring letters
//! differ. An arc drops the first letter and appends one.
//!
//! Source: Kautz 1968.

use crate::wire::edge::UnnumberedLink;
use fabc_model::{Arcs, Network};

/// The arcs of a Kautz graph. Opposite arcs of a duplex network are one link.
pub(super) fn edges(network: &Network, degree: u32, length: u32, arcs: Arcs) -> Vec<UnnumberedLink> {
    let mut edges = Vec::new();
    for router in 0..network.router_count() as u32 {
        for next in arc_targets(degree, length, router) {
            let merged = arcs == Arcs::Duplex
                && next < router
                && arc_targets(degree, length, next).any(|target| target == router);
            if !merged {
                edges.push(UnnumberedLink::local(network, [router, next]));
            }
        }
    }
    edges
}

/// The routers that arcs lead to, ascending.
///
/// A router number has the first letter as its first digit. Each later digit is the rank of a letter among
/// those that differ from the letter before, in base `degree`.
fn arc_targets(degree: u32, length: u32, router: u32) -> impl Iterator<Item = u32> {
    // A word of one letter is followed by all others. A longer one is followed by its second letter, the
    // ranks after it, and any rank in the last place.
    let (first, skipped) = match length {
        1 => (0, router),
        _ => {
            let place_value = degree.pow(length - 2);
            let (letter, rank) = (router / place_value / degree, router / place_value % degree);
            let second = if rank < letter { rank } else { rank + 1 };
            ((second * place_value + router % place_value) * degree, u32::MAX)
        }
    };
    let count = if length == 1 { degree + 1 } else { degree };
    (first..first + count).filter(move |&next| next != skipped)
}

/// The routers that arcs come from, ascending.
fn arc_sources(degree: u32, length: u32, router: u32) -> Vec<u32> {
    if length == 1 {
        return arc_targets(degree, length, router).collect();
    }
    // Any other letter comes before the first one, and the last letter is dropped.
    let (words, place_value) = (degree.pow(length - 1), degree.pow(length - 2));
    let (letter, middle_letters) = (router / words, router % words / degree);
    let first_letter = (0..=degree).filter(|&first_letter| first_letter != letter);
    first_letter
        .map(|first_letter| {
            first_letter * words + (letter - u32::from(letter > first_letter)) * place_value + middle_letters
        })
        .collect()
}

/// Adds the routers that arcs lead to. In a duplex network it also adds those that arcs come from, each once.
pub(super) fn neighbors(degree: u32, length: u32, arcs: Arcs, router: u32, list: &mut Vec<u32>) {
    list.extend(arc_targets(degree, length, router));
    if arcs == Arcs::Duplex {
        for source in arc_sources(degree, length, router) {
            if !arc_targets(degree, length, router).any(|target| target == source) {
                list.push(source);
            }
        }
    }
}
