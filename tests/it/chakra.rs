//! Jobs from execution traces and from files of phases, from outside. The traces were made by other programs
//! (`tests/data/chakra`).

use crate::support::command::fabc;
use crate::support::spec_text::SpecText;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A file of `tests/data/chakra`.
fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/chakra").join(file)
}

fn copy(place: &Path, files: &[&str]) {
    for file in files {
        let from = data(file);
        std::fs::copy(&from, place.join(from.file_name().unwrap())).unwrap();
    }
}

/// Eight chips in a cube that is wrapped on itself, every single dark switch tolerated.
fn cube(jobs: &str) -> SpecText {
    SpecText::pod([2, 2, 2], 1).with("topology = torus 2 x 2 x 2;").with("routing = up_down;").with(jobs)
}

fn built(spec: &SpecText, place: &Path) {
    std::fs::write(place.join("fabric.fab"), spec.text()).unwrap();
    fabc(place, &["build", "fabric.fab", "-q"], 0);
}

fn read(place: &Path, file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(place.join("out/pod").join(file)).unwrap()).unwrap()
}

const LLAMA: [&str; 9] = [
    "stage/llama.0.et",
    "stage/llama.1.et",
    "stage/llama.2.et",
    "stage/llama.3.et",
    "stage/llama.4.et",
    "stage/llama.5.et",
    "stage/llama.6.et",
    "stage/llama.7.et",
    "stage/llama.json",
];

/// The scenarios of a job without names, groups and paths: its figures.
fn figures(place: &Path, job: &str) -> Value {
    let mut scenarios = read(place, &format!("jobs/{job}.json"))["scenarios"].take();
    for scenario in scenarios.as_array_mut().unwrap() {
        for phase in scenario["phases"].as_array_mut().unwrap() {
            for operation in phase["operations"].as_array_mut().unwrap() {
                for key in ["name", "over", "groups", "schedule"] {
                    operation.as_object_mut().unwrap().remove(key);
                }
            }
        }
    }
    scenarios
}

/// The job of the Llama trace as its phases: two replicas, two ranks of tensor parallelism, two stages.
const WRITTEN: &str = "job written { axes { data = 2; tensor = 2; pipeline = 2; } scenarios = all; \
    phase phase_1 { collective gather = all_gather { over = tensor; size = 262144 B; times = 12; } \
    collective scatter = reduce_scatter { over = tensor; size = 262144 B; times = 8; } \
    send stage { along = pipeline; size = 131072 B; times = 2; both = yes; } overlap = 50 %; } \
    phase phase_2 { collective sum = all_reduce { over = data; size = 524288 B; } } \
    phase phase_3 { after = phase_1; collective sum = all_reduce { over = data; size = 1048576 B; times = 2; } } \
    phase phase_4 { after = phase_2; collective sum = all_reduce { over = tensor; size = 524288 B; } } \
    compute = 1 ms; }";

const TRACED: &str = "job traced = chakra \"llama\" { groups = \"llama.json\"; scenarios = all; \
    compute = 1 ms; overlap { phase_1 = 50 %; } }";

#[test]
fn a_traced_job_is_the_job_that_its_phases_say() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    copy(place, &LLAMA);
    built(&cube(TRACED).with(WRITTEN), place);
    let traced = figures(place, "traced");
    assert_eq!(traced, figures(place, "written"));
    assert!(traced.as_array().unwrap().len() > 1 && traced[0]["exposed_ns"].as_f64() > Some(0.0), "{traced}");
    fabc(place, &["verify", "out/pod"], 0);
    // The directory is whole without the traces: it can be built again from its own spec.
    let phases = read(place, "inputs/phases-traced.json");
    assert_eq!((&phases["format"], &phases["ranks"]), (&json!("fabc.phases/1"), &json!(8)));
    let (spec, again) = (place.join("out/pod/spec.fab"), place.join("again"));
    let text = std::fs::read_to_string(&spec).unwrap();
    assert!(text.contains("job traced = phases \"inputs/phases-traced.json\" {"), "{text}");
    assert!(!text.contains("llama"), "{text}");
    fabc(&place.join("out/pod"), &["build", "spec.fab", "-q", "-o", again.to_str().unwrap()], 0);
    for file in ["spec.fab", "jobs/traced.json", "inputs/phases-traced.json"] {
        let [first, second] = ["out/pod", "again/pod"].map(|folder| place.join(folder).join(file));
        assert_eq!(std::fs::read(first).unwrap(), std::fs::read(second).unwrap(), "{file}");
    }
}

#[test]
fn every_change_of_the_phases_is_convicted() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    copy(place, &LLAMA);
    built(&cube(TRACED), place);
    let path = place.join("out/pod/inputs/phases-traced.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let changes = [
        ["\"times\":12", "\"times\":13"],
        ["\"bytes\":131072", "\"bytes\":131071"],
        ["[0,2],[1,3]", "[0,3],[1,2]"],
        ["\"after\":[\"phase_1\"]", "\"after\":[]"],
        ["\"both\":true", "\"both\":false"],
        ["\"compute_ps\":1000000000", "\"compute_ps\":1000000001"],
        ["},\n", "} ,\n"],
    ];
    for [before, after] in changes {
        assert!(text.contains(before), "{before}: {text}");
        std::fs::write(&path, text.replacen(before, after, 1)).unwrap();
        let (out, error) = fabc(place, &["verify", "out/pod"], 3);
        assert!(format!("{out}{error}").contains("traced"), "{before}: {out}{error}");
    }
    for broken in ["", "{}", "[0,0]"] {
        std::fs::write(&path, broken).unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_fabc"))
            .args(["verify", "out/pod"])
            .current_dir(place)
            .output()
            .unwrap();
        assert!(matches!(output.status.code(), Some(1..=3)), "{output:?}");
    }
    std::fs::write(&path, &text).unwrap();
    fabc(place, &["verify", "out/pod"], 0);
    // Groups in the file of the job are those of the phases.
    let job = place.join("out/pod/jobs/traced.json");
    let text = std::fs::read_to_string(&job).unwrap();
    std::fs::write(&job, text.replacen("[0,2],[1,3]", "[0,3],[1,2]", 1)).unwrap();
    fabc(place, &["verify", "out/pod"], 3);
}

#[test]
fn the_generator_of_chakra_counts_the_part_of_a_rank() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    copy(place, &["generator/ALL_GATHER.0.et", "generator/ALL_GATHER.1.et"]);
    copy(place, &["generator/ALL_GATHER.2.et", "generator/ALL_GATHER.3.et"]);
    let network = |job: &str| SpecText::network("torus 2 x 2;").named("pod").with(job);
    built(&network("job gather = chakra \"ALL_GATHER\" {}"), place);
    let phases = read(place, "inputs/phases-gather.json");
    let wanted = json!([{
        "name": "all_gather", "kind": "all_gather", "bytes": 4 * 65536, "times": 1, "groups": [[0, 1, 2, 3]]
    }]);
    assert_eq!(phases["phases"][0]["operations"], wanted);
    fabc(place, &["verify", "out/pod"], 0);
    // The trace of one rank says the same, if groups say who the others are.
    std::fs::write(place.join("all.json"), "{\"1\":[0,1,2,3]}").unwrap();
    for rank in 1..4 {
        std::fs::remove_file(place.join(format!("ALL_GATHER.{rank}.et"))).unwrap();
    }
    built(&network("job gather = chakra \"ALL_GATHER\" { groups = \"all.json\"; }"), place);
    assert_eq!(read(place, "inputs/phases-gather.json"), phases);
}

#[test]
fn one_rank_of_a_sharded_model_stands_for_eight() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    copy(place, &["stage/sharded.0.et", "stage/sharded.json"]);
    built(&cube("job sharded = chakra \"sharded\" { groups = \"sharded.json\"; place = search; }"), place);
    let phases = read(place, "inputs/phases-sharded.json");
    let mut operations: Vec<(String, u64, u64, String)> = Vec::new();
    for operation in
        phases["phases"].as_array().unwrap().iter().flat_map(|phase| phase["operations"].as_array().unwrap())
    {
        let number = |key: &str| operation[key].as_u64().unwrap();
        let kind = operation["kind"].as_str().unwrap().to_owned();
        operations.push((kind, number("bytes"), number("times"), operation["groups"].to_string()));
    }
    operations.sort();
    let (tensor, data) = ("[[0,4],[1,5],[2,6],[3,7]]", "[[0,1,2,3],[4,5,6,7]]");
    let wanted = [
        ("all_gather", 131_072, 24, tensor),
        ("all_gather", 4 * 262_144, 8, data),
        ("all_reduce", 524_288, 2, data),
        ("all_reduce", 524_288, 2, tensor),
        ("reduce_scatter", 131_072, 16, tensor),
        ("reduce_scatter", 1_048_576, 4, data),
    ];
    let wanted =
        wanted.map(|(kind, bytes, times, groups)| (kind.to_owned(), bytes, times, groups.to_owned()));
    assert_eq!(operations, wanted);
    fabc(place, &["verify", "out/pod"], 0);
}

/// Phases in which some ranks are idle, and a ring of three.
const IDLE: &str = r#"{"format":"fabc.phases/1","ranks":8,"compute_ps":1000000,"phases":[
 {"name":"a","after":[],"compute_ps":0,"operations":[
  {"name":"one","kind":"all_gather","bytes":262144,"times":12,"groups":[[0,2]]},
  {"name":"two","kind":"all_to_all","bytes":262143,"times":8,"groups":[[7,3,1]]},
  {"name":"three","kind":"send","both":false,"wrap":true,"bytes":131072,"times":2,"groups":[[4,0,5]]}]},
 {"name":"b","after":["a"],"compute_ps":2000000,"operations":[
  {"name":"sum","kind":"all_reduce","bytes":524288,"times":1,"groups":[[0,1,6],[2,3,4]]},
  {"name":"scatter","kind":"reduce_scatter","algorithm":"ring","bytes":524288,"times":1,"groups":[[0,1],[5,7]]}]}
]}"#;

#[test]
fn ranks_may_be_idle() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    std::fs::write(place.join("idle.json"), IDLE).unwrap();
    let job = "job idle = phases \"idle.json\" { place = PLACE; scenarios = all; overlap { b = 50 %; } }";
    let searched = cube(&job.replace("PLACE", "search"));
    let targeted = cube(&job.replace("PLACE", "aligned"))
        .with("topology = synthesize { for = idle; effort = 1; seed = 1; }")
        .with("routing = allowed_turns;");
    for spec in [searched, targeted] {
        built(&spec, place);
        fabc(place, &["verify", "out/pod"], 0);
        let file = read(place, "jobs/idle.json");
        for scenario in file["scenarios"].as_array().unwrap() {
            let share = scenario["share"].as_f64().unwrap();
            assert!(share > 0.0 && share <= 1.0, "{scenario}");
            for phase in scenario["phases"].as_array().unwrap() {
                assert!(phase["bound_ns"].as_f64() <= phase["time_ns"].as_f64(), "{phase}");
            }
        }
    }
    // 256 KiB to one other chip, twelve times: half of it over a lane, and more at no chip that is idle.
    let file = read(place, "jobs/idle.json");
    let gather = &file["scenarios"][0]["phases"][0]["operations"][0];
    assert_eq!((&gather["groups"], &gather["times"]), (&json!([[0, 2]]), &json!(12)));
}

/// A formatted spec with such jobs stays as it is.
#[test]
fn the_formatter_keeps_the_file_of_a_job() {
    let place = tempfile::tempdir().unwrap();
    let spec = cube("job  traced=chakra  \"llama\"{groups=\"llama.json\";overlap{phase_1=50 %;}}").text();
    std::fs::write(place.path().join("fabric.fab"), spec).unwrap();
    fabc(place.path(), &["fmt", "fabric.fab"], 0);
    let text = std::fs::read_to_string(place.path().join("fabric.fab")).unwrap();
    let line = "job traced = chakra \"llama\" { groups = \"llama.json\"; overlap { phase_1 = 50 %; } }";
    assert!(text.contains(line), "{text}");
    fabc(place.path(), &["fmt", "--check", "fabric.fab"], 0);
}
