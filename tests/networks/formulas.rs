//! Routing by formula: every pair by a shortest path, and what its channels bear.
//!
//! `tests/data/polarstar_routing.csv` was computed by separate code from the rules of Lakhotia and others
//! 2024, which take the first one where there are several ways.

use super::{Arrangement, dragonfly, fabric, polarstar, wired};
use fabc::check;
use fabc::ir::Scene;
use fabc::model::{Family, RoutingChoice, Supernode};
use fabc::passes::route::{algebraic, lanes};
use fabc::passes::tables;

/// The tables of a formula, walked: (largest load, loads of all channels, channels).
fn loads(family: Family) -> (u64, u64, usize) {
    let mut fabric = fabric(family, 1, 4096);
    fabric.routing = RoutingChoice::Algebraic;
    (fabric.router.vcs, fabric.budget.vcs) = (16, 16);
    let topology = wired(&fabric);
    let scene = Scene::whole(&topology);
    let next = algebraic::route(&scene, &fabric).expect("all links are lit");
    let (hops, _) = lanes::fewest(&fabric, &scene, next);
    let tables = tables::by_destination(&hops, 16, "nominal");
    let (walk, _) = check::scenario(&fabric, &scene, &tables, &hops.ranks).unwrap_or_else(|error| panic!("{error}"));
    (walk.max_channel_load(), walk.total_load(), topology.channels().count())
}

#[test]
fn polarstars_are_routed_by_formula() {
    let mut lines = include_str!("../data/polarstar_routing.csv").lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut compared = 0;
    for line in &mut lines {
        let columns: Vec<&str> = line.split(',').collect();
        let &[kind, q, degree, _, wrong, most, mean] = columns.as_slice() else { panic!("{line}") };
        assert_eq!(wrong, "0", "the checker compares every route with breadth-first distances");
        let supernode = if kind == "iq" { Supernode::Iq } else { Supernode::Paley };
        let (load, all, channels) = loads(polarstar(q.parse().unwrap(), supernode, degree.parse().unwrap()));
        assert_eq!(format!("{:.2}", all as f64 / channels as f64), mean, "{line}");
        assert_eq!(load.to_string(), most, "{line}");
        compared += 1;
    }
    assert_eq!(compared, 18);
}

#[test]
fn the_other_families_with_formulas() {
    for family in [
        polarstar(2, Supernode::Complete, 3),
        polarstar(5, Supernode::Complete, 2),
        Family::Torus(vec![4, 5, 2]),
        Family::Torus(vec![6, 3]),
        Family::Mesh(vec![4, 1, 3]),
        Family::HyperX(vec![4, 3, 5]),
        Family::Hypercube { dimensions: 5, folded: false },
        Family::Hypercube { dimensions: 5, folded: true },
        Family::Hypercube { dimensions: 6, folded: true },
        dragonfly(4, 2, 9, Arrangement::Palmtree),
        dragonfly(4, 2, 9, Arrangement::Consecutive),
        dragonfly(8, 4, 33, Arrangement::Fold),
        dragonfly(4, 2, 5, Arrangement::Palmtree),
        dragonfly(4, 2, 4, Arrangement::Consecutive),
    ] {
        loads(family);
    }
    // Along every axis of a hyperx, and every bit of a hypercube, each channel bears as much.
    let even = |family| {
        let (most, all, channels) = loads(family);
        assert_eq!(most * channels as u64, all);
    };
    even(Family::HyperX(vec![5, 5]));
    even(Family::Hypercube { dimensions: 6, folded: false });
}
