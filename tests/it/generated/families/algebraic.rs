//! Families over fields, groups, permutations and words.

use super::{Topology, arcs};
use crate::generated::dice::Dice;

/// Routers of a supernode of a star product, its word and its degree.
pub(super) fn polarstar(dice: &mut Dice) -> Topology {
    let (q, kind, degree, size) = dice.pick(&[
        (2, "iq", 0, 2),
        (2, "complete", 1, 2),
        (2, "complete", 2, 3),
        (2, "paley", 2, 5),
        (3, "iq", 0, 2),
        (3, "complete", 1, 2),
        (2, "complete", 0, 1),
    ]);
    let row = match kind {
        "iq" => "polarstar iq",
        "paley" => "polarstar paley",
        _ => "polarstar complete",
    };
    let mut topology = Topology::new(row, "polarstar", (q * q + q + 1) * size, q + 2 + degree, 3);
    topology = topology.set("q", q).set("supernode", kind).set("degree", degree).grouped(size).permuted();
    (topology.is_plane, topology.formula_vcs) = (true, Some(3));
    topology
}

pub(super) fn polarfly(dice: &mut Dice) -> Topology {
    let q = dice.pick(&[2usize, 2, 3, 3, 4]);
    let copies = if q.is_multiple_of(2) && dice.percent(30) { 1 } else { 0 };
    let routers = q * q + q + 1 + copies;
    let mut topology = Topology::new("polarfly", "polarfly", routers, q + 1, 2).set("q", q).permuted();
    if copies > 0 {
        topology = topology.set("copies", copies);
    }
    topology.is_plane = copies == 0;
    topology
}

pub(super) fn delorme(dice: &mut Dice) -> Topology {
    let copies = dice.within(0, 2);
    Topology::new("delorme", "delorme", 15 + 5 * copies, 3 + copies, 3)
        .set("q", 2)
        .set("copies", copies)
        .permuted()
}

pub(super) fn quadrangle_pairs(_: &mut Dice) -> Topology {
    Topology::new("quadrangle_pairs", "quadrangle_pairs", 128, 8, 3)
        .set("quadrangle", "hyperoval")
        .set("q", 2)
        .permuted()
}

pub(super) fn cayley(dice: &mut Dice) -> Topology {
    let (m, n, r, generators, degree) =
        dice.pick(&[(7, 3, 2, "[1, 7]", 4), (4, 2, 3, "[2, 5, 4]", 3), (9, 1, 1, "[1, 3]", 4)]);
    let topology = Topology::new("cayley", "cayley", m * n, degree, 5).set("m", m).set("n", n);
    topology.set("r", r).set("generators", generators).permuted()
}

pub(super) fn star_graph(dice: &mut Dice) -> Topology {
    let (symbols, routers, hops) = dice.pick(&[(3, 6, 3), (4, 24, 4)]);
    Topology::new("star_graph", "star_graph", routers, symbols - 1, hops).set("symbols", symbols).permuted()
}

pub(super) fn de_bruijn(dice: &mut Dice) -> Topology {
    let (degree, length) = dice.pick(&[(2, 2), (2, 3), (3, 2), (2, 4)]);
    let (word, one_way) = arcs(dice, true);
    let row = if one_way { "de_bruijn simplex" } else { "de_bruijn duplex" };
    let routers = usize::pow(degree, length as u32);
    let mut topology = Topology::new(row, "de_bruijn", routers, 2 * degree, length)
        .set("degree", degree)
        .set("length", length);
    if !word.is_empty() {
        topology = topology.set("arcs", word);
    }
    topology.one_way = one_way;
    topology
}

pub(super) fn slim_fly(dice: &mut Dice) -> Topology {
    let q = dice.pick(&[3, 3, 3, 4]);
    Topology::new("slim_fly", "slim_fly", 2 * q * q, 2 * q, 2).set("q", q).permuted()
}

pub(super) fn bundlefly(_: &mut Dice) -> Topology {
    Topology::new("bundlefly", "bundlefly", 90, 10, 3).set("q", 3).set("p", 5).grouped(5).permuted()
}

pub(super) fn spectralfly(_: &mut Dice) -> Topology {
    Topology::new("spectralfly", "spectralfly", 120, 4, 8).set("rho", 3).set("q", 5).permuted()
}
