//! Dragonflies: groups of `a` routers, complete inside, with `h` global ports per router.
//!
//! The global ports of a group are numbered consecutively: port k is global port k mod h of router k / h.
//! Between every two groups run floor(a h / (g - 1)) links. The remaining ports stay dark. Sources: Kim and
//! others 2008; Camarero, Vallejo and Beivide 2014 (palmtree and consecutive arrangements).

use crate::wire::edge::UnnumberedLink;
use fabc_model::{Arrangement, Dragonfly, Network};

/// The links of a dragonfly.
pub(super) fn edges(network: &Network, dragonfly: &Dragonfly) -> Vec<UnnumberedLink> {
    let &Dragonfly { a, g, .. } = dragonfly;
    let local_pairs = (0..a).flat_map(|router| (router + 1..a).map(move |other| [router, other]));
    let local_pairs: Vec<[u32; 2]> = local_pairs.collect();
    let local =
        (0..g).flat_map(|group| local_pairs.iter().map(move |pair| pair.map(|router| group * a + router)));
    let mut edges: Vec<UnnumberedLink> = local.map(|ends| UnnumberedLink::local(network, ends)).collect();
    edges.extend(global_links(network, dragonfly, |group, router| group * a + router, a - 1));
    edges
}

/// The links between groups. Member `r` of a group with global ports is router `router(group, r)`, and has
/// `locals` ports before its global ones.
pub(super) fn global_links(
    network: &Network,
    dragonfly: &Dragonfly,
    router: impl Fn(u32, u32) -> u32,
    locals: u32,
) -> Vec<UnnumberedLink> {
    let &Dragonfly { a, h, g, .. } = dragonfly;
    let others = g - 1;
    let port = |k: u32| Some((locals + k % h) as u16);
    let mut edges = Vec::new();
    for group in 0..g {
        for k in 0..(a * h).checked_div(others).unwrap_or(0) * others {
            let (other_group, met_port) = port_target(dragonfly, group, k % others);
            if group < other_group {
                let other_port = k / others * others + met_port;
                let pair = [router(group, k / h), router(other_group, other_port / h)];
                edges.push(UnnumberedLink {
                    ports: [port(k), port(other_port)],
                    ..UnnumberedLink::global(network, pair)
                });
            }
        }
    }
    edges
}

/// Adds the neighbors of a router.
pub(super) fn neighbors(dragonfly: &Dragonfly, router: u32, list: &mut Vec<u32>) {
    let (group, member) = (router / dragonfly.a, router % dragonfly.a);
    list.extend((0..dragonfly.a).filter(|&other| other != member).map(|other| group * dragonfly.a + other));
    list.extend(
        neighbors_between_groups(dragonfly, group, member)
            .map(|(other_group, other)| other_group * dragonfly.a + other),
    );
}

/// The (group, member) that each used global port of a member leads to.
pub(super) fn neighbors_between_groups(
    dragonfly: &Dragonfly,
    group: u32,
    member: u32,
) -> impl Iterator<Item = (u32, u32)> {
    let &Dragonfly { a, h, g, .. } = dragonfly;
    let others = g - 1;
    let used = (a * h).checked_div(others).unwrap_or(0) * others;
    (member * h..(member + 1) * h).take_while(move |&k| k < used).map(move |k| {
        let (other_group, met_port) = port_target(dragonfly, group, k % others);
        (other_group, (k / others * others + met_port) / h)
    })
}

/// The group that port `k < g - 1` of a group leads to, and the port that it meets there.
fn port_target(dragonfly: &Dragonfly, group: u32, k: u32) -> (u32, u32) {
    let g = dragonfly.g;
    match dragonfly.arrangement {
        Arrangement::Palmtree => ((group + g - k - 1) % g, g - 2 - k),
        Arrangement::Consecutive if k < group => (k, group - 1),
        Arrangement::Consecutive => (k + 1, group),
        Arrangement::Fold if k.is_multiple_of(2) => ((group + k / 2 + 1) % g, k + 1),
        Arrangement::Fold => ((group + g - k / 2 - 1) % g, k - 1),
    }
}
