//! De Bruijn graphs: all words of `length` letters out of `degree`, in lexicographic order. An arc drops the
//! first letter and appends one. Arcs from a word to itself are left out.
//!
//! Source: de Bruijn 1946. Cost: linear in the links.

use crate::wire::edge::UnnumberedLink;
use fabc_model::{Arcs, DeBruijn, Network};

/// The arcs of a de Bruijn graph. Opposite arcs of a duplex network are one link.
pub(super) fn edges(network: &Network, graph: &DeBruijn) -> Vec<UnnumberedLink> {
    let mut edges = Vec::new();
    for router in 0..network.router_count() as u32 {
        for next in arc_targets(graph, router) {
            let merged = graph.arcs == Arcs::Duplex
                && next < router
                && arc_targets(graph, next).any(|target| target == router);
            if !merged {
                edges.push(UnnumberedLink::local(network, [router, next]));
            }
        }
    }
    edges
}

/// The routers that arcs lead to, ascending.
fn arc_targets(graph: &DeBruijn, router: u32) -> impl Iterator<Item = u32> {
    let tails = graph.degree.pow(graph.length - 1);
    let first = router % tails * graph.degree;
    (first..first + graph.degree).filter(move |&next| next != router)
}

/// Adds the routers that arcs lead to. In a duplex network it also adds those that arcs come from, each once.
pub(super) fn neighbors(graph: &DeBruijn, router: u32, list: &mut Vec<u32>) {
    list.extend(arc_targets(graph, router));
    if graph.arcs == Arcs::Duplex {
        let tails = graph.degree.pow(graph.length - 1);
        let sources = (0..graph.degree).map(|letter| letter * tails + router / graph.degree);
        let sources = sources.filter(|&source| source != router);
        list.extend(sources.filter(|&source| !arc_targets(graph, router).any(|target| target == source)));
    }
}
