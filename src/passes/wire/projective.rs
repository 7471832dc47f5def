//! Points of a projective plane over a finite field, joined where they are orthogonal: PolarFly.
//!
//! A point is a vector whose first non-zero coordinate is 1; (1, y, z) is number y q + z, then come (0, 1, z)
//! and (0, 0, 1). Points that are orthogonal to themselves are quadrics. Sources: Brown 1966 (ER_q);
//! Lakhotia and others 2022 (PolarFly). Cost: linear in the links.

use super::edge::Edge;
use super::field::Field;
use crate::model::{Network, plane_points};

/// The links of a PolarFly.
pub(super) fn edges(network: &Network, q: u32) -> Vec<Edge> {
    let field = Field::new(q);
    let mut edges = Vec::new();
    for point in 0..plane_points(q) {
        edges.extend(orthogonal(&field, point).filter(|&other| other > point).map(|other| Edge::local(network, [point, other])));
    }
    edges
}

/// The coordinates of a point.
pub(super) fn coordinates(q: u32, point: u32) -> [u32; 3] {
    match point {
        point if point < q * q => [1, point / q, point % q],
        point if point < q * q + q => [0, 1, point - q * q],
        _ => [0, 0, 1],
    }
}

/// The points that are orthogonal to a point, by rising number; a quadric is one of its own.
pub(super) fn orthogonal(field: &Field, point: u32) -> impl Iterator<Item = u32> {
    let (q, [u, v, w]) = (field.order(), coordinates(field.order(), point));
    let quotient = |a: u32, b: u32| field.product(field.negative(a), field.inverse(b));
    let mut found = Vec::new();
    // Of (1, y, z): u + v y + w z = 0.
    match (u, v, w) {
        (_, _, w) if w != 0 => found.extend((0..q).map(|y| y * q + quotient(field.sum(u, field.product(v, y)), w))),
        (_, v, _) if v != 0 => found.extend((0..q).map(|z| quotient(u, v) * q + z)),
        _ => {}
    }
    // Of (0, 1, z): v + w z = 0; of (0, 0, 1): w = 0.
    match (v, w) {
        (v, w) if w != 0 => found.push(q * q + quotient(v, w)),
        (0, _) => found.extend((0..=q).map(|z| q * q + z)),
        _ => found.push(q * q + q),
    }
    found.into_iter()
}
