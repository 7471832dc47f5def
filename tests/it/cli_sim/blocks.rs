//! Blocks `simulate` of a spec: they run with the build, and `fabc verify` runs them again.

use super::{built, pod};
use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use serde_json::Value;

/// The same with a simulation, and what is required of it.
fn simulated(require: &str) -> SpecText {
    let block = "simulate peak { rates = 0.1 .. 0.3 step 0.1; warmup = 500 cycles; measure = 1000 cycles; scenarios = all; }";
    pod()
        .with(block)
        .with("simulate turned { traffic = bit_reverse; warmup = 500 cycles; measure = 1000 cycles; }")
        .with(require)
}

#[test]
fn blocks_of_the_spec_run_with_the_build_and_are_verified() {
    let place = built(&simulated("require peak.saturation >= 0.2; require peak.latency(0.5) <= 900 cycles;"));
    let read = |path: &str| std::fs::read_to_string(place.path().join("out/pod").join(path)).unwrap();
    let peak: Value = serde_json::from_str(&read("simulations/peak.json")).unwrap();
    let scenarios = peak["scenarios"].as_array().unwrap();
    assert_eq!(
        (&peak["simulation"], scenarios.len()),
        (&Value::from("peak"), 13),
        "the healthy pod and every dark switch"
    );
    for scenario in scenarios {
        let bound = scenario["bound"].as_f64().unwrap();
        let rates: Vec<f64> = scenario["points"]
            .as_array()
            .unwrap()
            .iter()
            .map(|point| point["rate"].as_f64().unwrap())
            .collect();
        let half = (bound * 0.5 * 1e4).floor() / 1e4;
        assert!([0.1, 0.2, 0.3, half].iter().all(|rate| rates.contains(rate)), "{rates:?} have no {half}");
    }
    assert_eq!(read("simulations/turned.csv").lines().count(), 13, "a line of heads, and twelve rates");
    let report: Value = serde_json::from_str(&read("report.json")).unwrap();
    let lines = report["requires"].as_array().unwrap();
    assert!(lines.iter().all(|line| line["holds"] == true && line["scenario"].is_string()), "{lines:?}");
    let worst = scenarios
        .iter()
        .map(|scenario| scenario["saturation"][0]["low"].as_f64().unwrap())
        .fold(f64::INFINITY, f64::min);
    let peak_line = lines.iter().find(|line| line["require"] == "peak.saturation >= 0.2").unwrap();
    assert_eq!(peak_line["measured"].as_f64(), Some(worst));
    for word in ["SIMULATION", "peak, nominal", "bit_reverse traffic"] {
        assert!(read("report.txt").contains(word), "{word}");
    }
    assert!(read("report.html").contains("<code>turned</code>"));
    fabc(place.path(), &["verify", "out/pod"], 0);

    // The command runs the same blocks, to the same bytes.
    let again =
        |block: &str, format: &str| fabc(place.path(), &["sim", "out/pod", "--block", block, format], 0).0;
    assert_eq!(again("peak", "--json"), read("simulations/peak.json"));
    assert_eq!(again("turned", "--csv"), read("simulations/turned.csv"));
    let (all, _) = fabc(place.path(), &["sim", "out/pod"], 0);
    assert!(all.starts_with("pod: peak\n") && all.contains("\npod: turned\n"), "{all}");
    let (_, error) = fabc(place.path(), &["sim", "out/pod", "--block", "peek"], 2);
    assert!(error.contains("FAB0520"), "{error}");
    fabc(place.path(), &["sim", "out/pod", "--block", "peak", "--with", "rates = 0.1"], 2);
}

#[test]
fn what_simulations_claim_is_convicted() {
    let place = built(&simulated(""));
    let path = place.path().join("out/pod/simulations/peak.json");
    let honest = std::fs::read_to_string(&path).unwrap();
    let number = |key: &str| {
        let start = honest.find(&format!("\"{key}\":")).unwrap() + key.len() + 3;
        let digits = honest[start..].find([',', '}', ']']).unwrap();
        (start, start + digits)
    };
    // The first of each: of the cheapest point where it is one of a point.
    for (key, claim) in [
        ("bound", "0.9"),
        ("stable", "0.9"),
        ("unstable", "0.2"),
        ("accepted", "0.5"),
        ("born", "7"),
        ("sum", "1"),
        ("median", "1"),
        ("p99", "2"),
        ("inside_sum", "3"),
        ("hops", "5"),
        ("p99_flits", "1"),
        ("born_ever", "12345"),
        ("in_flight", "9"),
        ("buffer_flits", "77"),
        ("runs", "1000000000000"),
    ] {
        let (start, end) = number(key);
        let forged = format!("{}{claim}{}", &honest[..start], &honest[end..]);
        assert_ne!(forged, honest, "{key}");
        std::fs::write(&path, forged).unwrap();
        let (_, error) = fabc(place.path(), &["verify", "out/pod"], 3);
        assert!(error.contains("simulations/peak.json"), "{key}: {error}");
    }
}

/// A block of traffic that ends: it is run with the build, required of, shown, and run again by `verify`.
#[test]
fn blocks_of_traffic_that_ends_are_run_and_verified() {
    let block = "simulate burst { traffic = all_to_all { bytes = 1 KiB; order = barrier; } scenarios = all; model = flit { hosts = 1; window = 40; } }";
    let spec = |require: &str| pod().with(block).with(require);
    let place = built(&spec(
        "require burst.time <= 10 us; require burst.time <= 10000 cycles; require burst.share >= 0.1;",
    ));
    let path = place.path().join("out/pod/simulations/burst.json");
    let read = |path: &str| std::fs::read_to_string(place.path().join("out/pod").join(path)).unwrap();
    let honest = read("simulations/burst.json");
    let burst: Value = serde_json::from_str(&honest).unwrap();
    let scenarios = burst["scenarios"].as_array().unwrap();
    let cycles: Vec<u64> =
        scenarios.iter().map(|scenario| scenario["completions"][0]["cycles"].as_u64().unwrap()).collect();
    assert_eq!((cycles.len(), &scenarios[0]["model"]["order"]), (13, &Value::from("barrier")));
    let report: Value = serde_json::from_str(&read("report.json")).unwrap();
    let require_lines = report["requires"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["require"] == "burst.time <= 10000 cycles")
        .unwrap()
        .clone();
    assert_eq!(
        (require_lines["measured"].as_f64(), require_lines["holds"].as_bool()),
        (cycles.iter().max().map(|&most| most as f64), Some(true))
    );
    assert_eq!(read("simulations/burst.csv").lines().count(), 14);
    for word in ["burst, nominal", "of bound", "all_to_all of 1024 B, order barrier, traffic"] {
        let report = read("report.txt").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(report.contains(word), "{word} is missing in\n{report}");
    }
    assert!(read("report.html").contains("cycles to the last delivery"));
    fabc(place.path(), &["verify", "out/pod"], 0);
    assert_eq!(fabc(place.path(), &["sim", "out/pod", "--json"], 0).0, honest);
    // `--scenario` wins over `scenarios = all`, of a block and of `--with`.
    let run = |more: &[&str]| -> Vec<Value> {
        let (text, _) = fabc(place.path(), &[&["sim", "out/pod", "--json"][..], more].concat(), 0);
        serde_json::from_str::<Value>(&text).unwrap()["scenarios"].as_array().unwrap().clone()
    };
    let fault = scenarios[1]["scenario"].as_str().unwrap();
    assert_eq!(run(&["--block", "burst", "--scenario", fault]), scenarios[1..2]);
    assert_eq!(run(&["--block", "burst", "--scenario", "all"]), scenarios[..]);
    assert_eq!(run(&["--scenario", "nominal"]), scenarios[..1]);
    let settings = "traffic = all_to_all { bytes = 1 KiB; } scenarios = all;";
    assert_eq!(run(&["--with", settings]).len(), 13);
    assert_eq!(run(&["--with", settings, "--scenario", fault])[0]["scenario"], fault);
    assert_eq!(run(&["--with", settings, "--scenario", fault]).len(), 1);
    for key in [
        "window_packets",
        "cycles",
        "least_cycles",
        "bytes",
        "packets",
        "sum",
        "p99",
        "hops",
        "delivered",
        "flit_cycles",
        "share",
        "gbs",
    ] {
        // The first behind the list of runs where it is one of a run.
        let from = if ["window_packets", "bytes", "packets", "least_cycles"].contains(&key) {
            0
        } else {
            honest.find("completions").unwrap()
        };
        let start = from + honest[from..].find(&format!("\"{key}\":")).unwrap() + key.len() + 3;
        let end = start + honest[start..].find([',', '}', ']']).unwrap();
        std::fs::write(&path, format!("{}1{}", &honest[..start], &honest[end..])).unwrap();
        let (_, error) = fabc(place.path(), &["verify", "out/pod"], 3);
        assert!(error.contains("simulations/burst.json"), "{key}: {error}");
    }
    std::fs::write(place.path().join("fabric.fab"), spec("require burst.time <= 100 cycles;").text())
        .unwrap();
    let (_, error) = fabc(place.path(), &["build", "fabric.fab", "-q"], 3);
    assert!(error.contains("`require burst.time <= 100 cycles` does not hold"), "{error}");
}

/// A trace beside the spec: it is copied into the directory, which is verified, simulated and built again.
#[test]
fn traces_stand_in_the_spec_as_well() {
    let lines = "cycle,src,dst,flits\n0,0,15,40\n3,cube0[0,1,0],cube1[1,1,1],6\n900,7,0,12\n";
    let place = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| std::fs::write(place.path().join(path), text).unwrap();
    let read = |path: &str| std::fs::read_to_string(place.path().join(path)).unwrap();
    write("steps.csv", lines);
    let block = "simulate steps { traffic = trace \"steps.csv\"; }";
    let spec = pod().with(block).with("require steps.time <= 1100 cycles; require steps.time >= 900 cycles;");
    write("fabric.fab", &spec.text());
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    assert_eq!(read("out/pod/inputs/trace-steps.csv"), lines);
    assert!(read("out/pod/spec.fab").contains("traffic = trace \"inputs/trace-steps.csv\";"));
    let honest = read("out/pod/simulations/steps.json");
    let steps: Value = serde_json::from_str(&honest).unwrap();
    assert_eq!(
        (&steps["scenarios"][0]["messages"], &steps["scenarios"][0]["bytes"]),
        (&Value::from(3), &Value::from(58 * 64))
    );
    fabc(place.path(), &["verify", "out/pod"], 0);
    assert_eq!(fabc(place.path(), &["sim", "out/pod", "--json"], 0).0, honest);
    // The command says the same by a setting.
    let settings = "traffic = trace \"steps.csv\"";
    let by_setting = fabc(place.path(), &["sim", "out/pod", "--with", settings, "--json"], 0).0;
    let by_setting: Value = serde_json::from_str(&by_setting).unwrap();
    assert_eq!(by_setting["scenarios"][0]["completions"], steps["scenarios"][0]["completions"]);
    // Built again from what was written.
    fabc(place.path(), &["build", "out/pod/spec.fab", "-q", "--out", "again"], 0);
    assert_eq!(read("again/pod/simulations/steps.json"), honest);

    write("out/pod/inputs/trace-steps.csv", "0,0,1,6\n");
    fabc(place.path(), &["verify", "out/pod"], 3);
    write("steps.csv", "0,0,16,6\n");
    let (_, error) = fabc(place.path(), &["build", "fabric.fab", "-q"], 1);
    assert!(
        error.contains("FAB0624") && error.contains("steps.csv:1: no endpoint is called `16`"),
        "{error}"
    );
}

/// The command and a spec read the same settings.
#[test]
fn spots_and_bursts_stand_in_the_spec_as_well() {
    let settings = "
        traffic = hotspot { at = [cube0[0, 0, 0], 5]; share = 0.5; }
        births = bursts { length = 40 cycles; rate = 0.5; }
        rates = [0.05, 0.02]; warmup = 500 cycles; measure = 1000 cycles;
    ";
    let block = &format!("simulate hot {{{settings}}}");
    let place = built(&pod().with(block));
    let points = |text: &str| serde_json::from_str::<Value>(text).unwrap()["scenarios"][0]["points"].clone();
    let written = std::fs::read_to_string(place.path().join("out/pod/simulations/hot.json")).unwrap();
    let (simulated, _) = fabc(place.path(), &["sim", "out/pod", "--with", settings, "--json"], 0);
    assert_eq!(points(&written), points(&simulated));
    assert_eq!(points(&written).as_array().unwrap().len(), 2);
    fabc(place.path(), &["verify", "out/pod"], 0);

    for (block, message) in [
        (
            "simulate hot { traffic = hotspot { at = [cube9[0,0,0]]; } }",
            "no endpoint is called `cube9[0,0,0]`",
        ),
        ("simulate hot { traffic = all_to_all { bytes = 1000000000 KiB; } }", "this traffic takes at least"),
    ] {
        let spec = pod().with(block).text();
        std::fs::write(place.path().join("fabric.fab"), &spec).unwrap();
        let (_, error) = fabc(place.path(), &["build", "fabric.fab", "-q"], 1);
        let line = spec.lines().position(|line| line.contains("simulate")).unwrap() + 1;
        assert!(error.contains(&format!("fabric.fab:{line}:")) && error.contains(message), "{error}");
    }
}

#[test]
fn a_contract_on_a_simulation_can_be_broken() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), simulated("require turned.share >= 1;").text()).unwrap();
    let (_, error) = fabc(place.path(), &["build", "fabric.fab", "-q"], 3);
    assert!(error.contains("`require turned.share >= 1` does not hold"), "{error}");
}
