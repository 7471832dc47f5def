//! Collectives that a spec declares: the build plans them, checks their requires and proves them.

use super::{boxes_with, built, json, ns, run};
use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use serde_json::Value;

/// A ring of four with a collective of every kind that needs no tables to be followed.
fn declared() -> tempfile::TempDir {
    let text = "collective weights = all_gather { size = 100 kB; barrier = yes; algorithm = steps; }\n\
                collective gradients = all_reduce { size = 100 kB; barrier = yes; algorithm = gather_reduce; }\n\
                collective start = broadcast { size = 100 kB; root = router[2]; barrier = yes; chunks = 2; }\n\
                collective experts = all_to_all { size = 100 kB; chunks = 2; }\n\
                collective shared = all_reduce { size = 100 kB; algorithm = trees; }\n\
                collective sums = reduce { size = 100 kB; root = 3; overhead = 100 ns; }\n\
                require all_gather.time <= 3040 ns;\n\
                require weights.share >= 1;\n\
                require weights.steps == 2;\n\
                require weights.volume <= 3;\n\
                require gradients.bandwidth >= 24.671 GB/s;\n\
                require fault.gradients.steps <= 6;\n\
                require fault.gradients.time <= 200 us;\n";
    built(&SpecText::network("torus 4;").with("budget { vcs = 4; faults = 1 link; }").with(text))
}

/// The numbers are those of `a_ring_of_four_by_hand`.
#[test]
fn collectives_of_a_spec_are_planned_required_and_proved() {
    let place = declared();
    let report: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("out/net/report.json")).unwrap()).unwrap();
    let collectives = report["collectives"].as_array().unwrap();
    let names: Vec<&str> = collectives.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["experts", "gradients", "shared", "start", "sums", "weights"]);
    let collective_rows: Vec<&Value> = ["gradients", "start", "weights"]
        .iter()
        .map(|name| collectives.iter().find(|row| row["name"] == **name).unwrap())
        .collect();
    assert_eq!(
        (
            ns(&collective_rows[2]["time_ns"]),
            ns(&collective_rows[2]["bound_ns"]),
            &collective_rows[2]["steps"]
        ),
        (3040.0, 3040.0, &Value::from(2))
    );
    assert_eq!(
        (ns(&collective_rows[0]["time_ns"]), &collective_rows[0]["algorithm"]),
        (6080.0, &Value::from("gather_reduce"))
    );
    assert_eq!(
        (&collective_rows[1]["root"], &collective_rows[1]["chunks"]),
        (&Value::from("router[2]"), &Value::from(2))
    );
    // The line of the contract on faults asks for plans under faults. Without a link four chips are a line of
    // three. Every byte goes over it twice, in three hops with a barrier after each.
    let faults = collective_rows[0]["scenarios"].as_array().unwrap();
    assert_eq!((faults.len(), collective_rows[2]["scenarios"].as_array().unwrap().len()), (5, 1));
    assert_eq!(
        (&faults[1]["bound"]["channels"], ns(&faults[1]["bound_ns"])),
        (&Value::from(6), 8060.0),
        "{}",
        faults[1]
    );
    assert_eq!(report["requires"].as_array().unwrap().iter().filter(|line| line["holds"] == true).count(), 7);
    let files = place.path().join("out/net/collectives");
    let mut files: Vec<_> = std::fs::read_dir(files)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files.len(), 10, "{files:?}");
    assert_eq!((&*files[0], &*files[5], &*files[6]), ("experts.json", "gradients.json", "shared.json"));
    let (out, _) = fabc(place.path(), &["verify", "out/net"], 0);
    assert!(out.contains("report.json collectives"), "{out}");
}

/// The command knows them by name. Its options go before what the spec says.
#[test]
fn collectives_of_a_spec_are_known_by_name() {
    let place = declared();
    let (text, _) = run(&place, &[], 0);
    let heads = text.lines().filter(|line| line.starts_with("collectives on net, nominal: 4 chips")).count();
    assert_eq!(heads, 6, "{text}");
    assert!(text.contains("the root is router[2]") && text.contains("a barrier after every step"), "{text}");
    let weights_row = |args: &[&str]| {
        json(&place, &[&["--collective", "weights"], args].concat())["collectives"][0].clone()
    };
    let row = weights_row(&[]);
    assert_eq!(
        (&row["collective"], &row["algorithm"], ns(&row["time_ns"])),
        (&"all_gather".into(), &"steps".into(), 3040.0),
        "{row}"
    );
    // Whole vectors of twice the size, by slots.
    let row = weights_row(&["--size", "200kB", "--algorithm", "multitree"]);
    assert_eq!(
        (&row["size"], &row["algorithm"], ns(&row["time_ns"])),
        (&200_000.into(), &"multitree".into(), 8040.0),
        "{row}"
    );
    // A kind with a size is what it says, whatever the spec declares.
    let row =
        json(&place, &["--collective", "reduce", "--root", "1", "--size", "1kB"])["collectives"][0].clone();
    assert_eq!((&row["root"], &row["size"]), (&"router[1]".into(), &1000.into()), "{row}");
    let (_, error) = run(&place, &["--csv"], 2);
    assert!(error.contains("FAB0564") && error.contains("one of the collectives of the spec"), "{error}");
}

/// A changed schedule is an error, and so is a changed report of it.
#[test]
fn tampered_collectives_of_a_directory_are_convicted() {
    let place = declared();
    let change = |path: &str, from: &str, to: &str, code: &str| {
        let path = place.path().join("out/net").join(path);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from} in {text}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let (_, error) = fabc(place.path(), &["verify", "out/net"], 3);
        assert!(error.contains(code), "{from}: {error}");
        std::fs::write(&path, text).unwrap();
    };
    // The hash of the file is wrong as well, and is another error.
    change("collectives/weights.json", "\"width\":2", "\"width\":3", "weights.json");
    change("collectives/weights.json", "\"shards\":3", "\"shards\":4", "weights.json");
    change("collectives/start.json", "\"root\":2", "\"root\":1", "start.json");
    change("report.json", "\"time_ns\":3040.000", "\"time_ns\":3039.000", "report.json");
    change("report.json", "\"measured\":3040.000000", "\"measured\":3030.000000", "requires");
    std::fs::remove_file(place.path().join("out/net/collectives/gradients.json")).unwrap();
    let (_, error) = fabc(place.path(), &["verify", "out/net"], 3);
    assert!(error.contains("collectives/gradients.json"), "{error}");
}

#[test]
fn a_root_that_the_fabric_does_not_have_is_told_with_its_place() {
    let text = "collective start = broadcast { size = 100 kB; root = cube0[0,0,0]; }\n";
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), SpecText::network("torus 4;").with(text).text()).unwrap();
    let (_, error) = fabc(place.path(), &["build", "fabric.fab", "-q"], 1);
    assert!(error.contains("FAB0562") && error.contains("there is no router `cube0[0,0,0]`"), "{error}");
    assert!(!place.path().join("out").exists());
}

/// Spines only forward: what is gathered and summed goes along the tables, from leaf to leaf. Every leaf has
/// two links up. A shard of 25 kB takes 2 us, a hop 20 ns.
#[test]
fn leaves_send_where_spines_only_forward() {
    let text = "collective gradients = all_reduce { size = 100 kB; chunks = 1; algorithm = direct; }
                collective weights = all_gather { size = 100 kB; algorithm = direct; }
                require gradients.time <= 8080 ns;
                require fault.gradients.share >= 0.3737;
";
    let tree = SpecText::network("fat_tree { levels = 2; arity = 4; }");
    let place = built(&tree.with("budget { vcs = 2; faults = 1 link; }").with(text));
    let report: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("out/net/report.json")).unwrap()).unwrap();
    let [gradients, weights] = [0, 1].map(|index| report["collectives"][index].clone());
    // Up and then down, a slot of 2 us each, and twice that. Every leaf takes in three of four vectors twice,
    // by four channels: 3 us.
    assert_eq!((ns(&gradients["time_ns"]), ns(&gradients["bound_ns"])), (8_080.0, 3_020.0), "{gradients}");
    assert_eq!(
        (&gradients["steps"], &gradients["worst_fault"]),
        (&4.into(), &"level0[0].port0".into()),
        "{gradients}"
    );
    assert_eq!(
        gradients["scenarios"][0]["bound"],
        serde_json::json!({"kind": "partition", "parts": 4, "channels": 16})
    );
    // Quarters follow each other: five slots of 500 ns, and two hops. Three shards come in by four channels,
    // two hops away.
    assert_eq!(
        (ns(&weights["time_ns"]), ns(&weights["bound_ns"]), &weights["chunks"]),
        (2_540.0, 1_540.0, &4.into()),
        "{weights}"
    );
    fabc(place.path(), &["verify", "out/net"], 0);
    let rows = json(&place, &["--size", "100kB", "--collective", "all_gather"]);
    let row = &rows["collectives"][0];
    assert_eq!((&row["algorithm"], &row["left_out"]), (&"forest".into(), &Value::Null), "{row}");
    // A quarter of the vector to every leaf, a slot of 2 us each. Then the quarter of every leaf to all but
    // the root.
    let along_tables = ["--collective", "broadcast", "--root", "0", "--algorithm", "direct"];
    let rows = json(&place, &[&["--size", "100kB"], &along_tables[..]].concat());
    let row = &rows["collectives"][0];
    assert_eq!((&row["algorithm"], &row["left_out"]), (&"direct".into(), &Value::Null), "{row}");
    let (_, error) =
        run(&place, &["--size", "1kB", "--collective", "broadcast", "--root", "0", "--algorithm", "pull"], 1);
    assert!(error.contains("FAB0563") && error.contains("only forwards"), "{error}");
    let (_, error) = run(&place, &["--size", "1kB", "--collective", "all_gather", "--algorithm", "steps"], 1);
    assert!(error.contains("FAB0563") && error.contains("only forwards"), "{error}");
}

/// Two boxes of four GPUs, a switch inside and a network card at every GPU. Half of what a GPU has goes over
/// its card: 4 shards of 8 kB at 25 GB/s are 1.28 us. One leg over the right rail is the last one.
#[test]
fn all_to_alls_beside_next_hop_groups_have_paths_of_their_own() {
    let text = boxes_with(
        "    collective turn = all_to_all { size = 1 GiB; }
    collective small = all_to_all { size = 64 kB; algorithm = paths; }
    require turn.share >= 0.999;
    require turn.time <= 21.48 ms;
",
    );
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), text).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    fabc(place.path(), &["verify", "out/net"], 0);
    let files = place.path().join("out/net");
    let turn: Value =
        serde_json::from_slice(&std::fs::read(files.join("collectives/turn.json")).unwrap()).unwrap();
    assert_eq!((&turn["algorithm"], &turn["paths"]["load"]), (&"paths".into(), &serde_json::json!([4, 1])));
    // A forged file is convicted by its content, also where its digest is right.
    let forged = |from: &str, to: &str, words: &str| {
        let path = files.join("collectives/turn.json");
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from} in {text}");
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        let (_, error) = fabc(place.path(), &["verify", "out/net"], 3);
        assert!(error.contains(words), "{words}: {error}");
        std::fs::write(&path, text).unwrap();
    };
    forged("\"load\":[4,1]", "\"load\":[3,1]", "the busiest channel carries 4 parts on 1 lanes, not 3");
    forged("\"k\":1", "\"k\":2", "of 2 parts");
    forged("\"shards\":7", "\"shards\":8", "but its witness gives");
    forged("\"algorithm\":\"paths\"", "\"algorithm\":\"direct\"", "lists do not fit");
    let report: Value = serde_json::from_slice(&std::fs::read(files.join("report.json")).unwrap()).unwrap();
    let rows = report["collectives"].as_array().unwrap();
    let small = rows.iter().find(|row| row["name"] == "small").unwrap();
    // At most one leg inside, over two links, before the leg over a rail: two hops each.
    let time = ns(&small["time_ns"]);
    assert!((1_280.0 + 900.0..=1_280.0 + 900.0 + 400.0 + 400.0).contains(&time), "{small}");
}

/// Under every fault of a link, other paths are found. A leaf with one link up has half of its bandwidth.
#[test]
fn paths_under_faults() {
    let text = "collective turn = all_to_all { size = 1 GiB; }
                require turn.share >= 0.999;
                require fault.turn.share >= 0.99;
";
    let net = SpecText::network("leaf_spine { leaves = 4; spines = 2; }").with("routing = spray;");
    let place = built(&net.with("budget { vcs = 1; faults = 1 link; }").with(text));
    fabc(place.path(), &["verify", "out/net"], 0);
}
