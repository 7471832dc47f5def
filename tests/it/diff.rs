//! `fabc diff`, driven from outside: what is the same under other names, what moved, what is better, and what
//! cannot be read, and `--golden` with a tolerance.

use crate::support::plain;
use crate::support::spec_text;
use plain::fabc;
use serde_json::{Value, json};
use spec_text::SpecText;
use std::path::Path;

/// Four cubes of four chips, every dark switch tolerated.
fn pod() -> SpecText {
    SpecText::pod([2, 2, 1], 4).with("require diameter <= 8;").with("require max_channel_load <= 60;")
}

/// A directory with `out/pod`, built.
fn built() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    build(&place, "pod", &pod());
    place
}

/// Builds a spec into `out/NAME`.
fn build(place: &tempfile::TempDir, name: &str, spec: &SpecText) {
    std::fs::write(place.path().join(format!("{name}.fab")), spec.clone().named(name).text()).unwrap();
    fabc(place.path(), &["build", &format!("{name}.fab"), "-q"], 0);
}

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .unwrap()
}

/// A copy of `out/pod` as `out/NAME`, with one of its files changed.
fn changed(place: &tempfile::TempDir, name: &str, file: &str, change: impl FnOnce(&mut Value)) {
    let [from, to] = ["pod", name].map(|name| place.path().join("out").join(name));
    copy(&from, &to);
    let mut value = read(&to.join(file));
    change(&mut value);
    std::fs::write(to.join(file), value.to_string()).unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => std::fs::write(&to, std::fs::read(entry.path()).unwrap()).unwrap(),
        }
    }
}

/// The difference as JSON, and the exit code.
fn diff(place: &tempfile::TempDir, a: &str, b: &str, code: i32) -> Value {
    let (text, _) = fabc(place.path(), &["diff", a, b, "--json"], code);
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!((&value["format"], &value["same"]), (&json!("fabc.diff/1"), &json!(code == 0)));
    value
}

/// The settings of a build when every cube has the name of its image.
fn renamed(place: &tempfile::TempDir, images: [u32; 4]) -> Value {
    let mut document = read(&place.path().join("out/pod/ocs.json"));
    for switch in document["ocs"].as_array_mut().unwrap() {
        // Ports ascend by cube, one of each.
        let set = switch["cross_connects"].as_array_mut().unwrap();
        for pair in set.iter_mut() {
            *pair = json!([
                images[pair[0].as_u64().unwrap() as usize],
                images[pair[1].as_u64().unwrap() as usize]
            ]);
        }
        set.sort_by_key(|pair| pair[0].as_u64());
    }
    document
}

/// Builds the pod with given settings.
fn build_set(place: &tempfile::TempDir, name: &str, set: &Value) {
    std::fs::write(place.path().join(format!("{name}.json")), set.to_string()).unwrap();
    build(place, name, &pod().with(&format!("topology = cross_connects \"{name}.json\";")));
}

#[test]
fn a_build_is_the_same_as_itself_and_as_its_spec() {
    let place = built();
    let same = diff(&place, "out/pod", "out/pod", 0);
    assert_eq!((&same["wiring"]["found"], &same["beyond"]), (&json!("same"), &Value::Null));
    assert!(same["metrics"].as_array().unwrap().iter().all(|figure| figure["change"] == "same"));
    let (text, err) = fabc(place.path(), &["diff", "out/pod", "pod.fab"], 0);
    assert!(text.ends_with("\nthe same\n") && err.is_empty(), "{text}{err}");
    diff(&place, "pod.fab", "out/pod", 0);
    // Compiled as far as the directory was, in the form of its tables.
    for form in [&["--until", "analyze"][..], &["--tables-form", "binary"], &["--until", "synthesize"]] {
        fabc(place.path(), &[&["build", "pod.fab", "-q"][..], form].concat(), 0);
        diff(&place, "pod.fab", "out/pod", 0);
    }
    // Another version of fabc is no difference.
    changed(&place, "other", "manifest.json", |manifest| manifest["tool"] = json!("fabc 99.0.0"));
    let other_diff = diff(&place, "out/pod", "out/other", 0);
    assert_eq!(other_diff["b"]["tool"], "fabc 99.0.0");
}

#[test]
fn cubes_with_other_names_are_the_same_wiring() {
    let place = built();
    build_set(&place, "turned", &renamed(&place, [0, 2, 1, 3]));
    let turned = diff(&place, "out/pod", "out/turned", 2);
    let wiring = &turned["wiring"];
    // Where the names as they stand fit as well, nothing is renamed.
    assert!(["same", "renamed"].contains(&wiring["found"].as_str().unwrap()), "{wiring}");
    assert_eq!(
        (&wiring["moves"], &wiring["removed"], &wiring["joints"]),
        (&json!([]), &json!(0), &json!([32, 32]))
    );
    let hops =
        turned["metrics"].as_array().unwrap().iter().find(|figure| figure["name"] == "average_hops").unwrap();
    assert_eq!((&hops["change"], &hops["better"]), (&json!("same"), &json!("less")));
}

/// Settings without symmetry: the cubes of a ring, and one pair of cubes that two switches join otherwise.
fn uneven(place: &tempfile::TempDir, switches: &[&str]) -> Value {
    let mut document = read(&place.path().join("out/pod/ocs.json"));
    for switch in document["ocs"].as_array_mut().unwrap() {
        let special = switches.contains(&switch["name"].as_str().unwrap());
        switch["cross_connects"] = if special {
            json!([[0, 2], [1, 0], [2, 1], [3, 3]])
        } else {
            json!([[0, 1], [1, 2], [2, 3], [3, 0]])
        };
    }
    document
}

#[test]
fn what_moves_is_told_in_the_names_that_fit_best() {
    let place = built();
    build_set(&place, "a", &uneven(&place, &["X[0,0]", "Y[1,0]"]));
    std::fs::copy(place.path().join("out/a/ocs.json"), place.path().join("out/pod/ocs.json")).unwrap();
    build_set(&place, "b", &renamed(&place, [3, 2, 0, 1]));
    let renamed_alone = diff(&place, "out/a", "out/b", 2);
    let pairs = json!([["cube0", "cube3"], ["cube1", "cube2"], ["cube2", "cube0"], ["cube3", "cube1"]]);
    assert_eq!(
        (&renamed_alone["wiring"]["found"], &renamed_alone["wiring"]["renamed"]),
        (&json!("renamed"), &pairs)
    );
    assert_eq!(renamed_alone["wiring"]["moves"], json!([]));
    // Tables go with their cubes: every fault has the same load, whatever the names.
    assert!(
        renamed_alone["tables"]
            .as_array()
            .unwrap()
            .iter()
            .all(|table| ["same", "entries"].contains(&table["found"].as_str().unwrap()))
    );
    // And two cross-connects of one switch swap their ends.
    let mut swapped = renamed(&place, [3, 2, 0, 1]);
    let switch =
        swapped["ocs"].as_array_mut().unwrap().iter_mut().find(|switch| switch["name"] == "X[1,0]").unwrap();
    let second_ports = [0, 1].map(|index| switch["cross_connects"][index][1].clone());
    switch["cross_connects"][0][1] = second_ports[1].clone();
    switch["cross_connects"][1][1] = second_ports[0].clone();
    build_set(&place, "c", &swapped);
    let moved = diff(&place, "out/a", "out/c", 2);
    let wiring = &moved["wiring"];
    assert_eq!(
        (&wiring["found"], &wiring["renamed"], &wiring["removed"], &wiring["added"]),
        (&json!("other"), &pairs, &json!(2), &json!(2))
    );
    assert_eq!((wiring["moves"].as_array().unwrap().len(), &wiring["moves"][0]["at"]), (1, &json!("X[1,0]")));
    let (text, _) = fabc(place.path(), &["diff", "out/a", "out/c"], 2);
    assert!(text.contains("2 of 32 cross-connects moved when 4 cubes are renamed"), "{text}");
    assert!(
        text.contains("  X[1,0]  -cube0.+x[1,0]=") && text.contains("renamed: cube0 -> cube3, "),
        "{text}"
    );
}

#[test]
fn tables_follow_cubes_that_are_renamed() {
    let place = built();
    build_set(&place, "a", &uneven(&place, &["X[0,0]", "Y[1,0]"]));
    // The same directory by hand, its cubes renamed in every file that is compared.
    let images: [u32; 4] = [3, 2, 0, 1];
    copy(&place.path().join("out/a"), &place.path().join("out/b"));
    std::fs::copy(place.path().join("out/a/ocs.json"), place.path().join("out/pod/ocs.json")).unwrap();
    std::fs::write(place.path().join("out/b/ocs.json"), renamed(&place, images).to_string()).unwrap();
    for entry in std::fs::read_dir(place.path().join("out/b/tables")).unwrap() {
        let path = entry.unwrap().path();
        let mut tables = read(&path);
        assert_eq!(tables["canonical"], false, "these settings have no symmetry");
        let image = |node: &Value| {
            json!(images[node.as_u64().unwrap() as usize / 4] * 4 + node.as_u64().unwrap() as u32 % 4)
        };
        for router in tables["routers"].as_array_mut().unwrap() {
            router["node"] = image(&router["node"]);
            for entry in router["entries"].as_array_mut().unwrap() {
                entry[0] = image(&entry[0]);
            }
        }
        std::fs::write(&path, tables.to_string()).unwrap();
    }
    let diff_result = diff(&place, "out/a", "out/b", 2);
    assert_eq!(diff_result["wiring"]["found"], "renamed");
    let tables = diff_result["tables"].as_array().unwrap();
    assert!(tables.len() == 9 && tables.iter().all(|table| table["found"] == "same"), "{tables:?}");
    // One entry of one router turns, another key goes.
    let path = place.path().join("out/b/tables/nominal.json");
    let mut nominal = read(&path);
    let entries = nominal["routers"][5]["entries"].as_array_mut().unwrap();
    let port = entries[0][3].as_u64().unwrap();
    entries[0][3] = json!((port + 1) % 6);
    entries.pop();
    std::fs::write(&path, nominal.to_string()).unwrap();
    let comparison = diff(&place, "out/a", "out/b", 2);
    let first = &comparison["tables"][0];
    assert_eq!(
        (&first["scenario"], &first["routers"], &first["changed"]),
        (&json!("nominal"), &json!(16), &json!(["cube2[1,0,0]"]))
    );
    assert_eq!((&first["added"], &first["turned"], &first["dropped"]), (&json!(0), &json!(1), &json!(1)));
}

#[test]
fn other_seeds_and_routings_are_told_in_metrics_and_tables() {
    let place = built();
    build(
        &place,
        "seed",
        &pod().with("topology = synthesize { symmetry = translation; effort = 1; seed = 9; }"),
    );
    let seed = diff(&place, "out/pod", "out/seed", 2);
    assert_eq!((&seed["a"]["fabric"], &seed["b"]["fabric"]), (&json!("pod"), &json!("seed")));
    // Two routings of one torus.
    let torus = pod().with("topology = torus 2 x 2 x 4;").without("require");
    build(&place, "by_turns", &torus);
    build(&place, "up_down", &torus.with("routing = up_down;"));
    let routings = diff(&place, "out/by_turns", "out/up_down", 2);
    assert_eq!((&routings["wiring"]["found"], &routings["wiring"]["renamed"]), (&json!("same"), &json!([])));
    let load = routings["metrics"]
        .as_array()
        .unwrap()
        .iter()
        .find(|figure| figure["name"] == "max_channel_load")
        .unwrap();
    assert_eq!((&load["change"], &load["better"]), (&json!("worse"), &json!("less")));
    assert!(load["relative"].as_f64().unwrap() > 0.0);
    let nominal = &routings["tables"][0];
    assert!(
        nominal["found"] == "entries" && nominal["routers"] == 16 && nominal["turned"].as_u64().unwrap() > 0,
        "{nominal}"
    );
    let worst = routings["faults"]["worst"].as_array().unwrap();
    assert!(
        worst.iter().any(|figure| figure["name"] == "fault.max_channel_load"
            && figure["at"].as_array().unwrap().len() == 2)
    );
}

#[test]
fn a_report_that_was_touched_is_told_line_by_line() {
    let place = built();
    changed(&place, "worse", "report.json", |report| {
        report["metrics"]["bandwidth"] = json!(100.0);
        report["metrics"]["diameter"] = json!(9);
        report["requires"][0]["holds"] = json!(false);
        report["requires"][0]["measured"] = json!(9);
    });
    let (text, _) = fabc(place.path(), &["diff", "out/pod", "out/worse"], 2);
    insta::with_settings!({ snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false, omit_expression => true }, {
        // The first lines name the version.
        insta::assert_snapshot!("diff_of_a_report", text.split_once("\n\n").unwrap().1);
    });
    let comparison = diff(&place, "out/pod", "out/worse", 2);
    let contract = &comparison["contract"][0];
    assert_eq!(
        (&contract["require"], &contract["other"], &contract["b"]["state"]),
        (&json!("diameter <= 8"), &json!(true), &json!("fails"))
    );
    // No report, another format, no directory.
    for (content, why) in [("{", "report.json"), ("{\"format\":\"fabc.report/7\"}", "fabc.report/7")] {
        std::fs::write(place.path().join("out/worse/report.json"), content).unwrap();
        let (out, err) = fabc(place.path(), &["diff", "out/pod", "out/worse"], 1);
        assert!(out.is_empty() && err.contains("FAB0510") && err.contains(why), "{err}");
    }
    assert!(fabc(place.path(), &["diff", "out/pod", "out"], 1).1.contains("FAB0510"));
    assert!(fabc(place.path(), &["diff", "out/pod", "nowhere"], 1).1.contains("FAB0501"));
    assert!(fabc(place.path(), &["diff", "pod.fab", "pod.fab"], 1).1.contains("FAB0545"));
    assert!(
        fabc(place.path(), &["diff", "out/pod", "out/pod", "--tolerance", "load"], 1).1.contains("FAB0545")
    );
    std::fs::write(place.path().join("broken.fab"), "fabric x {").unwrap();
    assert!(fabc(place.path(), &["diff", "out/pod", "broken.fab"], 1).1.contains("broken.fab:1:"));
    fabc(place.path(), &["diff", "out/pod"], 2);
}

#[test]
fn pods_of_other_sizes_are_compared_by_their_metrics() {
    let place = built();
    build(&place, "larger", &SpecText::pod([2, 2, 1], 5).with("require diameter <= 8;"));
    let diff_result = diff(&place, "out/pod", "out/larger", 2);
    assert_eq!(
        (&diff_result["wiring"]["found"], &diff_result["wiring"]["why"]),
        (&json!("unlike"), &json!("4 cubes of 4 chips, but 5 cubes of 4 chips"))
    );
    assert!(diff_result["tables"].as_array().unwrap().iter().all(|table| table["found"] == "unlike"));
    let gone = diff_result["contract"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["require"] == "max_channel_load <= 60")
        .unwrap();
    assert_eq!((&gone["b"], &gone["other"]), (&Value::Null, &json!(true)));
    let nodes =
        diff_result["metrics"].as_array().unwrap().iter().find(|figure| figure["name"] == "nodes").unwrap();
    assert_eq!((&nodes["a"], &nodes["b"], &nodes["change"]), (&json!(16), &json!(20), &json!("other")));
    let (text, _) = fabc(place.path(), &["diff", "out/pod", "out/larger"], 2);
    assert!(text.contains("two fabrics, `pod` and `larger`"), "{text}");
    // A pod and a network.
    build(&place, "net", &SpecText::network("dragonfly { a = 4; h = 1; g = 5; }"));
    let comparison = diff(&place, "out/pod", "out/net", 2);
    assert_eq!(comparison["wiring"]["why"], "one is a pod, the other a network without switches");
}

/// A graph as a file, with routers in some order.
fn graph(place: &tempfile::TempDir, name: &str, edges: &[(u32, u32)]) {
    let lines: Vec<String> = edges.iter().map(|(a, b)| format!("{a} {b}\n")).collect();
    std::fs::write(place.path().join(format!("{name}.txt")), lines.concat()).unwrap();
    build(place, name, &SpecText::network(&format!("graph \"{name}.txt\";")));
}

#[test]
fn graphs_are_the_same_whatever_their_routers_are_called() {
    let place = tempfile::tempdir().unwrap();
    // The Petersen graph, under other numbers, and with two links that swap their ends.
    let petersen: Vec<(u32, u32)> = (0..5)
        .flat_map(|index| [(index, (index + 1) % 5), (index, index + 5), (5 + index, 5 + (index + 2) % 5)])
        .collect();
    let images = [7, 2, 9, 4, 0, 1, 8, 3, 6, 5];
    let relabelled: Vec<(u32, u32)> =
        petersen.iter().map(|&(a, b)| (images[a as usize], images[b as usize])).collect();
    let mut swapped = petersen.clone();
    (swapped[0].1, swapped[6].1) = (petersen[6].1, petersen[0].1);
    graph(&place, "petersen", &petersen);
    graph(&place, "other", &relabelled);
    graph(&place, "swapped", &swapped);
    let diff_result = diff(&place, "out/petersen", "out/other", 2);
    assert_eq!(
        (&diff_result["wiring"]["found"], &diff_result["wiring"]["renames"]),
        (&json!("renamed"), &json!("router"))
    );
    assert_eq!(diff_result["tables"][0]["found"], "unlike");
    let comparison = diff(&place, "out/petersen", "out/swapped", 2);
    assert_eq!(
        (&comparison["wiring"]["found"], &comparison["wiring"]["removed"]),
        (&json!("other"), &json!(2))
    );
    diff(&place, "out/petersen", "petersen.fab", 0);
}

#[test]
fn a_page_holds_both_sides_and_loads_nothing() {
    let place = built();
    build(&place, "seed", &pod().with("routing = up_down;").without("require"));
    fabc(place.path(), &["diff", "out/pod", "out/seed", "-q", "--page", "both.html"], 2);
    let page = std::fs::read_to_string(place.path().join("both.html")).unwrap();
    for part in
        ["out&#x2f;pod", "out&#x2f;seed", "max_channel_load", "Loads of channels", "<svg", "nominal", "worse"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(
        !page.contains("http://") && !page.contains("https://") && !page.contains("<script"),
        "it loads nothing"
    );
}

#[test]
fn golden_outputs_may_differ_within_a_tolerance() {
    let place = built();
    let golden = |tolerance: &[&str], code| {
        let given: Vec<&str> = tolerance.iter().flat_map(|limit| ["--tolerance", limit]).collect();
        fabc(place.path(), &[&["build", "pod.fab", "--golden", "out"][..], &given].concat(), code)
    };
    let report = place.path().join("out/pod/report.json");
    let mut value = read(&report);
    let bandwidth = value["metrics"]["bandwidth"].as_f64().unwrap();
    value["metrics"]["bandwidth"] = json!(bandwidth * 1.01);
    std::fs::write(&report, value.to_string()).unwrap();
    let (out, err) = golden(&[], 3);
    assert!(
        err.contains("FAB0508") && err.contains("1 figure worse") && out.contains("METRICS"),
        "{out}{err}"
    );
    let (out, _) = golden(&["1.1 %"], 0);
    assert!(out.contains("the outputs are those of out/pod within the tolerance"), "{out}");
    let (out, _) = golden(&["0.5%"], 3);
    assert!(out.contains("beyond the tolerance: bandwidth"), "{out}");
    golden(&["0.1%", "bandwidth=2%"], 0);
    golden(&["5%", "bandwidth=0.1%"], 3);
    assert!(golden(&["5"], 2).1.contains("FAB0545"));
    // `fabc diff` judges the same fabric alike.
    fabc(place.path(), &["diff", "out/pod", "pod.fab", "--tolerance", "2%", "-q"], 0);
    fabc(place.path(), &["diff", "out/pod", "pod.fab", "--tolerance", "0.2%", "-q"], 2);
    // A contract that came out otherwise is beyond any.
    value["requires"][0]["holds"] = json!(false);
    std::fs::write(&report, value.to_string()).unwrap();
    let (out, _) = golden(&["50%"], 3);
    assert!(out.contains("beyond the tolerance: require "), "{out}");
    // An unreadable file is another error than a difference.
    std::fs::write(&report, "{").unwrap();
    assert!(golden(&[], 3).1.contains("FAB0508"));
}
