//! `fabc collective` and `fabc verify --collective`, driven from outside: numbers by hand, forms, a schedule
//! there and back, tampering, errors.

#[path = "support/command.rs"]
mod command;
#[path = "support/spec_text.rs"]
mod spec_text;

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

/// Four chips in a ring; 12.5 GB/s, 20 ns a hop. Of 100 kB half a shard takes 1 us.
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
    let all = row["candidates"].as_array().unwrap();
    all.iter().find(|one| one["algorithm"] == algorithm).unwrap_or_else(|| panic!("no {algorithm} in {row}"))
}

fn ns(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_ring_of_four_by_hand() {
    let place = ring();
    let report = json(&place, &["--size", "100kB", "--barrier"]);
    assert_eq!((&report["format"], &report["fabric"]), (&Value::from("fabc.collectives/1"), &Value::from("net")));
    let hop = &report["scenarios"][0];
    assert_eq!((ns(&hop["hop_ns"]), &hop["hop_cycles"], &hop["slowest_link"]), (20.0, &Value::from(20), &Value::from("wire")));
    let rows = report["collectives"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["collective"].as_str().unwrap()).collect();
    assert_eq!(names, ["all_gather", "reduce_scatter", "all_reduce"]);
    // Two steps; both halves from both neighbours, then a half of the far shard from each side.
    for row in &rows[..2] {
        let steps = candidate(row, "steps");
        assert_eq!((&steps["steps"], &steps["chunks"], &steps["volume"]), (&Value::from(2), &Value::from(2), &Value::from(3)), "{row}");
        assert_eq!((ns(&steps["time_ns"]), ns(&steps["volume_ns"]), ns(&steps["latency_ns"])), (3040.0, 3000.0, 40.0), "{row}");
        // 3/2 shards and two hops.
        assert_eq!((ns(&row["bound_ns"]), &row["share"]), (3040.0, &Value::from(1.0)), "{row}");
        assert_eq!(row["bound"]["kind"], "cut", "{row}");
        // Whole shards one by one: two epochs of 2 us.
        assert_eq!(ns(&candidate(row, "multitree")["time_ns"]), 4040.0, "{row}");
        // 100 kB * 3/4 in 3.04 us.
        assert_eq!(ns(&row["bandwidth"]), 24.671, "{row}");
    }
    let sum = candidate(&rows[2], "gather_reduce");
    assert_eq!((&sum["steps"], &sum["volume"], ns(&sum["time_ns"])), (&Value::from(4), &Value::from(6), 6080.0), "{sum}");
    // 3/4 of the vector is 6 us; a sum needs two hops.
    assert_eq!(ns(&rows[2]["bound_ns"]), 6040.0, "{}", rows[2]);
    // Everybody gathers whole vectors, in halves of 4 us.
    let local = candidate(&rows[2], "local");
    assert_eq!((&local["steps"], ns(&local["time_ns"])), (&Value::from(2), 12_040.0), "{local}");
    // Overhead is a part of its own: one message a step.
    let report =
        json(&place, &["--size", "100kB", "--barrier", "--overhead", "400ns", "--collective", "all_gather", "--algorithm", "steps"]);
    let row = &report["collectives"][0];
    assert_eq!((ns(&row["time_ns"]), ns(&row["overhead_ns"]), ns(&row["latency_ns"])), (3840.0, 800.0, 40.0), "{row}");
}

#[test]
fn without_barriers_only_the_critical_path_counts() {
    let place = ring();
    for collective in ["all_gather", "reduce_scatter", "all_reduce"] {
        let [with, without] = [&["--barrier"][..], &[]].map(|barrier| {
            let report = json(&place, &[&["--size", "1kB", "--collective", collective, "--overhead", "7ns"][..], barrier].concat());
            report["collectives"][0].clone()
        });
        for one in without["candidates"].as_array().unwrap() {
            let other = candidate(&with, one["algorithm"].as_str().unwrap());
            assert!(ns(&one["time_ns"]) <= ns(&other["time_ns"]) && ns(&one["share"]) <= 1.0, "{one} {other}");
        }
        assert!(ns(&without["bound_ns"]) <= ns(&with["bound_ns"]), "{without} {with}");
    }
    // The last half of the far shard leaves a hop after it came: 3 us and two hops; the bound has one less.
    let report = json(&place, &["--size", "100kB", "--collective", "all_gather", "--algorithm", "steps"]);
    let row = &report["collectives"][0];
    assert_eq!((ns(&row["time_ns"]), ns(&row["bound_ns"])), (3040.0, 3020.0), "{row}");
}

#[test]
fn a_pod_in_every_form_and_scenario() {
    let place = pod();
    let (text, _) = run(&place, &["--size", "1MiB"], 0);
    for word in ["collectives on pod, nominal: 16 chips", "all_gather", "gather_reduce", "BOUNDS", "CROSSOVERS", "no barriers"] {
        assert!(text.contains(word), "{word} is missing in\n{text}");
    }
    assert_eq!(text, run(&place, &["--size", "1MiB", "--threads", "1"], 0).0, "threads show");
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    let (csv, _) = run(&place, &["--sizes", "1KiB..4KiB", "--format", "csv"], 0);
    // Three sizes; three algorithms of a gather and a scatter, two of a sum.
    assert_eq!(csv.lines().count(), 1 + 3 * (3 + 3 + 2), "{csv}");
    let report = json(&place, &["--size", "1MiB", "--collective", "all_reduce", "--scenario", "all"]);
    let rows = report["collectives"].as_array().unwrap();
    assert_eq!(rows.len(), 13, "the healthy pod, four switches of each of three groups");
    let worst = &rows[0]["worst_fault"];
    let most = rows[1..].iter().map(|row| ns(&row["time_ns"])).fold(0.0, f64::max);
    assert!(ns(&worst["time_ns"]) == most && most >= ns(&rows[0]["time_ns"]), "{worst}");
    assert!(rows[1..].iter().all(|row| row["worst_fault"].is_null()), "{report}");
    let one = json(&place, &["--size", "1MiB", "--collective", "all_reduce", "--scenario", "X[0,0]"]);
    assert_eq!(one["collectives"][0]["scenario"], "X[0,0]");
    // Crossovers are where the fastest changes.
    let report = json(&place, &["--size", "1MiB", "--collective", "all_reduce"]);
    for crossover in report["collectives"][0]["crossovers"].as_array().unwrap() {
        let size = crossover["size"].as_u64().unwrap();
        let fastest =
            |size: u64| json(&place, &["--size", &format!("{size}B"), "--collective", "all_reduce"])["collectives"][0]["algorithm"].clone();
        assert_eq!((&fastest(size), &fastest(size - 2 - size / 4096)), (&crossover["above"], &crossover["below"]), "{crossover}");
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
    let report = json(&place, &["--size", "2KiB", "--collective", "all_gather", "--algorithm", "steps", "--chunks", "8"]);
    let row = &report["collectives"][0];
    assert_eq!((&row["chunks"], &row["chunks_asked"]), (&Value::from(2), &Value::from(8)), "{row}");
    let (text, _) = run(&place, &["--size", "2KiB", "--collective", "all_gather", "--algorithm", "steps", "--chunks", "8"], 0);
    assert!(text.contains("8 chunks would be less than a flit of 64 B each, so there are 2"), "{text}");
}

#[test]
fn schedules_are_written_read_and_judged() {
    let place = pod();
    let topology = "out/pod/topology.json";
    let verify = |file: &str, code| fabc(place.path(), &["verify", "--collective", file, "--topology", topology], code);
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
        let args = ["--size", "64KiB", "--collective", collective, "--algorithm", algorithm, "--emit", "collective=plan.json"];
        run(&place, &[&args[..], &root].concat(), 0);
        let (text, _) = verify("plan.json", 0);
        assert!(text.contains(&format!("{collective} by {algorithm}, 16 chips")), "{text}");
    }
    run(&place, &["--size", "1MiB", "--collective", "all_gather", "--algorithm", "steps", "--emit", "collective=plan.json"], 0);
    let plan: Value = serde_json::from_slice(&std::fs::read(place.path().join("plan.json")).unwrap()).unwrap();
    assert_eq!(
        (&plan["format"], &plan["canonical"], &plan["nodes"]),
        (&Value::from("fabc.collective/1"), &Value::from(true), &Value::from(16))
    );
    let tampered = |change: &dyn Fn(&mut Value), word: &str| {
        let mut wrong = plan.clone();
        change(&mut wrong);
        std::fs::write(place.path().join("wrong.json"), wrong.to_string()).unwrap();
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
    tampered(&|plan| plan["steps"][0]["pulls"][0][0] = Value::from(plan["steps"][0]["pulls"][0][0].as_u64().unwrap() ^ 1), "");
    tampered(&|plan| plan["bounds"][0]["shards"] = Value::from(16), "its witness gives");
    tampered(&|plan| plan["bounds"][0]["channels"] = Value::from(1), "its witness gives");
    tampered(&|plan| plan["steps"][0]["width"] = Value::from(0), "width 0");
    // A shape that is no schedule, a scenario that is not judged, a key too many.
    for (key, value, word) in [
        ("collective", Value::from("all_gathers"), "there is no collective"),
        ("scenario", Value::from("X[0,0]"), "only schedules of the healthy fabric"),
        ("more", Value::from(1), "unknown field"),
    ] {
        let mut wrong = plan.clone();
        wrong[key] = value;
        std::fs::write(place.path().join("wrong.json"), wrong.to_string()).unwrap();
        let (_, error) = verify("wrong.json", 1);
        assert!(error.contains("FAB0418") && error.contains(word), "{error}");
    }
    // Of another network.
    let other = ring();
    let there = other.path().join("out/net/topology.json");
    let (_, error) = fabc(place.path(), &["verify", "--collective", "plan.json", "--topology", there.to_str().unwrap()], 3);
    assert!(error.contains("FAB0428") && error.contains("16 routers"), "{error}");
}

#[test]
fn errors_say_what_to_write() {
    let place = ring();
    for (args, code, words) in [
        (&[][..], 2, ["FAB0551", "how large"]),
        (&["--size", "0B"], 2, ["FAB0554", "zero"]),
        (&["--size", "1"], 2, ["FAB0554", "no unit"]),
        (&["--size", "1Gib"], 2, ["FAB0554", "no unit `Gib`"]),
        (&["--size", "2000TiB"], 2, ["FAB0554", "more than"]),
        (&["--size", "99999999999TiB"], 2, ["FAB0554", "too large"]),
        (&["--size", "1kB", "--collective", "all_gater"], 2, ["FAB0561", "no collective `all_gater`"]),
        (&["--size", "1kB", "--collective", "all_to_all"], 2, ["FAB0561", "`all_to_all`"]),
        (&["--size", "1kB", "--collective", "all_reduce", "--algorithm", "steps"], 2, ["FAB0561", "algorithm of all_reduce"]),
        (&["--size", "1kB", "--collective", "all_reduce", "--algorithm", "trees"], 2, ["FAB0561", "`trees`"]),
        (&["--size", "1kB", "--algorithm", "slot", "--collective", "all_gather"], 2, ["FAB0561", "no algorithm of all_gather `slot`"]),
        (&["--size", "1kB", "--collective", "broadcast"], 2, ["FAB0562", "needs a root"]),
        (&["--size", "1kB", "--collective", "broadcast", "--root", "7"], 2, ["FAB0562", "no chip `7`"]),
        (&["--size", "1kB", "--collective", "all_reduce", "--root", "0"], 2, ["FAB0562", "has no root"]),
        (&["--size", "1kB", "--scenario", "X[0,0]"], 2, ["FAB0561", "scenario"]),
        (&["--size", "1kB", "--emit", "collective=x.json"], 2, ["FAB0564", "one collective"]),
        (&["--size", "1kB", "--emit", "collectve=x.json"], 2, ["FAB0505", "no format `collectve`"]),
        (&["--sizes", "1kB..8kB", "--collective", "all_reduce", "--emit", "collective=x.json"], 2, ["FAB0564", "one size"]),
        (&["--size", "1kB", "--overhead", "2s"], 2, ["FAB0554", "more than"]),
    ] {
        let (_, error) = run(&place, args, code);
        assert!(words.iter().all(|word| error.contains(word)), "{args:?}: {error}");
    }
    assert!(!place.path().join("x.json").exists());
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_fabc"));
    command.args(["collective", "out/net", "--size", "1kB", "--collective", "all_gater", "--message-format", "json"]);
    let shown = command.current_dir(place.path()).output().unwrap().stderr;
    assert!(String::from_utf8(shown).unwrap().contains("did you mean `all_gather`?"));
    fabc(place.path(), &["collective", "nowhere", "--size", "1kB"], 2);
    // Spines only forward.
    let tree = built(&SpecText::network("fat_tree { levels = 2; arity = 2; }").with("routing = up_down;"));
    let (_, error) = run(&tree, &["--size", "1kB"], 1);
    assert!(error.contains("FAB0563") && error.contains("only forwards"), "{error}");
}

#[test]
fn schedules_for_the_programs_of_others() {
    let place = pod();
    let topology = "out/pod/topology.json";
    let verify = |file: &str, code| fabc(place.path(), &["verify", "--collective", file, "--topology", topology], code);
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
        let args = [&["--size", "64KiB", "--collective", collective, "--algorithm", algorithm, "--emit", emit][..], chunks, &root].concat();
        run(&place, &args, 0);
        verify("a/plan.json", 0);
        let (text, _) = verify("a/plan.xml", 0);
        let name = format!("fabc_pod_{collective}_{algorithm}");
        assert!(text.contains(word) && text.contains(&name) && text.contains("in place and out of place"), "{text}");
        assert!(text.contains("nobody waits for ever, even where both ends of a connection must meet"), "{text}");
        let traces = std::fs::read_dir(place.path().join("a/traces")).unwrap();
        let names: Vec<String> = traces.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        assert!(names.len() == 16 && (0..16).all(|rank| names.contains(&format!("{name}.{rank}.et"))), "{names:?}");
        assert!(read("a/plan.xml").contains("inplace=\"1\" outofplace=\"1\" minBytes=\"0\" maxBytes="));
        std::fs::remove_dir_all(place.path().join("a")).unwrap();
    }
    // In a scenario; the bytes are the same again, on any number of threads.
    let dark = ["--size", "64KiB", "--collective", "all_gather", "--scenario", "X[0,0]", "--emit", "msccl=dark.xml"];
    run(&place, &dark, 0);
    let first = read("dark.xml");
    verify("dark.xml", 0);
    run(&place, &[&dark[..], &["--threads", "1"]].concat(), 0);
    assert!(first == read("dark.xml"));
    let json = [&["verify", "--collective", "dark.xml", "--topology", topology][..], &["--message-format", "json"]].concat();
    let told = std::process::Command::new(env!("CARGO_BIN_EXE_fabc")).args(json).current_dir(place.path()).output().unwrap().stdout;
    let told: Value = serde_json::from_slice(&told).unwrap();
    assert_eq!(
        (&told["collective"], &told["judged"], &told["gpus"]),
        (&Value::from("allgather"), &Value::from("result"), &Value::from(16))
    );
    // Tampering has a code and a place.
    let wrong = first.replacen("deps=\"0\"", "deps=\"99\"", 1);
    std::fs::write(place.path().join("wrong.xml"), wrong).unwrap();
    let (_, error) = verify("wrong.xml", 3);
    assert!(error.contains("FAB0429") && error.contains("waits for step 99") && error.contains("line "), "{error}");
    std::fs::write(place.path().join("wrong.xml"), first.replacen("coll=\"allgather\"", "coll=\"allreduce\"", 1)).unwrap();
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
        assert!(["a.json", "a.xml", "b.xml", "traces"].iter().all(|file| !place.path().join(file).exists()), "{emit}");
    }
    // More steps than every runtime takes are told.
    let (_, told) = run(&place, &[&args[..], &["--emit", "msccl=a.xml", "--chunks", "100"]].concat(), 0);
    assert!(told.contains("note: a thread block has") && told.contains("RCCL 64"), "{told}");
    let (_, told) = fabc(place.path(), &["verify", "--collective", "a.xml", "--topology", "out/net/topology.json"], 0);
    assert!(told.contains("RCCL takes 64"), "{told}");
}
