//! Training jobs, from outside: known answers, placements, faults, files, what `verify` convicts, and what is
//! refused.

use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use serde_json::Value;
use std::path::Path;

pub(crate) fn built(spec: &SpecText) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), spec.text()).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    place
}

pub(crate) fn read(place: &Path, file: &str) -> Value {
    let bytes = std::fs::read(place.join("out").join(file)).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// A cube of 64 chips that is wrapped on itself. 50 GB/s, 20 ns a hop.
pub(crate) fn cube() -> SpecText {
    SpecText::pod([4, 4, 4], 1)
        .with("budget { vcs = 2; faults = 0; }")
        .with("topology = torus 4 x 4 x 4;")
        .with("routing = dimension_order;")
}

/// Sixteen chips in two cubes on a torus, every single dark switch tolerated, with jobs of all kinds.
fn pod() -> SpecText {
    SpecText::pod([2, 2, 2], 2)
        .with("topology = torus 2 x 2 x 4;")
        .with("routing = up_down;")
        .with(
            "job mine { axes { tensor = 4; data = 4; } \
             phase layers { collective in = all_gather { over = tensor; size = 1 MiB; times = 10; } \
             collective experts = all_to_all { over = [tensor, data]; size = 1 MiB; } } \
             phase sums { collective sum = all_reduce { over = data; size = 4 MiB; } overlap = 50 %; } \
             phase shift { after = sums; send stage { along = data; size = 64 KiB; times = 8; both = yes; } } \
             compute = 1 ms; place = aligned; scenarios = all; }",
        )
        .with("require mine.communication <= 10 ms;")
        .with("require mine.share >= 0.05;")
        .with("require fault.mine.step <= 20 ms;")
}

#[test]
fn known_answers_on_a_wrapped_cube() {
    let place = built(
        &cube()
            .with(
                "job experts { axes { expert = 64; } \
         phase all { collective dispatch = all_to_all { over = expert; size = 64 MiB; times = 3; } } }",
            )
            .with(
                "job rows { axes { tensor = 8; data = 8; } \
         phase all { collective in = all_gather { over = tensor; size = 64 MiB; algorithm = within; } } }",
            )
            .with(
                "job blocks { axes { tensor = 8; data = 8; } place = aligned; \
         phase all { collective in = all_gather { over = tensor; size = 64 MiB; } } }",
            )
            .with(
                "job pairs { axes { pair = 2; others = 32; } \
         phase all { send next { along = pair; size = 1 MiB; times = 5; } } }",
            ),
    );
    let phase =
        |job: &str| read(place.path(), &format!("pod/jobs/{job}.json"))["scenarios"][0]["phases"][0].clone();
    let number = |value: &Value| value.as_f64().unwrap();
    let megabyte = (1 << 20) as f64;
    // A channel carries 32 of 64 parts of every run. 50 GB/s are 0.02 ns a byte.
    let experts = phase("experts");
    let volume = 3.0 * 64.0 * megabyte / 2.0 * 0.02;
    assert!((number(&experts["volume_ns"]) - volume).abs() < 0.01, "{experts}");
    assert_eq!(experts["operations"][0]["load_bytes"], 3 * 32 * (1 << 20));
    // Six hops of 20 ns, three times.
    assert_eq!(number(&experts["latency_ns"]), 360.0);
    // The lengths prove that nothing is faster, and the universal bound of single cubes is the same.
    assert!(number(&experts["bound_ns"]) >= 0.9999 * volume, "{experts}");
    assert!(number(&experts["universal_ns"]) >= 0.9999 * volume, "{experts}");
    // 7 shards of 8 MiB over three channels of each chip.
    let shard = 8.0 * megabyte * 0.02;
    for job in ["rows", "blocks"] {
        let volume = number(&phase(job)["volume_ns"]);
        assert!((volume / shard - 7.0 / 3.0).abs() < 1e-6, "{job}: {}", volume / shard);
    }
    // A message of 1 MiB over one link, five times, 20 ns each.
    let pairs = phase("pairs");
    assert!((number(&pairs["time_ns"]) - 5.0 * (megabyte * 0.02 + 20.0)).abs() < 0.01, "{pairs}");
    fabc(place.path(), &["verify", "out/pod"], 0);
}

#[test]
fn jobs_are_planned_required_and_proved() {
    let place = built(&pod());
    let report = read(place.path(), "pod/report.json");
    let job = &report["jobs"][0];
    assert_eq!((&job["name"], &job["place"]), (&Value::from("mine"), &Value::from("aligned")));
    let file = read(place.path(), "pod/jobs/mine.json");
    let scenarios = file["scenarios"].as_array().unwrap();
    assert!(scenarios.len() > 1, "{} scenarios", scenarios.len());
    let number = |value: &Value| value.as_f64().unwrap();
    for scenario in scenarios {
        let phases = scenario["phases"].as_array().unwrap();
        let sum: f64 = phases.iter().map(|phase| number(&phase["time_ns"])).sum();
        assert!((sum - number(&scenario["communication_ns"])).abs() < 0.01, "{scenario}");
        let sums = number(&phases[1]["time_ns"]);
        let exposed = number(&scenario["communication_ns"]) - (sums / 2.0).min(1e6);
        assert!((exposed - number(&scenario["exposed_ns"])).abs() < 0.01, "{scenario}");
        for phase in phases {
            assert!(number(&phase["universal_ns"]) <= number(&phase["time_ns"]));
            assert!(number(&phase["bound_ns"]) <= number(&phase["time_ns"]));
        }
    }
    // Aligned placements are never slower than the plain order, which is among them.
    let candidates = file["candidates"].as_array().unwrap();
    assert!(candidates.iter().any(|candidate| candidate["place"] == "order"));
    let times: Vec<f64> = candidates.iter().map(|candidate| number(&candidate["communication_ns"])).collect();
    assert!(times.is_sorted(), "{times:?}");
    fabc(place.path(), &["verify", "out/pod"], 0);
    let text = std::fs::read_to_string(place.path().join("out/pod/report.txt")).unwrap();
    assert!(text.contains("JOB mine"), "{text}");
    // The same spec gives the same bytes, on one thread too.
    let before = std::fs::read(place.path().join("out/pod/jobs/mine.json")).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q", "--threads", "1"], 0);
    assert_eq!(std::fs::read(place.path().join("out/pod/jobs/mine.json")).unwrap(), before);
}

/// Changes a file of the directory, and returns what `verify` says to it.
pub(crate) fn convicted(place: &Path, file: &str, change: impl Fn(&mut Value)) -> String {
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
fn every_change_of_a_job_is_convicted() {
    let place = built(&pod());
    let place = place.path();
    let job = "jobs/mine.json";
    let swap = |value: &mut Value| value["ranks"].as_array_mut().unwrap().swap(0, 5);
    convicted(place, job, swap);
    let twice = convicted(place, job, |value| value["ranks"][1] = value["ranks"][0].clone());
    assert!(twice.contains("permutation"), "{twice}");
    convicted(place, job, |value| value["scenarios"][0]["communication_ns"] = 1.0.into());
    convicted(place, job, |value| {
        value["scenarios"][0]["phases"][0]["operations"][0]["bytes"] = 1_048_575.into()
    });
    convicted(place, job, |value| {
        value["scenarios"][0]["phases"][0]["operations"][0]["algorithm"] = "ring".into()
    });
    convicted(place, job, |value| value["scenarios"][0]["phases"][0]["bound_ns"] = 1e9.into());
    convicted(place, job, |value| value["scenarios"][0]["phases"][2]["after"] = Value::Array(Vec::new()));
    convicted(place, job, |value| drop(value["scenarios"].as_array_mut().unwrap().pop()));
    convicted(place, job, |value| drop(value["scenarios"][0]["phases"].as_array_mut().unwrap().pop()));
    convicted(place, job, |value| {
        value["scenarios"][0]["phases"][0]["operations"][0]["schedule"] = Value::Null
    });
    convicted(place, job, |value| {
        value["scenarios"][0]["phases"][0]["witness"] = serde_json::json!({"lengths": [1, 2, 3]});
    });
    convicted(place, job, |value| {
        value["scenarios"][0]["phases"][0]["witness"] = serde_json::json!({"operation": 7});
    });
    // A placement that would have been better.
    convicted(place, job, |value| value["candidates"][1]["communication_ns"] = 0.001.into());
    let schedule = "jobs/mine.layers.in.json";
    convicted(place, schedule, |value| {
        drop(value["forest"]["trees"][0]["sends"].as_array_mut().unwrap().pop());
    });
    convicted(place, schedule, |value| {
        let first = value["groups"][0][0].take();
        value["groups"][0][0] = value["groups"][1][0].take();
        value["groups"][1][0] = first;
    });
    convicted(place, "report.json", |value| value["jobs"][0]["step_ns"] = 1.0.into());
    let page = place.join("out/pod/report.html");
    let text = std::fs::read_to_string(&page).unwrap();
    let ranks = text.find("data-ranks=\"").unwrap() + "data-ranks=\"".len();
    let swapped = format!("{}9 {}", &text[..ranks], &text[ranks..].split_once(' ').unwrap().1);
    std::fs::write(&page, swapped).unwrap();
    fabc(place, &["verify", "out/pod"], 3);
    std::fs::write(&page, text).unwrap();
    let spec = place.join("out/pod/spec.fab");
    let text = std::fs::read_to_string(&spec).unwrap();
    for [before, after] in [["times = 10", "times = 11"], ["overlap = 50 %", "overlap = 51 %"]] {
        assert!(text.contains(before), "{text}");
        std::fs::write(&spec, text.replacen(before, after, 1)).unwrap();
        fabc(place, &["verify", "out/pod"], 3);
    }
    std::fs::write(&spec, text).unwrap();
    fabc(place, &["verify", "out/pod"], 0);
}

/// Sixteen chips whose groups of four fit on closed rings of no topology but one.
fn searched(target: &str, jobs: &str) -> SpecText {
    SpecText::pod([2, 2, 2], 2)
        .with(&format!("topology = synthesize {{ {target} effort = 1; seed = 1; }}"))
        .with("routing = allowed_turns;")
        .with(jobs)
}

#[test]
fn exchanges_lead_from_a_bad_order_to_a_good_one() {
    // Rows of three chips in a grid of 3 x 6: no side is a power of two. In plain order a group of six is a
    // row of six of the grid, which is a line of channels. Two rows of three are better joined.
    let job = "job rows { axes { tensor = 6; data = 3; } PLACE \
               phase all { collective in = all_gather { over = tensor; size = 6 MiB; algorithm = within; } } }";
    let network = |place: &str| {
        SpecText::network("mesh 3 x 6;").with("routing = up_down;").with(&job.replace("PLACE", place))
    };
    let communication = |place: &Path, name: &str| {
        read(place, &format!("{name}/jobs/rows.json"))["scenarios"][0]["communication_ns"].as_f64().unwrap()
    };
    let plain = built(&network(""));
    let searched = built(&network("place = search { effort = 1; seed = 2; }"));
    let name = std::fs::read_dir(plain.path().join("out")).unwrap().next().unwrap().unwrap();
    let name = name.file_name().into_string().unwrap();
    let [before, after] = [plain.path(), searched.path()].map(|place| communication(place, &name));
    // An end of a line hears five shards by one channel, a corner of 2 x 3 by two.
    assert!((before / after - 2.0).abs() < 0.01, "{before} {after}");
    let file = read(searched.path(), &format!("{name}/jobs/rows.json"));
    assert_eq!((&file["place"], &file["candidates"][0]["place"]), (&"search".into(), &"search".into()));
    assert_eq!(file["candidates"][1]["place"], "order");
    fabc(searched.path(), &["verify", &format!("out/{name}")], 0);
    // The same spec gives the same bytes, on one thread too.
    let path = searched.path().join("out").join(&name).join("jobs/rows.json");
    let bytes = std::fs::read(&path).unwrap();
    fabc(searched.path(), &["build", "fabric.fab", "-q", "--threads", "1"], 0);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    // A placement that is searched again is the same, and a directory of another one can be searched, too.
    let again = fabc(plain.path(), &["job", &format!("out/{name}"), "--place", "search", "--json"], 0).0;
    let again: Value = serde_json::from_str(&again).unwrap();
    assert!((again["scenarios"][0]["communication_ns"].as_f64().unwrap() / after - 1.0).abs() < 0.01);
}

#[test]
fn a_topology_is_searched_for_its_jobs() {
    let jobs = "job experts { axes { expert = 8; data = 2; } weight = 3; place = aligned; \
                phase all { collective dispatch = all_to_all { over = expert; size = 8 MiB; times = 4; } } } \
                job sums { axes { data = 16; } \
                phase all { collective sum = all_reduce { over = data; size = 1 MiB; } } }";
    let place = built(&searched("for = [experts, sums];", jobs).with("budget { vcs = 2; faults = 1 ocs; }"));
    fabc(place.path(), &["verify", "out/pod"], 0);
    let file = read(place.path(), "pod/jobs/experts.json");
    let topologies = file["topologies"].as_array().unwrap();
    let names: Vec<&str> = topologies.iter().map(|line| line["topology"].as_str().unwrap()).collect();
    for name in ["torus 2 x 2 x 4", "twisted_torus 2 x 2 x 4", "all pairs alike", "jobs 30 to 1"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    // Both jobs list the same topologies: first those that were routed, in the order of their sum with
    // weights.
    let sums = read(place.path(), "pod/jobs/sums.json");
    let column = |file: &Value, name: &str| -> Vec<Option<f64>> {
        file["topologies"].as_array().unwrap().iter().map(|line| line[name].as_f64()).collect()
    };
    let routed = column(&file, "routed_ns").into_iter().zip(column(&sums, "routed_ns"));
    let total: Vec<f64> = routed.map_while(|(first, second)| Some(3.0 * first? + second?)).collect();
    assert!(!total.is_empty() && total.is_sorted(), "{total:?}");
    // Messages on whole paths are no faster than on the best ones, and the plan is what was promised.
    let taken = file["scenarios"][0]["communication_ns"].as_f64().unwrap();
    let (estimate, promised) =
        (column(&file, "estimate_ns")[0].unwrap(), column(&file, "routed_ns")[0].unwrap());
    assert!(taken >= 0.999 * estimate && taken <= 1.001 * promised, "{taken} {estimate} {promised}");
    // The tables balance what the jobs send: on the topology for all pairs they are slower.
    let uniform = built(&searched("", jobs).with("budget { vcs = 2; faults = 1 ocs; }"));
    let other = read(uniform.path(), "pod/jobs/experts.json");
    assert!(
        other["topologies"].is_null() && taken <= other["scenarios"][0]["communication_ns"].as_f64().unwrap()
    );
    // What the files say of the search is compared with the spec.
    let told = convicted(place.path(), "jobs/sums.json", |file| {
        file.as_object_mut().unwrap().remove("topologies");
    });
    assert!(told.contains("topologies"), "{told}");
}

#[test]
fn a_sum_of_all_chips_takes_rounds() {
    let job = "job sums { axes { data = 64; } \
               phase all { collective sum = all_reduce { over = data; size = 64 MiB; } } }";
    let place = built(&cube().with(job));
    let phase = read(place.path(), "pod/jobs/sums.json")["scenarios"][0]["phases"][0].clone();
    assert_eq!(phase["operations"][0]["algorithm"], "gather_reduce");
    // 63 shards of 1 MiB come in by six channels of 50 GB/s, twice.
    let least = 2.0 * 63.0 * 1_048_576.0 / 6.0 * 0.02;
    let volume = phase["volume_ns"].as_f64().unwrap();
    assert!((volume / least - 1.0).abs() < 1e-6, "{volume} {least}");
    fabc(place.path(), &["verify", "out/pod"], 0);
    let schedule = "jobs/sums.all.sum.json";
    let told = convicted(place.path(), schedule, |file| {
        file["steps"].as_array_mut().unwrap().pop();
    });
    assert!(told.contains("sum"), "{told}");
}

#[test]
fn a_small_sum_of_all_chips_waits_for_few_hops() {
    let job = "job sums { axes { data = 64; } \
               phase all { collective sum = all_reduce { over = data; size = 16 KiB; } } }";
    let place = built(&cube().with(job));
    let phase = read(place.path(), "pod/jobs/sums.json")["scenarios"][0]["phases"][0].clone();
    // A hop takes 20 ns. Rounds do not wait for one in each of their more than a hundred slots.
    let latency = phase["latency_ns"].as_f64().unwrap();
    assert!(latency < 1000.0, "{latency}");
    fabc(place.path(), &["verify", "out/pod"], 0);
}

#[test]
fn another_placement_needs_no_build() {
    let place = built(&pod());
    let text = |args: &[&str]| fabc(place.path(), &[&["job", "out/pod", "--certify"], args].concat(), 0).0;
    let json =
        |args: &[&str]| -> Value { serde_json::from_str(&text(&[args, &["--json"]].concat())).unwrap() };
    let file = read(place.path(), "pod/jobs/mine.json");
    let planned = json(&[]);
    assert_eq!((&planned["ranks"], &planned["candidates"]), (&file["ranks"], &file["candidates"]));
    assert_eq!(planned["scenarios"][0], file["scenarios"][0]);
    // Without the flow of messages only bounds are lower.
    let quick: Value = serde_json::from_str(&fabc(place.path(), &["job", "out/pod", "--json"], 0).0).unwrap();
    let bounds = [&quick, &planned].map(|answer| answer["scenarios"][0]["bound_ns"].as_f64().unwrap());
    assert!(0.0 < bounds[0] && bounds[0] <= bounds[1], "{bounds:?}");
    assert_eq!(quick["scenarios"][0]["step_ns"], planned["scenarios"][0]["step_ns"]);
    let order = json(&["--place", "order"]);
    let in_order =
        file["candidates"].as_array().unwrap().iter().find(|line| line["place"] == "order").unwrap();
    assert_eq!(order["scenarios"][0]["communication_ns"], in_order["communication_ns"]);
    // The ranks that a build writes can be read again.
    fabc(place.path(), &["build", "fabric.fab", "-q", "--emit", "ranks=lists/"], 0);
    let again = json(&["--place", "lists/mine.ranks.csv"]);
    assert_eq!((&again["ranks"], &again["place"]), (&file["ranks"], &Value::from("file")));
    let fault = file["scenarios"][1]["scenario"].as_str().unwrap();
    let dark = json(&["--scenario", fault, "--place", "lists/mine.ranks.csv"]);
    assert_eq!(dark["scenarios"][0], file["scenarios"][1]);
    assert!(text(&[]).contains("communication"), "{}", text(&[]));
    for (args, words) in [
        (&["--job", "yours"][..], "there is no job `yours`"),
        (&["--scenario", "X[9,9]"], "X[9,9]"),
        (&["--place", "fabric.fab"], "there is no placement `fabric.fab`"),
    ] {
        let (_, error) = fabc(place.path(), &[&["job", "out/pod"], args].concat(), 2);
        assert!(error.contains(words), "{args:?}: {error}");
    }
}

#[test]
fn launchers_get_their_files() {
    let place = built(&pod());
    let formats = "ranks=l/,hostfile=l/,rankfile=l/,mesh=l/,groups=l/";
    fabc(place.path(), &["build", "fabric.fab", "-q", "--emit", formats], 0);
    let read = |name: &str| std::fs::read_to_string(place.path().join("l").join(name)).unwrap();
    let ranks = read("mine.ranks.csv");
    assert!(ranks.starts_with("rank,chip,name,cube,x,y,z,tensor,data,host,slot\n0,"), "{ranks}");
    let chips: Vec<u64> =
        ranks.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
    // The axis of neighbouring ranks is innermost.
    let mesh: Vec<Vec<u64>> = serde_json::from_str(&read("mine.mesh.json")).unwrap();
    assert_eq!(mesh, chips.chunks(4).map(<[u64]>::to_vec).collect::<Vec<_>>());
    let groups: Value = serde_json::from_str(&read("mine.groups.json")).unwrap();
    // Four groups over tensor, one over both, four over data.
    assert_eq!(groups.as_object().unwrap().len(), 9);
    assert_eq!(
        (&groups["1"], &groups["9"]),
        (&serde_json::json!([0, 1, 2, 3]), &serde_json::json!([3, 7, 11, 15]))
    );
    assert_eq!(read("mine.hostfile").lines().count(), 16);
    assert!(read("mine.rankfile").starts_with("rank 0="), "{}", read("mine.rankfile"));
}

#[test]
fn jobs_run_on_boxes_beside_sprayed_packets() {
    let spec = "fabric net {
        clock = 1 GHz;
        link nvlink { bandwidth = 300 GB/s; latency = 100 ns; }
        link ib { bandwidth = 25 GB/s; latency = 200 ns; }
        router leaf { radix = 40; latency = 300 ns; }
        box a100 { gpus = 8; switch nv { latency = 100 ns; join all over nvlink; } nics = 8 over ib; }
        boxes = 2 of a100;
        topology = leaf_spine { leaves = 2; spines = 0; attach = rail; leaf = leaf; }
        routing = spray { relay = gpu; }
        job train { axes { tensor = 8; data = 2; }
            phase layers { collective in = all_gather { over = tensor; size = 64 MiB; } }
            phase experts { collective dispatch = all_to_all { over = [tensor, data]; size = 1 MiB; } }
            phase sums { collective sum = all_reduce { over = data; size = 16 MiB; } } } }";
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("fabric.fab"), spec).unwrap();
    fabc(place.path(), &["build", "fabric.fab", "-q"], 0);
    fabc(place.path(), &["build", "fabric.fab", "-q", "--emit", "rankfile=l/"], 0);
    let file = read(place.path(), "net/jobs/train.json");
    let phases = file["scenarios"][0]["phases"].as_array().unwrap();
    assert_eq!(phases[1]["operations"][0]["algorithm"], "paths");
    // 7/8 of 64 MiB at 300 GB/s within each box.
    let volume = phases[0]["volume_ns"].as_f64().unwrap();
    let least = 7.0 / 8.0 * 64.0 * 1_048_576.0 / 300.0;
    assert!((volume / least - 1.0).abs() < 1e-3, "{volume} for {least}");
    let ranks = std::fs::read_to_string(place.path().join("l/train.rankfile")).unwrap();
    assert!(ranks.contains("rank 8=box1 slot=0"), "{ranks}");
    let again = fabc(place.path(), &["job", "out/net", "--certify", "--json"], 0).0;
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["scenarios"][0], file["scenarios"][0]);
    fabc(place.path(), &["verify", "out/net"], 0);
}

#[test]
fn jobs_that_do_not_fit_are_refused_at_their_line() {
    let place = tempfile::tempdir().unwrap();
    let phase = "phase all { collective in = all_gather { over = a; size = 1 MiB; } }";
    let with_axes = |axes: &str, more: &str| format!("job j {{ axes {{ {axes} }} {more} {phase} }}");
    for (topology, items, code, words) in [
        ("torus 4 x 4;", with_axes("a = 8; b = 4;", ""), 1, "8 x 4 = 32 ranks, but the fabric has 16 chips"),
        ("torus 3 x 4;", with_axes("a = 4; b = 3;", "place = aligned;"), 1, "power of two"),
        ("torus 4 x 4;", with_axes("a = 16;", "") + " require j.share >= 1.5;", 1, "no step beats the bound"),
        // 15 of 16 MiB over four channels of 12.5 GB/s take 19.7 us.
        ("torus 4 x 4;", with_axes("a = 16;", "") + " require j.communication <= 19 us;", 3, "at least"),
        (
            "torus 4 x 4;",
            with_axes("a = 16;", "") + " budget { vcs = 4; faults = 1 router; } require fault.j.step <= 1 s;",
            1,
            "each takes a chip",
        ),
    ] {
        let text = SpecText::network(topology).with("routing = up_down;").with(&items).text();
        std::fs::write(place.path().join("fabric.fab"), text).unwrap();
        for command in ["check", "build"] {
            let (_, error) = fabc(place.path(), &[command, "fabric.fab"], code);
            assert!(error.contains(words) && error.contains("fabric.fab:"), "{items}: {error}");
        }
    }
}
