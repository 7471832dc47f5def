//! Questions about training jobs, from outside: what other settings take, what other topologies for phases
//! save, and what a job takes at least before there is a fabric.

use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use serde_json::{Value, json};
use std::path::Path;

/// 24 chips in three cubes on a torus of 50 GB/s and 20 ns a hop, with a job whose experts stay in cubes.
fn pod() -> SpecText {
    SpecText::pod([2, 2, 2], 3)
        .with("budget { vcs = 2; faults = 0; }")
        .with("topology = torus 2 x 2 x 6;")
        .with("routing = up_down;")
        .with(
            "job mine { axes { expert = 8; data = 3; } \
             phase experts { collective exchange = all_to_all { over = expert; size = 64 MiB; times = 2; } } \
             phase sums { collective sum = all_reduce { over = data; size = 4 MiB; } } }",
        )
}

fn build(place: &Path, name: &str, spec: &SpecText) {
    std::fs::write(place.join(name), spec.text()).unwrap();
    fabc(place, &["build", name, "-q"], 0);
}

fn read(place: &Path, file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(place.join(file)).unwrap()).unwrap()
}

#[test]
fn topologies_of_their_own_for_phases_save_a_known_time() {
    let place = tempfile::tempdir().unwrap();
    build(place.path(), "fabric.fab", &pod());
    let job = read(place.path(), "out/pod/jobs/mine.json");
    let found = &job["reconfigure"];
    let listed: Vec<(&str, &Value)> = found["topologies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|listed| (listed["topology"].as_str().unwrap(), &listed["phases_ns"]))
        .collect();
    let (last, times) = listed[listed.len() - 1];
    assert_eq!((listed[0].0, last), ("as built", "cubes wrapped"));
    // In a cube of 2 x 2 x 2 whose fibers double every link, a chip has 12 hops to the others and 6 channels:
    // 2 parts of 8 MiB a channel and run, at 50 GB/s, and 3 hops of 20 ns a run.
    let exact = 2.0 * (2.0 * 8.0 * 1048576.0 / 50.0 + 60.0);
    let measured = times[0].as_f64().unwrap();
    assert!((measured - exact).abs() < 0.01, "{measured} for {exact}");
    assert_eq!(times[1], Value::Null, "the sums join the cubes");
    assert_eq!(found["phases"], json!([listed.len() - 1, found["phases"][1]]));
    assert_eq!(found["switches"], 2);
    let [gain, break_even] = ["gain_ns", "break_even_ns"].map(|key| found[key].as_f64().unwrap());
    assert!((gain / 2.0 - break_even).abs() < 0.01, "{gain} {break_even}");
    let report = std::fs::read_to_string(place.path().join("out/pod/report.txt")).unwrap();
    let sentence = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        sentence.contains("to set the switches anew 2 times a step (experts on `cubes wrapped`"),
        "{report}"
    );
    fabc(place.path(), &["verify", "out/pod", "-q"], 0);
}

/// The same pod, in whose job a change takes some time. `more` are further lines of the block.
fn pod_with_changes(switch: &str, more: &str) -> String {
    let text = pod().text();
    let end = text.find("size = 4 MiB; } }").expect("the last phase") + "size = 4 MiB; } }".len();
    format!("{} reconfigure {{ switch = {switch}; {more} }} {}", &text[..end], &text[end..])
}

fn build_text(place: &Path, text: &str, out: &str) {
    std::fs::write(place.join(format!("{out}.fab")), text).unwrap();
    fabc(place, &["build", &format!("{out}.fab"), "-q", "--out", out], 0);
}

#[test]
fn a_time_of_changes_says_whether_they_pay() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    let said = |out: &str| {
        let report = std::fs::read_to_string(place.join(out).join("pod/report.txt")).unwrap();
        report.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // The experts save 64 MiB over 50 GB/s, half of their time, and two changes of 10 us take 20 us of it.
    build_text(place, &pod_with_changes("10 us", ""), "pays");
    let found = read(place, "pays/pod/jobs/mine.json")["reconfigure"].clone();
    let number = |key: &str| found[key].as_f64().unwrap();
    assert_eq!((&found["phases"], &found["switches"]), (&json!([1, 0]), &json!(2)));
    assert!((number("gain_ns") - 671088.64).abs() < 0.01, "{found}");
    assert!((number("break_even_ns") - 671088.64 / 2.0).abs() < 0.01, "{found}");
    assert_eq!(number("switch_ns"), 10_000.0);
    assert!((number("saved_ns") - (number("gain_ns") - 20_000.0)).abs() < 0.001, "{found}");
    let sentence = "to set the switches anew 2 times a step (experts on `cubes wrapped`, sums on `as built`) saves \
                    0.6711 ms, and the changes of 0.0100 ms take 0.0200 ms: it pays, 0.6511 ms a step. One \
                    topology is built for all phases: topologies of their own are weighed, not built";
    assert!(said("pays").contains(sentence), "{}", said("pays"));
    let page = std::fs::read_to_string(place.join("pays/pod/report.html")).unwrap();
    assert!(page.contains("it pays, 0.6511 ms a step."), "the page says it");
    fabc(place, &["verify", "pays/pod", "-q"], 0);

    // With 10 ms the same changes take 20 ms.
    build_text(place, &pod_with_changes("10 ms", "phases = [experts];"), "slow");
    let found = read(place, "slow/pod/jobs/mine.json")["reconfigure"].clone();
    assert_eq!((&found["phases"], &found["switches"]), (&json!([1, 0]), &json!(2)));
    let saved = found["saved_ns"].as_f64().unwrap();
    assert!((saved - (671088.64 - 20_000_000.0)).abs() < 0.01, "{found}");
    let sentence =
        "take 20.00 ms: it does not pay, and would if a change took less than 0.3355 ms. One topology";
    assert!(said("slow").contains(sentence), "{}", said("slow"));
    fabc(place, &["verify", "slow/pod", "-q"], 0);

    // Of two phases one that keeps the shared topology keeps that of the other, unless the other has its own.
    build_text(place, &pod_with_changes("10 us", "phases = [sums];"), "sums");
    let found = read(place, "sums/pod/jobs/mine.json")["reconfigure"].clone();
    assert_eq!((&found["phases"], &found["saved_ns"]), (&json!([1, 0]), &json!(651088.64)));
    fabc(place, &["verify", "sums/pod", "-q"], 0);
}

#[test]
fn changes_of_whether_changes_pay_are_convicted() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    build_text(place, &pod_with_changes("10 us", "phases = [experts];"), "pays");
    for (file, from, to) in [
        ("jobs/mine.json", "\"switch_ns\":10000.000", "\"switch_ns\":10001.000"),
        ("jobs/mine.json", "\"saved_ns\":651088.640", "\"saved_ns\":671088.640"),
        ("jobs/mine.json", ",\"switch_ns\":10000.000,\"saved_ns\":651088.640", ""),
        ("jobs/mine.json", "\"phases\":[1,0],\"switches\"", "\"phases\":[0,0],\"switches\""),
        ("spec.fab", "switch = 10000 ns", "switch = 11000 ns"),
        ("report.txt", "it pays", "it pais"),
    ] {
        let path = place.join("pays/pod").join(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        assert!(whole.contains(from), "{from} in {whole}");
        std::fs::write(&path, whole.replacen(from, to, 1)).unwrap();
        fabc(place, &["verify", "pays/pod", "-q"], 3);
        std::fs::write(&path, whole).unwrap();
    }
    fabc(place, &["verify", "pays/pod", "-q"], 0);
}

#[test]
fn changes_of_what_changes_save_are_convicted() {
    let place = tempfile::tempdir().unwrap();
    build(place.path(), "fabric.fab", &pod());
    let path = place.path().join("out/pod/jobs/mine.json");
    let whole = std::fs::read_to_string(&path).unwrap();
    let convicted = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from} in {whole}");
        std::fs::write(&path, whole.replacen(from, to, 1)).unwrap();
        let (out, errors) = fabc(place.path(), &["verify", "out/pod"], 3);
        std::fs::write(&path, &whole).unwrap();
        format!("{out}{errors}")
    };
    let job = read(place.path(), "out/pod/jobs/mine.json");
    let last = job["reconfigure"]["topologies"].as_array().unwrap().len() - 1;
    let phases = |phases: &Value| format!("\"phases\":{phases},\"switches\"");
    let taken = phases(&job["reconfigure"]["phases"]);
    for (other, wanted) in [
        (json!([last, last]), "does not join its chips"),
        (json!([0, 0]), "other changes save more time per change"),
        (json!([99, 0]), "no topology of the list"),
        (json!([last]), "no topology of the list"),
    ] {
        let said = convicted(&taken, &phases(&other));
        assert!(said.contains(wanted), "{other}: {said}");
    }
    for key in ["switches", "gain_ns", "break_even_ns"] {
        convicted(&format!("\"{key}\":"), &format!("\"{key}\":1"));
    }
    let said = convicted(
        "{\"topology\":\"as built\",\"phases_ns\":[",
        "{\"topology\":\"as built\",\"phases_ns\":[9",
    );
    assert!(said.contains("on the topology of the fabric, `experts` takes less time than that"), "{said}");
    let said = convicted(
        "{\"topology\":\"as built\",\"phases_ns\":[",
        "{\"topology\":\"as built\",\"phases_ns\":[1.000,",
    );
    assert!(said.contains("a time for every phase"), "{said}");
}

#[test]
fn a_skew_multiplies_the_load_of_an_all_to_all_and_no_bound() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    build(place, "fabric.fab", &pod());
    let even = read(place, "out/pod/jobs/mine.json");
    let skewed = pod().text().replace("times = 2;", "times = 2; skew = 1.3;");
    std::fs::write(place.join("skewed.fab"), skewed).unwrap();
    fabc(place, &["build", "skewed.fab", "-q", "--out", "second"], 0);
    let job = read(place, "second/pod/jobs/mine.json");
    let [even_phase, phase] = [&even, &job].map(|job| job["scenarios"][0]["phases"][0].clone());
    let [even_load, load] =
        [&even_phase, &phase].map(|phase| phase["operations"][0]["load_bytes"].as_u64().unwrap());
    assert_eq!(load, (even_load * 13).div_ceil(10));
    let [even_volume, volume] = [&even_phase, &phase].map(|phase| phase["volume_ns"].as_f64().unwrap());
    assert!((volume - 1.3 * even_volume).abs() < 0.1, "{volume} for 1.3 x {even_volume}");
    for key in ["latency_ns", "bound_ns", "universal_ns"] {
        assert_eq!(phase[key], even_phase[key], "{key}");
    }
    assert_eq!(job["scenarios"][0]["phases"][1], even["scenarios"][0]["phases"][1]);
    assert_eq!(even_phase["operations"][0]["skew"], 1);
    assert_eq!(phase["operations"][0]["skew"], 1.3);
    fabc(place, &["verify", "second/pod", "-q"], 0);

    // The report says what was assumed.
    let said = |directory: &str| {
        let report = std::fs::read_to_string(place.join(directory).join("report.txt")).unwrap();
        report.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let assumed = "even choice of experts: all pairs of ranks send as much in `experts.exchange`";
    assert!(said("out/pod").contains(assumed));
    let assumed = "skew 1.3 in `experts.exchange`: channels count as if all pairs of ranks sent as much as the \
                   busiest one, which sends 1.3 times the mean; bounds are those of an even choice of experts";
    assert!(said("second/pod").contains(assumed));

    // `fabc job` answers the same without a build, on one thread too.
    let set = "experts.exchange.skew=1.3";
    let ask = ["job", "out/pod", "--certify", "--json", "--set", set, "--threads", "1"];
    let asked: Value = serde_json::from_str(&fabc(place, &ask, 0).0).unwrap();
    assert_eq!(asked["scenarios"], job["scenarios"]);

    // The checker has the factor from the spec alone.
    for (file, from, to) in [
        ("jobs/mine.json", "\"skew\":1.3", "\"skew\":1.2"),
        ("spec.fab", "skew = 1.3", "skew = 1.2"),
        ("spec.fab", "skew = 1.3;", ""),
    ] {
        let path = place.join("second/pod").join(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        assert!(whole.contains(from), "{whole}");
        std::fs::write(&path, whole.replacen(from, to, 1)).unwrap();
        fabc(place, &["verify", "second/pod", "-q"], 3);
        std::fs::write(&path, whole).unwrap();
    }
    fabc(place, &["verify", "second/pod", "-q"], 0);
}

#[test]
fn other_settings_answer_like_a_build_with_them() {
    let place = tempfile::tempdir().unwrap();
    build(place.path(), "fabric.fab", &pod());
    let text = pod().text();
    let other = text.replace("expert = 8; data = 3;", "expert = 4; data = 6;").replace("64 MiB", "8 MiB");
    std::fs::write(place.path().join("other.fab"), other).unwrap();
    fabc(place.path(), &["build", "other.fab", "-q", "--out", "second"], 0);
    let built = read(place.path(), "second/pod/jobs/mine.json");
    let sets = ["axes.expert=4", "axes.data=6", "experts.exchange.size=8 MiB"];
    let mut arguments = vec!["job", "out/pod", "--certify", "--json"];
    sets.iter().for_each(|set| arguments.extend(["--set", set]));
    let asked: Value = serde_json::from_str(&fabc(place.path(), &arguments, 0).0).unwrap();
    for key in ["axes", "ranks"] {
        assert_eq!(asked[key], built[key]);
    }
    for key in ["communication_ns", "bound_ns", "universal_ns"] {
        assert_eq!(asked["scenarios"][0][key], built["scenarios"][0][key], "{key}");
    }
    let (_, errors) = fabc(place.path(), &["job", "out/pod", "--set", "axes.data=4"], 1);
    assert!(errors.contains("job `mine` has 32 ranks, and the pod has 24 chips"), "{errors}");
    let (_, errors) = fabc(place.path(), &["job", "out/pod", "--set", "axis.data=3"], 2);
    assert!(errors.contains("there is no setting `axis.data=3`"), "{errors}");
}

#[test]
fn a_job_is_estimated_without_a_spec() {
    let place = tempfile::tempdir().unwrap();
    let asked = [
        "estimate",
        "job",
        "--model",
        "llama-3.1-70b",
        "--axes",
        "tensor=8,pipeline=4,data=4",
        "--batch",
        "sequences=256,length=8192",
        "--on",
        "torus:4x4x8",
        "--bandwidth",
        "128GB/s",
        "--set",
        "zero=1",
    ];
    let (text, _) = fabc(place.path(), &asked, 0);
    // The volumes of the dense job on 128 chips, from the contract of jobs.
    assert!(text.contains("687.1948") && text.contains("1.0737"), "{text}");
    let mut with_json = asked.to_vec();
    with_json.push("--json");
    let estimate: Value = serde_json::from_str(&fabc(place.path(), &with_json, 0).0).unwrap();
    let moved = |phase: usize| -> u64 {
        let operations = estimate["phases"][phase]["operations"].as_array().unwrap();
        let moved = |value: &Value| value["bytes"].as_u64().unwrap() * value["times"].as_u64().unwrap();
        operations.iter().map(moved).sum()
    };
    assert_eq!(moved(0), 1_374_389_534_720);
    // Half of that are gathers, which take in 7/8, and half scatters, which take in 1/8: over 6 channels of
    // 128 GB/s, and a hop of 0.5 us behind the last byte. While one waits for a hop, the other may send.
    let ports = 1_374_389_534_720.0 / 2.0 / 6.0 / 128.0 + 500.0;
    let measured = estimate["phases"][0]["ports_ns"].as_f64().unwrap();
    assert!((measured - ports).abs() < 1.0, "{measured} for {ports}");
    for (option, value, code, wanted) in [
        ("--model", "llama", 2, "there is no model `llama`"),
        ("--axes", "tensor=8;data=16", 2, "there is no value `8;data=16`"),
        ("--axes", "tensor", 2, "there is no setting `tensor`"),
        ("--axes", "tensor=8,data=4", 1, "8 x 4 = 32 ranks, but the fabric has 128 chips"),
        ("--batch", "sequences=250,length=8192", 1, "250 sequences do not divide"),
        ("--on", "torus:4x4y8", 2, "`4y8` is not a number"),
        ("--bandwidth", "128", 1, "bandwidth"),
    ] {
        let mut changed = asked.to_vec();
        let place_of = changed.iter().position(|word| *word == option).unwrap() + 1;
        changed[place_of] = value;
        let (_, errors) = fabc(place.path(), &changed, code);
        assert!(errors.contains(wanted), "{option} {value}: {errors}");
    }
}

#[test]
fn the_bounds_of_an_estimate_are_those_of_an_even_choice() {
    let place = tempfile::tempdir().unwrap();
    let ask = |more: &[&str]| {
        let asked =
            ["estimate", "job", "--model", "qwen3-235b-a22b", "--axes", "expert=64,data=2", "--batch"];
        let shape = ["sequences=1024,length=4096", "--on", "torus:4x4x8"];
        fabc(place.path(), &[&asked[..], &shape[..], more].concat(), 0).0
    };
    let estimate = |more: &[&str]| -> Value { serde_json::from_str(&ask(more)).unwrap() };
    let (even, mut skewed) = (estimate(&["--json"]), estimate(&["--json", "--set", "skew=1.3"]));
    let skew = &mut skewed["phases"][0]["operations"][0]["skew"];
    assert_eq!((&even["phases"][0]["operations"][0]["skew"], &*skew), (&json!(1), &json!(1.3)));
    *skew = json!(1);
    assert_eq!(even, skewed);
    assert!(ask(&[]).contains("even choice of experts: all pairs of ranks send as much"));
    assert!(ask(&["--set", "skew=1.3"]).contains("skew 1.3 in `experts.exchange`"));
}

#[test]
fn a_job_in_a_slice_has_all_that_a_job_has() {
    let slices = SpecText::pod([2, 2, 2], 4).without("budget").without("topology").with(
        "slice train { cubes = 2; count = 2; budget { vcs = 2; faults = 1 ocs; } \
         topology = synthesize { for = inner; effort = 1; seed = 1; } \
         job inner { axes { tensor = 4; expert = 4; } place = search; scenarios = all; \
         phase layers { collective in = all_gather { over = tensor; size = 8 MiB; times = 3; } \
         collective out = reduce_scatter { over = tensor; size = 8 MiB; } } \
         phase experts { collective exchange = all_to_all { over = expert; size = 64 MiB; skew = 1.5; } } \
         reconfigure { switch = 1 ms; phases = [experts]; } } \
         require inner.communication <= 1 s; require fault.inner.step <= 1 s; }",
    );
    let place = tempfile::tempdir().unwrap();
    build(place.path(), "fabric.fab", &slices);
    let file = read(place.path(), "out/pod/slices/train/jobs/inner.json");
    assert_eq!(file["scenarios"].as_array().unwrap().len(), 13);
    // Tables that are as good as the best flow: nothing says that best paths take longer.
    let (planned, weighed) =
        (&file["scenarios"][0]["phases"], &file["reconfigure"]["topologies"][0]["phases_ns"]);
    for phase in 0..2 {
        let [most, time] = [&planned[phase]["time_ns"], &weighed[phase]].map(|time| time.as_f64().unwrap());
        assert!(time <= most, "{time} {most}");
    }
    fabc(place.path(), &["verify", "out/pod"], 0);
}
