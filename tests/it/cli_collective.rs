//! `fabc collective`, driven from outside: numbers by hand, forms and errors. `schedule_files` has schedules
//! as files and `fabc verify --collective`, `declared` the collectives of a spec, `groups` those in groups.

mod declared;
mod groups;
mod runtimes;
mod schedule_files;
mod switches;

use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use serde_json::Value;

/// A directory with a built fabric in `out/`.
fn built(spec: &SpecText) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), spec.text()).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    place
}

/// Two boxes of four GPUs around a switch each, on two rails, with other items.
fn boxes_with(items: &str) -> String {
    format!(
        "fabric net {{
    clock = 1 GHz;
    link nvlink {{ bandwidth = 300 GB/s; latency = 100 ns; }}
    link ib {{ bandwidth = 25 GB/s; latency = 200 ns; }}
    router leaf {{ radix = 8; latency = 300 ns; }}
    box small {{ gpus = 4; switch nv {{ latency = 100 ns; join all over nvlink; }} nics = 4 over ib; }}
    boxes = 2 of small;
    topology = leaf_spine {{ leaves = 2; spines = 0; attach = rail; leaf = leaf; }}
    routing = spray {{ relay = gpu; }}
{items}}}
"
    )
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
    serde_json::from_str(&run(place, &[args, &["--json"]].concat(), 0).0).unwrap()
}

/// Algorithm, steps, chunk times, time in ns of a candidate.
fn candidate<'a>(row: &'a Value, algorithm: &str) -> &'a Value {
    let candidates = row["candidates"].as_array().unwrap();
    candidates
        .iter()
        .find(|candidate_row| candidate_row["algorithm"] == algorithm)
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
            (&Value::from(2), &Value::from(2), &Value::from(0.375)),
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
        (&Value::from(4), &Value::from(0.75), 6080.0),
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
        for candidate_row in without["candidates"].as_array().unwrap() {
            let other_candidate = candidate(&with, candidate_row["algorithm"].as_str().unwrap());
            assert!(
                ns(&candidate_row["time_ns"]) <= ns(&other_candidate["time_ns"])
                    && ns(&candidate_row["share"]) <= 1.0,
                "{candidate_row} {other_candidate}"
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
    // With finer chunks the last one waits for nothing.
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
    let (csv, _) = run(&place, &["--sizes", "1KiB..4KiB", "--csv"], 0);
    // Three sizes. Three algorithms of a gather, a scatter and a sum, two of all to all.
    assert_eq!(csv.lines().count(), 1 + 3 * (3 + 3 + 3 + 2), "{csv}");
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
    let pulled = ["--collective", "broadcast", "--root", "cube1[0,1,1]", "--algorithm", "pull"];
    let report = json(&place, &[&["--size", "64KiB"], &pulled[..]].concat());
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
        (&Value::from(5), &Value::from(1.25), &Value::from(4)),
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
    // An algorithm that was not named is left out.
    let report = json(&place, &["--size", "100kB", "--algorithm", "trees"]);
    let collective_names: Vec<_> =
        report["collectives"].as_array().unwrap().iter().map(|row| &row["collective"]).collect();
    assert_eq!(collective_names, ["all_reduce"]);
    // Four paths share the links of a ring, three to a link. So 4/3 vectors move at a time, the bound to the
    // byte but for the paths of the first piece.
    let row =
        json(&ring(), &[&trees[..], &["--barrier", "--chunks", "10"]].concat())["collectives"][0].clone();
    // 2.5 kB are 200 ns. 9 pieces after 4 hops are 13 rounds of three and a hop.
    assert_eq!((&row["steps"], ns(&row["time_ns"])), (&Value::from(13), 13.0 * 620.0), "{row}");
}

#[test]
fn all_to_all_by_hand() {
    // In a ring of five each chip gets 20 kB, 1.6 us. 1 + 1 + 2 + 2 hops make three shards a channel.
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
        (&Value::from(3), &Value::from(0.6), 4_875.0),
        "{barrier}"
    );
    // A full mesh of four: 2 us and a hop.
    let place = built(&SpecText::network("hyperx 4;"));
    let row = json(&place, &all_to_all)["collectives"][0].clone();
    assert_eq!((ns(&row["time_ns"]), &row["share"]), (2_020.0, &Value::from(1.0)), "{row}");
    // A ring of four: what bounds all is two shards a channel, whatever the tables lead over one. Paths that
    // share the two ways to the far chip meet it, but for a piece and a hop.
    let row = json(&ring(), &all_to_all)["collectives"][0].clone();
    assert_eq!((ns(&row["bound_ns"]), &row["bound"]["kind"]), (4_020.0, &Value::from("flow")), "{row}");
    let shards = row["tables_bound"]["shards"].as_u64().unwrap();
    let direct = candidate(&row, "direct");
    assert!(shards >= 2 && ns(&direct["time_ns"]) >= 2_000.0 * shards as f64 + 20.0, "{row}");
    let paths = candidate(&row, "paths");
    assert!((4_040.0..4_060.0).contains(&ns(&paths["time_ns"])), "{row}");
    // Two shards of eight flits: no more than eight parts.
    let row =
        json(&ring(), &["--size", "2KiB", "--collective", "all_to_all", "--chunks", "50"])["collectives"][0]
            .clone();
    assert_eq!((&row["chunks"], &row["chunks_asked"]), (&Value::from(8), &Value::from(50)), "{row}");
}

#[test]
fn an_all_to_all_without_tables_has_paths_of_its_own() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), SpecText::network("torus 4;").text()).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q", "--until", "synthesize"], 0);
    let report = json(&place, &["--size", "1kB"]);
    let names: Vec<&Value> =
        report["collectives"].as_array().unwrap().iter().map(|row| &row["collective"]).collect();
    assert_eq!(names, ["all_gather", "reduce_scatter", "all_reduce", "all_to_all"]);
    let row = &report["collectives"][3];
    assert_eq!((&row["algorithm"], &row["candidates"][1]), (&"paths".into(), &Value::Null), "{row}");
    let (_, error) = run(&place, &["--size", "1kB", "--algorithm", "direct"], 2);
    assert!(error.contains("FAB0512") && error.contains("no tables for the scenario `nominal`"), "{error}");
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

/// Cycles of a schedule by its own timetable, and in the packet model as a trace. Channels carry a flit a
/// cycle of 1 ns.
fn twice(place: &tempfile::TempDir, args: &[&str]) -> [f64; 2] {
    let (report, notes) = run(place, &[args, &["--emit", "trace=t.csv", "--json"]].concat(), 0);
    assert!(!notes.contains("note"), "{notes}");
    let report: Value = serde_json::from_str(&report).unwrap();
    let trace = std::fs::read_to_string(place.path().join("t.csv")).unwrap();
    let flits = trace.lines().last().unwrap().rsplit(',').next().unwrap();
    let name = if place.path().join("out/pod").is_dir() { "out/pod" } else { "out/net" };
    let fitting =
        format!("traffic = trace \"t.csv\"; packet = {flits} flits; model = packet {{ hosts = unlimited; }}");
    let (simulated, _) = fabc(place.path(), &["sim", name, "--with", &fitting, "--json"], 0);
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
            ("all_to_all", "paths"),
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
