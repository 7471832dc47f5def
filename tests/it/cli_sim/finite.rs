//! Traffic that ends: all-to-alls and traces, with a bound on their cycles.

use super::{built, flowing, pod};
use crate::support::command::fabc;
use serde_json::Value;

/// Runs `fabc sim` on the built pod.
fn sim_pod(place: &tempfile::TempDir, args: &[&str], code: i32) -> (String, String) {
    fabc(place.path(), &[&["sim", "out/pod"][..], args].concat(), code)
}

/// Every chip of the pod sends 2 KiB to every other one.
const ALL_TO_ALL: &str = "traffic = all_to_all { bytes = 2 KiB; }";

/// The output of `fabc sim` for [`ALL_TO_ALL`].
fn sim_all_to_all(place: &tempfile::TempDir, args: &[&str]) -> String {
    sim_pod(place, &[&["--with", ALL_TO_ALL][..], args].concat(), 0).0
}

#[test]
fn traffic_that_ends_in_every_form() {
    let place = built(&pod());
    let text = sim_all_to_all(&place, &[]);
    for part in [
        "all_to_all of 2048 B, order shift, traffic; tables routing",
        "240 messages, 491,520 bytes in 1,440 packets; at least ",
        "cycles, by the busiest channel, port or source;",
        "of bound",
    ] {
        assert!(flowing(&text).contains(part), "{part} is missing in\n{text}");
    }
    assert_eq!(text, sim_all_to_all(&place, &["--threads", "1"]), "threads show");
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    orders_of_messages_take_their_time(&place);
    let csv = sim_all_to_all(&place, &["--csv", "--scenario", "all"]);
    assert!(
        csv.starts_with("scenario,seed,cycles,least_cycles,share,us,gbs,gbs_per_sender,")
            && csv.lines().count() == 14,
        "{csv}"
    );
    let columns =
        |line: &str| line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>();
    assert!(csv.lines().all(|line| columns(line) == columns(csv.lines().next().unwrap())), "{csv}");
    let compared = sim_all_to_all(&place, &["--compare"]);
    assert!(
        compared.starts_with("fabric") && compared.contains("at least") && compared.contains("1.000"),
        "{compared}"
    );
    assert!(
        sim_all_to_all(&place, &["--compare", "--csv"])
            .starts_with("fabric,senders,least_cycles,cycles,share,gbs,ratio,bound_ratio\npod,16,")
    );
    traces_are_read_or_refused(&place);
    for &(settings, args, code, message) in REFUSED_TRAFFIC {
        let (_, error) = sim_pod(&place, &[&["--with", settings][..], args].concat(), code);
        assert!(error.contains(message), "{settings}: {error}");
    }
}

/// The order of the messages changes the cycles, and nothing beats the bound.
fn orders_of_messages_take_their_time(place: &tempfile::TempDir) {
    let cycles = |settings: &str| -> Value {
        let (json, _) = sim_pod(place, &["--with", settings, "--json"], 0);
        let nominal = serde_json::from_str::<Value>(&json).unwrap()["scenarios"][0].clone();
        assert!(
            nominal["points"].as_array().unwrap().is_empty()
                && nominal["model"].get("warmup_cycles").is_none()
        );
        assert_eq!(
            (&nominal["model"]["bytes"], &nominal["packets"], &nominal["bytes"]),
            (&2048.into(), &1440.into(), &491_520.into())
        );
        let [run] = &nominal["completions"].as_array().unwrap()[..] else { panic!("one seed") };
        assert!(
            run["cycles"].as_u64() >= nominal["least_cycles"].as_u64() && run["share"].as_f64() <= Some(1.0)
        );
        assert_eq!(nominal["bound_ratio"][1], nominal["least_cycles"]);
        run["cycles"].clone()
    };
    let ordered =
        |order: &str| cycles(&format!("traffic = all_to_all {{ bytes = 2 KiB; order = {order}; }}"));
    assert!(ordered("barrier").as_u64() > cycles(ALL_TO_ALL).as_u64());
    assert!(ordered("turns") != cycles(ALL_TO_ALL));
    assert!(cycles(&format!("{ALL_TO_ALL} model = flit")).as_u64() > Some(100));
}

/// A trace is a file of messages, and an error names its line.
fn traces_are_read_or_refused(place: &tempfile::TempDir) {
    let sim_trace = |text: &str, code: i32| {
        std::fs::write(place.path().join("t.csv"), text).unwrap();
        sim_pod(place, &["--with", "traffic = trace \"t.csv\""], code)
    };
    let (text, _) = sim_trace("cycle,src,dst,flits\n0,cube0[0,0,0],cube1[1,1,1],60\n500,3,0,6\n", 0);
    assert!(
        text.contains("trace t.csv traffic") && text.contains("2 messages, 4,224 bytes in 11 packets"),
        "{text}"
    );
    for (content, code, message) in [
        ("0,1,2\n", 1, "error[FAB0137]: t.csv is not a trace: line 1: 3 columns instead of 4, 5 or 6"),
        ("0,1,2,6\n0,1,16,6\n", 2, "error[FAB0624]: t.csv:2: no endpoint is called `16`"),
        ("7,1,2,6\n6,1,2,6\n", 1, "line 2: cycle 6 comes after cycle 7"),
        ("0,1,2,0\n", 1, "line 1: `0` is not a number of flits"),
        ("0,1,2,4294967296\n", 1, "line 1: `4294967296` is not a number of flits"),
        ("\n", 1, "t.csv is not a trace: it has no messages"),
    ] {
        let (_, error) = sim_trace(content, code);
        assert!(error.contains(message), "{content}: {error}");
    }
}

/// Settings and options that traffic that ends refuses, the exit code, and a part of the message.
const REFUSED_TRAFFIC: &[(&str, &[&str], i32, &str)] = &[
    ("traffic = all_to_all", &[], 1, "`all_to_all` lacks `bytes`"),
    ("traffic = trace", &[], 1, "`trace` lacks its file"),
    ("bytes = 1 KiB", &[], 1, "`bytes`"),
    ("traffic = all_to_all { bytes = 64 KB; }", &[], 1, "`bytes` needs one of the units"),
    ("traffic = all_to_all { bytes = 1024 GiB; }", &[], 2, "error[FAB0627]"),
    ("traffic = all_to_all { bytes = 1 KiB; } rates = 0.1", &[], 1, "`rates`"),
    (
        "traffic = all_to_all { bytes = 1 KiB; }",
        &["--saturation"],
        2,
        "error[FAB0623]: `saturation` has no effect",
    ),
    ("traffic = all_to_all { bytes = 1 KiB; } warmup = 5 cycles", &[], 1, "`warmup`"),
    (
        "traffic = all_to_all { bytes = 1 KiB; }",
        &["--svg"],
        2,
        "error[FAB0521]: traffic that ends has no form `svg`",
    ),
    ("traffic = trace \"nowhere.csv\"", &[], 1, "nowhere.csv"),
];
