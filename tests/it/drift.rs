//! Compares the switches with the build: every source, every meaning, and the way into a repair.

use crate::support::command;
use crate::support::spec_text;
use command::fabc;
use serde_json::{Map, Value, json};
use spec_text::SpecText;
use std::path::Path;

/// A pod that tolerates a dark switch, built, and its settings to be changed.
fn built(spec: &SpecText) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), spec.text()).unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    fabc(place.path(), &["build", "pod.fab", "-q", "--until", "analyze", "--emit", "ocs_ports=ports.csv"], 0);
    place
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .unwrap()
}

fn write(path: &Path, value: &Value) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, value.to_string()).unwrap();
}

/// The drift of a live setting, and the exit code.
fn drift(place: &tempfile::TempDir, live: &str, more: &[&str], code: i32) -> Value {
    let (text, err) =
        fabc(place.path(), &[&["drift", "out/pod", "--live", live, "--json"][..], more].concat(), code);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text} {err}"))
}

/// The settings of the build with those of switches changed.
fn settings(place: &tempfile::TempDir, change: impl Fn(&str, &mut Vec<Value>)) {
    let mut document = read(&place.path().join("out/pod/ocs.json"));
    for switch in document["ocs"].as_array_mut().unwrap() {
        let name = switch["name"].as_str().unwrap().to_owned();
        change(&name, switch["cross_connects"].as_array_mut().unwrap());
    }
    write(&place.path().join("live.json"), &document);
}

#[test]
fn what_is_dark_is_a_fault_of_the_budget_or_a_repair() {
    let place = built(&SpecText::pod([2, 2, 2], 4));
    settings(&place, |_, _| {});
    let same = drift(&place, "live.json", &[], 0);
    assert_eq!((&same["means"], &same["switches"]), (&json!("same"), &json!([])));
    fabc(place.path(), &["drift", "out/pod", "--live", "out/pod"], 0);
    // A whole switch: what the budget has tables for.
    settings(&place, |name, set| {
        if name == "X[0,1]" {
            set.clear();
        }
    });
    let full_report = drift(&place, "live.json", &[], 2);
    assert_eq!(
        (&full_report["means"], &full_report["scenario"], &full_report["repair"]),
        (&json!("scenario"), &json!("X[0,1]"), &json!([]))
    );
    let (text, _) = fabc(place.path(), &["drift", "out/pod", "--live", "live.json"], 2);
    assert!(
        text.contains(
            "this is the fault X[0,1] of the budget: its tables are out/pod/tables/fault-X_0_1.json"
        ),
        "{text}"
    );
    // A fiber and a switch: the names are those that a repair takes, and a repair takes them from the live
    // setting as well.
    settings(&place, |name, set| match name {
        "X[0,0]" => drop(set.remove(1)),
        "Z[1,1]" => set.clear(),
        _ => {}
    });
    let two = drift(&place, "live.json", &[], 2);
    let names: Vec<&str> =
        two["repair"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!((&two["means"], names.len(), names[0]), (&json!("repair"), 2, "Z[1,1]"));
    let down: Vec<&str> = names.iter().flat_map(|name| ["--down", name]).collect();
    fabc(place.path(), &[&["repair", "out/pod", "--out", "named"][..], &down].concat(), 0);
    fabc(place.path(), &["repair", "out/pod", "--out", "seen", "--live", "live.json"], 0);
    for file in ["repair.json", "delta.json", "tables.json"] {
        let [named, seen] =
            ["named", "seen"].map(|folder| std::fs::read(place.path().join(folder).join(file)).unwrap());
        assert!(named == seen, "{file}");
    }
    let (text, _) = fabc(place.path(), &["drift", "out/pod", "--live", "live.json"], 2);
    assert!(
        text.contains(&format!("fabc repair out/pod --down 'Z[1,1]' --down '{}' --out repaired", names[1])),
        "{text}"
    );
    // All of them: nothing but the cubes is left.
    settings(&place, |_, set| set.clear());
    let (text, err) = fabc(place.path(), &["drift", "out/pod", "--live", "live.json", "--json"], 3);
    assert!(err.contains("error[FAB0580]: the surviving pod is disconnected into 4 parts"), "{err}");
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["parts"], 4);
}

#[test]
fn what_should_not_be_joined_is_told() {
    let place = built(&SpecText::pod([2, 2, 2], 4));
    // Two cross-connects with their second ports exchanged.
    settings(&place, |name, set| {
        if name == "Y[0,0]" {
            let (first_end, second_end) = (set[0][1].clone(), set[1][1].clone());
            (set[0][1], set[1][1]) = (second_end, first_end);
        }
    });
    let crossed = drift(&place, "live.json", &[], 2);
    assert_eq!(crossed["means"], "foreign");
    let switch = &crossed["switches"][0];
    let lengths = ["missing", "extra", "moved"].map(|list| switch[list].as_array().unwrap().len());
    assert_eq!((switch["ocs"].as_str(), lengths), (Some("Y[0,0]"), [2, 2, 2]));
    let (text, _) = fabc(place.path(), &["drift", "out/pod", "--live", "live.json"], 2);
    assert!(text.contains("packets on them go astray") && text.contains("moved here"), "{text}");
    let (_, err) = fabc(place.path(), &["repair", "out/pod", "--out", "fixed", "--live", "live.json"], 3);
    assert!(err.contains("error[FAB0580]: 2 cross-connects of `live.json` are not in the build"), "{err}");
    assert!(!place.path().join("fixed").exists());
}

/// A pod with a group of each kind of switches that can be configured.
fn kinds() -> tempfile::TempDir {
    built(&SpecText::configurable("synthesize { symmetry = none; seed = 1; }"))
}

/// How a dump of the state is written.
#[derive(Clone, Copy, PartialEq)]
enum Dump {
    /// As the high-level design has it, keys `TABLE|key`.
    Design,
    /// As the published image has it, wrapped with types.
    Image,
    /// The dump has tables of rows.
    Nested,
    /// Only ports, with what their light goes to.
    Ports,
}

/// The state that a configuration comes to, with the words that `word` gives to its cross-connects.
fn state(config: &Value, dump: Dump, word: impl Fn(usize) -> Option<&'static str>) -> Value {
    let mut out = Map::new();
    let mut rows: [Map<String, Value>; 2] = Default::default();
    for (index, (key, cross_connect)) in config["OCS_CROSS_CONNECT"].as_object().unwrap().iter().enumerate() {
        let Some(word) = word(index) else { continue };
        let (a, b) = (cross_connect["a_side"].as_str().unwrap(), cross_connect["b_side"].as_str().unwrap());
        let port = |target: &str| json!({"status": word, "target_simplex_port_id": target});
        match dump {
            Dump::Design => {
                let row = json!({"a_side": a, "b_side": b, "a_side_status": "tuned", "b_side_status": word});
                out.insert(format!("OCS_CROSS_CONNECT|{key}"), row);
            }
            Dump::Image => {
                out.insert(
                    format!("OCS_CROSS_CONNECT_TABLE|{key}"),
                    json!({"type": "hash", "value": {"oper_status": word}}),
                );
            }
            Dump::Nested => {
                drop(rows[1].insert(key.clone(), json!({"a_side": a, "b_side": b, "status": word})))
            }
            Dump::Ports => {
                rows[0].insert(a.to_owned(), port(b));
                rows[0].insert(b.to_owned(), port(a));
            }
        }
    }
    let [ports, cross_connects] = rows;
    if dump == Dump::Nested {
        out.insert("OCS_CROSS_CONNECT".to_owned(), Value::Object(cross_connects));
    }
    if dump == Dump::Ports {
        out.insert("OCS_PORT".to_owned(), Value::Object(ports));
    }
    out.insert("DEVICE_METADATA|localhost".to_owned(), json!({"type": "hash", "value": {"hwsku": "any"}}));
    Value::Object(out)
}

/// Copies the configurations of all switches to `live`, and returns that of one.
fn configured(place: &tempfile::TempDir, name: &str) -> Value {
    let live = place.path().join("live");
    let _ = std::fs::remove_dir_all(&live);
    std::fs::create_dir_all(&live).unwrap();
    for entry in std::fs::read_dir(place.path().join("out/pod/ocs")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), live.join(entry.file_name())).unwrap();
    }
    read(&live.join(format!("{name}.config_db.json")))
}

#[test]
fn sonic_says_what_is_lit_pending_failed_and_blocked() {
    let place = kinds();
    for switch in ["W", "X", "Y_0", "Z_1"] {
        let config = configured(&place, switch);
        drift(&place, "live", &[], 0);
        for dump in [Dump::Design, Dump::Image, Dump::Nested, Dump::Ports] {
            states_of_cross_connects(&place, switch, &config, dump);
        }
    }
    for switch in ["Y_0", "Z_1"] {
        ports_of_a_missing_cross_connect(&place, switch);
    }
    for (switch, leaf) in [("Y_0", "state"), ("Z_1", "config_status")] {
        for word in ["force_blocked", "powered-off"] {
            a_blocked_port_is_dark(&place, switch, leaf, word);
        }
    }
}

/// Every state that a dump may show for the first cross-connect of a switch.
fn states_of_cross_connects(place: &tempfile::TempDir, switch: &str, config: &Value, dump: Dump) {
    let pairs = if matches!(switch, "W" | "X") { 2 } else { 1 };
    let crossings = config["OCS_CROSS_CONNECT"].as_object().unwrap().len();
    let path = place.path().join(format!("live/{switch}.state_db.json"));
    for word in ["tuned", "Connected"] {
        write(&path, &state(config, dump, |_| Some(word)));
        drift(place, "live", &[], 0);
    }
    // One of them. Of a pair of fibers both directions must pass.
    for (word, list) in
        [("tuning", "pending"), ("failed", "failed"), ("who_knows", "failed"), ("force-blocked", "blocked")]
    {
        write(&path, &state(config, dump, |index| Some(if index == 0 { word } else { "tuned" })));
        let report = drift(place, "live", &[], 2);
        let [difference] = &report["switches"].as_array().unwrap()[..] else { panic!("{report}") };
        let lengths =
            ["missing", "extra", "pending", "failed"].map(|list| difference[list].as_array().unwrap().len());
        let (pending, failed) = (usize::from(list == "pending"), usize::from(list == "failed"));
        assert_eq!(lengths, [1, 0, pending, failed], "{switch} {word} {report}");
        assert_eq!(difference["blocked"].as_array().unwrap().is_empty(), list != "blocked", "{report}");
        let allowed = if list == "pending" { 0 } else { 2 };
        fabc(place.path(), &["drift", "out/pod", "--live", "live", "--allow-pending"], allowed);
    }
    // A cross-connect that is configured but not shown is not pending. A switch may have done nothing at all.
    if crossings > pairs {
        write(&path, &state(config, dump, |index| (index > 0).then_some("tuned")));
        for options in [&[][..], &["--allow-pending"]] {
            let report = drift(place, "live", options, 2);
            let lengths =
                ["pending", "failed"].map(|key| report["switches"][0][key].as_array().unwrap().len());
            assert_eq!(lengths, [0, 1], "{report}");
        }
    }
    write(&path, &state(config, dump, |_| None));
    let report = drift(place, "live", &[], 2);
    assert_eq!(
        (&report["switches"][0]["idle"], report["switches"].as_array().unwrap().len()),
        (&json!(true), 1)
    );
    drift(place, "live", &["--allow-pending"], 2);
    let (text, _) = fabc(place.path(), &["drift", "out/pod", "--live", "live"], 2);
    assert!(text.contains("configured, but not yet set"), "{text}");
}

/// A cross-connect that is not shown is not about to be lit if its ports block, or if others hold them.
fn ports_of_a_missing_cross_connect(place: &tempfile::TempDir, switch: &str) {
    let config = configured(place, switch);
    let path = place.path().join(format!("live/{switch}.state_db.json"));
    let (_, first) = config["OCS_CROSS_CONNECT"].as_object().unwrap().iter().next().unwrap();
    for (word, code) in [("blocked", 2), ("tuning", 0)] {
        let mut switch_state = state(&config, Dump::Nested, |index| (index > 0).then_some("tuned"));
        for end in ["a_side", "b_side"] {
            switch_state["OCS_PORT"][first[end].as_str().unwrap()] = json!({"status": word});
        }
        write(&path, &switch_state);
        let (text, _) = fabc(place.path(), &["drift", "out/pod", "--live", "live", "--allow-pending"], code);
        assert_eq!(text.contains("the switches match the build"), code == 0, "{text}");
    }
    let mut switch_state = state(&config, Dump::Nested, |_| Some("tuned"));
    let rows = switch_state["OCS_CROSS_CONNECT"].as_object().unwrap();
    let port_pairs: Vec<[String; 2]> = rows
        .values()
        .map(|row| ["a_side", "b_side"].map(|end| row[end].as_str().unwrap().to_owned()))
        .collect();
    if let [first, second, ..] = &port_pairs[..] {
        let crossed = |from: &[String; 2], to: &[String; 2]| {
            (format!("{}-{}", from[0], to[1]), json!({"a_side": from[0], "b_side": to[1], "status": "tuned"}))
        };
        let rest = port_pairs[2..].iter().map(|port_pairs| crossed(port_pairs, port_pairs));
        switch_state["OCS_CROSS_CONNECT"] =
            Value::Object([crossed(first, second), crossed(second, first)].into_iter().chain(rest).collect());
        write(&path, &switch_state);
        let report = drift(place, "live", &["--allow-pending"], 2);
        let lengths = ["missing", "extra"].map(|list| report["switches"][0][list].as_array().unwrap().len());
        assert_eq!((&report["means"], lengths), (&json!("foreign"), [2, 2]), "{report}");
    }
    std::fs::remove_file(&path).unwrap();
}

/// A port that is configured to block light is dark, in either spelling.
fn a_blocked_port_is_dark(place: &tempfile::TempDir, switch: &str, leaf: &str, word: &str) {
    let mut config = configured(place, switch);
    config["OCS_PORT"]["1A"][leaf] = json!(word);
    let label = config["OCS_PORT"]["1A"]["label"].clone();
    write(&place.path().join(format!("live/{switch}.config_db.json")), &config);
    let report = drift(place, "live", &[], 2);
    assert_eq!(
        (&report["switches"][0]["blocked"], &report["means"]),
        (&json!([label]), &json!("repair")),
        "{report}"
    );
    let (_, err) = fabc(place.path(), &["plan", "out/pod", "--live", "live"], 0);
    assert!(
        err.contains("1 of the cross-connects of `live` is set but dark, and the plan counts it as lit"),
        "{err}"
    );
}

#[test]
fn polatis_has_numbers_and_a_map() {
    let place = kinds();
    let ports = std::fs::read_to_string(place.path().join("ports.csv")).unwrap();
    assert!(ports.starts_with("switch,port,face\nW,1,\"cube0."), "{ports}");
    let number = |switch: &str, face: &str, egress: bool| -> u32 {
        let rows = ports.lines().filter_map(|line| line.strip_prefix(&format!("{switch},")));
        let mut matching_rows = rows
            .filter(|row| row.ends_with(&format!(",\"{face}\"")))
            .map(|row| row.split(',').next().unwrap().parse().unwrap());
        if egress { matching_rows.next_back().unwrap() } else { matching_rows.next().unwrap() }
    };
    let _ = configured(&place, "W");
    for switch in ["W", "X", "Y_0", "Y_1", "Z_0", "Z_1"] {
        let config = read(&place.path().join(format!("live/{switch}.config_db.json")));
        std::fs::remove_file(place.path().join(format!("live/{switch}.config_db.json"))).unwrap();
        let label = |port: &Value| config["OCS_PORT"][port.as_str().unwrap()]["label"].as_str().unwrap();
        let pair = |cross_connect: &Value| json!({"ingress": number(switch, label(&cross_connect["a_side"]), false), "egress": number(switch, label(&cross_connect["b_side"]), true)});
        let pairs: Vec<Value> = config["OCS_CROSS_CONNECT"].as_object().unwrap().values().map(pair).collect();
        write(
            &place.path().join(format!("live/{switch}.json")),
            &json!({"optical-switch:cross-connects": {"pair": pairs}}),
        );
    }
    drift(&place, "live", &["--ports", "ports.csv"], 0);
    let (_, err) = fabc(place.path(), &["drift", "out/pod", "--live", "live"], 1);
    assert!(err.contains("its ports have numbers and no labels"), "{err}");
    write(&place.path().join("live/Z_0.json"), &json!({"optical-switch:cross-connects": {"pair": []}}));
    let dark = drift(&place, "live", &["--ports", "ports.csv"], 2);
    assert_eq!((&dark["repair"], &dark["switches"][0]["idle"]), (&json!(["Z[0]"]), &json!(false)));
    for (row, reason) in [
        ("Z_0,1", "line 2: it is not `switch,port,face`"),
        ("Z_0,one,\"x\"", "line 2: `one` is not the number of a port"),
        ("Q,1,\"x\"", "line 2: the spec declares no OCS with the file name `Q`"),
        ("Z_0,1,\"x\"\nZ_0,1,\"y\"", "line 3: port 1 of Z_0 has a face already"),
        ("Z_0,1,\"x\"", "`--ports` has no port"),
    ] {
        std::fs::write(place.path().join("bad.csv"), format!("switch,port,face\n{row}\n")).unwrap();
        let (_, err) = fabc(place.path(), &["drift", "out/pod", "--live", "live", "--ports", "bad.csv"], 1);
        assert!(err.contains("error[FAB0531]") && err.contains(reason), "{err}");
    }
}

#[test]
fn files_that_do_not_fit_are_told() {
    let place = kinds();
    let fails = |reason: &str| {
        let (text, err) = fabc(place.path(), &["drift", "out/pod", "--live", "live"], 1);
        assert!(text.is_empty() && err.contains("error[FAB0531]") && err.contains(reason), "{err}");
    };
    let live = |file: &str| place.path().join("live").join(file);
    // The state alone lacks the labels.
    let config = configured(&place, "Y_0");
    write(&live("Y_0.state_db.json"), &state(&config, Dump::Design, |_| Some("tuned")));
    std::fs::remove_file(live("Y_0.config_db.json")).unwrap();
    fails("has no label here: the CONFIG_DB of the switch, which has them, is missing");
    std::fs::remove_file(live("Y_0.state_db.json")).unwrap();
    fails("the OCS `Y[0]` is missing");
    // The file of another switch, and two of one.
    configured(&place, "Y_0");
    std::fs::copy(live("Y_1.config_db.json"), live("Y_0.config_db.json")).unwrap();
    fails("is not wired to this switch");
    configured(&place, "Y_0");
    std::fs::copy(live("Y_0.config_db.json"), live("Y_0.json")).unwrap();
    fails("sets `Y[0]`, which live/Y_0.config_db.json sets as well");
    configured(&place, "Y_0");
    write(&live("Q_7.config_db.json"), &json!({"OCS_PORT": {}}));
    fails("the spec declares no OCS with the file name `Q_7`");
    // One direction of two, and ports that are not there.
    let mut config = configured(&place, "X");
    let first = config["OCS_CROSS_CONNECT"].as_object().unwrap().keys().next().unwrap().clone();
    let removed = config["OCS_CROSS_CONNECT"].as_object_mut().unwrap().remove(&first).unwrap();
    write(&live("X.config_db.json"), &config);
    fails("but no cross-connect leads back");
    config["OCS_CROSS_CONNECT"][&first] = removed;
    config["OCS_CROSS_CONNECT"][&first]["b_side"] = json!("99B");
    write(&live("X.config_db.json"), &config);
    fails("port 99B does not stand in OCS_PORT");
    configured(&place, "X");
    write(&live("X.state_db.json"), &json!({"OCS_CROSS_CONNECT|1A": {"status": "tuned"}}));
    fails("at `OCS_CROSS_CONNECT|1A`: it does not name two ports");
    std::fs::write(live("X.state_db.json"), "{").unwrap();
    fails("EOF while parsing");
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), SpecText::network("hyperx 3 x 4;").named("pod").text())
        .unwrap();
    fabc(place.path(), &["build", "pod.fab", "-q"], 0);
    fabc(place.path(), &["drift", "out/pod", "--live", "out/pod"], 1);
}
