//! `fabc collective` and `fabc verify --collective`, driven from outside: numbers by hand, forms, a schedule
//! there and back, tampering, errors.

use crate::support::command;
use crate::support::spec_text;
use command::fabc;
use serde_json::Value;
use spec_text::SpecText;

/// A directory with a built fabric in `out/`.
fn built(spec: &SpecText) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), spec.text()).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    place
}

/// Four chips in a ring. 12.5 GB/s, 20 ns a hop. Of 100 kB half a shard takes 1 us.
fn ring() -> tempfile::TempDir {
    built(&SpecText::network("torus 4;"))
}

/// Sixteen chips in two cubes on a torus, every single dark switch tolerated.
fn pod() -> tempfile::TempDir {
    built(&SpecText::pod([2, 2, 2], 2).with("topology = torus 2 x 2 x 4;").with("routing = up_down;"))
}

fn run(place: &tempfile::TempDir, args: &[&str], code: i32) -> (String, String) {
    let name = if place.path().join("out/pod").is_dir() { "out/pod" } else { "out/net" };
    fabc(place.path(), &[&["collective", name][..], args].concat(), code)
}

fn json(place: &tempfile::TempDir, args: &[&str]) -> Value {
    serde_json::from_str(&run(place, &[args, &["--format", "json"]].concat(), 0).0).unwrap()
}

/// Algorithm, steps, chunk times, time in ns of a candidate.
fn candidate<'a>(row: &'a Value, algorithm: &str) -> &'a Value {
    let candidates = row["candidates"].as_array().unwrap();
    candidates
        .iter()
        .find(|one| one["algorithm"] == algorithm)
        .unwrap_or_else(|| panic!("no {algorithm} in {row}"))
}

fn ns(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_ring_of_four_by_hand() {
    let place = ring();
    let report = json(&place, &["--size", "100kB", "--barrier"]);
    assert_eq!(
        (&report["format"], &report["fabric"]),
        (&Value::from("fabc.collectives/1"), &Value::from("net"))
    );
    let hop = &report["scenarios"][0];
    assert_eq!(
        (ns(&hop["hop_ns"]), &hop["hop_cycles"], &hop["slowest_link"]),
        (20.0, &Value::from(20), &Value::from("wire"))
    );
    let rows = report["collectives"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["collective"].as_str().unwrap()).collect();
    assert_eq!(names, ["all_gather", "reduce_scatter", "all_reduce", "all_to_all"]);
    // Two steps. Both halves from both neighbours, then a half of the far shard from each side.
    for row in &rows[..2] {
        let steps = candidate(row, "steps");
        assert_eq!(
            (&steps["steps"], &steps["chunks"], &steps["volume"]),
            (&Value::from(2), &Value::from(2), &Value::from(3)),
            "{row}"
        );
        assert_eq!(
            (ns(&steps["time_ns"]), ns(&steps["volume_ns"]), ns(&steps["latency_ns"])),
            (3040.0, 3000.0, 40.0),
            "{row}"
        );
        // 3/2 shards and two hops.
        assert_eq!((ns(&row["bound_ns"]), &row["share"]), (3040.0, &Value::from(1.0)), "{row}");
        assert_eq!(row["bound"]["kind"], "cut", "{row}");
        // Whole shards one by one: two epochs of 2 us.
        assert_eq!(ns(&candidate(row, "multitree")["time_ns"]), 4040.0, "{row}");
        // 100 kB * 3/4 in 3.04 us.
        assert_eq!(ns(&row["bandwidth"]), 24.671, "{row}");
    }
    let sum = candidate(&rows[2], "gather_reduce");
    assert_eq!(
        (&sum["steps"], &sum["volume"], ns(&sum["time_ns"])),
        (&Value::from(4), &Value::from(6), 6080.0),
        "{sum}"
    );
    // 3/4 of the vector is 6 us. A sum needs two hops.
    assert_eq!(ns(&rows[2]["bound_ns"]), 6040.0, "{}", rows[2]);
    // Everybody gathers whole vectors, in halves of 4 us.
    let local = candidate(&rows[2], "local");
    assert_eq!((&local["steps"], ns(&local["time_ns"])), (&Value::from(2), 12_040.0), "{local}");
    // Overhead is a part of its own: one message a step.
    let report = json(
        &place,
        &[
            "--size",
            "100kB",
            "--barrier",
            "--overhead",
            "400ns",
            "--collective",
            "all_gather",
            "--algorithm",
            "steps",
        ],
    );
    let row = &report["collectives"][0];
    assert_eq!(
        (ns(&row["time_ns"]), ns(&row["overhead_ns"]), ns(&row["latency_ns"])),
        (3840.0, 800.0, 40.0),
        "{row}"
    );
}

#[test]
fn without_barriers_only_the_critical_path_counts() {
    let place = ring();
    for collective in ["all_gather", "reduce_scatter", "all_reduce"] {
        let [with, without] = [&["--barrier"][..], &[]].map(|barrier| {
            let report = json(
                &place,
                &[&["--size", "1kB", "--collective", collective, "--overhead", "7ns"][..], barrier].concat(),
            );
            report["collectives"][0].clone()
        });
        for one in without["candidates"].as_array().unwrap() {
            let other_candidate = candidate(&with, one["algorithm"].as_str().unwrap());
            assert!(
                ns(&one["time_ns"]) <= ns(&other_candidate["time_ns"]) && ns(&one["share"]) <= 1.0,
                "{one} {other_candidate}"
            );
        }
        assert!(ns(&without["bound_ns"]) <= ns(&with["bound_ns"]), "{without} {with}");
    }
    // The last half of the far shard leaves a hop after it came: 3 us and two hops. The bound has one less.
    let report = json(
        &place,
        &["--size", "100kB", "--collective", "all_gather", "--algorithm", "steps", "--chunks", "2"],
    );
    let row = &report["collectives"][0];
    assert_eq!((ns(&row["time_ns"]), ns(&row["bound_ns"])), (3040.0, 3020.0), "{row}");
    // Of finer chunks the last one waits for nothing.
    let report = json(&place, &["--size", "100kB", "--collective", "all_gather", "--algorithm", "steps"]);
    assert_eq!(ns(&report["collectives"][0]["time_ns"]), 3020.0, "{report}");
}

#[test]
fn a_pod_in_every_form_and_scenario() {
    let place = pod();
    let (text, _) = run(&place, &["--size", "1MiB"], 0);
    for word in [
        "collectives on pod, nominal: 16 chips",
        "all_gather",
        "gather_reduce",
        "BOUNDS",
        "CROSSOVERS",
        "no barriers",
    ] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    assert_eq!(text, run(&place, &["--size", "1MiB", "--threads", "1"], 0).0, "threads show");
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    let (csv, _) = run(&place, &["--sizes", "1KiB..4KiB", "--format", "csv"], 0);
    // Three sizes. Three algorithms of a gather, a scatter and a sum, one of all to all.
    assert_eq!(csv.lines().count(), 1 + 3 * (3 + 3 + 3 + 1), "{csv}");
    let report = json(&place, &["--size", "1MiB", "--collective", "all_reduce", "--scenario", "all"]);
    let rows = report["collectives"].as_array().unwrap();
    assert_eq!(rows.len(), 13, "the healthy pod, four switches of each of three groups");
    let worst = &rows[0]["worst_fault"];
    let longest_time = rows[1..].iter().map(|row| ns(&row["time_ns"])).fold(0.0, f64::max);
    assert!(ns(&worst["time_ns"]) == longest_time && longest_time >= ns(&rows[0]["time_ns"]), "{worst}");
    assert!(rows[1..].iter().all(|row| row["worst_fault"].is_null()), "{report}");
    let single_scenario =
        json(&place, &["--size", "1MiB", "--collective", "all_reduce", "--scenario", "X[0,0]"]);
    assert_eq!(single_scenario["collectives"][0]["scenario"], "X[0,0]");
    // Crossovers are where the fastest changes.
    let report = json(&place, &["--size", "1MiB", "--collective", "all_reduce"]);
    for crossover in report["collectives"][0]["crossovers"].as_array().unwrap() {
        let size = crossover["size"].as_u64().unwrap();
        let fastest = |size: u64| {
            json(&place, &["--size", &format!("{size}B"), "--collective", "all_reduce"])["collectives"][0]["algorithm"].clone()
        };
        assert_eq!(
            (&fastest(size), &fastest(size - 2 - size / 4096)),
            (&crossover["above"], &crossover["below"]),
            "{crossover}"
        );
    }
}

#[test]
fn a_root_and_small_chunks() {
    let place = pod();
    let report = json(&place, &["--size", "64KiB", "--collective", "broadcast", "--root", "cube1[0,1,1]"]);
    let row = &report["collectives"][0];
    assert_eq!((&row["root"], &row["algorithm"]), (&Value::from("cube1[0,1,1]"), &Value::from("pull")));
    assert!(ns(&row["share"]) > 0.5, "{row}");
    let sum = json(&place, &["--size", "64KiB", "--collective", "reduce", "--root", "0"]);
    assert_eq!(sum["collectives"][0]["root"], "cube0[0,0,0]");
    // 2 KiB are two flits a shard.
    let report = json(
        &place,
        &["--size", "2KiB", "--collective", "all_gather", "--algorithm", "steps", "--chunks", "8"],
    );
    let row = &report["collectives"][0];
    assert_eq!((&row["chunks"], &row["chunks_asked"]), (&Value::from(2), &Value::from(8)), "{row}");
    let (text, _) = run(
        &place,
        &["--size", "2KiB", "--collective", "all_gather", "--algorithm", "steps", "--chunks", "8"],
        0,
    );
    assert!(text.contains("8 chunks would be less than a flit of 64 B each, so there are 2"), "{text}");
}

#[test]
fn schedules_are_written_read_and_judged() {
    let place = pod();
    let topology = "out/pod/topology.json";
    let verify = |file: &str, code| {
        fabc(place.path(), &["verify", "--collective", file, "--topology", topology], code)
    };
    for (collective, root, algorithm) in [
        ("all_gather", None, "steps"),
        ("reduce_scatter", None, "slots"),
        ("all_reduce", None, "gather_reduce"),
        ("all_reduce", None, "local"),
        ("all_gather", None, "multitree"),
        ("broadcast", Some("3"), "pull"),
        ("reduce", Some("3"), "pull"),
    ] {
        let root: Vec<&str> = root.into_iter().flat_map(|root| ["--root", root]).collect();
        let args = [
            "--size",
            "64KiB",
            "--collective",
            collective,
            "--algorithm",
            algorithm,
            "--emit",
            "collective=plan.json",
        ];
        run(&place, &[&args[..], &root].concat(), 0);
        let (text, _) = verify("plan.json", 0);
        assert!(text.contains(&format!("{collective} by {algorithm}, 16 chips")), "{text}");
    }
    run(
        &place,
        &[
            "--size",
            "1MiB",
            "--collective",
            "all_gather",
            "--algorithm",
            "steps",
            "--emit",
            "collective=plan.json",
        ],
        0,
    );
    let plan: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("plan.json")).unwrap()).unwrap();
    assert_eq!(
        (&plan["format"], &plan["canonical"], &plan["nodes"]),
        (&Value::from("fabc.collective/1"), &Value::from(true), &Value::from(16))
    );
    let tampered = |change: &dyn Fn(&mut Value), word: &str| {
        let mut changed_plan = plan.clone();
        change(&mut changed_plan);
        std::fs::write(place.path().join("wrong.json"), changed_plan.to_string()).unwrap();
        let (_, error) = verify("wrong.json", 3);
        assert!(error.contains("FAB0428") && error.contains(word), "{word}: {error}");
    };
    let pulls = |plan: &mut Value, step: usize| plan["steps"][step]["pulls"].as_array_mut().unwrap().clone();
    tampered(&|plan| drop(plan["steps"][0]["pulls"][0][1].as_array_mut().unwrap().pop()), "");
    tampered(
        &|plan| {
            let again = pulls(plan, 0)[0].clone();
            plan["steps"].as_array_mut().unwrap().push(serde_json::json!({"width": 99, "pulls": [again]}));
        },
        "has got it before",
    );
    tampered(
        &|plan| {
            plan["steps"][0]["pulls"][0][0] =
                Value::from(plan["steps"][0]["pulls"][0][0].as_u64().unwrap() ^ 1)
        },
        "",
    );
    tampered(&|plan| plan["bounds"][0]["shards"] = Value::from(16), "its witness gives");
    tampered(&|plan| plan["bounds"][0]["channels"] = Value::from(1), "its witness gives");
    tampered(&|plan| plan["steps"][0]["width"] = Value::from(0), "width 0");
    // A shape that is no schedule, a scenario that is not judged, a key too many.
    for (key, value, word) in [
        ("collective", Value::from("all_gathers"), "there is no collective"),
        ("scenario", Value::from("X[0,0]"), "only schedules of the healthy fabric"),
        ("more", Value::from(1), "unknown field"),
    ] {
        let mut changed_plan = plan.clone();
        changed_plan[key] = value;
        std::fs::write(place.path().join("wrong.json"), changed_plan.to_string()).unwrap();
        let (_, error) = verify("wrong.json", 1);
        assert!(error.contains("FAB0418") && error.contains(word), "{error}");
    }
    // Of another network.
    let other_place = ring();
    let topology_path = other_place.path().join("out/net/topology.json");
    let (_, error) = fabc(
        place.path(),
        &["verify", "--collective", "plan.json", "--topology", topology_path.to_str().unwrap()],
        3,
    );
    assert!(error.contains("FAB0428") && error.contains("16 routers"), "{error}");
}

#[test]
fn trees_by_hand() {
    // Up to the middle chip and back: 100 kB in four pieces of 2 us, hops of 20 ns.
    let place = built(&SpecText::network("mesh 3;"));
    let trees = ["--size", "100kB", "--collective", "all_reduce", "--algorithm", "trees"];
    let collective_row = |more: &[&str]| json(&place, &[&trees[..], more].concat())["collectives"][0].clone();
    let row = collective_row(&["--chunks", "4"]);
    assert_eq!(
        (ns(&row["time_ns"]), ns(&row["volume_ns"]), ns(&row["latency_ns"])),
        (10_040.0, 10_000.0, 40.0),
        "{row}"
    );
    assert_eq!(
        (&row["steps"], &row["volume"], &row["chunks"]),
        (&Value::from(5), &Value::from(5), &Value::from(4)),
        "{row}"
    );
    // Two links between three chips: 8 us, and a last hop of the two.
    assert_eq!(ns(&row["bound_ns"]), 8_040.0, "{row}");
    let row = collective_row(&["--chunks", "4", "--overhead", "100ns", "--barrier"]);
    assert_eq!(
        (ns(&row["time_ns"]), ns(&row["overhead_ns"]), ns(&row["latency_ns"])),
        (10_600.0, 500.0, 100.0),
        "{row}"
    );
    // As many pieces as there are flits: 1562 of 64 B and a bit, 5.122 ns each.
    let row = collective_row(&[]);
    assert_eq!((&row["chunks"], &row["steps"]), (&Value::from(1562), &Value::from(1563)), "{row}");
    assert!((ns(&row["time_ns"]) - (1563.0 * 8000.0 / 1562.0 + 40.0)).abs() < 0.01, "{row}");
    let row = collective_row(&["--chunks", "9999"]);
    assert_eq!((&row["chunks"], &row["chunks_asked"]), (&Value::from(1562), &Value::from(9999)), "{row}");
    // Of what nobody named the algorithm is, nothing is printed.
    let report = json(&place, &["--size", "100kB", "--algorithm", "trees"]);
    let collective_names: Vec<_> =
        report["collectives"].as_array().unwrap().iter().map(|row| &row["collective"]).collect();
    assert_eq!(collective_names, ["all_reduce"]);
    // Four paths share the links of a ring, three to a link: 4/3 vectors at a time, the bound to the byte but
    // for the first piece's ways.
    let row =
        json(&ring(), &[&trees[..], &["--barrier", "--chunks", "10"]].concat())["collectives"][0].clone();
    // 2.5 kB are 200 ns. 9 pieces after 4 hops are 13 rounds of three and a hop.
    assert_eq!((&row["steps"], ns(&row["time_ns"])), (&Value::from(13), 13.0 * 620.0), "{row}");
}

#[test]
fn all_to_all_by_hand() {
    // Of a ring of five 20 kB go to each, 1.6 us. 1 + 1 + 2 + 2 hops make three shards a channel.
    let place = built(&SpecText::network("torus 5;"));
    let all_to_all = ["--size", "100kB", "--collective", "all_to_all"];
    let report = json(&place, &all_to_all);
    let row = &report["collectives"][0];
    assert_eq!(
        (&row["algorithm"], ns(&row["time_ns"]), ns(&row["bound_ns"])),
        (&Value::from("direct"), 4_820.0, 4_820.0),
        "{row}"
    );
    assert_eq!(
        (&row["bound"]["kind"], &row["tables_bound"]["kind"]),
        (&Value::from("flow"), &Value::from("channel")),
        "{row}"
    );
    assert_eq!(
        (&row["tables_bound"]["shards"], ns(&row["tables_bound_ns"])),
        (&Value::from(3), 4_820.0),
        "{row}"
    );
    // 4/5 of 100 kB in 4.82 us.
    assert_eq!(ns(&row["bandwidth"]), 16.598, "{row}");
    let barrier = json(
        &place,
        &[&all_to_all[..], &["--barrier", "--chunks", "1", "--overhead", "5ns"]].concat(),
    )["collectives"][0]
        .clone();
    // Three slots, each with an overhead and a hop.
    assert_eq!(
        (&barrier["steps"], &barrier["volume"], ns(&barrier["time_ns"])),
        (&Value::from(3), &Value::from(3), 4_875.0),
        "{barrier}"
    );
    // A full mesh of four: 2 us and a hop.
    let place = built(&SpecText::network("hyperx 4;"));
    let row = json(&place, &all_to_all)["collectives"][0].clone();
    assert_eq!((ns(&row["time_ns"]), &row["share"]), (2_020.0, &Value::from(1.0)), "{row}");
    // A ring of four: what bounds all is two shards a channel, whatever the tables lead over one.
    let row = json(&ring(), &all_to_all)["collectives"][0].clone();
    assert_eq!((ns(&row["bound_ns"]), &row["bound"]["kind"]), (4_020.0, &Value::from("flow")), "{row}");
    let shards = row["tables_bound"]["shards"].as_u64().unwrap();
    assert!(shards >= 2 && ns(&row["time_ns"]) >= 2_000.0 * shards as f64 + 20.0, "{row}");
    // Two shards of eight flits: no more than eight parts.
    let row =
        json(&ring(), &["--size", "2KiB", "--collective", "all_to_all", "--chunks", "50"])["collectives"][0]
            .clone();
    assert_eq!((&row["chunks"], &row["chunks_asked"]), (&Value::from(8), &Value::from(50)), "{row}");
}

#[test]
fn an_all_to_all_needs_tables() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), SpecText::network("torus 4;").text()).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q", "--stop-after", "synthesize"], 0);
    let report = json(&place, &["--size", "1kB"]);
    let names: Vec<&Value> =
        report["collectives"].as_array().unwrap().iter().map(|row| &row["collective"]).collect();
    assert_eq!(names, ["all_gather", "reduce_scatter", "all_reduce"]);
    assert_eq!(report["left_out"][0]["collective"], "all_to_all");
    let (text, _) = run(&place, &["--size", "1kB"], 0);
    assert!(text.contains("all_to_all: it follows forwarding tables, and this directory has none"), "{text}");
    for named in [["--collective", "all_to_all"], ["--algorithm", "direct"]] {
        let (_, error) = run(&place, &[&["--size", "1kB"][..], &named].concat(), 2);
        assert!(
            error.contains("FAB0512") && error.contains("no tables for the scenario `nominal`"),
            "{error}"
        );
    }
}

#[test]
fn trees_and_messages_are_written_read_and_judged() {
    let place = pod();
    let (topology, tables) = ("out/pod/topology.json", "out/pod/tables/nominal.json");
    let path = |name: &str| place.path().join(name);
    let emit = |collective: &str, algorithm: &str, more: &[&str]| {
        let args = [
            "--size",
            "64KiB",
            "--collective",
            collective,
            "--algorithm",
            algorithm,
            "--emit",
            "collective=plan.json",
        ];
        run(&place, &[&args[..], more].concat(), 0);
        serde_json::from_slice::<Value>(&std::fs::read(path("plan.json")).unwrap()).unwrap()
    };
    let judge = |file: &str, with_tables: bool, code: i32| {
        let args = ["verify", "--collective", file, "--topology", topology];
        let tables: &[&str] = if with_tables { &["--tables", tables] } else { &[] };
        fabc(place.path(), &[&args[..], tables].concat(), code)
    };
    let expect_conviction = |plan: &Value, change: &dyn Fn(&mut Value), code: i32, word: &str| {
        let mut plan = plan.clone();
        change(&mut plan);
        std::fs::write(path("wrong.json"), plan.to_string()).unwrap();
        let (_, error) = judge("wrong.json", !plan["sends"].is_null(), code);
        let expected = if code == 3 { "FAB0428" } else { "FAB0418" };
        assert!(error.contains(expected) && error.contains(word), "{word}: {error}");
    };
    let trees = emit("all_reduce", "trees", &[]);
    let (text, _) = judge("plan.json", false, 0);
    assert!(
        text.contains("all_reduce by trees, 16 chips") && text.contains("pieces of the share of a tree"),
        "{text}"
    );
    let (_, error) = judge("plan.json", true, 1);
    assert!(error.contains("FAB0418") && error.contains("follow no tables"), "{error}");
    let root = trees["trees"][0]["root"].as_u64().unwrap() as usize;
    let other_root = (root + 1) % 16;
    expect_conviction(
        &trees,
        &|plan| plan["trees"][0]["up"][other_root] = Value::from(-1),
        3,
        "has no channel up",
    );
    expect_conviction(&trees, &|plan| plan["trees"][0]["root"] = Value::from(other_root), 3, "tree 0");
    expect_conviction(
        &trees,
        &|plan| plan["trees"][0]["up"][other_root] = Value::from(9999),
        3,
        "does not go up",
    );
    expect_conviction(&trees, &|plan| plan["capacity"] = Value::from(0), 3, "is in more than 0 trees");
    expect_conviction(
        &trees,
        &|plan| {
            let again = plan["trees"][0].clone();
            plan["trees"].as_array_mut().unwrap().push(again);
        },
        3,
        "trees",
    );
    expect_conviction(&trees, &|plan| plan["bounds"][0]["channels"] = Value::from(1), 3, "its witness gives");
    expect_conviction(&trees, &|plan| plan["chunks"] = Value::from(0), 3, "are not supported");
    expect_conviction(
        &trees,
        &|plan| plan["trees"][0]["up"][other_root] = Value::from(-2),
        1,
        "is -2, which is no channel",
    );
    expect_conviction(
        &trees,
        &|plan| drop(plan.as_object_mut().unwrap().remove("capacity")),
        1,
        "need their `capacity`",
    );
    expect_conviction(&trees, &|plan| plan["latency"] = Value::from(1), 1, "`latency` has no effect here");
    expect_conviction(
        &trees,
        &|plan| plan["canonical"] = Value::from(true),
        1,
        "`canonical` has no effect here",
    );
    expect_conviction(
        &trees,
        &|plan| plan["order"] = Value::from("reverse"),
        1,
        "`order` has no effect here",
    );
    expect_conviction(
        &trees,
        &|plan| plan["steps"] = Value::Array(Vec::new()),
        1,
        "one of `steps`, `trees` and `sends`",
    );
    expect_conviction(
        &trees,
        &|plan| plan["algorithm"] = Value::from("gather_reduce"),
        1,
        "that lists `steps`",
    );
    expect_conviction(&trees, &|plan| plan["trees"][0]["down"] = Value::from(1), 1, "unknown field");
    for (chunks, latency) in [("1", false), ("2", true)] {
        // Where a chunk takes less than a hop it is planned to be on its way.
        let sends = emit("all_to_all", "direct", &["--chunks", chunks]);
        assert!(latency || sends["canonical"].is_boolean(), "{sends}");
        let (text, _) = judge("plan.json", true, 0);
        assert!(text.contains("all_to_all by direct, 16 chips"), "{text}");
        let (_, error) = judge("plan.json", false, 1);
        assert!(error.contains("FAB0418") && error.contains("add `--tables FILE`"), "{error}");
        expect_conviction(
            &sends,
            &|plan| drop(plan["sends"].as_array_mut().unwrap().pop()),
            3,
            "parts of messages are sent",
        );
        expect_conviction(&sends, &|plan| plan["sends"][0] = plan["sends"][1].clone(), 3, "is sent twice");
        expect_conviction(
            &sends,
            &|plan| plan["sends"][0][1] = plan["sends"][0][0].clone(),
            3,
            "does not belong to this collective",
        );
        expect_conviction(
            &sends,
            &|plan| plan["sends"][0][3].as_array_mut().unwrap().push(Value::from(999)),
            3,
            "has slots for",
        );
        expect_conviction(
            &sends,
            &|plan| drop(plan["sends"][0][3].as_array_mut().unwrap().pop()),
            3,
            "has slots for 0 hops",
        );
        expect_conviction(
            &sends,
            &|plan| {
                let far = plan["sends"]
                    .as_array_mut()
                    .unwrap()
                    .iter_mut()
                    .find(|send| send[3].as_array().unwrap().len() > 1)
                    .unwrap();
                far[3][1] = far[3][0].clone();
            },
            3,
            "is sent in slot",
        );
        expect_conviction(
            &sends,
            &|plan| {
                plan["sends"].as_array_mut().unwrap().iter_mut().for_each(|send| send[3][0] = Value::from(0))
            },
            3,
            "",
        );
        let bound_index = |kind: &str| {
            sends["bounds"].as_array().unwrap().iter().position(|bound| bound["kind"] == kind).unwrap()
        };
        let (channel, flow) = (bound_index("channel"), bound_index("flow"));
        expect_conviction(
            &sends,
            &|plan| plan["bounds"][channel]["shards"] = Value::from(1),
            3,
            "its witness gives",
        );
        expect_conviction(
            &sends,
            &|plan| plan["bounds"][flow]["distance"] = Value::from(1),
            3,
            "its witness gives",
        );
        expect_conviction(
            &sends,
            &|plan| plan["bounds"][flow]["volume"] = Value::from(9999),
            3,
            "its witness gives",
        );
        expect_conviction(
            &sends,
            &|plan| plan["capacity"] = Value::from(1),
            1,
            "`capacity` has no effect here",
        );
        expect_conviction(
            &sends,
            &|plan| plan["collective"] = Value::from("all_gather"),
            3,
            "applies to an all-to-all only",
        );
    }
    // Tables of something else, and sl2vl beside a schedule.
    let other_place = ring();
    let tables_path = other_place.path().join("out/net/tables/nominal.json");
    let (_, error) = fabc(
        place.path(),
        &[
            "verify",
            "--collective",
            "plan.json",
            "--topology",
            topology,
            "--tables",
            tables_path.to_str().unwrap(),
        ],
        1,
    );
    assert!(error.contains("FAB0418") && error.contains("must list all routers"), "{error}");
    fabc(
        place.path(),
        &["verify", "--collective", "plan.json", "--topology", topology, "--tables", tables, "--sl2vl", "x"],
        2,
    );
}

#[test]
fn errors_say_what_to_write() {
    let place = ring();
    for (args, code, words) in [
        (&[][..], 2, ["FAB0551", "size of the vector of a chip is missing"]),
        (&["--size", "0B"], 2, ["FAB0554", "zero"]),
        (&["--size", "1"], 2, ["FAB0554", "no unit"]),
        (&["--size", "1Gib"], 2, ["FAB0554", "no unit `Gib`"]),
        (&["--size", "2000TiB"], 2, ["FAB0554", "more than"]),
        (&["--size", "99999999999TiB"], 2, ["FAB0554", "too large"]),
        (&["--size", "1kB", "--collective", "all_gater"], 2, ["FAB0561", "no collective `all_gater`"]),
        (
            &["--size", "1kB", "--collective", "all_to_all", "--algorithm", "trees"],
            2,
            ["FAB0561", "algorithm of all_to_all"],
        ),
        (
            &["--size", "1kB", "--collective", "all_to_all", "--root", "0"],
            2,
            ["FAB0562", "`all_to_all` has no root"],
        ),
        (
            &["--size", "1kB", "--collective", "all_reduce", "--algorithm", "steps"],
            2,
            ["FAB0561", "algorithm of all_reduce"],
        ),
        (&["--size", "1kB", "--collective", "all_reduce", "--algorithm", "steps"], 2, ["FAB0561", "`steps`"]),
        (
            &["--size", "1kB", "--algorithm", "pull"],
            2,
            ["FAB0561", "no algorithm of all_gather, reduce_scatter, all_reduce, all_to_all `pull`"],
        ),
        (
            &["--size", "1kB", "--algorithm", "slot", "--collective", "all_gather"],
            2,
            ["FAB0561", "no algorithm of all_gather `slot`"],
        ),
        (&["--size", "1kB", "--collective", "broadcast"], 2, ["FAB0562", "needs a root"]),
        (&["--size", "1kB", "--collective", "broadcast", "--root", "7"], 2, ["FAB0562", "no router `7`"]),
        (&["--size", "1kB", "--collective", "all_reduce", "--root", "0"], 2, ["FAB0562", "has no root"]),
        (&["--size", "1kB", "--scenario", "X[0,0]"], 2, ["FAB0561", "scenario"]),
        (&["--size", "1kB", "--emit", "collective=x.json"], 2, ["FAB0564", "one collective"]),
        (&["--size", "1kB", "--emit", "collectve=x.json"], 2, ["FAB0505", "no format `collectve`"]),
        (
            &["--sizes", "1kB..8kB", "--collective", "all_reduce", "--emit", "collective=x.json"],
            2,
            ["FAB0564", "one size"],
        ),
        (&["--size", "1kB", "--overhead", "2s"], 2, ["FAB0554", "more than"]),
    ] {
        let (_, error) = run(&place, args, code);
        assert!(words.iter().all(|word| error.contains(word)), "{args:?}: {error}");
    }
    assert!(!place.path().join("x.json").exists());
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fabc"));
    command.args([
        "collective",
        "out/net",
        "--size",
        "1kB",
        "--collective",
        "all_gater",
        "--message-format",
        "json",
    ]);
    let shown = command.current_dir(place.path()).output().unwrap().stderr;
    assert!(String::from_utf8(shown).unwrap().contains("did you mean `all_gather`?"));
    fabc(place.path(), &["collective", "nowhere", "--size", "1kB"], 2);
}

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
    let names: Vec<&str> = collectives.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["experts", "gradients", "shared", "start", "sums", "weights"]);
    let collective_rows: Vec<&Value> = ["gradients", "start", "weights"]
        .iter()
        .map(|name| collectives.iter().find(|one| one["name"] == **name).unwrap())
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
    // The line of the contract on faults has them planned for: without a link four chips are a line of three,
    // over which every byte goes twice, in three hops with a barrier after each.
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
    let (told, _) = fabc(place.path(), &["verify", "out/net"], 0);
    assert!(told.contains("report.json collectives"), "{told}");
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
    let (_, error) = run(&place, &["--format", "csv"], 2);
    assert!(error.contains("FAB0564") && error.contains("one of the collectives of the spec"), "{error}");
}

/// Whoever changes a schedule, or what the report says of it, is convicted.
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
    // The hash of the file is wrong as well, and told apart.
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

#[test]
fn schedules_for_the_programs_of_others() {
    let place = pod();
    let topology = "out/pod/topology.json";
    let verify = |file: &str, code| {
        fabc(place.path(), &["verify", "--collective", file, "--topology", topology], code)
    };
    let read = |file: &str| std::fs::read_to_string(place.path().join(file)).unwrap();
    for (collective, root, algorithm, word) in [
        ("all_gather", None, "steps", "allgather, 16 gpus, 32 chunks"),
        ("reduce_scatter", None, "slots", "reduce_scatter, 16 gpus"),
        ("all_reduce", None, "gather_reduce", "allreduce, 16 gpus"),
        ("all_reduce", None, "local", "allreduce, 16 gpus"),
        ("broadcast", Some("3"), "pull", "broadcast with the root cube0[1,1,0], 16 gpus"),
        ("reduce", Some("cube1[0,0,1]"), "pull", "reduce with the root cube1[0,0,1], 16 gpus"),
    ] {
        let root: Vec<&str> = root.into_iter().flat_map(|root| ["--root", root]).collect();
        let emit = "collective=a/plan.json,msccl=a/plan.xml,chakra=a/traces";
        let chunks = if algorithm == "steps" { &["--chunks", "2"][..] } else { &[] };
        let args = [
            &["--size", "64KiB", "--collective", collective, "--algorithm", algorithm, "--emit", emit][..],
            chunks,
            &root,
        ]
        .concat();
        run(&place, &args, 0);
        verify("a/plan.json", 0);
        let (text, _) = verify("a/plan.xml", 0);
        let name = format!("fabc_pod_{collective}_{algorithm}");
        assert!(
            text.contains(word) && text.contains(&name) && text.contains("in place and out of place"),
            "{text}"
        );
        assert!(
            text.contains("nothing waits forever, even where both ends of a connection must meet"),
            "{text}"
        );
        let traces = std::fs::read_dir(place.path().join("a/traces")).unwrap();
        let names: Vec<String> =
            traces.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        assert!(
            names.len() == 16 && (0..16).all(|rank| names.contains(&format!("{name}.{rank}.et"))),
            "{names:?}"
        );
        assert!(read("a/plan.xml").contains("inplace=\"1\" outofplace=\"1\" minBytes=\"0\" maxBytes="));
        std::fs::remove_dir_all(place.path().join("a")).unwrap();
    }
    // In a scenario. The bytes are the same again, on any number of threads.
    let dark =
        ["--size", "64KiB", "--collective", "all_gather", "--scenario", "X[0,0]", "--emit", "msccl=dark.xml"];
    run(&place, &dark, 0);
    let first = read("dark.xml");
    verify("dark.xml", 0);
    run(&place, &[&dark[..], &["--threads", "1"]].concat(), 0);
    assert!(first == read("dark.xml"));
    let json =
        [&["verify", "--collective", "dark.xml", "--topology", topology][..], &["--message-format", "json"]]
            .concat();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_fabc"))
        .args(json)
        .current_dir(place.path())
        .output()
        .unwrap()
        .stdout;
    let printed: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(
        (&printed["collective"], &printed["judged"], &printed["gpus"]),
        (&Value::from("allgather"), &Value::from("result"), &Value::from(16))
    );
    // Tampering has a code and a place.
    let tampered = first.replacen("deps=\"0\"", "deps=\"99\"", 1);
    std::fs::write(place.path().join("wrong.xml"), tampered).unwrap();
    let (_, error) = verify("wrong.xml", 3);
    assert!(
        error.contains("FAB0429") && error.contains("waits for step 99") && error.contains("line "),
        "{error}"
    );
    std::fs::write(
        place.path().join("wrong.xml"),
        first.replacen("coll=\"allgather\"", "coll=\"allreduce\"", 1),
    )
    .unwrap();
    assert!(verify("wrong.xml", 3).1.contains("FAB0429"));
    std::fs::write(place.path().join("wrong.xml"), first.replacen("type=\"s\"", "type=\"send\"", 1)).unwrap();
    let (_, error) = verify("wrong.xml", 1);
    assert!(error.contains("FAB0418") && error.contains("there is no step of type `send`"), "{error}");
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let place = ring();
    let args = ["--size", "1MiB", "--collective", "all_gather", "--algorithm", "slots"];
    for (emit, chunks, code, words) in [
        ("collective=a.json,msccl=a.xml,chakra=traces", "400", 3, ["FAB0565", "256 are the most"]),
        ("msccl=a.xml,mscl=b.xml", "1", 2, ["FAB0505", "no format `mscl`"]),
        ("msccl=", "1", 2, ["FAB0564", "`--emit msccl=FILE`"]),
        ("chakra", "1", 2, ["FAB0564", "`--emit chakra=DIR`"]),
        ("msccl=a.xml,msccl=b.xml", "1", 2, ["FAB0542", "`msccl` and `msccl`"]),
        ("msccl=a.xml,collective=./a.xml", "1", 2, ["FAB0542", "`msccl` and `collective`"]),
    ] {
        let (_, error) = run(&place, &[&args[..], &["--emit", emit, "--chunks", chunks]].concat(), code);
        assert!(words.iter().all(|word| error.contains(word)), "{emit}: {error}");
        assert!(
            ["a.json", "a.xml", "b.xml", "traces"].iter().all(|file| !place.path().join(file).exists()),
            "{emit}"
        );
    }
    // More steps than every runtime takes are told.
    let (_, told) = run(&place, &[&args[..], &["--emit", "msccl=a.xml", "--chunks", "100"]].concat(), 0);
    assert!(told.contains("note: a thread block has") && told.contains("RCCL 64"), "{told}");
    let (_, told) =
        fabc(place.path(), &["verify", "--collective", "a.xml", "--topology", "out/net/topology.json"], 0);
    assert!(told.contains("RCCL takes 64"), "{told}");
}

/// Cycles of a schedule by its own timetable, and in the packet model as a trace. Channels carry a flit a
/// cycle of 1 ns.
fn twice(place: &tempfile::TempDir, args: &[&str]) -> [f64; 2] {
    let (report, told) = run(place, &[args, &["--emit", "trace=t.csv", "--format", "json"]].concat(), 0);
    assert!(!told.contains("note"), "{told}");
    let report: Value = serde_json::from_str(&report).unwrap();
    let trace = std::fs::read_to_string(place.path().join("t.csv")).unwrap();
    let flits = trace.lines().last().unwrap().rsplit(',').next().unwrap();
    let name = if place.path().join("out/pod").is_dir() { "out/pod" } else { "out/net" };
    let fitting =
        format!("traffic = trace \"t.csv\"; packet = {flits} flits; model = packet {{ hosts = unlimited; }}");
    let (simulated, _) = fabc(place.path(), &["sim", name, "--with", &fitting, "--format", "json"], 0);
    let simulated: Value = serde_json::from_str(&simulated).unwrap();
    [ns(&report["collectives"][0]["time_ns"]), ns(&simulated["scenarios"][0]["completions"][0]["cycles"])]
}

#[test]
fn a_schedule_takes_its_own_time_in_the_simulator() {
    // 64 B a cycle are a flit. No two chips have two links.
    let net = built(
        &SpecText::network("torus 4 x 4;").with("link wire { bandwidth = 512 Gbps; latency = 10 ns; }"),
    );
    let pod = SpecText::pod([3, 3, 3], 2)
        .with("topology = torus 3 x 3 x 6;")
        .with("routing = up_down;")
        .with("budget { vcs = 2; faults = 0; }");
    let pod =
        pod.with("link copper { bandwidth = 64 GB/s; latency = 10 cycles; } link fiber { bandwidth = 64 GB/s; latency = 10 cycles; }");
    // Shards of 64 and of 60 flits.
    let places = [(net, "64KiB"), (built(&pod), "207360B")];
    for (place, size) in &places {
        for (collective, algorithm) in [
            ("all_gather", "slots"),
            ("all_gather", "steps"),
            ("all_reduce", "gather_reduce"),
            ("all_to_all", "direct"),
        ] {
            let args = ["--size", size, "--collective", collective, "--algorithm", algorithm];
            let [own, simulated] = twice(place, &args);
            assert!(
                (0.95..=1.05).contains(&(simulated / own)),
                "{collective} by {algorithm} of {size}: {simulated} over {own}"
            );
        }
    }
    // Trees: too many pieces. Barriers. Piece by piece.
    let trees = |more: &[&str], code| {
        let args = ["--collective", "all_reduce", "--algorithm", "trees", "--emit", "trace=u.csv"];
        run(&places[1].0, &[&args[..], more].concat(), code).1
    };
    let error = trees(&["--size", "1GiB"], 3);
    assert!(
        error.contains("FAB0565") && error.contains("it would have 20840448 messages, at most"),
        "{error}"
    );
    let error = trees(&["--size", "64KiB", "--barrier"], 3);
    assert!(
        error.contains("FAB0565") && error.contains("with barriers trees have a timetable of rounds alone"),
        "{error}"
    );
    assert!(!places[1].0.path().join("u.csv").exists());
    trees(&["--size", "64KiB", "--chunks", "2"], 0);
    // A piece of three trees on both channels of 53 links each, twice.
    let trace = std::fs::read_to_string(places[1].0.path().join("u.csv")).unwrap();
    assert_eq!(trace.lines().count(), 2 + 3 * 2 * 53 * 2, "{trace}");
}

/// Spines only forward: what is gathered and summed goes along the tables, from leaf to leaf. Every leaf has
/// two links up. A shard of 25 kB takes 2 us, a hop 20 ns.
#[test]
fn leaves_send_where_spines_only_forward() {
    let text = "collective gradients = all_reduce { size = 100 kB; chunks = 1; }
                collective weights = all_gather { size = 100 kB; algorithm = direct; }
                require gradients.time <= 8080 ns;
                require fault.gradients.share >= 0.3737;
";
    let tree = SpecText::network("fat_tree { levels = 2; arity = 4; }");
    let place = built(&tree.with("budget { vcs = 2; faults = 1 link; }").with(text));
    let report: Value =
        serde_json::from_slice(&std::fs::read(place.path().join("out/net/report.json")).unwrap()).unwrap();
    let [gradients, weights] = [0, 1].map(|at| report["collectives"][at].clone());
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
    // In quarters they follow each other: five slots of 500 ns, and two hops. Three shards come in by four
    // channels, two hops away.
    assert_eq!(
        (ns(&weights["time_ns"]), ns(&weights["bound_ns"]), &weights["chunks"]),
        (2_540.0, 1_540.0, &4.into()),
        "{weights}"
    );
    fabc(place.path(), &["verify", "out/net"], 0);
    let rows = json(&place, &["--size", "100kB", "--collective", "all_gather"]);
    let row = &rows["collectives"][0];
    assert_eq!((&row["algorithm"], &row["left_out"]), (&"direct".into(), &Value::Null), "{row}");
    // A quarter of the vector to every leaf, a slot of 2 us each. Then everybody's quarter to all but the
    // root.
    let rows = json(&place, &["--size", "100kB", "--collective", "broadcast", "--root", "0"]);
    let row = &rows["collectives"][0];
    assert_eq!((&row["algorithm"], &row["left_out"]), (&"direct".into(), &Value::Null), "{row}");
    let (_, error) =
        run(&place, &["--size", "1kB", "--collective", "broadcast", "--root", "0", "--algorithm", "pull"], 1);
    assert!(error.contains("FAB0563") && error.contains("only forwards"), "{error}");
    let (_, error) = run(&place, &["--size", "1kB", "--collective", "all_gather", "--algorithm", "steps"], 1);
    assert!(error.contains("FAB0563") && error.contains("only forwards"), "{error}");
}
