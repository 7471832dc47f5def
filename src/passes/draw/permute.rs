//! Links of a network exchange ends where that changes the length of no cable.
//!
//! Input: the links of the base by kind (class and link type), and the cabinet of each router. The links of a
//! class are taken in random order. Two links (a, b) and (c, d) become (a, d) and (c, b) if the four routers
//! differ. Links between cabinets are written from the lower cabinet, others from either end.
//!
//! *Partial*: a class is the links of a kind within a cabinet, or between two cabinets. *Full*: a class is
//! all links of a kind within and between two cabinets, for every two cabinets in turn. An exchange never
//! takes one link from within each. Degrees stay, and so do cables by cabinet and kind. Source: Fujiwara and
//! others 2015 (swap and randomize).

use super::links::LinkPairs;
use super::regular::is_connected;
use fabc_base::random::Stream;
use fabc_model::{Duplicates, PermuteMethod, Permuted};
use std::collections::{BTreeMap, BTreeSet};

/// The links of every kind after all exchanges, ascending. `None` if the network is disconnected.
pub(super) fn draw(network: &Permuted, base: &[&LinkPairs], stream: &mut Stream) -> Option<Vec<LinkPairs>> {
    let routers = network.base.router_count() as u32;
    let mut drawn: Vec<LinkPairs> = base.iter().map(|links| exchange_ends(network, links, stream)).collect();
    if network.duplicates == Duplicates::Drop {
        let mut seen = BTreeSet::new();
        drawn.iter_mut().for_each(|links| links.retain(|&link| seen.insert(link)));
    }
    is_connected(routers, &drawn.concat()).then_some(drawn)
}

/// Exchanges ends among the links of one kind.
fn exchange_ends(network: &Permuted, base: &LinkPairs, stream: &mut Stream) -> LinkPairs {
    let cabinet = |router: u32| router / network.cabinet;
    // Links by the cabinets of their ends, written from the lower one.
    let mut classes: BTreeMap<[u32; 2], LinkPairs> = BTreeMap::new();
    for &[first, second] in base {
        let link = [first.min(second), first.max(second)];
        classes.entry(link.map(cabinet)).or_default().push(link);
    }
    match network.method {
        PermuteMethod::Partial => {
            classes.values_mut().for_each(|links| exchange_in_class(network, links, stream))
        }
        PermuteMethod::Full => {
            let cabinets = base.iter().flatten().map(|&router| cabinet(router) + 1).max().unwrap_or(0);
            for first in 0..cabinets {
                for second in first + 1..cabinets {
                    let keys = [[first, first], [second, second], [first, second]];
                    let mut links: LinkPairs =
                        keys.iter().flat_map(|key| classes.remove(key).unwrap_or_default()).collect();
                    exchange_in_class(network, &mut links, stream);
                    for link in links {
                        classes.entry(link.map(cabinet)).or_default().push(link);
                    }
                }
            }
        }
    }
    let mut links: LinkPairs = classes
        .into_values()
        .flatten()
        .map(|[first, second]| [first.min(second), first.max(second)])
        .collect();
    links.sort_unstable();
    links
}

/// Exchanges ends two by two, in random order. An odd last link stays. A link within a cabinet begins at
/// either end.
fn exchange_in_class(network: &Permuted, links: &mut [[u32; 2]], stream: &mut Stream) {
    let cabinet_of = |link: [u32; 2]| {
        (link[0] / network.cabinet == link[1] / network.cabinet).then_some(link[0] / network.cabinet)
    };
    stream.shuffle(links);
    for link in links.iter_mut() {
        if cabinet_of(*link).is_some() && stream.below(2) == 1 {
            link.reverse();
        }
    }
    for pair in links.chunks_exact_mut(2) {
        let ([a, b], [c, d]) = (pair[0], pair[1]);
        let are_distinct = a != c && a != d && b != c && b != d;
        // A link within each of two cabinets would become two links between them.
        let in_two_cabinets =
            cabinet_of(pair[0]).zip(cabinet_of(pair[1])).is_some_and(|(first, second)| first != second);
        if are_distinct && !in_two_cabinets {
            pair[0] = [a, d];
            pair[1] = [c, b];
        }
    }
}
