//! Repairs under new ranks: live by way of unused virtual channels, or cold where these are short.

use super::{broken, built, compiled, convict_change, live_tables, random_set, read, scene};
use crate::support::command::fabc;
use crate::support::mixes::Mixes;
use crate::support::spec_text::SpecText;
use fabc::compile::repair::{Effort, repair};
use fabc::ir::{Delta, TableKey};
use fabc::progress::Silent;
use serde_json::Value;

/// Dimension order has no ways around: what is left gets an order of its own.
#[test]
fn where_nothing_rises_there_is_a_new_order() {
    let place = built(
        &SpecText::pod([2, 2, 2], 4)
            .with("topology = torus 4 x 4 x 2; routing = dimension_order; budget { vcs = 2; faults = 0; }"),
    );
    let (text, _) = fabc(place.path(), &["repair", "out/pod", "--out", "fixed", "--down", "cube0[0,0,0]"], 0);
    assert!(
        text.contains("ranks of the surviving network") && text.contains("above/delta.json leads above"),
        "{text}"
    );
    let head = read(&place, "fixed/repair.json");
    assert_eq!((&head["step"], &head["order"]), (&"new_order".into(), &"new".into()));
    assert_eq!((&head["live"], head["blocks"].as_array().unwrap().len()), (&true.into(), 2));
    fabc(place.path(), &["verify", "out/pod", "--repair", "fixed"], 0);
    for (path, from, to) in [
        ("fixed/repair.json", "\"live\":true", "\"live\":false"),
        ("fixed/repair.json", "\"order\":\"above\"", "\"order\":\"below\""),
        ("fixed/repair.json", "\"keys_most\":", "\"keys_most\":1"),
        ("fixed/above/delta.json", "\"turn\":[[", "\"turn\":[[0,-1,-1,0,2],["),
        ("fixed/above/delta.json", "\"add\":[[1,", "\"add\":[[2,"),
        ("fixed/below/delta.json", "\"drop\":[[", "\"drop\":[[99,0,0],["),
    ] {
        convict_change(&place, path, from, to);
    }
    let above = std::fs::read(place.path().join("fixed/above/delta.json")).unwrap();
    std::fs::write(
        place.path().join("fixed/above/delta.json"),
        std::fs::read(place.path().join("fixed/below/delta.json")).unwrap(),
    )
    .unwrap();
    std::fs::write(place.path().join("fixed/below/delta.json"), above).unwrap();
    fabc(place.path(), &["verify", "out/pod", "--repair", "fixed"], 3);
    // The next failure: from the tables of the first repair, whose ranks are new as well.
    let down = ["--down", "cube0[0,0,0]", "--down", "cube1[0,1,1]"];
    fabc(place.path(), &[&["repair", "out/pod", "--out", "first"][..], &down[..2]].concat(), 0);
    fabc(place.path(), &[&["repair", "out/pod", "--out", "next", "--from", "first"][..], &down].concat(), 0);
    assert_eq!(read(&place, "next/repair.json")["live"], true);
    fabc(place.path(), &["verify", "out/pod", "--repair", "next", "--from", "first"], 0);
}

/// Without virtual channels to spare, a new order waits until no packet is in flight.
#[test]
fn a_new_order_is_cold_where_virtual_channels_are_short() {
    let text = SpecText::pod([2, 2, 2], 4)
        .with("topology = torus 4 x 4 x 2; routing = dimension_order; budget { vcs = 2; faults = 0; }")
        .text()
        .replace("vcs = 4;", "vcs = 3;");
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), text).unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    let (text, _) = fabc(place.path(), &["repair", "out/pod", "--out", "fixed", "--down", "cube0[0,0,0]"], 0);
    assert!(text.contains("while no packet is in flight"), "{text}");
    let head = read(&place, "fixed/repair.json");
    assert_eq!((&head["live"], &head["blocks"]), (&false.into(), &Value::Null));
    assert!(!place.path().join("fixed/above").exists());
    fabc(place.path(), &["verify", "out/pod", "--repair", "fixed"], 0);
}

/// Every repair is live where routers have twice the virtual channels: random mixes of both changes.
#[test]
fn a_new_order_is_live_by_blocks_of_virtual_channels() {
    let mut mixes = Mixes::new(21);
    let mut by_blocks = 0;
    let torus = "topology = torus 4 x 2 x 2; routing = dimension_order; budget { vcs = 2; faults = 0; }";
    let specs = [
        SpecText::pod([2, 2, 2], 2).with(torus),
        SpecText::pod([2, 2, 2], 4).with(&torus.replace("4 x 2 x 2", "4 x 4 x 2")),
        SpecText::network("torus 3 x 3;").with("routing = dimension_order; budget { vcs = 2; faults = 0; }"),
        SpecText::network("dragonfly { a = 3; h = 1; link = wire; }")
            .with("routing = up_down; budget { vcs = 1; faults = 0; }"),
        SpecText::pod([2, 2, 2], 4),
    ];
    for spec in &specs {
        let compiled = compiled(spec);
        let topology = &compiled.topology;
        let (tables, ranks, lengths) = live_tables(&compiled);
        if tables.key != TableKey::DstInput {
            continue;
        }
        for _ in 0..8 {
            let (links, routers) = random_set(topology, &mut mixes.random);
            let scene = scene(topology, &links, &routers);
            let broken = broken(&compiled, &scene, &tables, &ranks, &lengths);
            let repair = repair(&broken, Effort::Auto, &Silent).unwrap().repair;
            assert!(repair.is_live());
            let Some(blocks) = &repair.blocks else { continue };
            by_blocks += 1;
            let mut before = Delta::default().applied(&tables, &[], "repair");
            before.vcs *= 2;
            mixes.walk(&scene, &before, &blocks.above.delta);
            let between = blocks.above.delta.applied(&before, &scene.dead, "repair");
            mixes.walk(&scene, &between, &blocks.below.delta);
            let last = blocks.below.delta.applied(&between, &scene.dead, "repair");
            assert_eq!(last.routers, repair.delta.applied(&tables, &scene.dead, "repair").routers);
        }
    }
    assert!(by_blocks > 10 && mixes.arrived > 100_000, "{by_blocks} {}", mixes.arrived);
}
