//! Light: preference for cross-connects that lose little, measured light, and changed budgets. Pods whose
//! budgets were worked out by hand stand in `tests/pairs`, wrong specs in `tests/err`.

use crate::support::plain::fabc;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The light of a link: 8.788 dB are left for the switch.
const LIGHT: &str = "transmit = 1 dBm; sensitivity = -9 dBm; loss = 0.4 dB/km; length = 30 m; connectors = 4; connector_loss = 0.3 dB; margin = 2 dB;";

/// Cubes of four chips behind four switches.
fn spec(cubes: u32, light: &str, more: &str) -> String {
    format!(
        "fabric pod {{
            link copper {{ bandwidth = 50 GB/s; latency = 10 cycles; }}
            link fiber {{ bandwidth = 50 GB/s; latency = 10 cycles; {light} }}
            chip {{ radix = 6; vcs = 4; }}
            cube {{ mesh 2 x 2 x 1 over copper; }}
            cubes = {cubes};
            ocs X[u in 0..2] {{ couple +x[u, 0] with -x[u, 0] over fiber; ports = 64; }}
            ocs Y[u in 0..2] {{ couple +y[u, 0] with -y[u, 0] over fiber; ports = 64; }}
            budget {{ vcs = 2; }}
            {more}
        }}"
    )
}

/// A loss for every pair of ports of four switches, in thousandths of a dB.
fn losses(cubes: u32, loss: impl Fn(usize, u32, u32) -> u32) -> String {
    let mut table = "switch,from,to,loss\n".to_owned();
    for (switch, name) in ["X_0", "X_1", "Y_0", "Y_1"].iter().enumerate() {
        for from in 0..cubes {
            for to in 0..cubes {
                let loss = loss(switch, from, to);
                table += &format!("{name},{}A,{}B,{}.{:03}\n", from + 1, to + 1, loss / 1000, loss % 1000);
            }
        }
    }
    table
}

/// A loss that looks drawn: from 1 to 3.999 dB.
fn drawn(switch: usize, from: u32, to: u32) -> u32 {
    let mixed = (switch as u32 * 31 + from * 17 + to * 29 + 7) * 2_654_435;
    1000 + mixed / 7 % 3000
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Builds a spec with a table of losses, and verifies it.
fn built(place: &Path, text: &str, table: &str) {
    std::fs::write(place.join("pod.fab"), text).unwrap();
    std::fs::write(place.join("losses.csv"), table).unwrap();
    fabc(place, &["build", "pod.fab", "-q"], 0);
    fabc(place, &["verify", "out/pod", "-q"], 0);
}

/// `[switch]`: the pairs of cubes that an `ocs.json` joins.
fn joined(path: &Path) -> Vec<Vec<[u32; 2]>> {
    let pair = |pair: &Value| [0, 1].map(|side| pair[side].as_u64().unwrap() as u32);
    let document = json(path);
    let switches = document["ocs"].as_array().unwrap();
    switches.iter().map(|ocs| ocs["cross_connects"].as_array().unwrap().iter().map(pair).collect()).collect()
}

/// The least margin and the sum of all, in thousandths of a dB, with other cubes in the places of cubes.
fn margins(pairs: &[Vec<[u32; 2]>], cubes: &[u32], loss: impl Fn(usize, u32, u32) -> u32) -> (i64, i64) {
    let of_switch = |(switch, pairs): (usize, &Vec<[u32; 2]>)| {
        let margin = |[from, to]: &[u32; 2]| {
            8788 - i64::from(loss(switch, cubes[*from as usize], cubes[*to as usize]))
        };
        pairs.iter().map(margin).collect::<Vec<i64>>()
    };
    let all: Vec<i64> = pairs.iter().enumerate().flat_map(of_switch).collect();
    (all.iter().copied().min().unwrap(), all.iter().sum())
}

/// All orders of some cubes.
fn orders(cubes: &[u32]) -> Vec<Vec<u32>> {
    if cubes.is_empty() {
        return vec![Vec::new()];
    }
    let without = |first: u32| cubes.iter().copied().filter(|&cube| cube != first).collect::<Vec<u32>>();
    let with = |first: u32| orders(&without(first)).into_iter().map(move |rest| [vec![first], rest].concat());
    cubes.iter().flat_map(|&first| with(first)).collect()
}

#[test]
fn a_search_gives_roles_to_the_cubes_that_lose_least() {
    let search = "topology = synthesize { symmetry = translation; seed = 1; } routing = allowed_turns;";
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("dark.fab"), spec(5, "", search).replace("fabric pod", "fabric dark"))
        .unwrap();
    fabc(place.path(), &["build", "dark.fab", "-q"], 0);
    let text = spec(5, LIGHT, &format!("losses = table \"losses.csv\"; {search}"));
    built(place.path(), &text, &losses(5, drawn));
    let [dark, lit] =
        ["dark", "pod"].map(|name| joined(&place.path().join("out").join(name).join("ocs.json")));
    let same: Vec<u32> = (0..5).collect();
    // The best of all 120 orders of the cubes, and what the build took.
    let best = orders(&same).iter().map(|order| margins(&dark, order, drawn)).max().unwrap();
    let (before, after) = (margins(&dark, &same, drawn), margins(&lit, &same, drawn));
    assert!(before < after && after <= best, "{before:?} {after:?} {best:?}");
    assert_eq!(after.0, best.0, "{before:?} {after:?} {best:?}");
    let report = json(&place.path().join("out/pod/report.json"));
    assert_eq!(report["light"]["margin_least"], json!(after.0 as f64 / 1000.0));
    // Nothing else is measured otherwise.
    let other = json(&place.path().join("out/dark/report.json"));
    for part in ["metrics", "bounds", "histograms"] {
        assert_eq!(report[part]["hops"], other[part]["hops"], "{part}");
    }
    assert_eq!(report["metrics"]["diameter"], other["metrics"]["diameter"]);
    assert_eq!(report["metrics"]["average_hops"], other["metrics"]["average_hops"]);
}

#[test]
fn slices_and_swaps_take_cubes_with_much_margin() {
    // The fibers of cubes 0 and 1 lose 3 dB at either end, those of cube 5 nothing.
    let loss = |_: usize, from: u32, to: u32| {
        let of_cube = |cube: u32| [3000, 3000, 100, 100, 100, 0, 300, 200][cube as usize];
        500 + of_cube(from) + of_cube(to)
    };
    let kinds = "losses = table \"losses.csv\"; routing = allowed_turns; spare = 2;
        slice train { cubes = 2; count = 1; topology = synthesize { seed = 1; } }";
    let place = tempfile::tempdir().unwrap();
    built(place.path(), &spec(8, LIGHT, kinds), &losses(8, loss));
    let cubes =
        |directory: &str| json(&place.path().join(directory).join("placement.json"))["slices"].clone();
    let first = cubes("out/pod")[0]["cubes"].clone();
    // Two of the cubes 2 to 5, and cube 5 among them: 6 and 7 are spare.
    let taken: Vec<u64> = first.as_array().unwrap().iter().map(|cube| cube.as_u64().unwrap()).collect();
    assert!(taken.contains(&5) && taken.iter().all(|cube| (2..=5).contains(cube)), "{taken:?}");
    // A swap takes the spare cube that loses less.
    let (swap, swapped) = (format!("cube{}", taken[0]), 7);
    fabc(place.path(), &["place", "out/pod", "--swap", &swap, "--out", "swapped"], 0);
    fabc(place.path(), &["verify", "swapped", "-q"], 0);
    assert_eq!(cubes("swapped")[0]["cubes"][0], json!(swapped));
    // What does not close is refused, with the sum of the worst link.
    let (_, err) =
        fabc(place.path(), &["place", "out/pod", "--add", "train", "--cubes", "0,1", "--out", "no"], 0);
    assert_eq!(err, "");
    let dark = losses(8, |switch, from, to| 500 + loss(switch, from, to));
    built(place.path(), &spec(8, LIGHT, kinds), &dark);
    let (_, err) =
        fabc(place.path(), &["place", "out/pod", "--add", "train", "--cubes", "0,1", "--out", "no"], 3);
    assert!(err.contains("FAB0212") && err.contains("1 dBm - 4 x 0.3 dB - 0.012 dB of 30 m"), "{err}");
    // A cube that reaches no other one is refused before anything is built.
    std::fs::write(
        place.path().join("losses.csv"),
        losses(8, |_, from, to| if from.max(to) < 7 { 500 } else { 6789 }),
    )
    .unwrap();
    let (_, err) = fabc(place.path(), &["check", "pod.fab"], 3);
    assert!(err.contains("8 face ports reach no other port of the switch"), "{err}");
}

#[test]
fn changed_budgets_are_convicted() {
    let ring = "losses = table \"losses.csv\"; topology = torus 2 x 6 x 1; routing = allowed_turns;";
    let kinds = "losses = table \"losses.csv\"; routing = allowed_turns;
        slice train { cubes = 2; count = 1; topology = synthesize { seed = 1; } }";
    for (text, table) in [(spec(3, LIGHT, ring), losses(3, drawn)), (spec(4, LIGHT, kinds), losses(4, drawn))]
    {
        let place = tempfile::tempdir().unwrap();
        built(place.path(), &text, &table);
        let light = place.path().join("out/pod/light.csv");
        let text = std::fs::read_to_string(&light).unwrap();
        let mut count = 0;
        for (number, line) in text.lines().enumerate() {
            let columns = line.split(',').count();
            for column in 0..columns {
                let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
                cells[column] += "1";
                let mut lines: Vec<&str> = text.lines().collect();
                let changed = cells.join(",");
                lines[number] = &changed;
                std::fs::write(&light, lines.join("\n") + "\n").unwrap();
                let (_, err) = fabc(place.path(), &["verify", "out/pod"], 3);
                assert!(err.contains("light.csv"), "line {number}, column {column}: {err}");
                count += 1;
            }
        }
        assert!(count > 50, "{count}");
        std::fs::write(&light, &text).unwrap();
        // The table and the report decide as well.
        for (file, from, to) in [
            ("inputs/losses.csv", "X_0,1A,1B,", "X_0,1A,1B,1"),
            ("report.json", "\"margin_least\":", "\"margin_least\":1"),
        ] {
            let path = place.path().join("out/pod").join(file);
            let bytes = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, bytes.replacen(from, to, 1)).unwrap();
            fabc(place.path(), &["verify", "out/pod"], 3);
            std::fs::write(&path, bytes).unwrap();
        }
        fabc(place.path(), &["verify", "out/pod", "-q"], 0);
    }
}

#[test]
fn factory_measurements_of_sonic_are_a_table() {
    let ring = |losses: &str| {
        spec(2, LIGHT, &format!("{losses} topology = torus 4 x 2 x 1; routing = allowed_turns;"))
    };
    let place = tempfile::tempdir().unwrap();
    built(place.path(), &ring("losses = table \"losses.csv\";"), &losses(2, drawn));
    let by_table = std::fs::read(place.path().join("out/pod/light.csv")).unwrap();
    std::fs::create_dir(place.path().join("state")).unwrap();
    for (switch, name) in ["X_0", "X_1", "Y_0", "Y_1"].iter().enumerate() {
        let mut flat = BTreeMap::new();
        let mut nested = BTreeMap::new();
        // Ports that no cube uses have measurements as well.
        for (from, to) in (0..3u32).flat_map(|from| (0..3u32).map(move |to| (from, to))) {
            let loss = drawn(switch, from, to) - 250;
            let text = |loss: u32| format!("{}.{:03}", loss / 1000, loss % 1000);
            let row = |loss: u32| json!({"loss_dB": text(loss), "accuracy_dB": "0.25"});
            for (frequency, less) in [("229.100", 100), ("230.000", 0), ("231.000", 300)] {
                let key = format!("{}A-{}B|{frequency}|25.00", from + 1, to + 1);
                flat.insert(
                    format!("OCS_FACTORY_INSERTION_LOSS|{key}"),
                    json!({"type": "hash", "value": row(loss - less)}),
                );
                nested.insert(key, row(loss - less));
            }
        }
        let document =
            if switch == 0 { json!(flat) } else { json!({"OCS_FACTORY_INSERTION_LOSS_TABLE": nested}) };
        std::fs::write(place.path().join(format!("state/{name}.state_db.json")), document.to_string())
            .unwrap();
    }
    built(place.path(), &ring("losses = sonic \"state\";"), "");
    assert_eq!(by_table, std::fs::read(place.path().join("out/pod/light.csv")).unwrap());
    // The directory explains itself: its spec names the copy.
    let spec = std::fs::read_to_string(place.path().join("out/pod/spec.fab")).unwrap();
    assert!(spec.contains("losses = table \"inputs/losses.csv\";"), "{spec}");
    fabc(place.path(), &["build", "out/pod/spec.fab", "-q", "--out", "again"], 0);
    assert_eq!(by_table, std::fs::read(place.path().join("again/pod/light.csv")).unwrap());
}

#[test]
fn measured_light_below_its_budget_is_a_warning() {
    let ring = "losses = table \"losses.csv\"; topology = torus 4 x 2 x 1; routing = allowed_turns;";
    let place = tempfile::tempdir().unwrap();
    built(place.path(), &spec(2, LIGHT, ring), &losses(2, |_, _, _| 1500));
    // The budget is 1 - 1.2 - 0.012 - 1.5 = -1.712 dBm at every receiver.
    let powers =
        "port,dbm\ncube0.+x[0,0],-1.712\ncube1.-x[0,0],-1.8\ncube0.+x[1,0],-7.5\ncube1.-x[1,0],-9.5\n";
    std::fs::write(place.path().join("power.csv"), powers).unwrap();
    let drift = ["drift", "out/pod", "--live", "out/pod", "--power", "power.csv"];
    let (out, _) = fabc(place.path(), &drift, 2);
    assert!(
        out.contains("light: 3 of 4 receivers get less than their budget; 12 were not measured"),
        "{out}"
    );
    assert!(out.contains("only 1.5 dB over the sensitivity"), "{out}");
    assert!(out.contains("-9.5 dBm for -1.712 dBm: below the sensitivity of -9 dBm"), "{out}");
    let (out, _) = fabc(place.path(), &[&drift[..], &["--json"]].concat(), 2);
    let document: Value = serde_json::from_str(&out).unwrap();
    let states: Vec<&str> = document["light"]["weak"]
        .as_array()
        .unwrap()
        .iter()
        .map(|weak| weak["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["lossy", "low", "unreadable"], "{out}");
    // All as it should be: nothing to say.
    std::fs::write(place.path().join("power.csv"), "cube0.+x[0,0],-1.7\n").unwrap();
    fabc(place.path(), &drift, 0);
    // Without `--power` nothing is said of light.
    let (out, _) = fabc(place.path(), &["drift", "out/pod", "--live", "out/pod", "--json"], 0);
    assert!(!out.contains("light"), "{out}");
    for (text, says) in [
        ("cube0.+x[0,0],-1.7\ncube0.+x[0,0],-1.8\n", "line 2: `cube0.+x[0,0]` has a power already"),
        ("cube0.+z[0,0],-1.7\n", "line 1: no switch serves a face port `cube0.+z[0,0]`"),
        ("cube0.+x[0,0],bright\n", "line 1: `bright` is no power of light: from -100 to 100 dBm"),
        ("cube0.+x[0,0]\n", "line 1: it is not `port,dbm`"),
    ] {
        std::fs::write(place.path().join("power.csv"), text).unwrap();
        let (_, err) = fabc(place.path(), &drift, 1);
        let err = err.replace('│', "").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(err.contains(says) && err.contains("FAB0584"), "{err}");
    }
}

#[test]
fn monitors_of_switches_see_light_before_the_last_half_of_its_way() {
    let pair = |light: &str| {
        spec(2, light, "topology = torus 4 x 2 x 1; routing = allowed_turns;").replace(
            "ports = 64;",
            if light.is_empty() {
                "ports = 64; duplex = pair;"
            } else {
                "ports = 64; duplex = pair; loss = 1.5 dB;"
            },
        )
    };
    let place = tempfile::tempdir().unwrap();
    built(place.path(), &pair(LIGHT), "");
    fabc(place.path(), &["build", "pod.fab", "-q", "--until", "analyze", "--emit", "ocs_ports=ports.csv"], 0);
    std::fs::create_dir(place.path().join("opm")).unwrap();
    // X[0] has the ingress ports 1 to 4 and the egress ports 5 to 8: cube0.+x, cube1.+x, cube0.-x, cube1.-x.
    // Behind a monitor two connectors and 15 m of fiber lose 0.606 dB: -1.106 dBm are -1.712 at the receiver.
    let monitors = json!({"optical-switch:opm-power": {"port": [
        {"port-id": 1, "power": -40}, {"port-id": 5, "power": -1.106}, {"port-id": 6, "power": "-1.2"}, {"port-id": 7}
    ]}});
    std::fs::write(place.path().join("opm/X_0.json"), monitors.to_string()).unwrap();
    let drift = ["drift", "out/pod", "--live", "out/pod", "--power", "opm"];
    let (_, err) = fabc(place.path(), &drift, 1);
    assert!(err.contains("add `--ports MAP`"), "{err}");
    let (out, _) = fabc(place.path(), &[&drift[..], &["--ports", "ports.csv", "--json"]].concat(), 2);
    let light = serde_json::from_str::<Value>(&out).unwrap()["light"].clone();
    assert_eq!(light["measured"], json!(2), "{out}");
    let weak = &light["weak"][0];
    assert_eq!(
        (&weak["port"], &weak["power"], &weak["state"]),
        (&json!("cube1.+x[0,0]"), &json!(-1.806), &json!("lossy")),
        "{out}"
    );
    // A pod without light has nothing to compare with.
    built(place.path(), &pair(""), "");
    let (_, err) = fabc(place.path(), &[&drift[..], &["--ports", "ports.csv"]].concat(), 1);
    assert!(err.contains("`pod` has no light"), "{err}");
}
