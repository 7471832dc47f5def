//! Collectives in groups, from outside: what a build plans for a spec, what `verify` convicts, what is
//! refused, and what other commands make of it.

use super::built;
use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use serde_json::Value;
use std::path::Path;

/// Sixteen chips in two cubes on a torus, one dark switch tolerated, with a collective of every kind.
fn pod() -> SpecText {
    SpecText::pod([2, 2, 2], 2).with("topology = torus 2 x 2 x 4;").with("routing = up_down;")
}

fn planned() -> tempfile::TempDir {
    built(
        &pod()
            .with("collective around = all_gather { size = 1 MiB; groups = 8; algorithm = ring; }")
            .with("collective experts = all_to_all { size = 1 MiB; groups = 4; }")
            .with("collective gradients = all_reduce { size = 1 MiB; groups = 8; scenarios = all; }")
            .with("collective parts = reduce_scatter { size = 1 MiB; groups = 8; algorithm = direct; }")
            .with("collective tensor = all_gather { size = 1 MiB; groups = 8; }")
            .with("require tensor.time <= 1 ms;")
            .with("require tensor.share >= 0.4;")
            .with("require tensor.bandwidth >= 1 GB/s;")
            .with("require fault.tensor.time <= 1 ms;"),
    )
}

fn report(place: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(place.join("out/pod/report.json")).unwrap()).unwrap()
}

#[test]
fn groups_of_a_spec_are_planned_required_and_proved() {
    let place = planned();
    let report = report(place.path());
    let rows = report["collectives"].as_array().unwrap();
    for (row, [groups, chips]) in rows.iter().zip([[8, 8], [4, 4], [8, 8], [8, 8], [8, 8]]) {
        assert_eq!((&row["groups"], &row["chips"]), (&Value::from(groups), &Value::from(chips)), "{row}");
    }
    let tensor = &rows[4];
    assert_eq!(tensor["algorithm"], "within");
    // Each block of 2 x 2 x 2 has five channels a chip of its own, since x and y close: 7/5 shard times.
    let file = std::fs::read(place.path().join("out/pod/collectives/tensor.json")).unwrap();
    let forest = &serde_json::from_slice::<Value>(&file).unwrap()["forest"];
    let [load, parts] = [&forest["load"][0], &forest["k"]].map(|number| number.as_u64().unwrap());
    assert_eq!((load * 5, &forest["load"][1]), (parts * 7, &Value::from(1)));
    assert!(tensor["scenarios"].as_array().unwrap().len() > 1);
    fabc(place.path(), &["verify", "out/pod"], 0);
    let text = std::fs::read_to_string(place.path().join("out/pod/report.txt")).unwrap();
    assert!(text.contains("in 2 groups of 8 chips"), "{text}");
    // The same spec gives the same bytes, on one thread too.
    let before = std::fs::read(place.path().join("out/pod/collectives/tensor.json")).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q", "--threads", "1"], 0);
    assert_eq!(std::fs::read(place.path().join("out/pod/collectives/tensor.json")).unwrap(), before);
}

/// Changes a file of the directory, and returns what `verify` says to it.
fn convicted(place: &Path, file: &str, change: impl Fn(&mut Value)) -> String {
    let path = place.join("out/pod").join(file);
    let before = std::fs::read(&path).unwrap();
    let mut value: Value = serde_json::from_slice(&before).unwrap();
    change(&mut value);
    assert_ne!(value, serde_json::from_slice::<Value>(&before).unwrap(), "{file}");
    std::fs::write(&path, serde_json::to_vec(&value).unwrap()).unwrap();
    let (out, err) = fabc(place, &["verify", "out/pod"], 3);
    std::fs::write(&path, before).unwrap();
    format!("{out}{err}")
}

#[test]
fn every_change_of_a_schedule_in_groups_is_convicted() {
    let place = planned();
    let swap = |value: &mut Value| {
        let first = value["groups"][0][0].take();
        value["groups"][0][0] = value["groups"][1][0].take();
        value["groups"][1][0] = first;
    };
    let misses = |value: &mut Value| drop(value["groups"][1].as_array_mut().unwrap().pop());
    let tree = |value: &mut Value| {
        drop(value["forest"]["trees"][0]["sends"].as_array_mut().unwrap().pop());
    };
    let algorithm = |name: &'static str| move |value: &mut Value| value["algorithm"] = name.into();
    for file in ["collectives/tensor.json", "collectives/around.json", "collectives/parts.json"] {
        assert!(convicted(place.path(), file, swap).contains("FAB"), "{file}");
        convicted(place.path(), file, misses);
        convicted(place.path(), file, tree);
        convicted(place.path(), file, algorithm("trees"));
        convicted(place.path(), file, |value| {
            value.as_object_mut().unwrap().remove("groups");
        });
        convicted(place.path(), file, |value| value["bounds"][0]["received"] = 10_000.into());
        convicted(place.path(), file, |value| {
            value["chunks"] = (value["chunks"].as_u64().unwrap() + 1).into();
        });
    }
    convicted(place.path(), "collectives/tensor.json", algorithm("ring"));
    convicted(place.path(), "collectives/around.json", algorithm("direct"));
    convicted(place.path(), "collectives/experts.json", swap);
    convicted(place.path(), "collectives/experts.json", |value| {
        drop(value["paths"]["pairs"].as_array_mut().unwrap().pop());
    });
    convicted(place.path(), "collectives/experts.json", |value| {
        value["bounds"][0]["distance"] = 1_000.into()
    });
    convicted(place.path(), "collectives/gradients.json", |value| {
        value["bounds"][0]["parts"] = 16.into();
    });
    // One byte less in the spec, another time in the report.
    let spec = place.path().join("out/pod/spec.fab");
    let text = std::fs::read_to_string(&spec).unwrap();
    std::fs::write(&spec, text.replacen("groups = 8", "groups = 4", 1)).unwrap();
    fabc(place.path(), &["verify", "out/pod"], 3);
    std::fs::write(&spec, text.replacen("size = 1048576 B", "size = 1048568 B", 1)).unwrap();
    fabc(place.path(), &["verify", "out/pod"], 3);
    std::fs::write(&spec, text).unwrap();
    convicted(place.path(), "report.json", |value| {
        let other = value["collectives"][4]["scenarios"][0]["others"][0]["time_ns"].take();
        value["collectives"][4]["time_ns"] = other;
    });
    fabc(place.path(), &["verify", "out/pod"], 0);
}

#[test]
fn groups_that_do_not_fit_are_refused_at_their_line() {
    let place = tempfile::tempdir().unwrap();
    for (settings, words) in [
        ("size = 1 MiB; groups = 5;", "groups of 5 do not part 16 chips: 3 groups leave 1 over"),
        ("size = 1 MiB; groups = 32;", "groups of 32 chips are larger than the fabric, which has 16"),
        ("size = 1000001 B; groups = 8;", "1000001 bytes do not divide into 8 shards"),
        ("size = 64 B; groups = 8;", "shards of 8 B in groups of 8, less than a flit"),
        ("size = 1 MiB; groups = 1;", "`groups`"),
        ("size = 1 MiB; groups = 8; algorithm = steps;", "cannot be `steps`"),
    ] {
        let text = pod().with(&format!("collective tensor = all_gather {{ {settings} }}")).text();
        std::fs::write(place.path().join("fabric.fab"), text).unwrap();
        for command in ["check", "build"] {
            let (_, error) = fabc(place.path(), &[command, "fabric.fab"], 1);
            assert!(error.contains(words) && error.contains("fabric.fab:"), "{settings}: {error}");
        }
    }
    let rooted = pod().with("collective start = broadcast { size = 1 MiB; root = 0; groups = 8; }").text();
    std::fs::write(place.path().join("fabric.fab"), rooted).unwrap();
    let (_, error) = fabc(place.path(), &["check", "fabric.fab"], 1);
    assert!(error.contains("`groups` does not belong in `broadcast`"), "{error}");
    let apart = pod()
        .with("cube { mesh 2 x 2 x 2 over copper; }")
        .with("collective tensor = all_gather { size = 1 MiB; groups = 16; algorithm = paths; }");
    std::fs::write(place.path().join("fabric.fab"), apart.text()).unwrap();
    let (_, error) = fabc(place.path(), &["check", "fabric.fab"], 1);
    assert!(error.contains("the algorithm of `all_gather`"), "{error}");
}

#[test]
fn the_command_knows_groups() {
    let place = planned();
    let run =
        |args: &[&str], code| fabc(place.path(), &[&["collective", "out/pod"][..], args].concat(), code);
    let (text, _) = run(&["--collective", "tensor"], 0);
    assert!(text.contains("groups of 8 chips") && text.contains("within the groups alone"), "{text}");
    let (text, _) = run(&["--size", "1MiB", "--groups", "4", "--scenario", "all"], 0);
    assert!(text.contains("all_to_all") && text.contains("FAULTS"), "{text}");
    assert!(!text.contains("broadcast"), "{text}");
    let (json, _) = run(&["--collective", "tensor", "--json"], 0);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["groups"], &json["collectives"][0]["chips"]), (&Value::from(8), &Value::from(8)));
    assert!(json["collectives"][0]["inside_bound_ns"].is_number(), "{json}");
    let (_, error) = run(&["--size", "1MiB", "--groups", "6"], 2);
    assert!(error.contains("FAB0568") && error.contains("groups of 6"), "{error}");
    let (_, error) = run(&["--size", "1MiB", "--groups", "8", "--collective", "broadcast", "--root", "0"], 2);
    assert!(error.contains("--groups"), "{error}");
    let (_, error) = run(&["--size", "1MiB", "--groups", "8", "--algorithm", "slots"], 2);
    assert!(error.contains("FAB0561"), "{error}");
    for emit in ["msccl=a.xml", "chakra=traces"] {
        let (_, error) = run(&["--collective", "tensor", "--emit", emit], 3);
        assert!(error.contains("FAB0565") && error.contains("a forest"), "{error}");
    }
    run(&["--collective", "tensor", "--emit", "collective=t.json,trace=t.csv"], 0);
    let verify = |file: &str, tables: &[&str], code| {
        let args = ["verify", "--collective", file, "--topology", "out/pod/topology.json"];
        fabc(place.path(), &[&args[..], tables].concat(), code)
    };
    let (text, _) = verify("t.json", &[], 0);
    assert!(text.contains("16 chips in 2 groups"), "{text}");
    let tables = &["--tables", "out/pod/tables/nominal.json"];
    let (_, error) = verify("t.json", tables, 1);
    assert!(error.contains("has no effect"), "{error}");
    for name in ["around", "parts"] {
        let file = format!("out/pod/collectives/{name}.json");
        verify(&file, tables, 0);
        let (_, error) = verify(&file, &[], 1);
        assert!(error.contains("--tables"), "{error}");
    }
    let simulated = "traffic = trace \"t.csv\"; packet = 4 flits; model = packet { hosts = unlimited; }";
    fabc(place.path(), &["sim", "out/pod", "--with", simulated], 0);
}

/// Every second chip of a ring of eight: no group is connected by itself.
#[test]
fn a_fault_that_cuts_a_group_is_said() {
    let spec = SpecText::network("torus 8;")
        .with("budget { vcs = 8; faults = 1 link; }")
        .with("collective tensor = all_gather { size = 1 MiB; groups = 4; scenarios = all; }");
    let place = built(&spec);
    let text = std::fs::read_to_string(place.path().join("out/net/report.txt")).unwrap();
    assert!(text.contains("in 2 groups of 4 chips"), "{text}");
    fabc(place.path(), &["verify", "out/net"], 0);
    let report: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("out/net/report.json")).unwrap()).unwrap();
    let scenarios = report["collectives"][0]["scenarios"].as_array().unwrap();
    let cut = scenarios.iter().filter(|row| row["left_out"][0] == "within").count();
    // Six of the eight links join two chips of one group.
    assert_eq!((scenarios.len(), cut), (9, 6), "{}", report["collectives"][0]);
}

/// 64 chips of one cube that is wrapped on itself.
#[test]
fn an_all_to_all_of_a_wrapped_cube_takes_half_a_vector() {
    let spec = SpecText::pod([4, 4, 4], 1)
        .with("topology = torus 4 x 4 x 4;")
        .with("routing = dimension_order;")
        .with("budget { vcs = 2; faults = 0; }")
        .with("collective experts = all_to_all { size = 1 MiB; groups = 64; algorithm = direct; }")
        .with("collective tensor = all_gather { size = 1 MiB; groups = 8; }");
    let place = built(&spec);
    let file = |name: &str| -> Value {
        let path = place.path().join(format!("out/pod/collectives/{name}.json"));
        serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
    };
    assert_eq!(file("experts")["paths"]["load"], serde_json::json!([32, 1]));
    assert_eq!(file("tensor")["forest"]["load"], serde_json::json!([7, 1]));
    assert_eq!(file("tensor")["forest"]["k"], 3);
    fabc(place.path(), &["verify", "out/pod"], 0);
}
