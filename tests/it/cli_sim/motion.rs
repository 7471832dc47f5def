//! Plans in motion: `fabc sim --job` and `--collective`, and schedules written as closed traces.

use super::{flowing, pod};
use crate::support::command::fabc;
use serde_json::Value;
use std::path::Path;

/// A pod of 16 chips with two collectives and a job.
const ITEMS: &str = "
    collective weights = all_gather { size = 256 KiB; }
    collective tokens = all_to_all { size = 64 KiB; }
    job train {
        axes { tensor = 4; data = 4; }
        phase layers { collective in = all_gather { over = tensor; size = 64 KiB; times = 500; } }
        phase stages { send next { along = data; size = 16 KiB; times = 10; both = yes; wrap = no; } }
        phase gradients {
            collective sum = all_reduce { over = data; size = 256 KiB; }
            compute = 1 ms;
        }
        place = order;
    }";

fn built() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let text = pod().text();
    let end = text.rfind('}').unwrap();
    std::fs::write(place.path().join("fabric.fab"), format!("{}{ITEMS}\n}}\n", &text[..end])).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    place
}

fn json(place: &Path, args: &[&str]) -> Value {
    let (text, _) = fabc(place, &[&["sim", "out/pod"][..], args, &["--json"]].concat(), 0);
    serde_json::from_str(&text).unwrap()
}

/// The share of the plan's time that is kept in motion, by plan.
fn kept(document: &Value) -> Vec<(String, f64)> {
    let plans = document["plans"].as_array().unwrap().iter();
    plans.map(|plan| (plan["name"].as_str().unwrap().to_owned(), plan["kept"].as_f64().unwrap())).collect()
}

/// Routers take about as long as plans say: gathers lose less than a tenth, messages along tables some more.
/// No run is shorter than its lower bound, and long plans are cut.
#[test]
fn plans_beside_what_routers_take() {
    let place = built();
    let place = place.path();
    for name in ["weights", "tokens"] {
        let document = json(place, &["--collective", name]);
        let [(_, share)] = &kept(&document)[..] else { panic!("{document}") };
        assert!((0.7..1.1).contains(share), "{document}");
        let plan = &document["plans"][0];
        assert!(plan["cycles"].as_u64() >= plan["least_cycles"].as_u64(), "{plan}");
    }
    let document = json(place, &["--job", "train"]);
    let shares = kept(&document);
    let names: Vec<&str> = shares.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["layers", "stages", "gradients"]);
    assert!(shares.iter().all(|(_, share)| (0.7..1.1).contains(share)), "{document}");
    assert!(document["plans"][0]["parts"].as_u64() > Some(1), "500 gathers are cut: {document}");
    // Every fault has its tables and its plans.
    let dark = json(place, &["--job", "train", "--scenario", "X[0,0]"]);
    assert!(kept(&dark).iter().all(|(_, share)| (0.6..1.1).contains(share)), "{dark}");
    let text = fabc(place, &["sim", "out/pod", "--job", "train"], 0).0;
    assert!(text.contains("pod, nominal: job train in motion"), "{text}");
    // Routers of the options, and packets of a length of their own.
    let short = json(
        place,
        &["--collective", "weights", "--with", "packet = 4 flits; model = packet { turn = 9 cycles; }"],
    );
    assert_eq!(short["plans"][0]["packet_flits"], 4);
    assert!(kept(&short)[0].1 < kept(&json(place, &["--collective", "weights"]))[0].1);
    let flit = json(place, &["--collective", "weights", "--with", "model = flit;"]);
    assert!(kept(&flit)[0].1 > 0.2, "two ports of a host feed six channels: {flit}");
}

/// What a closed trace says is what runs: the same cycles as without a file.
#[test]
fn a_schedule_as_a_closed_trace() {
    let place = built();
    let place = place.path();
    for (collective, algorithm, size) in [
        ("all_gather", "steps", "256KiB"),
        ("all_reduce", "trees", "2MiB"),
        ("all_to_all", "direct", "256KiB"),
        ("reduce_scatter", "steps", "256KiB"),
    ] {
        let schedule =
            ["collective", "out/pod", "--collective", collective, "--size", size, "--algorithm", algorithm];
        let emit = |form: &str| fabc(place, &[&schedule[..], &["--emit", form]].concat(), 0);
        emit("closed_trace=closed.csv,trace=open.csv");
        let text = std::fs::read_to_string(place.join("closed.csv")).unwrap();
        let packet = text.lines().nth(2).unwrap().rsplit(',').nth(2).unwrap().to_owned();
        let cycles = |trace: &str| -> u64 {
            let with = format!(
                "traffic = trace \"{trace}\"; packet = {packet} flits; model = packet {{ hosts = unlimited; }}"
            );
            let (text, _) = fabc(place, &["sim", "out/pod", "--with", &with, "--json"], 0);
            let document: Value = serde_json::from_str(&text).unwrap();
            document["scenarios"][0]["completions"][0]["cycles"].as_u64().unwrap()
        };
        let planned: u64 =
            text.split(" cycles by its plan").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
        let closed = cycles("closed.csv");
        assert!(closed * 10 > planned * 8 && closed * 2 < planned * 5, "{collective}: {closed} of {planned}");
        assert!(text.lines().nth(1) == Some("cycle,src,dst,flits,after,port"), "{text}");
        // With a barrier every round waits for the one before.
        if algorithm == "steps" {
            fabc(place, &[&schedule[..], &["--barrier", "--emit", "closed_trace=barrier.csv"]].concat(), 0);
            assert!(cycles("barrier.csv") >= closed);
        }
    }
}

#[test]
fn what_cannot_be_set_in_motion_is_refused() {
    let place = built();
    let refused = |args: &[&str], code: i32| {
        flowing(&fabc(place.path(), &[&["sim", "out/pod"][..], args].concat(), code).1)
    };
    for (args, code, message) in [
        (&["--job", "trian"][..], 2, "there is no job `trian`"),
        (&["--collective", "x"], 2, "there is no collective `x`"),
        (&["--job", "train", "--scenario", "X[9,9]"], 2, "`X[9,9]`"),
        (&["--job", "train", "--with", "rates = 0.5"], 2, "a plan says what is sent and when"),
        (&["--job", "train", "--with", "traffic = tornado"], 2, "a plan says what is sent and when"),
        (&["--job", "train", "--saturation"], 2, "cannot be used with"),
        (&["--job", "train", "--svg"], 2, "cannot be used with"),
    ] {
        let error = refused(args, code);
        assert!(error.contains(message), "{args:?}: {error}");
    }
    std::fs::remove_file(place.path().join("out/pod/jobs/train.json")).unwrap();
    let error = refused(&["--job", "train"], 2);
    assert!(error.contains("`jobs/train.json` does not say which chip is which rank"), "{error}");
}
