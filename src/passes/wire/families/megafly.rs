//! Megaflies (dragonfly+): groups of leaves and spines. Every leaf of a group is joined to every spine of it,
//! and the spines of every two groups share one link.
//!
//! Router G a + r is in group G. It is leaf r if r < a / 2, and a spine otherwise. Global ports are those of
//! a dragonfly of the spines. Sources: Flajslik, Borch and Parker 2018 (Megafly); Shpiner and others 2017
//! (Dragonfly+).

use super::dragonfly;
use crate::wire::edge::UnnumberedLink;
use fabc_model::{Dragonfly, Megafly, Network};

/// The links of a megafly.
pub(super) fn edges(network: &Network, megafly: &Megafly) -> Vec<UnnumberedLink> {
    let (a, half) = (megafly.a, megafly.a / 2);
    let mut edges = Vec::new();
    for group in 0..megafly.groups() {
        let local_pairs =
            (0..half).flat_map(|leaf| (half..a).map(move |spine| [group * a + leaf, group * a + spine]));
        edges.extend(local_pairs.map(|ends| UnnumberedLink::local(network, ends)));
    }
    edges.extend(dragonfly::global_links(
        network,
        &megafly.spines(),
        |group, spine| group * a + half + spine,
        half,
    ));
    edges
}

/// Adds the neighbors of a router of a megafly with these spines.
pub(super) fn neighbors(spines: &Dragonfly, router: u32, list: &mut Vec<u32>) {
    let (half, a) = (spines.a, 2 * spines.a);
    let (group, member) = (router / a, router % a);
    if member < half {
        return list.extend((half..a).map(|spine| group * a + spine));
    }
    list.extend((0..half).map(|leaf| group * a + leaf));
    list.extend(
        dragonfly::neighbors_between_groups(spines, group, member - half)
            .map(|(other_group, spine)| other_group * a + half + spine),
    );
}
