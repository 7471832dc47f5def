//! Changed placements are errors.

use super::{KINDS, built, exchange_ends, json, pairs, spec};
use crate::support::plain;
use crate::support::plain::{fabc, files};
use serde_json::Value;
use std::path::Path;

/// A built pod whose file was changed.
fn changed(place: &Path, path: &str, change: impl Fn(&mut Value)) {
    let path = place.join("out/pod").join(path);
    let mut value = json(&path);
    change(&mut value);
    std::fs::write(path, value.to_string()).unwrap();
}

/// A change of a JSON file.
type Tamper = Box<dyn Fn(&mut Value)>;

/// A file of the directory, and a change of it.
type FileTamper = (&'static str, fn(&mut Value));

/// Files of a pod of slices, and changes that are errors.
const TAMPERS: &[FileTamper] = &[
    // The placement.
    ("placement.json", |value| value["slices"][3]["cubes"][0] = value["slices"][4]["cubes"][0].clone()),
    ("placement.json", |value| value["slices"][3]["cubes"][0] = 12.into()),
    ("placement.json", |value| value["slices"][3]["cubes"].as_array_mut().unwrap().swap(0, 1)),
    ("placement.json", |value| value["slices"][0]["cubes"] = serde_json::json!([9])),
    ("placement.json", |value| value["slices"][0]["cubes"] = serde_json::json!([14])),
    ("placement.json", |value| value["slices"][0]["cubes"] = serde_json::json!([99])),
    ("placement.json", |value| value["slices"][0]["kind"] = "train".into()),
    ("placement.json", |value| value["slices"][0]["kind"] = "other".into()),
    ("placement.json", |value| value["slices"][0]["name"] = value["slices"][1]["name"].clone()),
    ("placement.json", |value| drop(value["slices"].as_array_mut().unwrap().remove(0))),
    ("placement.json", |value| drop(value["slices"].as_array_mut().unwrap().remove(4))),
    ("placement.json", |value| value["down"] = serde_json::json!([0])),
    ("placement.json", |value| value["down"] = serde_json::json!([12])),
    ("placement.json", |value| value["spare"] = serde_json::json!([13, 14])),
    ("placement.json", |value| value["spare"] = serde_json::json!([15, 14])),
    ("placement.json", |value| value["fabric"] = "other".into()),
    ("placement.json", |value| value["kinds"]["train"]["manifest"] = "00".into()),
    ("placement.json", |value| value["kinds"]["train"]["dir"] = "slices/serve".into()),
    // The report, the manifest and the switches of the pod.
    ("report.json", |value| value["kinds"][1]["metrics"]["diameter"] = 1.into()),
    ("manifest.json", |value| value["contract"] = "open".into()),
    ("manifest.json", |value| drop(value["files"].as_array_mut().unwrap().pop())),
    ("ocs/X_0_1.config_db.json", |value| value["OCS_CROSS_CONNECT"] = serde_json::json!({})),
    // The directory of a kind.
    ("slices/train/report.json", |value| value["metrics"]["diameter"] = 1.into()),
    ("slices/train/manifest.json", |value| value["contract"] = "open".into()),
];

#[test]
fn tampered_placements_are_convicted() {
    let place = built(&spec(16, KINDS));
    let build_files = files(&place.path().join("out/pod"));
    let restore = || {
        for (path, bytes) in &build_files {
            std::fs::write(place.path().join("out/pod").join(path), bytes).unwrap();
        }
    };
    let mut tampers: Vec<(&str, Tamper)> =
        TAMPERS.iter().map(|&(path, tamper)| (path, Box::new(tamper) as Tamper)).collect();
    // A cross-connect goes, or two exchange their ends, within a slice or between two.
    for ocs in 0..12 {
        for path in ["ocs.json", "slices/train/ocs.json"] {
            tampers.push((path, Box::new(move |value| drop(pairs(value, ocs).pop()))));
        }
        let count = pairs(&mut json(&place.path().join("out/pod/ocs.json")), ocs).len();
        for (first, second) in [(0, 1), (0, count - 1), (3, 4), (4, 7)] {
            tampers.push(("ocs.json", Box::new(move |value| exchange_ends(value, ocs, first, second))));
        }
    }
    let (mut convicted, count) = (0, tampers.len());
    for (path, tamper) in tampers {
        changed(place.path(), path, tamper);
        let output = plain::command(place.path(), &["verify", "out/pod"]).output().unwrap();
        let code = output.status.code().unwrap();
        assert!(
            code == 3 || code == 2,
            "{path}: exit code {code}\n{}",
            String::from_utf8_lossy(&output.stdout)
        );
        convicted += 1;
        restore();
    }
    assert_eq!(convicted, count);
    fabc(place.path(), &["verify", "out/pod"], 0);
    std::fs::write(place.path().join("out/pod/more.txt"), "more").unwrap();
    fabc(place.path(), &["verify", "out/pod"], 3);
}
