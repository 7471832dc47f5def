//! Virtual channels: how few do, what the tables say of them, and what happens to tables that say otherwise.

use super::builds::built;
use fabc::check::Files;
use fabc::compile::{Stage, check_early, compile};
use fabc::progress::Silent;
use fabc::verify;
use serde_json::{Value, json};

/// A fabric of this network.
fn spec(topology: &str, routing: &str, budget: &str) -> String {
    let topology = if topology.ends_with('}') { topology.to_owned() } else { format!("{topology};") };
    format!(
        "fabric net {{ clock = 1 GHz; link cable {{ bandwidth = 100 Gbps; latency = 10 ns; }}
        router {{ radix = 24; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }}
        budget {{ {budget} }} topology = {topology} routing = {routing}; }}"
    )
}

/// The numbers of virtual channels that the routes of all scenarios use, and the rule of the healthy tables.
fn used(topology: &str, routing: &str, budget: &str) -> (Vec<usize>, Value) {
    let (compiled, files) = built(&spec(topology, routing, budget));
    let used = compiled.scenarios.iter().map(|scenario| {
        let hops = &scenario.metrics.routed.as_ref().unwrap().vc_hops;
        hops.iter().rposition(|&hops| hops > 0).unwrap() + 1
    });
    (used.collect(), table(&files)["vc"].clone())
}

fn table(files: &Files) -> Value {
    serde_json::from_slice(&files["tables/nominal.json"]).unwrap()
}

#[test]
fn every_family_takes_as_few_as_it_can() {
    for (topology, routing, most, rule) in [
        ("dragonfly { a = 4; h = 2; arrangement = palmtree; }", "minimal", 2, "global"),
        ("dragonfly { a = 4; h = 2; arrangement = consecutive; }", "minimal", 2, "global"),
        ("dragonfly { a = 4; h = 2; g = 5; arrangement = fold; }", "minimal", 2, "global"),
        ("dragonfly { a = 4; h = 2; spare = 1; }", "minimal", 2, "global"),
        ("dragonfly { a = 4; h = 2; arrangement = palmtree; }", "algebraic", 2, "global"),
        ("dragonfly { a = 4; h = 2; g = 4; arrangement = consecutive; }", "algebraic", 2, "global"),
        // Every two routers are joined, so that no packet takes a second link.
        ("dragonfly { a = 1; h = 6; }", "minimal", 1, "global"),
        ("megafly { a = 6; rho = 2; }", "minimal", 1, ""),
        ("megafly { a = 4; rho = 3; arrangement = consecutive; }", "minimal", 1, ""),
        ("fat_tree { levels = 2; arity = 4; }", "minimal", 1, ""),
        ("fat_tree { levels = 3; arity = 3; }", "minimal", 1, ""),
        ("mesh 3 x 4 x 2", "algebraic", 1, ""),
        ("hyperx 3 x 4 x 2", "algebraic", 1, ""),
        ("hypercube { dimensions = 5; }", "algebraic", 1, ""),
        ("folded_hypercube { dimensions = 5; }", "algebraic", 1, ""),
        // Half a ring of four is two hops, which start at every other router only.
        ("torus 4 x 3 x 2", "algebraic", 1, ""),
        ("torus 5", "algebraic", 2, ""),
        ("torus 8 x 7", "algebraic", 2, ""),
        // As many as hops.
        ("polarstar { q = 3; supernode = iq; degree = 3; }", "algebraic", 3, "hop"),
        ("polarstar { q = 3; supernode = iq; degree = 3; }", "minimal", 3, "hop"),
        ("hyperx 3 x 4 x 2", "minimal", 3, "hop"),
    ] {
        let (lanes_used, lane_rule) = used(topology, routing, &format!("vcs = {most};"));
        assert_eq!(
            (lanes_used, lane_rule.as_str().unwrap_or("")),
            (vec![most], rule),
            "{topology} {routing}"
        );
    }
}

/// Around a fault routes may be longer, and go back to where they came from.
#[test]
fn faults_take_what_they_need() {
    for (topology, routing, faults, most) in [
        ("dragonfly { a = 4; h = 2; }", "minimal", "1 link", 3),
        ("dragonfly { a = 4; h = 2; }", "minimal", "1 router", 3),
        ("megafly { a = 4; rho = 2; }", "minimal", "1 link", 1),
        ("fat_tree { levels = 3; arity = 2; }", "minimal", "1 link", 1),
        ("fat_tree { levels = 2; arity = 3; }", "minimal", "1 router", 1),
        // Nobody passes through another router.
        ("hyperx 5", "algebraic", "1 router", 1),
    ] {
        let (lanes_used, _) = used(topology, routing, &format!("vcs = {most}; faults = {faults};"));
        assert_eq!(lanes_used.iter().max(), Some(&most), "{topology} {faults}: {lanes_used:?}");
    }
}

/// The entries of a router in a ring of ten for the nine others, by hand. Half the ring away, the parity of
/// the start decides: an even start goes upwards.
#[test]
fn datelines_of_a_ring() {
    let (_, files) = built(&spec("torus 10", "algebraic", "vcs = 2;"));
    let table = table(&files);
    let vcs = |router: usize| -> String {
        let entries = table["routers"][router]["entries"].as_array().unwrap();
        entries.iter().map(|entry| entry[2].to_string()).collect()
    };
    // Upwards to 1..=4, where packets from behind the last link join. To 5 none of those goes. Down to 6..=9
    // the link lies ahead.
    assert_eq!(vcs(0), "111100000");
    // It lies ahead of 0 and 1. Downwards, where 9 is the first one, 5 and 6 are near enough to it for others
    // to have passed the link, 2..=4 are not. Nor are 8 and 9 upwards.
    assert_eq!(vcs(7), "000001100");
    assert_eq!(vcs(9), "000001111");
}

/// The errors of a directory whose tables were changed.
fn convicted(text: &str, change: impl Fn(&mut Value)) -> String {
    let (compiled, mut files) = built(text);
    let mut table = table(&files);
    change(&mut table);
    files.insert("tables/nominal.json".to_owned(), table.to_string().into_bytes());
    let errors = verify::directory(&files, &compiled.fabric, text).expect_err("the change goes unnoticed");
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn tables_that_count_otherwise_are_convicted() {
    let text = spec("dragonfly { a = 3; h = 1; arrangement = consecutive; }", "minimal", "vcs = 2;");
    let message = convicted(&text, |table| table["vc"] = "hop".into());
    assert!(message.contains("makes more hops than the 2 virtual channels can count"), "{message}");
    // All on VC 0: a cycle of local and global links.
    let message = convicted(&text, |table| {
        table.as_object_mut().unwrap().remove("vc");
        for router in table["routers"].as_array_mut().unwrap() {
            router["entries"]
                .as_array_mut()
                .unwrap()
                .iter_mut()
                .for_each(|entry| *entry = json!([entry[0], entry[1], 0]));
        }
    });
    assert!(message.contains("can wait on each other in a cycle"), "{message}");
    // No link of a torus is global, so that no packet ever counts one.
    let text = spec("torus 5", "minimal", "vcs = 2;");
    let message = convicted(&text, |table| table["vc"] = "global".into());
    assert!(message.contains("can wait on each other in a cycle"), "{message}");
    // Without its dateline a ring waits on itself.
    let text = spec("torus 5", "algebraic", "vcs = 2;");
    let message = convicted(&text, |table| {
        for router in table["routers"].as_array_mut().unwrap() {
            router["entries"].as_array_mut().unwrap().iter_mut().for_each(|entry| entry[2] = 1.into());
        }
    });
    assert!(message.contains("can wait on each other in a cycle"), "{message}");
    // Two virtual channels count one link between groups, not two.
    let text = spec("dragonfly { a = 3; h = 1; arrangement = consecutive; }", "minimal", "vcs = 2;");
    let message = convicted(&text, |table| table["vcs"] = 1.into());
    assert!(message.contains("crosses more links between groups than the"), "{message}");
}

/// `check` knows the result of a build before it.
#[test]
fn too_few_are_refused_early() {
    for (topology, routing, vcs, reason) in [
        (
            "dragonfly { a = 4; h = 2; }",
            "minimal",
            1,
            "routes of this dragonfly need 2 virtual channels, the budget has 1",
        ),
        (
            "dragonfly { a = 4; h = 2; }",
            "algebraic",
            1,
            "routes of this dragonfly need 2 virtual channels, the budget has 1",
        ),
        ("torus 5 x 2", "algebraic", 1, "algebraic needs 2 virtual channels on this torus, the budget has 1"),
        ("hyperx 3 x 4 x 2", "minimal", 2, "3 hops need 3 virtual channels, the budget has 2"),
    ] {
        let text = spec(topology, routing, &format!("vcs = {vcs};"));
        let loader = |_: &str| Ok(text.clone());
        let (fabric, ..) =
            fabc::lang::read_normal("test.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
        let early = check_early(&fabric, Stage::Emit).expect_err("refused");
        let late = compile(fabric, Stage::Emit, &Silent).expect_err("refused");
        for failure in [early, late] {
            let messages: Vec<String> = failure.diagnostics().iter().map(ToString::to_string).collect();
            assert_eq!(
                messages,
                [format!("{reason} (nominal)")
                    .replace("torus, the budget has 1 (nominal)", "torus, the budget has 1")]
            );
        }
    }
}
