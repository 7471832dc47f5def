//! `--emit perfetto=FILE` of `fabc collective` and of `fabc build`: schedules as events of the Trace Event
//! format.

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

/// Every track has a name, and its slices lie apart: viewers nest what overlaps on a track.
fn tracks_hold(what: &str, names: &[Value], slices: &[Value]) {
    let mut tracks: BTreeMap<(u64, u64), Vec<(f64, f64)>> = BTreeMap::new();
    for slice in slices {
        let [pid, tid] = ["pid", "tid"].map(|key| slice[key].as_u64().unwrap());
        let [start, time] = ["ts", "dur"].map(|key| slice[key].as_f64().unwrap());
        tracks.entry((pid, tid)).or_default().push((start, start + time));
    }
    let named: BTreeSet<(u64, u64)> =
        names.iter().filter_map(|name| Some((name["pid"].as_u64()?, name["tid"].as_u64()?))).collect();
    assert_eq!(named, tracks.keys().copied().collect(), "every track has a name");
    for ((pid, tid), mut slices) in tracks {
        slices.sort_by(|one, other| one.0.total_cmp(&other.0));
        let apart = slices.windows(2).all(|pair| pair[0].1 <= pair[1].0 + 3e-6);
        assert!(apart, "{what}: slices overlap on track {tid} of router {pid}");
    }
}

#[test]
fn scheduled_vectors_are_a_timeline_of_their_channels() {
    let place = tempfile::tempdir().unwrap();
    let spec = |topology: &str, radix: u32| {
        format!(
            "fabric planned {{\n\
                 clock = 900 MHz;\n\
                 link board {{ bandwidth = 100 Gbps; latency = 217 cycles; }}\n\
                 router {{ radix = {radix}; hosts = 0; vcs = 1; flit = 328 B; buffer = 0 flits; latency = 433 cycles; }}\n\
                 topology = {topology};\n\
                 routing = scheduled {{ vector = 320 B; }}\n\
                 collective exchange = all_to_all {{ size = 5 KiB; }}\n\
                 collective some = all_reduce {{ size = 10 KiB; after = exchange; }}\n\
             }}\n"
        )
    };
    let dragonfly = "dragonfly { a = 2; h = 1; arrangement = palmtree; local = board; global = board; }";
    for (topology, radix) in [("hyperx 8", 7), (dragonfly, 2)] {
        std::fs::write(place.path().join("planned.fab"), spec(topology, radix)).unwrap();
        fabc(place.path(), &["build", "planned.fab", "-q", "--emit", "perfetto=p.json,schedule=s.json"], 0);
        let read = |file: &str| std::fs::read_to_string(place.path().join(file)).unwrap();
        let (names, slices) = events(&read("p.json"));
        let schedule: Value = serde_json::from_str(&read("s.json")).unwrap();
        tracks_hold(topology, &names, &slices);
        for collective in ["exchange", "some"] {
            assert!(slices.iter().any(|slice| slice["name"] == collective), "{topology}: no {collective}");
        }
        // A slice for every send that the schedule lists, where one chip may stand for others. A cycle of
        // 900 MHz is 10 / 9 ns.
        let chips = schedule["chips"].as_array().unwrap();
        let planned: BTreeSet<[u64; 3]> = chips
            .iter()
            .flat_map(|chip| chip["sends"].as_array().unwrap().iter().map(move |send| (&chip["chip"], send)))
            .map(|(chip, send)| [chip, &send[1], &send[0]].map(|value| value.as_u64().unwrap()))
            .collect();
        let drawn: BTreeSet<[u64; 3]> = slices
            .iter()
            .map(|slice| {
                let cycle = (slice["ts"].as_f64().unwrap() * 900.0).round() as u64;
                [slice["pid"].as_u64().unwrap(), slice["tid"].as_u64().unwrap(), cycle]
            })
            .collect();
        assert!(!planned.is_empty() && planned.is_subset(&drawn), "{topology}: a send is not drawn");
        let of_the_first = |set: &BTreeSet<[u64; 3]>| set.iter().filter(|[chip, ..]| *chip == 0).count();
        assert_eq!(of_the_first(&planned), of_the_first(&drawn), "{topology}");
    }
    let spec = SpecText::pod([2, 2, 2], 2).named("small").text();
    std::fs::write(place.path().join("small.fab"), spec).unwrap();
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--emit", "perfetto=p.json"], 3);
    let message = "\
FAB0534

  \u{d7} `perfetto` draws scheduled vectors, and the packets of this fabric follow
  \u{2502} forwarding tables
";
    assert!(err.starts_with(message), "{err}");
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
        tracks_hold(collective, &names, &slices);
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
