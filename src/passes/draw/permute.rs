//! Links of a network exchange ends where that changes the length of no cable.
//!
//! In: the links of the base by kind (class and declared link), and which routers share a cabinet. Two links
//! (a, b) and (c, d) of a class in random order become (a, d) and (c, b) if the four differ; links between
//! cabinets are named from the lower one, others from either end. *Partial*: the classes are the links of a
//! kind within a cabinet, and those between two. *Full*: for every two cabinets in turn all links of a kind
//! within and between them, as they are by then, but never one within each. Degrees, and cables by cabinet
//! and kind, stay. Source: Fujiwara and others 2015 (swap and randomize).

use super::links::Links;
use super::regular::is_connected;
use fabc_base::random::Stream;
use fabc_model::{Duplicates, Method, Permuted};
use std::collections::{BTreeMap, BTreeSet};

/// The links of every kind after all exchanges, ascending; `None` where they are in pieces.
pub(super) fn draw(of: &Permuted, base: &[&Links], stream: &mut Stream) -> Option<Vec<Links>> {
    let routers = of.base.router_count() as u32;
    let mut drawn: Vec<Links> = base.iter().map(|links| exchanged(of, links, stream)).collect();
    if of.duplicates == Duplicates::Drop {
        let mut seen = BTreeSet::new();
        drawn.iter_mut().for_each(|links| links.retain(|&link| seen.insert(link)));
    }
    is_connected(routers, &drawn.concat()).then_some(drawn)
}

/// Links of one kind, which exchange ends with each other alone.
fn exchanged(of: &Permuted, base: &Links, stream: &mut Stream) -> Links {
    let cabinet = |router: u32| router / of.cabinet;
    // Links by the cabinets of their ends, from the lower one.
    let mut classes: BTreeMap<[u32; 2], Links> = BTreeMap::new();
    for &[one, other] in base {
        let link = [one.min(other), one.max(other)];
        classes.entry(link.map(cabinet)).or_default().push(link);
    }
    match of.method {
        Method::Partial => classes.values_mut().for_each(|links| exchange(of, links, stream)),
        Method::Full => {
            let cabinets = base.iter().flatten().map(|&router| cabinet(router) + 1).max().unwrap_or(0);
            for one in 0..cabinets {
                for other in one + 1..cabinets {
                    let keys = [[one, one], [other, other], [one, other]];
                    let mut links: Links =
                        keys.iter().flat_map(|key| classes.remove(key).unwrap_or_default()).collect();
                    exchange(of, &mut links, stream);
                    for link in links {
                        classes.entry(link.map(cabinet)).or_default().push(link);
                    }
                }
            }
        }
    }
    let mut links: Links =
        classes.into_values().flatten().map(|[one, other]| [one.min(other), one.max(other)]).collect();
    links.sort_unstable();
    links
}

/// Two by two, in random order; an odd last link stays. A link within a cabinet begins at either end.
fn exchange(of: &Permuted, links: &mut [[u32; 2]], stream: &mut Stream) {
    let within =
        |link: [u32; 2]| (link[0] / of.cabinet == link[1] / of.cabinet).then_some(link[0] / of.cabinet);
    stream.shuffle(links);
    for link in links.iter_mut() {
        if within(*link).is_some() && stream.below(2) == 1 {
            link.reverse();
        }
    }
    for pair in links.chunks_exact_mut(2) {
        let ([a, b], [c, d]) = (pair[0], pair[1]);
        let differ = a != c && a != d && b != c && b != d;
        // One within each of two cabinets would become two between them.
        let apart = matches!((within(pair[0]), within(pair[1])), (Some(one), Some(other)) if one != other);
        if differ && !apart {
            pair[0] = [a, d];
            pair[1] = [c, b];
        }
    }
}
