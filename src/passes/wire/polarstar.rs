//! PolarStars: the star product of the points of a projective plane with a supernode.
//!
//! Router x h + a is place a of the supernode of h routers at point x. Inside a supernode, places are joined
//! as in its graph, and at quadrics also a to f(a); places a and f(a) of supernodes x < y are joined where
//! the points are orthogonal. Sources: Lakhotia and others 2024 (PolarStar); Bermond, Delorme and Farhi 1982
//! (star product). The inductive quads and the links of quadrics are as in `docs/passes.md`.

use super::edge::Edge;
use super::field::Field;
use super::{paley, projective};
use crate::model::{Network, PolarStar, Supernode, plane_points};
use std::collections::BTreeSet;

/// What stands in every point: places that are joined, lower one first, and the place that each meets in the
/// supernode of a higher point.
struct Inner {
    edges: Vec<[u32; 2]>,
    across: Vec<u32>,
}

/// The links of a PolarStar.
pub(super) fn edges(network: &Network, star: &PolarStar) -> Vec<Edge> {
    let size = star.supernode_size();
    let Inner { edges: inside, across } = inner(star);
    // Those of quadrics: a place meets the one that it would meet in another supernode.
    let loops = across.iter().enumerate().map(|(a, &b)| [b.min(a as u32), b.max(a as u32)]).filter(|[a, b]| a != b);
    let with_loops: BTreeSet<[u32; 2]> = inside.iter().copied().chain(loops).collect();
    let field = Field::new(star.q);
    let mut edges = Vec::new();
    for point in 0..plane_points(star.q) {
        let orthogonal: Vec<u32> = projective::orthogonal(&field, point).collect();
        let mut local = |&[a, b]: &[u32; 2]| edges.push(Edge::local(network, [point * size + a, point * size + b]));
        match orthogonal.contains(&point) {
            true => with_loops.iter().for_each(&mut local),
            false => inside.iter().for_each(&mut local),
        }
        for other in orthogonal.into_iter().filter(|&other| other > point) {
            let joined = across.iter().enumerate().map(|(a, &b)| [point * size + a as u32, other * size + b]);
            edges.extend(joined.map(|ends| Edge::global(network, ends)));
        }
    }
    edges
}

fn inner(star: &PolarStar) -> Inner {
    let size = star.supernode_size();
    match star.supernode {
        Supernode::Iq => inductive_quad(star.degree),
        Supernode::Paley => {
            let field = Field::new(size);
            Inner { edges: paley::edges(&field), across: (0..size).map(|a| field.product(field.power(1), a)).collect() }
        }
        Supernode::Complete => {
            Inner { edges: (0..size).flat_map(|a| (a + 1..size).map(move |b| [a, b])).collect(), across: (0..size).collect() }
        }
    }
}

/// The links among the first eight places of an inductive quad whose degree is 3 modulo 4, and of those that
/// every step adds.
const QUAD: [[u32; 2]; 12] = [[0, 1], [0, 2], [0, 3], [1, 4], [2, 4], [3, 4], [1, 6], [5, 6], [2, 7], [6, 7], [3, 5], [5, 7]];
/// Places of an added quad that are joined to the first halves of all before it; the others to the second
/// halves.
const TO_FIRST: [u32; 4] = [0, 1, 4, 5];

/// The inductive quad of a degree that is 0 or 3 modulo 4.
fn inductive_quad(degree: u32) -> Inner {
    let mut inner = Inner { edges: Vec::new(), across: Vec::new() };
    let mut first_half = Vec::new();
    if degree.is_multiple_of(4) {
        inner.across = vec![1, 0];
        first_half.push(0);
    }
    for _ in 0..degree.div_ceil(4) {
        let start = inner.across.len() as u32;
        for place in 0..8 {
            let half = |&one: &u32| if TO_FIRST.contains(&place) { one } else { inner.across[one as usize] };
            let joined: Vec<[u32; 2]> = first_half.iter().map(|one| [half(one), start + place]).collect();
            inner.edges.extend(joined);
        }
        inner.edges.extend(QUAD.map(|ends| ends.map(|place| start + place)));
        inner.across.extend((0..8).map(|place| start + (place + 4) % 8));
        first_half.extend(start..start + 4);
    }
    inner
}
