//! Synthesis near live cross-connects: what it may change, what it finds, and that `plan` counts the same
//! moves.

use crate::support::spec_text;
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::ir::Mirrors;
use fabc::model::{self, CoupleRule, Fabric, Pod};
use fabc::passes::plan::plan;
use fabc::passes::{cross_connect, synth};
use fabc::progress::Silent;
use spec_text::SpecText;
use std::collections::BTreeSet;

/// Cubes of these dimensions behind one switch per position and axis, those along y without sides.
fn spec(dims: [u32; 3], cubes: u32, topology: &str) -> SpecText {
    let [x, _, z] = dims;
    let pod = SpecText::pod(dims, cubes)
        .without("budget")
        .with("routing = up_down;")
        .with(&format!("topology = {topology}"));
    pod.with(&format!(
        "ocs Y[u in 0..{x}, v in 0..{z}] {{ couple any of +y[u, v], -y[u, v] over fiber; ports = 16; }}"
    ))
}

fn fabric(text: &str, live: &str) -> Fabric {
    let loader = |path: &str| Ok(if path == "pod.fab" { text.to_owned() } else { live.to_owned() });
    fabc::lang::read_normal("pod.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{failure:?}")).0
}

/// Topology and switches of a spec whose only file is `live`.
fn wired(text: &str, live: &str) -> (Pod, synth::Synthesized, Mirrors) {
    let fabric = fabric(text, live);
    let pod = fabric.pod().expect("a pod");
    let synthesized = synth::synthesize(&fabric, pod, &Silent).unwrap_or_else(|error| panic!("{error}"));
    let mirrors = cross_connect::assign(pod, &synthesized.finalists[0]).unwrap().mirrors();
    (pod.clone(), synthesized, mirrors)
}

/// The `ocs.json` of a setting.
fn document(pod: &Pod, mirrors: &Mirrors) -> String {
    let switches: Vec<serde_json::Value> = pod
        .ocses
        .enumerate()
        .map(|(id, ocs)| {
            let names = |side: &[model::FacePort]| side.iter().map(|&face| pod.face_port_name(face)).collect::<Vec<_>>();
            serde_json::json!({"name": ocs.name, "a": names(&ocs.a), "b": names(&ocs.b), "cross_connects": mirrors[id]})
        })
        .collect();
    serde_json::json!({"format": "fabc.ocs/1", "ocs": switches}).to_string()
}

fn counter(synthesized: &synth::Synthesized, name: &str) -> u64 {
    synthesized
        .record
        .counters
        .iter()
        .find(|(counter, _)| counter == name)
        .unwrap_or_else(|| panic!("no counter {name}"))
        .1
}

fn near(
    dims: [u32; 3],
    cubes: u32,
    live: &str,
    moves: u64,
    more: &str,
) -> (Pod, synth::Synthesized, Mirrors) {
    wired(
        &spec(
            dims,
            cubes,
            &format!("synthesize {{ start = cross_connects \"live.json\"; moves <= {moves}; {more} }}"),
        )
        .text(),
        live,
    )
}

/// A pod as a torus, and its `ocs.json`.
fn torus(dims: [u32; 3], cubes: u32, size: &str) -> (Mirrors, String) {
    let (pod, _, mirrors) = wired(&spec(dims, cubes, &format!("torus {size};")).text(), "");
    let text = document(&pod, &mirrors);
    (mirrors, text)
}

#[test]
fn no_moves_give_the_live_topology_back() {
    let (live, text) = torus([2, 2, 2], 4, "2 x 4 x 4");
    let (_, synthesized, mirrors) = near([2, 2, 2], 4, &text, 0, "");
    assert_eq!(mirrors, live);
    assert_eq!(
        (counter(&synthesized, "moves"), counter(&synthesized, "hops_live")),
        (0, counter(&synthesized, "hops_here"))
    );
}

#[test]
fn moves_are_what_plan_adds_and_more_of_them_are_never_worse() {
    let (live, text) = torus([2, 2, 2], 4, "2 x 4 x 4");
    let mut bound = 0;
    for moves in [1, 8, 1_000_000] {
        let (pod, synthesized, mirrors) = near([2, 2, 2], 4, &text, moves, "");
        let plan = plan(&pod, &live, &mirrors);
        assert_eq!(plan.moves() as u64, counter(&synthesized, "moves"), "{moves}");
        assert!(counter(&synthesized, "moves") <= moves);
        assert!(counter(&synthesized, "flow_at_most_ppt_here") >= bound, "{moves}");
        bound = counter(&synthesized, "flow_at_most_ppt_here");
    }
    let again = || {
        let (_, synthesized, mirrors) = near([2, 2, 2], 4, &text, 8, "symmetry = none;");
        (mirrors, synthesized.record.counters)
    };
    assert_eq!(again(), again());
}

/// Channels over the sum of distances, in trillionths, rounded up: the bound of fiber length 1, from hops
/// alone.
fn distance_bound(topology: &fabc::ir::Topology) -> u64 {
    let total = fabc::passes::flow::distances(&fabc::ir::Scene::healthy(topology)).expect("connected").total;
    (topology.channel_count() as u128 * 1_000_000_000_000).div_ceil(u128::from(total)) as u64
}

#[test]
fn two_moves_are_the_best_exchange_there_is() {
    // A chain of small cubes where fibers are so few that hops decide: every single exchange is tried by
    // hand.
    let without_y_and_z =
        |topology: &str| spec([2, 1, 1], 6, topology).without("ocs Y").without("ocs Z").text();
    let (pod, _, live) = wired(&without_y_and_z("torus 12 x 1 x 1;"), "");
    let text = document(&pod, &live);
    let settings = |mirrors: &Mirrors| {
        let fabric = fabric(&without_y_and_z("cross_connects \"live.json\";"), &document(&pod, mirrors));
        synth::synthesize(&fabric, fabric.pod().expect("a pod"), &Silent)
            .ok()
            .map(|synthesized| distance_bound(&synthesized.finalists[0]))
    };
    let mut best = settings(&live).unwrap();
    let ocs = pod.ocses.ids().next().unwrap();
    assert_eq!(pod.ocses[ocs].rule, CoupleRule::Sided);
    for [a, b] in &live[ocs] {
        for [c, d] in live[ocs].iter().filter(|other| **other > [*a, *b]) {
            let mut changed = live.clone();
            changed[ocs] = live[ocs]
                .iter()
                .copied()
                .filter(|pair| pair != &[*a, *b] && pair != &[*c, *d])
                .collect::<BTreeSet<_>>();
            changed[ocs].extend([[*a, *d], [*c, *b]]);
            best = best.max(settings(&changed).unwrap_or(0));
        }
    }
    let (_, synthesized, _) =
        wired(&without_y_and_z("synthesize { start = cross_connects \"live.json\"; moves <= 2; }"), &text);
    assert_eq!(counter(&synthesized, "flow_at_most_ppt_here"), best);
}

#[test]
fn whole_shifts_keep_the_symmetry() {
    let (live, text) = torus([2, 2, 2], 8, "4 x 4 x 4");
    let (pod, synthesized, mirrors) = near([2, 2, 2], 8, &text, 35, "symmetry = translation;");
    assert_eq!(synthesized.finalists[0].symmetry().order(), 8);
    let changed = live.ids().filter(|&ocs| live[ocs] != mirrors[ocs]).count() as u64;
    assert!(changed > 0 && changed <= 4, "{changed} switches");
    assert_eq!(plan(&pod, &live, &mirrors).moves() as u64, counter(&synthesized, "moves"));
    assert!(counter(&synthesized, "flow_at_most_ppt_here") > counter(&synthesized, "flow_at_most_ppt_live"));
    // Without enough moves for one OCS, nothing can be shifted.
    let (_, _, mirrors) = near([2, 2, 2], 8, &text, 3, "symmetry = translation;");
    assert_eq!(mirrors, live);
}

#[test]
fn dark_mirrors_are_completed_within_the_moves() {
    let (full, _) = torus([2, 2, 2], 4, "2 x 4 x 4");
    let (pod, ..) = wired(&spec([2, 2, 2], 4, "torus 2 x 4 x 4;").text(), "");
    let mut live = full.clone();
    let (first, third) = (live.ids().next().unwrap(), live.ids().nth(4).unwrap());
    live[first].pop_first();
    live[first].pop_first();
    live[third].pop_first();
    let text = document(&pod, &live);
    let lit = |moves: u64| {
        let (_, synthesized, mirrors) = near([2, 2, 2], 4, &text, moves, "");
        assert!(counter(&synthesized, "moves") <= moves);
        mirrors.iter().map(BTreeSet::len).sum::<usize>()
    };
    // One move may also go into a better fiber than the third that is missing. With enough of them no port
    // stays dark.
    assert_eq!((lit(0), lit(40)), (45, 48));
    assert!(lit(3) >= 45);
}

/// The whole build of a pod near another one, as its directory keeps it.
#[test]
fn the_directory_explains_itself_and_verifies() {
    let (_, live) = torus([2, 2, 2], 4, "2 x 4 x 4");
    let text = spec(
        [2, 2, 2],
        4,
        "synthesize { moves <= 2 * 3; seed = 3; start = cross_connects \"live/now.json\"; }",
    )
    .text();
    let loader = |path: &str| Ok(if path == "pod.fab" { text.clone() } else { live.clone() });
    let (fabric, spec, _) =
        fabc::lang::read_normal("pod.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
    let compiled: CompiledFabric =
        compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"));
    let normal = fabc::syntax::print_spec(&spec);
    assert!(
        normal.contains("synthesize { start = cross_connects \"inputs/ocs.json\"; moves <= 6; seed = 3; }"),
        "{normal}"
    );
    let mut files: fabc::check::Files = fabc::emit::artifacts(&compiled, &normal, &[])
        .into_iter()
        .map(|artifact| (artifact.path, artifact.bytes))
        .collect();
    assert_eq!(files["inputs/ocs.json"], live.as_bytes());
    fabc::verify::directory(&files, &compiled.fabric, &normal).unwrap_or_else(|errors| panic!("{errors:?}"));
    // A spec that allows fewer moves than were made is contradicted by the directory.
    let mut stricter = compiled.fabric.clone();
    if let model::Plant::Pod(pod) = &mut stricter.plant
        && let model::TopologyChoice::SynthesizeNear(near) = &mut pod.topology
    {
        near.moves = 1;
    }
    let errors = fabc::check::verify_directory(&files, &stricter).expect_err("too many moves");
    assert!(errors.iter().any(|error| error.to_string().contains("the spec allows 1 moves")), "{errors:?}");
    files.remove("inputs/ocs.json");
    fabc::check::verify_directory(&files, &compiled.fabric).expect_err("the input is missing");
}
