//! A spare switch in the place of a dead one: the plan, its tables and patches, and what `drift` says.

use super::{built_pod, read};
use crate::support::command::fabc;
use serde_json::Value;
use std::path::Path;

/// The operations on a switch in the order of the steps.
fn operations(plan: &Value, switch: &str) -> Vec<String> {
    let groups = plan["groups"].as_array().unwrap().iter().filter(|group| group["ocs"] == switch);
    let steps = groups.flat_map(|group| group["steps"].as_array().unwrap());
    steps.map(|step| step["op"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_spare_switch_takes_the_place_of_another() {
    let place = built_pod("budget { vcs = 2; faults = 1 ocs; }");
    let path = place.path();
    let replace = ["plan", "out/pod", "--live", "out/pod", "--replace", "Y[0, 1]"];
    let (text, _) = fabc(path, &[&replace[..], &["--out", "way", "--patch", "patches"]].concat(), 2);
    assert!(text.contains("Y[0,1]  steps 1 to 8: 4 removed, 4 added, 0 stay"), "{text}");
    assert!(text.contains("after the removes a spare switch takes its place"), "{text}");
    let plan = read(&path.join("way/plan.json"));
    assert_eq!(plan["replaced"], serde_json::json!(["Y[0,1]"]));
    assert_eq!(operations(&plan, "Y[0,1]"), ["remove"; 4].into_iter().chain(["add"; 4]).collect::<Vec<_>>());
    // While the switch is away, the tables do without it. At the end they are those of the build.
    assert_eq!(plan["stages"].as_array().unwrap().len(), 1);
    let entries = |path: &str| read(&place.path().join(path))["routers"].clone();
    fabc(path, &["verify", "out/pod", "--plan", "way", "--from", "out/pod"], 0);
    assert_ne!(entries("way/stage-01/tables.json"), entries("way/final/tables.json"));
    assert_eq!(plan["final"][0]["load"], plan["load"]["new"]);
    // The configuration of a spare switch has nothing to remove.
    let patches: Vec<_> = std::fs::read_dir(path.join("patches")).unwrap().collect();
    assert_eq!(patches.len(), 1);
    let patch = read(&patches[0].as_ref().unwrap().path());
    assert!(patch.as_array().unwrap().iter().all(|line| line["op"] == "add"), "{patch}");
    // What the plan says of the switch is proved.
    for (from, to) in [
        ("\"replaced\":[\"Y[0,1]\"]", "\"replaced\":[\"Y[0,0]\"]"),
        ("\"replaced\":[\"Y[0,1]\"]", "\"replaced\":[\"Y[0,1]\",\"Y[0,1]\"]"),
        (",\n\"replaced\":[\"Y[0,1]\"]", ""),
        ("\"op\":\"remove\"", "\"op\":\"add\""),
    ] {
        let file = path.join("way/plan.json");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{from}");
        std::fs::write(&file, text.replacen(from, to, 1)).unwrap();
        fabc(path, &["verify", "out/pod", "--plan", "way", "--from", "out/pod"], 3);
        std::fs::write(&file, text).unwrap();
    }
    let (_, err) = fabc(path, &["plan", "out/pod", "--live", "out/pod", "--replace", "Y[9,9]"], 1);
    assert!(err.contains("there is no switch `Y[9,9]`"), "{err}");
}

#[test]
fn a_dead_switch_is_a_case_for_a_spare_one() {
    let place = built_pod("budget { vcs = 2; faults = 1 ocs; }");
    let path = place.path();
    let text = std::fs::read_to_string(path.join("out/pod/ocs.json")).unwrap();
    let mut live: Value = serde_json::from_str(&text).unwrap();
    let switch =
        live["ocs"].as_array_mut().unwrap().iter_mut().find(|line| line["name"] == "X[1,0]").unwrap();
    switch["cross_connects"] = serde_json::json!([]);
    std::fs::write(path.join("live.json"), live.to_string()).unwrap();
    let (text, _) = fabc(path, &["drift", "out/pod", "--live", "live.json"], 2);
    assert!(text.contains("fabc plan out/pod --live out/pod --replace 'X[1,0]' --out way"), "{text}");
    let (json, _) = fabc(path, &["drift", "out/pod", "--live", "live.json", "--json"], 2);
    let drift: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&drift["replace"], &drift["means"]), (&serde_json::json!(["X[1,0]"]), &"scenario".into()));
    // Against the live settings only the adds are left.
    fabc(path, &["plan", "out/pod", "--live", "live.json", "--replace", "X[1,0]", "--json"], 2);
    assert!(!Path::new("way").exists());
}
