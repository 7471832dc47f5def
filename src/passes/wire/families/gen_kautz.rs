//! Generalized Kautz graphs ([`kautz_targets`]), without arcs from a router to itself.

use crate::wire::edge::UnnumberedLink;
use fabc_base::algebra::kautz_targets;
use fabc_model::{Arcs, Network};
use std::collections::BTreeSet;

/// The arcs. Opposite arcs of a duplex network are one link.
pub(super) fn edges(network: &Network, degree: u32, routers: u32, arcs: Arcs) -> Vec<UnnumberedLink> {
    let arcs_of_graph =
        (0..routers).flat_map(|from| kautz_targets(degree, routers, from).map(move |to| [from, to]));
    let arcs_of_graph: BTreeSet<[u32; 2]> = arcs_of_graph.filter(|[from, to]| from != to).collect();
    let is_listed_once =
        |[from, to]: &[u32; 2]| arcs == Arcs::Simplex || from < to || !arcs_of_graph.contains(&[*to, *from]);
    arcs_of_graph
        .iter()
        .filter(|ends| is_listed_once(ends))
        .map(|&ends| UnnumberedLink::local(network, ends))
        .collect()
}
