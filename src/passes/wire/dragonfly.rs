//! Dragonflies: groups of `a` routers, complete inside, with `h` global ports per router.
//!
//! The global ports of a group are numbered through: port k is global port k mod h of router k / h. Between
//! every two groups run floor(a h / (g - 1)) links; what is left over stays dark. Sources: Kim and others
//! 2008; Camarero, Vallejo and Beivide 2014 (palmtree and consecutive arrangements).

use super::edge::Edge;
use fabc_model::{Arrangement, Dragonfly, Network};

/// The links of a dragonfly.
pub(super) fn edges(network: &Network, dragonfly: &Dragonfly) -> Vec<Edge> {
    let &Dragonfly { a, g, .. } = dragonfly;
    let inside = (0..a).flat_map(|router| (router + 1..a).map(move |other| [router, other]));
    let inside: Vec<[u32; 2]> = inside.collect();
    let local = (0..g).flat_map(|group| inside.iter().map(move |pair| pair.map(|router| group * a + router)));
    let mut edges: Vec<Edge> = local.map(|ends| Edge::local(network, ends)).collect();
    edges.extend(global(network, dragonfly, |group, router| group * a + router, a - 1));
    edges
}

/// The links between groups whose member `r` with global ports is `router(group, r)`, and has `locals` ports
/// before those.
pub(super) fn global(
    network: &Network,
    dragonfly: &Dragonfly,
    router: impl Fn(u32, u32) -> u32,
    locals: u32,
) -> Vec<Edge> {
    let &Dragonfly { a, h, g, .. } = dragonfly;
    let others = g - 1;
    let port = |k: u32| Some((locals + k % h) as u16);
    let mut edges = Vec::new();
    for group in 0..g {
        for k in 0..(a * h).checked_div(others).unwrap_or(0) * others {
            let (there, back) = across(dragonfly, group, k % others);
            if group < there {
                let other = k / others * others + back;
                let ends = [router(group, k / h), router(there, other / h)];
                edges.push(Edge { ports: [port(k), port(other)], ..Edge::global(network, ends) });
            }
        }
    }
    edges
}

/// Adds the neighbors of a router.
pub(super) fn neighbors(dragonfly: &Dragonfly, router: u32, found: &mut Vec<u32>) {
    let (group, member) = (router / dragonfly.a, router % dragonfly.a);
    found.extend((0..dragonfly.a).filter(|&other| other != member).map(|other| group * dragonfly.a + other));
    found.extend(met(dragonfly, group, member).map(|(there, other)| there * dragonfly.a + other));
}

/// The group and member that every global port in use of a member leads to.
pub(super) fn met(dragonfly: &Dragonfly, group: u32, member: u32) -> impl Iterator<Item = (u32, u32)> {
    let &Dragonfly { a, h, g, .. } = dragonfly;
    let others = g - 1;
    let used = (a * h).checked_div(others).unwrap_or(0) * others;
    (member * h..(member + 1) * h).take_while(move |&k| k < used).map(move |k| {
        let (there, back) = across(dragonfly, group, k % others);
        (there, (k / others * others + back) / h)
    })
}

/// The group that port `k < g - 1` of a group leads to, and the port that it meets there.
fn across(dragonfly: &Dragonfly, group: u32, k: u32) -> (u32, u32) {
    let g = dragonfly.g;
    match dragonfly.arrangement {
        Arrangement::Palmtree => ((group + g - k - 1) % g, g - 2 - k),
        Arrangement::Consecutive if k < group => (k, group - 1),
        Arrangement::Consecutive => (k + 1, group),
        Arrangement::Fold if k.is_multiple_of(2) => ((group + k / 2 + 1) % g, k + 1),
        Arrangement::Fold => ((group + g - k / 2 - 1) % g, k - 1),
    }
}
