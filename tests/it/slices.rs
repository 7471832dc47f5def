//! Pods in slices: kinds that are compiled alone, placements of them, plans between placements, and errors.
//! `tampered` has changed placements, `repairs` has repairs.

mod random;
mod repairs;
mod tampered;

use crate::support::plain;
use crate::support::plain::{fabc, files};
use serde_json::Value;
use std::path::Path;

/// A pod with a number of cubes of eight chips, behind switches that serve all.
pub(crate) fn spec(cubes: u32, slices: &str) -> String {
    format!(
        "fabric pod {{
            link copper {{ bandwidth = 50 GB/s; latency = 10 cycles; }}
            link fiber {{ bandwidth = 50 GB/s; latency = 10 cycles; }}
            chip {{ radix = 6; vcs = 4; }}
            cube {{ mesh 2 x 2 x 2 over copper; }}
            cubes = {cubes};
            ocs X[u in 0..2, v in 0..2] {{ couple +x[u, v] with -x[u, v] over fiber; ports = 128; }}
            ocs Y[u in 0..2, v in 0..2] {{ couple +y[u, v] with -y[u, v] over fiber; ports = 128; }}
            ocs Z[u in 0..2, v in 0..2] {{ couple +z[u, v] with -z[u, v] over fiber; ports = 128; }}
            routing = allowed_turns;
            budget {{ vcs = 2; }}
            {slices}
        }}"
    )
}

/// Slices of four cubes, which tolerate a dark switch, and of one.
const KINDS: &str = "
    spare = 2;
    slice train { cubes = 4; count = 2; budget { vcs = 2; faults = 1 ocs; } topology = synthesize { seed = 1; } }
    slice serve { cubes = 1; count = 3; topology = torus 2 x 2 x 2; routing = dimension_order; }";

fn built(text: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), text).unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    place
}

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({ snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, text);
    });
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn one_slice_of_all_cubes_is_the_pod() {
    let alone = "topology = synthesize { seed = 1; }";
    let place = built(&spec(8, &format!("slice all {{ cubes = 8; {alone} }}")));
    let out = place.path().join("out");
    std::fs::write(place.path().join("alone.fab"), spec(8, alone).replace("fabric pod", "fabric pod_all"))
        .unwrap();
    fabc(place.path(), &["build", "alone.fab", "-q"], 0);
    assert_eq!(files(&out.join("pod/slices/all")), files(&out.join("pod_all")));
    let same = |path: &str| {
        assert_eq!(
            std::fs::read(out.join("pod").join(path)).unwrap(),
            std::fs::read(out.join("pod_all").join(path)).unwrap()
        )
    };
    same("ocs.json");
    same("ocs/Z_1_0.config_db.json");
    fabc(place.path(), &["verify", "out/pod"], 0);
    // A pod that is not divided has no slices.
    let (_, err) = fabc(place.path(), &["place", "out/pod_all", "--add", "all", "--out", "new"], 2);
    assert!(err.contains("`placement.json`"), "{err}");
}

#[test]
fn placements_come_and_go() {
    let place = built(&spec(16, KINDS));
    let run = |from: &str, steps: &[&str], to: &str| {
        fabc(place.path(), &[&["place", from, "--out", to, "-q"], steps].concat(), 0);
        let (out, _) = fabc(place.path(), &["verify", to], 0);
        assert!(out.contains("none of which joins two"), "{out}");
    };
    let build_files = |directory: &str| files(&place.path().join(directory));
    let placement = |directory: &str| json(&place.path().join(directory).join("placement.json"));
    assert_eq!(placement("out/pod")["slices"][1]["cubes"], serde_json::json!([9]));
    assert_eq!(placement("out/pod")["spare"], serde_json::json!([14, 15]));
    run("out/pod", &["--add", "serve=web", "--add", "serve", "--cubes", "13"], "more");
    assert_eq!(placement("more")["slices"].as_array().unwrap().len(), 7);
    run("more", &["--remove", "web", "--remove", "serve-3"], "back");
    assert_eq!(build_files("back"), build_files("out/pod"));
    // A cube dies, a spare one takes its place, and after the repair everything is as it was.
    run("out/pod", &["--down", "cube5", "--swap", "cube5"], "swapped");
    assert_eq!(placement("swapped")["slices"][4]["cubes"], serde_json::json!([4, 14, 6, 7]));
    assert_eq!(
        (&placement("swapped")["spare"], &placement("swapped")["down"]),
        (&serde_json::json!([5, 15]), &serde_json::json!([5]))
    );
    run("swapped", &["--up", "cube5", "--swap", "cube14=cube5"], "out/pod2");
    assert_eq!(build_files("out/pod2"), build_files("out/pod"));
    // The kind of a slice says what it carries, on any cubes.
    run(
        "out/pod",
        &["--remove", "train-0", "--remove", "serve-1", "--add", "train", "--cubes", "9,0,13,2"],
        "permuted",
    );
    assert_eq!(json(&place.path().join("permuted/report.json"))["kinds"], {
        let mut kinds = json(&place.path().join("out/pod/report.json"))["kinds"].clone();
        kinds[0]["slices"] = 2.into();
        kinds
    });
    // Nothing is written where a step cannot be.
    fabc(place.path(), &["place", "out/pod", "--add", "serve", "--remove", "none", "--out", "never"], 2);
    assert!(!place.path().join("never").exists());
    // The switches must do what the old placement says.
    fabc(
        place.path(),
        &["place", "out/pod", "--live", "out/pod", "--add", "serve", "--out", "live", "-q"],
        0,
    );
    fabc(
        place.path(),
        &["place", "out/pod", "--live", "swapped", "--add", "serve", "--out", "other", "-q"],
        3,
    );
}

#[test]
fn what_cannot_be_placed_is_told() {
    let place = built(&spec(16, KINDS));
    let message = |steps: &[&str], code: i32| {
        let (_, err) = fabc(place.path(), &[&["place", "out/pod", "--out", "new"], steps].concat(), code);
        assert!(!place.path().join("new").exists());
        err.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    };
    let slice_names: Vec<String> = [
        (&["--add", "trian"][..], 2),
        (&["--add", "train"], 3),
        (&["--add", "serve=serve-0"], 2),
        (&["--add", "serve=a b"], 2),
        (&["--add", "serve", "--cubes", "0"], 2),
        (&["--add", "serve", "--cubes", "14"], 2),
        (&["--add", "serve", "--cubes", "11,12"], 2),
        (&["--add", "serve", "--cubes", "99"], 2),
        (&["--remove", "train-9"], 2),
        (&["--swap", "cube12"], 2),
        (&["--swap", "cube0=cube1"], 2),
        (&["--down", "cube0"], 2),
        (&["--up", "cube0"], 2),
        (&["--down", "13", "--add", "serve", "--cubes", "13"], 2),
        (&["--cubes", "3"], 2),
        (&["--swap", "chip"], 2),
        (&[], 2),
    ]
    .into_iter()
    .map(|(steps, code)| {
        format!("$ fabc place out/pod {} --out new\n{}\n", steps.join(" "), message(steps, code))
    })
    .collect();
    snapshot("place_errors", &slice_names.join("\n"));
}

#[test]
fn cubes_that_switches_treat_differently_are_never_one_slice() {
    let halves = "ocs X[u in 0..2, v in 0..2] { couple +x[u, v] with -x[u, v] over fiber; ports = 128; }";
    let split = "ocs X0[u in 0..2, v in 0..2] for cubes 0..3 { couple +x[u, v] with -x[u, v] over fiber; ports = 128; }
                 ocs X1[u in 0..2, v in 0..2] for cubes 3..8 { couple +x[u, v] with -x[u, v] over fiber; ports = 128; }";
    let kinds = "slice pair { cubes = 2; count = 3; budget { vcs = 2; faults = 1 ocs; } topology = synthesize { seed = 1; } }";
    let text = spec(8, kinds).replace(halves, split);
    let place = built(&text);
    // The kind is compiled once, behind the first class of cubes, and mapped to the switches of the other.
    let (out, _) = fabc(place.path(), &["verify", "out/pod"], 0);
    assert!(out.contains("3 slices on 6 cubes"), "{out}");
    let cubes = |at: usize| json(&place.path().join("out/pod/placement.json"))["slices"][at]["cubes"].clone();
    assert_eq!(
        [cubes(0), cubes(1), cubes(2)],
        [serde_json::json!([0, 1]), serde_json::json!([3, 4]), serde_json::json!([5, 6])]
    );
    let (tables, _) = fabc(place.path(), &["tables", "out/pod", "--slice", "pair-1"], 0);
    assert!(tables.contains("X1[0,1]") && !tables.contains("X0"), "{tables}");
    fabc(
        place.path(),
        &["tables", "out/pod", "--slice", "pair-1", "--router", "cube4[1,0,0]", "--scenario", "X1[0,1]"],
        0,
    );
    fabc(
        place.path(),
        &["tables", "out/pod", "--slice", "pair-1", "--router", "cube4[1,0,0]", "--scenario", "X0[0,1]"],
        2,
    );
    let (_, err) = fabc(
        place.path(),
        &["place", "out/pod", "--remove", "pair-0", "--add", "pair", "--cubes", "2,7", "--out", "new"],
        2,
    );
    assert!(err.contains("a slice of `pair` needs cubes on the same groups of switches"), "{err}");
    fabc(place.path(), &["place", "out/pod", "--swap", "cube0=cube7", "--out", "new"], 2);
    // Three cubes of one class and five of the other hold three pairs, not four.
    std::fs::write(
        place.path().join("four.fab"),
        text.replace("count = 3", "count = 4").replace("fabric pod", "fabric four"),
    )
    .unwrap();
    let (_, err) = fabc(place.path(), &["check", "four.fab"], 3);
    assert!(err.contains("FAB0583") && err.contains("in 2 classes of cubes"), "{err}");
}

#[test]
fn tables_of_a_slice_have_the_names_of_its_cubes() {
    let place = built(&spec(16, KINDS));
    let (outside, _) = fabc(
        place.path(),
        &["tables", "out/pod", "--slice", "train-1", "--router", "cube6[1,0,0]", "--json"],
        0,
    );
    let (inside, _) =
        fabc(place.path(), &["tables", "out/pod/slices/train", "--router", "cube2[1,0,0]", "--json"], 0);
    // A window of a run is one of a kind.
    let (_, err) = fabc(place.path(), &["verify", "out/pod", "--window", "5", "--block", "peak"], 2);
    assert!(
        err.contains("`--window` does not work on a fabric in slices") && err.contains("`DIR/slices/KIND`"),
        "{err}"
    );
    let entries = |text: &str| -> Vec<Vec<i64>> {
        let table: Value = serde_json::from_str(text).unwrap();
        serde_json::from_value(table["routers"][0]["entries"].clone()).unwrap()
    };
    let moved: Vec<Vec<i64>> = entries(&inside)
        .into_iter()
        .map(|mut entry| {
            entry[0] += 32;
            entry
        })
        .collect();
    assert_eq!(entries(&outside), moved);
    let (_, err) =
        fabc(place.path(), &["tables", "out/pod", "--slice", "train-1", "--router", "cube0[1,0,0]"], 2);
    assert!(err.contains("those of the cubes 4, 5, 6, 7"), "{err}");
    let (_, err) = fabc(place.path(), &["tables", "out/pod", "--slice", "trian-1"], 2);
    assert!(err.contains("did you mean `train-1`?"), "{err}");
}

/// The cross-connects of a switch.
fn pairs(value: &mut Value, ocs: usize) -> &mut Vec<Value> {
    value["ocs"][ocs]["cross_connects"].as_array_mut().unwrap()
}

/// Exchanges the second ends of two cross-connects of a switch.
fn exchange_ends(value: &mut Value, ocs: usize, first: usize, second: usize) {
    let pairs = pairs(value, ocs);
    let end = pairs[first][1].clone();
    pairs[first][1] = pairs[second][1].clone();
    pairs[second][1] = end;
}

#[test]
fn switches_that_join_slices_are_told_with_both() {
    let place = built(&spec(16, KINDS));
    std::fs::copy(place.path().join("out/pod/ocs.json"), place.path().join("same.json")).unwrap();
    let live = |change: &dyn Fn(&mut Value)| {
        let mut value = json(&place.path().join("same.json"));
        change(&mut value);
        std::fs::write(place.path().join("live.json"), value.to_string()).unwrap();
    };
    let drift = |code: i32| {
        let (text, err) = fabc(place.path(), &["drift", "out/pod", "--live", "live.json", "--json"], code);
        (serde_json::from_str::<Value>(&text).unwrap(), err)
    };
    live(&|_| {});
    assert_eq!(drift(0).0["means"], "same");
    // A switch is dark in every slice at once. Those that tolerate it have tables.
    live(&|value| value["ocs"][4]["cross_connects"] = serde_json::json!([]));
    let (dark, _) = drift(2);
    assert_eq!(dark["means"], "repair");
    let slice_named = |value: &Value, name: &str| {
        value["slices"].as_array().unwrap().iter().find(|slice| slice["slice"] == name).unwrap().clone()
    };
    assert_eq!(slice_named(&dark, "train-1")["scenario"], "Y[0,0]");
    assert_eq!(slice_named(&dark, "serve-0")["repair"], serde_json::json!(["Y[0,0]"]));
    // Two slices are joined.
    live(&|value| exchange_ends(value, 8, 0, 5));
    let (joined, err) = drift(3);
    assert_eq!((&joined["means"], joined["across"].as_array().unwrap().len()), (&"foreign".into(), 2));
    assert_eq!(joined["across"][0]["slices"], serde_json::json!(["train-0", "train-1"]));
    assert!(err.contains("slice `train-0` and slice `train-1` are joined"), "{err}");
    let (text, _) = fabc(place.path(), &["drift", "out/pod", "--live", "live.json"], 3);
    assert!(text.contains("of slice train-0 to") && text.contains("unset it"), "{text}");
}

#[test]
fn plans_between_placements_go_slice_by_slice() {
    let place = built(&spec(16, KINDS));
    fabc(
        place.path(),
        &[
            "place",
            "out/pod",
            "--remove",
            "serve-1",
            "--add",
            "serve=web",
            "--cubes",
            "13",
            "--swap",
            "cube5",
            "--out",
            "new",
            "-q",
        ],
        0,
    );
    let (text, _) = fabc(place.path(), &["plan", "new", "--live", "out/pod"], 2);
    snapshot("plan_of_slices", &text);
    let (out, _) = fabc(place.path(), &["plan", "new", "--live", "out/pod", "--json"], 2);
    let plan: Value = serde_json::from_str(&out).unwrap();
    let changes: Vec<_> = plan["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| format!("{} {} {}", change["slice"], change["why"], change["op"]))
        .collect();
    assert_eq!(
        changes.join(", ").replace('"', ""),
        "serve-1 gone remove, train-1 moved remove, web new add, train-1 moved add"
    );
    fabc(place.path(), &["plan", "new", "--live", "new"], 0);
    fabc(place.path(), &["plan", "new", "--live", "out/pod", "--patch", "patches", "-q"], 2);
    // The patches lead from the one to the other.
    let mut messages: Vec<Value> = Vec::new();
    for (path, bytes) in files(&place.path().join("patches")) {
        assert!(path.to_str().unwrap().ends_with(".patch.json"), "{path:?}");
        messages.extend(serde_json::from_slice::<Vec<Value>>(&bytes).unwrap());
    }
    let steps: usize = plan["changes"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|change| change["groups"].as_array().unwrap())
        .map(|group| group["pairs"].as_array().unwrap().len())
        .sum();
    assert_eq!(messages.len(), steps);
    fabc(place.path(), &["plan", "new", "--live", "out/pod", "--out", "way"], 1);
    // A slice that comes to a pod without slices is new.
    let removals =
        ["serve-0", "serve-1", "serve-2", "train-0", "train-1"].map(|slice| ["--remove", slice]).concat();
    fabc(place.path(), &[&["place", "out/pod", "--out", "empty", "-q"], &removals[..]].concat(), 0);
    let (out, _) = fabc(place.path(), &["plan", "out/pod", "--live", "empty"], 2);
    assert!(out.contains("train-1 (new)") && !out.contains("drifted"), "{out}");
    // The switches alone do not say which slices the old cross-connects belong to.
    let (out, _) = fabc(place.path(), &["plan", "new", "--live", "out/pod/ocs.json"], 2);
    assert!(out.contains("not touched at all"), "{out}");
}

#[test]
fn a_slice_that_keeps_its_cubes_changes_under_traffic() {
    let place = built(&spec(
        8,
        "slice ring { cubes = 4; topology = torus 2 x 2 x 8; } slice best { cubes = 4; topology = synthesize { seed = 1; } }",
    ));
    let steps = ["--remove", "ring-0", "--add", "best=ring-0", "--cubes", "4,5,6,7"];
    fabc(place.path(), &[&["place", "out/pod", "--out", "new", "-q"], &steps[..]].concat(), 0);
    let (out, _) = fabc(place.path(), &["plan", "new", "--live", "out/pod"], 2);
    let messages = out
        .lines()
        .find(|line| line.starts_with("slice ring-0 keeps its cubes: "))
        .unwrap_or_else(|| panic!("{out}"));
    // The command that it prints works.
    let command: Vec<&str> = messages.split('`').nth(1).unwrap().split(' ').skip(1).collect();
    assert_eq!(command, ["plan", "new/slices/best", "--live", "out/pod/slices/ring", "--out", "DIR"]);
    fabc(place.path(), &[&command[..], &["--load", "10"]].concat(), 2);
    fabc(place.path(), &["verify", "new/slices/best", "--plan", "DIR", "--from", "out/pod/slices/ring"], 0);
}

#[test]
fn what_asks_for_one_topology_is_refused() {
    let place = built(&spec(16, KINDS));
    for args in [
        &["graph", "pod.fab"][..],
        &["build", "pod.fab", "--golden", "golden"],
        &["build", "pod.fab", "--emit", "ocs=ocs.json"],
        &["build", "pod.fab", "--dump", "analyze"],
        &["check", "pod.fab", "--emit", "ocs"],
        &["check", "pod.fab", "--golden", "golden"],
        &["diff", "out/pod", "out/pod"],
    ] {
        let output = plain::command(place.path(), args).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && err.contains("FAB0211"), "{args:?}: {err}");
    }
    let (out, _) = fabc(place.path(), &["check", "pod.fab"], 0);
    assert_eq!(
        out,
        "pod: no errors (16 cubes of 2 x 2 x 2; slices: 3 x 1 (serve), 2 x 4 (train); 2 spare)\n"
    );
    fabc(place.path(), &["check", "pod.fab", "--until", "analyze"], 0);
}

#[test]
fn the_same_spec_gives_the_same_bytes_with_any_number_of_threads() {
    let place = built(&spec(16, KINDS));
    let first = files(&place.path().join("out/pod"));
    for threads in ["1", "3"] {
        fabc(place.path(), &["build", "pod.fab", "-q", "--threads", threads], 0);
        assert_eq!(files(&place.path().join("out/pod")), first);
    }
    // The written spec builds the same.
    fabc(place.path(), &["build", "out/pod/spec.fab", "-q", "--out", "again"], 0);
    assert_eq!(files(&place.path().join("again/pod")), first);
}

#[test]
fn a_slice_may_bring_its_own_cross_connects() {
    let place = built(&spec(16, KINDS));
    std::fs::create_dir(place.path().join("live")).unwrap();
    std::fs::copy(place.path().join("out/pod/slices/train/ocs.json"), place.path().join("live/ocs.json"))
        .unwrap();
    let given =
        KINDS.replace("topology = synthesize { seed = 1; }", "topology = cross_connects \"live/ocs.json\";");
    std::fs::write(place.path().join("pod.fab"), spec(16, &given)).unwrap();
    let old = files(&place.path().join("out/pod"));
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    let new = files(&place.path().join("out/pod"));
    assert_eq!(old[Path::new("ocs.json")], new[Path::new("ocs.json")]);
    fabc(place.path(), &["verify", "out/pod"], 0);
    // The copy stands in the directory of the kind.
    std::fs::remove_dir_all(place.path().join("live")).unwrap();
    fabc(place.path(), &["place", "out/pod", "--add", "serve", "--out", "new", "-q"], 0);
    fabc(place.path(), &["verify", "new"], 0);
}

#[test]
fn kinds_that_are_alike_or_known_are_compiled_once() {
    let twins = "
        slice a { cubes = 4; topology = synthesize { seed = 1; } }
        slice b { cubes = 4; count = 2; topology = synthesize { seed = 1; } }
        slice c { cubes = 4; topology = synthesize { seed = 2; } }";
    let place = built(&spec(16, twins));
    let first = files(&place.path().join("out/pod"));
    fabc(place.path(), &["verify", "out/pod"], 0);
    let searches = || {
        let args = ["build", "pod.fab", "--cache", "kinds", "--timings"];
        let (_, messages) = fabc(place.path(), &args, 0);
        messages.matches("    synthesize").count()
    };
    // Of three kinds, two differ in name only.
    assert_eq!((searches(), files(&place.path().join("out/pod"))), (2, first.clone()));
    assert_eq!((searches(), files(&place.path().join("out/pod"))), (0, first));
    std::fs::write(place.path().join("pod.fab"), spec(16, &twins.replace("seed = 2", "seed = 3"))).unwrap();
    assert_eq!(searches(), 1);
    fabc(place.path(), &["verify", "out/pod"], 0);
}
