//! Routing by formula: every pair by a shortest path, and what its channels bear.
//!
//! `tests/data/polarstar_routing.csv` was computed by separate code from the rules of Lakhotia and others
//! 2024, which take the first one where there are several ways.

use super::builds::built;
use super::{dragonfly, fabric, polarstar, wired};
use fabc::check;
use fabc::compiled::CompiledFabric;
use fabc::ir::Scene;
use fabc::model::{Arrangement, Family, HyperX, Hypercube, Mesh, RoutingChoice, Supernode, Torus};
use fabc::passes::route::{algebraic, lanes};
use fabc::passes::tables;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The tables of a formula, walked: (largest load, loads of all channels, channels).
fn loads(family: Family) -> (u64, u64, usize) {
    let mut fabric = fabric(family, 1, 4096);
    fabric.routing = RoutingChoice::Algebraic;
    (fabric.router.vcs, fabric.budget.vcs) = (16, 16);
    let topology = wired(&fabric);
    let scene = Scene::healthy(&topology);
    let next = algebraic::route(&scene, &fabric).expect("all links are lit");
    let (hops, _) = lanes::assign_fewest(&fabric, &scene, next);
    let tables = tables::by_destination(&hops, 16, "nominal");
    let (walk, _) =
        check::judge_tables(&fabric, &scene, &tables, &hops.ranks).unwrap_or_else(|error| panic!("{error}"));
    (walk.max_channel_load(), walk.total_load(), topology.channels().count())
}

#[test]
fn polarstars_are_routed_by_formula() {
    let mut lines = include_str!("../../data/polarstar_routing.csv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1);
    let mut compared = 0;
    for line in &mut lines {
        let columns: Vec<&str> = line.split(',').collect();
        let &[kind, q, degree, _, errors, most, mean] = columns.as_slice() else { panic!("{line}") };
        assert_eq!(errors, "0", "the checker compares every route with breadth-first distances");
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
        Family::Torus(Torus(vec![4, 5, 2])),
        Family::Torus(Torus(vec![6, 3])),
        Family::Mesh(Mesh(vec![4, 1, 3])),
        Family::HyperX(HyperX(vec![4, 3, 5])),
        Family::Hypercube(Hypercube { dimensions: 5, folded: false }),
        Family::Hypercube(Hypercube { dimensions: 5, folded: true }),
        Family::Hypercube(Hypercube { dimensions: 6, folded: true }),
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
    even(Family::HyperX(HyperX(vec![5, 5])));
    even(Family::Hypercube(Hypercube { dimensions: 6, folded: false }));
}

/// A built network that is routed by formula.
fn spec(topology: &str) -> String {
    let topology = if topology.ends_with('}') { topology.to_owned() } else { format!("{topology};") };
    format!(
        "fabric net {{ clock = 1 GHz; link cable {{ bandwidth = 100 Gbps; latency = 10 ns; }}
        router {{ radix = 24; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }}
        budget {{ vcs = 3; }} topology = {topology} routing = algebraic; }}"
    )
}

/// The checker works out every next hop from the file alone: two pieces of code, and one of them reads.
#[test]
fn formulas_are_written_and_worked_out_again() {
    for topology in [
        "torus 4 x 5 x 2",
        "torus 9 x 1 x 6",
        "mesh 4 x 1 x 3",
        "hyperx 3 x 5",
        "hypercube { dimensions = 4; }",
        "folded_hypercube { dimensions = 4; }",
        "folded_hypercube { dimensions = 5; }",
        "dragonfly { a = 4; h = 2; arrangement = palmtree; }",
        // Several links between every two groups, and ports that are dark.
        "dragonfly { a = 4; h = 2; g = 4; arrangement = palmtree; }",
        "dragonfly { a = 4; h = 2; g = 6; arrangement = consecutive; }",
        "dragonfly { a = 4; h = 2; g = 5; arrangement = fold; spare = 1; }",
        "polarstar { q = 2; supernode = complete; degree = 3; }",
        "polarstar { q = 3; supernode = iq; degree = 0; }",
        "polarstar { q = 3; supernode = iq; degree = 4; }",
        "polarstar { q = 4; supernode = iq; degree = 3; }",
        "polarstar { q = 4; supernode = paley; degree = 4; }",
    ] {
        let (compiled, files) = built(&spec(topology));
        let file: Value = serde_json::from_slice(&files["formula.json"])
            .unwrap_or_else(|error| panic!("{topology}: {error}"));
        assert_eq!(file["routers"], compiled.topology.node_count(), "{topology}");
    }
}

fn formula(topology: &str) -> Value {
    serde_json::from_slice(&built(&spec(topology)).1["formula.json"]).unwrap()
}

#[test]
fn formulas_by_hand() {
    let of_ring = r#"{"format":"fabc.formula/1","fabric":"net","family":"torus","routers":5,"ports":2,"vc":"dateline",
"sides":[5]}
"#;
    let (_, files) = built(&spec("torus 5"));
    assert_eq!(String::from_utf8_lossy(&files["formula.json"]), of_ring);
    // Four elements, x^2 = x + 1. Nine places, x^2 = -1, f(a) = (x + 1) a.
    let star = formula("polarstar { q = 4; supernode = paley; degree = 4; }");
    assert_eq!(star["field"], json!({"order": 4, "modulus": [1, 1, 1], "generator": 2}));
    assert_eq!(star["supernode"]["f"], json!([0, 4, 8, 5, 6, 1, 7, 2, 3]));
    assert_eq!((star["vectors"].as_array().unwrap().len(), &star["vectors"][20]), (21, &json!([0, 0, 1])));
    // Groups 0..3 of a router each: port k of group g leads to group g - k - 1.
    let groups = formula("dragonfly { a = 1; h = 3; arrangement = palmtree; }");
    assert_eq!(groups["across"], json!([[3, 2, 1], [0, 3, 2], [1, 0, 3], [2, 1, 0]]));
}

/// The convictions of a directory whose formula was changed, by the checker alone.
fn formula_errors(compiled: &CompiledFabric, files: &check::Files, change: impl Fn(&mut Value)) -> String {
    let mut files = files.clone();
    let mut file: Value = serde_json::from_slice(&files["formula.json"]).unwrap();
    change(&mut file);
    files.insert("formula.json".to_owned(), file.to_string().into_bytes());
    let errors = check::verify_directory(&files, &compiled.fabric).expect_err("the change goes unnoticed");
    let messages: Vec<String> =
        errors.iter().map(ToString::to_string).filter(|error| !error.contains("are listed")).collect();
    messages.join("\n")
}

#[test]
fn formulas_that_say_otherwise_are_convicted() {
    let star = "polarstar { q = 4; supernode = paley; degree = 2; }";
    let groups = "dragonfly { a = 4; h = 2; arrangement = consecutive; }";
    type Change = fn(&mut Value);
    let changes: &[(&str, Change, &str)] = &[
        ("torus 5", |file| file["fabric"] = "other".into(), "says `other`"),
        ("torus 5", |file| file["routers"] = 6.into(), "says 6, but there are 5"),
        ("torus 5", |file| file["ports"] = 3.into(), "says 3, but routers have 2"),
        ("torus 5", |file| file["vc"] = "hop".into(), "disagrees with the rule of the tables"),
        ("torus 5", |file| file["vc"] = "single".into(), "on VC 0, but the tables by port 0 on VC 1"),
        ("torus 5", |file| file["sides"] = json!([1, 6]), "are not those of 5 routers"),
        (
            "torus 5",
            |file| file["family"] = "hyperx".into(),
            "sends packets from router[0] to router[2] by port 1",
        ),
        ("torus 5", |file| file["family"] = "kautz".into(), "`kautz` has no formula"),
        ("torus 5", |file| file["dimensions"] = 3.into(), "or its formula has other keys"),
        ("torus 5", |file| file["more"] = 3.into(), "unknown field `more`"),
        ("hyperx 3 x 5", |file| file["sides"] = json!([5, 3]), "but the tables by port"),
        ("hypercube { dimensions = 4; }", |file| file["dimensions"] = 5.into(), "do not have 5 bits"),
        (
            "hypercube { dimensions = 4; }",
            |file| file["family"] = "folded_hypercube".into(),
            "but the tables by port",
        ),
        (groups, |file| file["group"] = 2.into(), "but the tables by port"),
        (groups, |file| file["group"] = 5.into(), "are not those of 36 routers"),
        (groups, |file| file["across"][0] = json!([8, 4]), "but the tables by port"),
        (groups, |file| file["across"][0][0] = 36.into(), "there is no router 36"),
        (groups, |file| file["across"][35][1] = Value::Null, "but the tables by port"),
        (
            star,
            |file| file["field"]["order"] = 5.into(),
            "the modulus is not a polynomial that defines 5 elements",
        ),
        (
            star,
            |file| file["field"]["modulus"] = json!([1, 0, 1]),
            "the powers of 2 do not give all nonzero elements",
        ),
        (
            star,
            |file| file["field"]["generator"] = 1.into(),
            "the powers of 1 do not give all nonzero elements",
        ),
        (star, |file| file["supernode"]["f"] = json!([0, 4, 2, 1, 3]), "but the tables by port"),
        (star, |file| file["supernode"]["f"][0] = 1.into(), "is not a permutation of its places"),
        (
            star,
            |file| file["supernode"]["links"].as_array_mut().unwrap().truncate(4),
            "but the tables by port",
        ),
        (star, |file| file["supernode"]["links"][0] = json!([0, 0]), "0 and 0 are not two places"),
        (star, |file| file["vectors"][3] = json!([1, 0, 2]), "occurs twice"),
        (star, |file| file["vectors"].as_array_mut().unwrap().swap(3, 4), "but the tables by port"),
        (
            star,
            |file| file["vectors"].as_array_mut().unwrap().truncate(20),
            "20 points with 5 places each are not 105 routers",
        ),
    ];
    let mut directories = BTreeMap::new();
    for (topology, change, reason) in changes {
        let (compiled, files) = directories.entry(topology).or_insert_with(|| built(&spec(topology)));
        let message = formula_errors(compiled, files, change);
        assert!(
            message.contains("formula.json") && message.contains(reason),
            "{topology}: `{reason}` is not in `{message}`"
        );
    }
    let (compiled, files) = directories.get_mut(&"torus 5").unwrap();
    files.remove("formula.json");
    assert!(
        check::verify_directory(files, &compiled.fabric)
            .is_err_and(|errors| errors.iter().any(|error| error.to_string().contains("missing")))
    );
}
