//! `fabc collective --emit perfetto=FILE`: a schedule as events of the Trace Event format.

use crate::support::plain::fabc;
use crate::support::spec_text::SpecText;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The events of a file, each with the keys that the format asks for: names of processes and threads (`M`),
/// and complete slices (`X`).
fn events(text: &str) -> (Vec<Value>, Vec<Value>) {
    let file: Value = serde_json::from_str(text).unwrap();
    assert!(["ms", "ns"].contains(&file["displayTimeUnit"].as_str().unwrap()));
    let events = file["traceEvents"].as_array().unwrap().clone();
    let (names, slices): (Vec<Value>, Vec<Value>) = events.into_iter().partition(|event| event["ph"] == "M");
    for name in &names {
        assert!(["process_name", "thread_name"].contains(&name["name"].as_str().unwrap()));
        assert!(name["pid"].is_u64() && name["args"]["name"].is_string());
        assert_eq!(name["tid"].is_u64(), name["name"] == "thread_name");
    }
    for slice in &slices {
        assert_eq!(slice["ph"], "X");
        assert!(slice["name"].is_string() && slice["cat"].is_string());
        assert!(slice["pid"].is_u64() && slice["tid"].is_u64(), "{slice}");
        assert!(slice["ts"].as_f64().unwrap() >= 0.0 && slice["dur"].as_f64().unwrap() > 0.0, "{slice}");
    }
    (names, slices)
}

#[test]
fn a_schedule_is_a_timeline_of_channels() {
    let place = tempfile::tempdir().unwrap();
    let spec = SpecText::pod([2, 2, 2], 2).named("small").text();
    std::fs::write(place.path().join("small.fab"), spec).unwrap();
    fabc(place.path(), &["build", "small.fab", "-q"], 0);
    for (collective, algorithm) in
        [("all_gather", "slots"), ("all_reduce", "trees"), ("all_to_all", "direct")]
    {
        let args = ["collective", "out/small", "--collective", collective, "--algorithm", algorithm];
        let emit = ["--size", "1MiB", "--emit", "perfetto=p.json,trace=t.csv"];
        let (report, _) = fabc(place.path(), &[&args[..], &emit].concat(), 0);
        let read = |file: &str| std::fs::read_to_string(place.path().join(file)).unwrap();
        let (names, slices) = events(&read("p.json"));
        // As many messages as the trace for the simulator has.
        assert_eq!(slices.len(), read("t.csv").lines().count() - 2, "{report}");
        let mut tracks: BTreeMap<(u64, u64), Vec<(f64, f64)>> = BTreeMap::new();
        for slice in &slices {
            let [pid, tid] = ["pid", "tid"].map(|key| slice[key].as_u64().unwrap());
            let [start, time] = ["ts", "dur"].map(|key| slice[key].as_f64().unwrap());
            tracks.entry((pid, tid)).or_default().push((start, start + time));
        }
        let named: BTreeSet<(u64, u64)> =
            names.iter().filter_map(|name| Some((name["pid"].as_u64()?, name["tid"].as_u64()?))).collect();
        assert_eq!(named, tracks.keys().copied().collect(), "every track has a name");
        for ((pid, tid), mut slices) in tracks {
            slices.sort_by(|one, other| one.0.total_cmp(&other.0));
            // Viewers nest what overlaps on a track.
            let apart = slices.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 3e-6);
            assert!(apart, "{collective}: slices overlap on track {tid} of router {pid}");
        }
        assert!(names.iter().any(|name| name["args"]["name"] == "cube0[0,0,0]"));
    }
    let (_, err) = fabc(
        place.path(),
        &["collective", "out/small", "--collective", "all_gather", "--size", "1MiB", "--emit", "perfetto"],
        2,
    );
    let message = "\
FAB0564

  × `--emit` writes one schedule, but this lacks a file: `--emit
  │ perfetto=FILE`
";
    assert!(err.starts_with(message), "{err}");
}
