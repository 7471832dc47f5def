//! Files of running fabrics: whatever is changed in a plan or a repair, `fabc verify` ends with exit code 3.

use crate::support::command;
use crate::support::spec_text;
use crate::support::tampering;
use command::fabc;
use spec_text::SpecText;
use std::collections::BTreeSet;
use std::path::Path;

/// A small pod under another wiring, built as `out/NAME`.
fn build(place: &Path, name: &str, topology: &str) {
    let spec = SpecText::pod([2, 2, 2], 2)
        .with("budget { vcs = 2; faults = 1 ocs; }")
        .with(&format!("topology = {topology}"))
        .named(name);
    std::fs::write(place.join("pod.fab"), spec.text()).unwrap();
    fabc(place, &["build", "pod.fab", "-q"], 0);
}

/// Makes the first change of every kind at every JSON place of a file, one after the other. All must be
/// convicted by `judge`. Gives back how many were made.
fn every_change_is_convicted(place: &Path, file: &str, judge: &[&str]) -> usize {
    let path = place.join(file);
    let bytes = std::fs::read(&path).unwrap();
    let mut kinds = BTreeSet::new();
    let mut made = 0;
    for change in tampering::changes(file, &bytes) {
        let changed = change.applied_to(&bytes);
        if changed == bytes || !kinds.insert((change.place.clone(), change.what)) {
            continue;
        }
        std::fs::write(&path, changed).unwrap();
        let (_, error) = fabc(place, judge, 3);
        assert!(error.contains("error[FAB04"), "{file}, {} {}: {error}", change.at, change.what);
        made += 1;
    }
    std::fs::write(&path, bytes).unwrap();
    fabc(place, judge, 0);
    made
}

#[test]
fn every_change_of_a_plan_is_convicted() {
    let place = tempfile::tempdir().unwrap();
    build(place.path(), "old", "torus 2 x 2 x 4;");
    build(place.path(), "new", "synthesize { symmetry = none; effort = 1; seed = 3; }");
    fabc(place.path(), &["plan", "out/new", "--live", "out/old", "--out", "way", "--load", "3"], 2);
    let judge = ["verify", "out/new", "--plan", "way", "--from", "out/old"];
    let (text, _) = fabc(place.path(), &judge, 0);
    assert!(text.contains("Taken on trust:\n  manifest.json tool  the version\n  plan.json waits"), "{text}");
    let made = every_change_is_convicted(place.path(), "way/plan.json", &judge);
    assert!(made > 150, "{made}");
    for file in ["way/stage-01/delta.json", "way/stage-01/tables.json", "way/final/delta.json"] {
        every_change_is_convicted(place.path(), file, &judge);
    }
    // The hashes and the starts of the manifest.
    let manifest = place.path().join("way/manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    for (at, hash) in text.match_indices("\":\"").filter(|(at, _)| text[at + 3..].len() > 64) {
        let value = at + hash.len();
        let length = text[value..].find('"').unwrap();
        if length != 64 {
            continue;
        }
        let other = if text[value..].starts_with('0') { "1" } else { "0" };
        std::fs::write(&manifest, format!("{}{other}{}", &text[..value], &text[value + 1..])).unwrap();
        let (_, error) = fabc(place.path(), &judge, 3);
        assert!(error.contains("error[FAB0420]") && error.contains("manifest.json"), "{error}");
    }
    std::fs::write(&manifest, text).unwrap();
    // A file more, and one less.
    std::fs::write(place.path().join("way/final/more.json"), "{}").unwrap();
    let (_, error) = fabc(place.path(), &judge, 3);
    assert!(
        error.contains("final/more.json") && error.contains("is not a file that fabc writes here"),
        "{error}"
    );
    std::fs::remove_file(place.path().join("way/final/more.json")).unwrap();
    std::fs::remove_file(place.path().join("way/final/tables.json")).unwrap();
    let (_, error) = fabc(place.path(), &judge, 3);
    assert!(error.contains("final/tables.json") && error.contains("is missing"), "{error}");
}

#[test]
fn every_change_of_a_repair_is_convicted() {
    let place = tempfile::tempdir().unwrap();
    build(place.path(), "pod", "torus 2 x 2 x 4;");
    let judge = ["verify", "out/pod", "--repair", "fixed"];
    for (down, effort, step) in [
        (&["cube0[0,0,0].+y"][..], "local", "local"),
        (&["cube0[0,0,0].+y"], "full", "full"),
        (&["Z[0,0]"], "local", "covered"),
        (&["cube0[0,0,0]", "Z[0,1]"], "local", "local"),
    ] {
        let names: Vec<&str> = down.iter().flat_map(|name| ["--down", name]).collect();
        fabc(
            place.path(),
            &[&["repair", "out/pod", "--out", "fixed", "--effort", effort, "-q"][..], &names].concat(),
            0,
        );
        let text = std::fs::read_to_string(place.path().join("fixed/repair.json")).unwrap();
        let is_named = |step: &str| text.contains(&format!("\"step\":\"{step}\""));
        // If all surviving routes stay, a repair that chose all again is called local.
        assert!(is_named(step) || (step == "full" && is_named("local")), "{text}");
        fabc(place.path(), &judge, 0);
        every_change_is_convicted(place.path(), "fixed/repair.json", &judge);
        every_change_is_convicted(place.path(), "fixed/delta.json", &judge);
        // Another step of those that there are.
        for (from, to) in [("local", "full"), ("full", "local"), ("covered", "local")] {
            let tampered = text.replace(&format!("\"step\":\"{from}\""), &format!("\"step\":\"{to}\""));
            if tampered != text {
                std::fs::write(
                    place.path().join("fixed/repair.json"),
                    tampered.replace(",\"scenario\":\"Z[0,0]\"", ""),
                )
                .unwrap();
                let (_, error) = fabc(place.path(), &judge, 3);
                assert!(error.contains("step") || error.contains("the repair does not use them"), "{error}");
            }
        }
        std::fs::write(place.path().join("fixed/repair.json"), &text).unwrap();
    }
}

/// Two slices of one cube and a spare one.
const SLICES: &str = "fabric pod {
    link copper { bandwidth = 50 GB/s; latency = 10 cycles; }
    chip { radix = 6; vcs = 4; }
    cube { mesh 2 x 2 x 1 over copper; }
    cubes = 3;
    spare = 1;
    ocs Z[u in 0..2, v in 0..2] { couple +z[u, v] with -z[u, v] over copper; ports = 8; }
    routing = allowed_turns;
    slice pair { cubes = 2; count = 1; budget { vcs = 2; } topology = synthesize { seed = 1; } }
}";

#[test]
fn every_change_of_a_pod_in_slices_is_convicted() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), SLICES).unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    for file in
        ["placement.json", "ocs.json", "report.json", "slices/pair/report.json", "slices/pair/ocs.json"]
    {
        every_change_is_convicted(place.path(), &format!("out/pod/{file}"), &["verify", "out/pod"]);
    }
    for file in ["placement.json", "ocs.json", "slices/pair/ocs.json", "slices/pair/manifest.json"] {
        let path = place.path().join("out/pod").join(file);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, "{}").unwrap();
        fabc(place.path(), &["verify", "out/pod"], 3);
        std::fs::write(&path, bytes).unwrap();
    }
}
