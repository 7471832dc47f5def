//! Megaflies (dragonfly+): groups of leaves and spines, every leaf of a group joined to every spine, and one
//! link between the spines of every two groups.
//!
//! Router G a + r is leaf r of group G for r < a / 2, and a spine for the others. Global ports are those of a
//! dragonfly of the spines. Sources: Flajslik, Borch and Parker 2018 (Megafly); Shpiner and others 2017
//! (Dragonfly+).

use super::dragonfly;
use super::edge::Edge;
use fabc_model::{Dragonfly, Megafly, Network};

/// The links of a megafly.
pub(super) fn edges(network: &Network, megafly: &Megafly) -> Vec<Edge> {
    let (a, half) = (megafly.a, megafly.a / 2);
    let mut edges = Vec::new();
    for group in 0..megafly.groups() {
        let pairs =
            (0..half).flat_map(|leaf| (half..a).map(move |spine| [group * a + leaf, group * a + spine]));
        edges.extend(pairs.map(|ends| Edge::local(network, ends)));
    }
    edges.extend(dragonfly::global(
        network,
        &megafly.spines(),
        |group, spine| group * a + half + spine,
        half,
    ));
    edges
}

/// Adds the neighbors of a router of a megafly with these spines.
pub(super) fn neighbors(spines: &Dragonfly, router: u32, found: &mut Vec<u32>) {
    let (half, a) = (spines.a, 2 * spines.a);
    let (group, member) = (router / a, router % a);
    if member < half {
        return found.extend((half..a).map(|spine| group * a + spine));
    }
    found.extend((0..half).map(|leaf| group * a + leaf));
    found.extend(dragonfly::met(spines, group, member - half).map(|(there, spine)| there * a + half + spine));
}
