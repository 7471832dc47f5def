//! Generalized Kautz graphs: arcs from u to -(d u) - j modulo the number of routers, for j = 1 .. d.
//!
//! Arcs of a router to itself are left out. Source: Imase and Itoh 1983.

use super::edge::Edge;
use crate::model::{Arcs, Network};
use std::collections::BTreeSet;

/// The arcs; of duplex ones, opposite arcs once.
pub(super) fn edges(network: &Network, degree: u32, routers: u32, arcs: Arcs) -> Vec<Edge> {
    let target = |from: u32, j: u32| {
        let (d, n) = (u64::from(degree), u64::from(routers));
        (n - (d * u64::from(from) + u64::from(j)) % n) % n
    };
    let all = (0..routers).flat_map(|from| (1..=degree).map(move |j| [from, target(from, j) as u32]));
    let all: BTreeSet<[u32; 2]> = all.filter(|[from, to]| from != to).collect();
    let once = |[from, to]: &[u32; 2]| arcs == Arcs::Simplex || from < to || !all.contains(&[*to, *from]);
    all.iter().filter(|ends| once(ends)).map(|&ends| Edge::local(network, ends)).collect()
}
