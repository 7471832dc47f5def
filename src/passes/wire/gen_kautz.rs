//! Generalized Kautz graphs ([`kautz_targets`]); arcs of a router to itself are left out.

use super::edge::Edge;
use fabc_base::algebra::kautz_targets;
use fabc_model::{Arcs, Network};
use std::collections::BTreeSet;

/// The arcs; of duplex ones, opposite arcs once.
pub(super) fn edges(network: &Network, degree: u32, routers: u32, arcs: Arcs) -> Vec<Edge> {
    let all = (0..routers).flat_map(|from| kautz_targets(degree, routers, from).map(move |to| [from, to]));
    let all: BTreeSet<[u32; 2]> = all.filter(|[from, to]| from != to).collect();
    let once = |[from, to]: &[u32; 2]| arcs == Arcs::Simplex || from < to || !all.contains(&[*to, *from]);
    all.iter().filter(|ends| once(ends)).map(|&ends| Edge::local(network, ends)).collect()
}
