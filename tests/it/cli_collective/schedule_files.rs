//! Schedules as files: fabc writes them, reads them, and convicts changed ones.

use super::{pod, ring, run};
use crate::support::command::fabc;
use serde_json::Value;

/// `fabc verify --collective` of a schedule of the pod, against its topology.
fn verify_on_pod(place: &tempfile::TempDir, file: &str, code: i32) -> (String, String) {
    let topology = "out/pod/topology.json";
    fabc(place.path(), &["verify", "--collective", file, "--topology", topology], code)
}

/// Writes the schedule of a collective of the pod, and reads it.
fn emitted_schedule(
    place: &tempfile::TempDir,
    size: &str,
    collective: &str,
    algorithm: &str,
    more: &[&str],
) -> Value {
    let request = ["--size", size, "--collective", collective, "--algorithm", algorithm];
    run(place, &[&request[..], &["--emit", "collective=plan.json"], more].concat(), 0);
    serde_json::from_slice(&std::fs::read(place.path().join("plan.json")).unwrap()).unwrap()
}

/// A schedule after a change, in the file `wrong.json`.
fn write_changed(place: &tempfile::TempDir, schedule: &Value, change: &dyn Fn(&mut Value)) {
    let mut changed = schedule.clone();
    change(&mut changed);
    std::fs::write(place.path().join("wrong.json"), changed.to_string()).unwrap();
}

/// A list in a schedule, to change it.
fn list(value: &mut Value) -> &mut Vec<Value> {
    value.as_array_mut().unwrap()
}

#[test]
fn schedules_are_written_read_and_judged() {
    let place = pod();
    for (collective, root, algorithm) in [
        ("all_gather", None, "steps"),
        ("reduce_scatter", None, "slots"),
        ("all_reduce", None, "gather_reduce"),
        ("all_reduce", None, "local"),
        ("all_gather", None, "multitree"),
        ("broadcast", Some("3"), "pull"),
        ("reduce", Some("3"), "pull"),
        ("reduce_scatter", None, "forest"),
        ("all_reduce", None, "forest"),
        ("broadcast", Some("3"), "forest"),
        ("all_to_all", None, "paths"),
    ] {
        let root: Vec<&str> = root.into_iter().flat_map(|root| ["--root", root]).collect();
        emitted_schedule(&place, "64KiB", collective, algorithm, &root);
        let (text, _) = verify_on_pod(&place, "plan.json", 0);
        assert!(text.contains(&format!("{collective} by {algorithm}, 16 chips")), "{text}");
    }
    let plan = emitted_schedule(&place, "1MiB", "all_gather", "steps", &[]);
    assert_eq!(
        (&plan["format"], &plan["canonical"], &plan["nodes"]),
        (&Value::from("fabc.collective/1"), &Value::from(true), &Value::from(16))
    );
    convict_changed_steps(&place, &plan);
    let forest = emitted_schedule(&place, "1MiB", "all_gather", "forest", &[]);
    convict_changed_forest(&place, &forest);
    let paths = emitted_schedule(&place, "1MiB", "all_to_all", "paths", &[]);
    convict_changed_paths(&place, &paths);
    // The schedule is judged on another network.
    let other_place = ring();
    let topology_path = other_place.path().join("out/net/topology.json");
    let (_, error) = fabc(
        place.path(),
        &["verify", "--collective", "plan.json", "--topology", topology_path.to_str().unwrap()],
        3,
    );
    assert!(error.contains("FAB0428") && error.contains("16 routers"), "{error}");
}

/// Every change of a schedule by steps is an error.
fn convict_changed_steps(place: &tempfile::TempDir, plan: &Value) {
    let convict = |word: &str, change: &dyn Fn(&mut Value)| {
        write_changed(place, plan, change);
        let (_, error) = verify_on_pod(place, "wrong.json", 3);
        assert!(error.contains("FAB0428") && error.contains(word), "{word}: {error}");
    };
    convict("", &|plan| drop(list(&mut plan["steps"][0]["pulls"][0][1]).pop()));
    convict("has got it before", &|plan| {
        let again = plan["steps"][0]["pulls"][0].clone();
        list(&mut plan["steps"]).push(serde_json::json!({"width": 99, "pulls": [again]}));
    });
    convict("", &|plan| {
        let chip = plan["steps"][0]["pulls"][0][0].as_u64().unwrap();
        plan["steps"][0]["pulls"][0][0] = Value::from(chip ^ 1);
    });
    convict("its witness gives", &|plan| plan["bounds"][0]["shards"] = Value::from(16));
    convict("its witness gives", &|plan| plan["bounds"][0]["channels"] = Value::from(1));
    convict("width 0", &|plan| plan["steps"][0]["width"] = Value::from(0));
    // A shape that is no schedule, a scenario that is not judged, a key too many.
    for (key, value, word) in [
        ("collective", Value::from("all_gathers"), "there is no collective"),
        ("scenario", Value::from("X[0,0]"), "only schedules of the healthy fabric"),
        ("more", Value::from(1), "unknown field"),
    ] {
        write_changed(place, plan, &|plan| plan[key] = value.clone());
        let (_, error) = verify_on_pod(place, "wrong.json", 1);
        assert!(error.contains("FAB0418") && error.contains(word), "{error}");
    }
}

/// Every change of a forest is an error.
fn convict_changed_forest(place: &tempfile::TempDir, forest: &Value) {
    let change_and_verify = |code: i32, word: &str, change: &dyn Fn(&mut Value)| {
        write_changed(place, forest, change);
        let (_, error) = verify_on_pod(place, "wrong.json", code);
        assert!(error.contains(word), "{word}: {error}");
    };
    let first_tree = |plan: &mut Value| plan["forest"]["trees"][0].clone();
    change_and_verify(3, "does not reach", &|plan| {
        drop(list(&mut plan["forest"]["trees"][0]["sends"]).pop());
    });
    change_and_verify(3, "parts of", &|plan| {
        let parts = first_tree(plan)["multiplicity"].as_u64().unwrap();
        plan["forest"]["trees"][0]["multiplicity"] = Value::from(parts + 1);
    });
    change_and_verify(3, "parts", &|plan| {
        let again = first_tree(plan);
        list(&mut plan["forest"]["trees"]).push(again);
    });
    change_and_verify(3, "per lane", &|plan| plan["forest"]["load"][0] = Value::from(0));
    change_and_verify(3, "no lit duplex channel", &|plan| {
        plan["forest"]["trees"][0]["sends"][0][2][0][1][0] = Value::from(9999);
    });
    change_and_verify(3, "its witness gives", &|plan| plan["bounds"][0]["channels"] = Value::from(1));
    change_and_verify(1, "its denominator is 0", &|plan| plan["forest"]["load"][1] = Value::from(0));
    change_and_verify(1, "`latency` has no effect here", &|plan| plan["latency"] = Value::from(1));
    change_and_verify(1, "which lists `steps`", &|plan| plan["algorithm"] = Value::from("steps"));
    change_and_verify(1, "unknown field", &|plan| plan["forest"]["more"] = Value::from(1));
}

/// `fabc verify --collective` of a schedule of the pod, against its topology and its tables.
fn verify_with_tables(place: &tempfile::TempDir, file: &str, code: i32) -> (String, String) {
    let (topology, tables) = ("out/pod/topology.json", "out/pod/tables/nominal.json");
    let args = ["verify", "--collective", file, "--topology", topology, "--tables", tables];
    fabc(place.path(), &args, code)
}

/// A changed schedule is an error: with code 3 a false one, with code 1 no schedule.
fn convict_changed(
    place: &tempfile::TempDir,
    schedule: &Value,
    code: i32,
    word: &str,
    change: &dyn Fn(&mut Value),
) {
    write_changed(place, schedule, change);
    let verify = if schedule["sends"].is_null() { verify_on_pod } else { verify_with_tables };
    let (_, error) = verify(place, "wrong.json", code);
    let expected = if code == 3 { "FAB0428" } else { "FAB0418" };
    assert!(error.contains(expected) && error.contains(word), "{word}: {error}");
}

#[test]
fn trees_and_messages_are_written_read_and_judged() {
    let place = pod();
    let trees = emitted_schedule(&place, "64KiB", "all_reduce", "trees", &[]);
    let (text, _) = verify_on_pod(&place, "plan.json", 0);
    assert!(
        text.contains("all_reduce by trees, 16 chips") && text.contains("pieces of the share of a tree"),
        "{text}"
    );
    let (_, error) = verify_with_tables(&place, "plan.json", 1);
    assert!(error.contains("FAB0418") && error.contains("follow no tables"), "{error}");
    convict_changed_trees(&place, &trees);
    for (chunks, latency) in [("1", false), ("2", true)] {
        // A chunk that takes less than a hop is planned to be in flight.
        let sends = emitted_schedule(&place, "64KiB", "all_to_all", "direct", &["--chunks", chunks]);
        assert!(latency || sends["canonical"].is_boolean(), "{sends}");
        let (text, _) = verify_with_tables(&place, "plan.json", 0);
        assert!(text.contains("all_to_all by direct, 16 chips"), "{text}");
        let (_, error) = verify_on_pod(&place, "plan.json", 1);
        assert!(error.contains("FAB0418") && error.contains("add `--tables FILE`"), "{error}");
        convict_changed_sends(&place, &sends);
    }
    // The tables are of another network.
    let other_place = ring();
    let tables_path = other_place.path().join("out/net/tables/nominal.json");
    let on_pod = ["verify", "--collective", "plan.json", "--topology", "out/pod/topology.json", "--tables"];
    let (_, error) = fabc(place.path(), &[&on_pod[..], &[tables_path.to_str().unwrap()]].concat(), 1);
    assert!(error.contains("FAB0418") && error.contains("must list all routers"), "{error}");
    // A schedule has no lanes.
    let lanes = ["out/pod/tables/nominal.json", "--sl2vl", "x"];
    fabc(place.path(), &[&on_pod[..], &lanes].concat(), 2);
}

/// Every change of paths of pairs is an error.
fn convict_changed_paths(place: &tempfile::TempDir, paths: &Value) {
    let convict = |word: &str, change: &dyn Fn(&mut Value)| convict_changed(place, paths, 3, word, change);
    convict("parts", &|plan| drop(list(&mut plan["paths"]["pairs"]).pop()));
    convict("parts", &|plan| {
        let again = plan["paths"]["pairs"][0].clone();
        list(&mut plan["paths"]["pairs"]).push(again);
    });
    convict("the data is at", &|plan| {
        let pairs = list(&mut plan["paths"]["pairs"]).iter_mut();
        let legs = pairs.map(|pair| list(&mut pair[2][0][1])).find(|legs| legs.len() > 1).unwrap();
        legs.swap(0, 1);
    });
    convict("does not exist", &|plan| plan["paths"]["pairs"][0][2][0][1][0][0] = Value::from(9999));
    convict("the busiest channel carries", &|plan| plan["paths"]["load"][0] = Value::from(0));
    convict("its witness gives", &|plan| plan["bounds"][1]["shards"] = Value::from(1));
    let refuse = |word: &str, change: &dyn Fn(&mut Value)| convict_changed(place, paths, 1, word, change);
    refuse("its denominator is 0", &|plan| plan["paths"]["load"][1] = Value::from(0));
    refuse("`canonical` has no effect here", &|plan| plan["canonical"] = Value::from(true));
    refuse("which lists `sends`", &|plan| plan["algorithm"] = Value::from("direct"));
    refuse("unknown field", &|plan| plan["paths"]["more"] = Value::from(1));
}

/// Every change of a schedule by trees is an error.
fn convict_changed_trees(place: &tempfile::TempDir, trees: &Value) {
    let root = trees["trees"][0]["root"].as_u64().unwrap() as usize;
    let chip = (root + 1) % 16;
    let convict = |word: &str, change: &dyn Fn(&mut Value)| convict_changed(place, trees, 3, word, change);
    convict("has no channel up", &|plan| plan["trees"][0]["up"][chip] = Value::from(-1));
    convict("tree 0", &|plan| plan["trees"][0]["root"] = Value::from(chip));
    convict("does not go up", &|plan| plan["trees"][0]["up"][chip] = Value::from(9999));
    convict("is in more than 0 trees", &|plan| plan["capacity"] = Value::from(0));
    convict("trees", &|plan| {
        let again = plan["trees"][0].clone();
        list(&mut plan["trees"]).push(again);
    });
    convict("its witness gives", &|plan| plan["bounds"][0]["channels"] = Value::from(1));
    convict("are not supported", &|plan| plan["chunks"] = Value::from(0));
    let refuse = |word: &str, change: &dyn Fn(&mut Value)| convict_changed(place, trees, 1, word, change);
    refuse("is -2, which is not a channel", &|plan| plan["trees"][0]["up"][chip] = Value::from(-2));
    refuse("need their `capacity`", &|plan| drop(plan.as_object_mut().unwrap().remove("capacity")));
    refuse("`latency` has no effect here", &|plan| plan["latency"] = Value::from(1));
    refuse("`canonical` has no effect here", &|plan| plan["canonical"] = Value::from(true));
    refuse("`order` has no effect here", &|plan| plan["order"] = Value::from("reverse"));
    refuse("one of `steps`, `trees`, `sends`, `forest` and `paths`", &|plan| {
        plan["steps"] = Value::Array(Vec::new())
    });
    refuse("which lists `steps`", &|plan| plan["algorithm"] = Value::from("gather_reduce"));
    refuse("unknown field", &|plan| plan["trees"][0]["down"] = Value::from(1));
}

/// Every change of a schedule by messages is an error.
fn convict_changed_sends(place: &tempfile::TempDir, sends: &Value) {
    let convict = |word: &str, change: &dyn Fn(&mut Value)| convict_changed(place, sends, 3, word, change);
    convict("parts of messages are sent", &|plan| drop(list(&mut plan["sends"]).pop()));
    convict("is sent twice", &|plan| plan["sends"][0] = plan["sends"][1].clone());
    convict("does not belong to this collective", &|plan| plan["sends"][0][1] = plan["sends"][0][0].clone());
    convict("has slots for", &|plan| list(&mut plan["sends"][0][3]).push(Value::from(999)));
    convict("has slots for 0 hops", &|plan| drop(list(&mut plan["sends"][0][3]).pop()));
    convict("is sent in slot", &|plan| {
        let is_far = |send: &&mut Value| send[3].as_array().unwrap().len() > 1;
        let far = list(&mut plan["sends"]).iter_mut().find(is_far).unwrap();
        far[3][1] = far[3][0].clone();
    });
    convict("", &|plan| list(&mut plan["sends"]).iter_mut().for_each(|send| send[3][0] = Value::from(0)));
    let bound_index = |kind: &str| {
        sends["bounds"].as_array().unwrap().iter().position(|bound| bound["kind"] == kind).unwrap()
    };
    let (channel, flow) = (bound_index("channel"), bound_index("flow"));
    convict("its witness gives", &|plan| plan["bounds"][channel]["shards"] = Value::from(1));
    convict("its witness gives", &|plan| plan["bounds"][flow]["distance"] = Value::from(1));
    convict("its witness gives", &|plan| plan["bounds"][flow]["volume"] = Value::from(9999));
    convict_changed(place, sends, 1, "`capacity` has no effect here", &|plan| {
        plan["capacity"] = Value::from(1)
    });
    convict("applies to an all-to-all only", &|plan| plan["collective"] = Value::from("all_gather"));
}

#[test]
fn schedules_for_the_programs_of_others() {
    let place = pod();
    let verify = |file: &str, code| verify_on_pod(&place, file, code);
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
    // A schedule of a scenario has the same bytes on any number of threads.
    let dark =
        ["--size", "64KiB", "--collective", "all_gather", "--scenario", "X[0,0]", "--emit", "msccl=dark.xml"];
    run(&place, &dark, 0);
    let first = read("dark.xml");
    verify("dark.xml", 0);
    run(&place, &[&dark[..], &["--threads", "1"]].concat(), 0);
    assert!(first == read("dark.xml"));
    let args = ["verify", "--collective", "dark.xml", "--topology", "out/pod/topology.json"];
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_fabc"))
        .args(args)
        .arg("--json")
        .current_dir(place.path())
        .output()
        .unwrap()
        .stdout;
    let printed: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(
        (&printed["collective"], &printed["judged"], &printed["gpus"]),
        (&Value::from("allgather"), &Value::from("result"), &Value::from(16))
    );
    convict_changed_programs(&place, &first);
}

/// Changed MSCCL XML has a code and a place.
fn convict_changed_programs(place: &tempfile::TempDir, xml: &str) {
    let verify_changed = |from: &str, to: &str, code: i32| {
        std::fs::write(place.path().join("wrong.xml"), xml.replacen(from, to, 1)).unwrap();
        verify_on_pod(place, "wrong.xml", code).1
    };
    let error = verify_changed("deps=\"0\"", "deps=\"99\"", 3);
    assert!(
        error.contains("FAB0429") && error.contains("waits for step 99") && error.contains("line "),
        "{error}"
    );
    assert!(verify_changed("coll=\"allgather\"", "coll=\"allreduce\"", 3).contains("FAB0429"));
    let error = verify_changed("type=\"s\"", "type=\"send\"", 1);
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
    // A note says that a program has more steps than some runtimes take.
    let (_, notes) = run(&place, &[&args[..], &["--emit", "msccl=a.xml", "--chunks", "100"]].concat(), 0);
    assert!(notes.contains("note: a thread block has") && notes.contains("RCCL 64"), "{notes}");
    let (_, notes) =
        fabc(place.path(), &["verify", "--collective", "a.xml", "--topology", "out/net/topology.json"], 0);
    assert!(notes.contains("RCCL takes 64"), "{notes}");
}
