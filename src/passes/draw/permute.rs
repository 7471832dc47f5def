//! Links of a network exchange ends where that changes the length of no cable.
//!
//! In: the links of the base, and which routers share a cabinet. Two links (a, b) and (c, d) of a class in
//! random order become (a, d) and (c, b) if the four differ; links between cabinets are named from the lower
//! one. *Partial*: the classes are the links within a cabinet, and those between two. *Full*: for every two
//! cabinets in turn all links within and between them, as they are by then, but never one within each.
//! Degrees, and cables by cabinet, stay. Source: Fujiwara and others 2015 (swap and randomize).

use super::links::Links;
use super::regular::is_connected;
use crate::model::{Duplicates, Method, Permuted};
use crate::random::Stream;
use std::collections::BTreeMap;

/// The links after all exchanges, ascending; `None` where they are in pieces.
pub(super) fn draw(of: &Permuted, base: &[[u32; 2]], stream: &mut Stream) -> Option<Links> {
    let cabinet = |router: u32| router / of.cabinet;
    // Links by the cabinets of their ends, from the lower one.
    let mut classes: BTreeMap<[u32; 2], Links> = BTreeMap::new();
    for &[one, other] in base {
        let link = [one.min(other), one.max(other)];
        classes.entry(link.map(cabinet)).or_default().push(link);
    }
    match of.method {
        Method::Partial => classes.values_mut().for_each(|links| exchange(links, stream, &|_, _| true)),
        Method::Full => {
            let cabinets = base.iter().flatten().map(|&router| cabinet(router) + 1).max().unwrap_or(0);
            for one in 0..cabinets {
                for other in one + 1..cabinets {
                    let keys = [[one, one], [other, other], [one, other]];
                    let mut links: Links = keys.iter().flat_map(|key| classes.remove(key).unwrap_or_default()).collect();
                    let class = |link: [u32; 2]| link.map(cabinet);
                    let within_each = |a: [u32; 2], b: [u32; 2]| a[0] == a[1] && b[0] == b[1] && a != b;
                    exchange(&mut links, stream, &|a, b| !within_each(class(a), class(b)));
                    for link in links {
                        classes.entry(class(link)).or_default().push(link);
                    }
                }
            }
        }
    }
    let routers = base.iter().flatten().max().map_or(0, |&router| router + 1);
    let mut links: Links = classes.into_values().flatten().map(|[one, other]| [one.min(other), one.max(other)]).collect();
    links.sort_unstable();
    if of.duplicates == Duplicates::Drop {
        links.dedup();
    }
    is_connected(routers, &links).then_some(links)
}

/// Two by two, in random order; an odd last link stays.
fn exchange(links: &mut [[u32; 2]], stream: &mut Stream, may: &dyn Fn([u32; 2], [u32; 2]) -> bool) {
    stream.shuffle(links);
    for pair in links.chunks_exact_mut(2) {
        let ([a, b], [c, d]) = (pair[0], pair[1]);
        let differ = a != c && a != d && b != c && b != d;
        if differ && may(pair[0], pair[1]) {
            pair[0] = [a, d];
            pair[1] = [c, b];
        }
    }
}
