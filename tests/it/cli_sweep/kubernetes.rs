//! Jobs of Kubernetes: the manifest, and its pods as plain processes with the same environment.

use super::{program, results, whole_build_files, with, with_programs, workplace};
use crate::support::plain::{command, fabc, files};
use crate::support::spec_text::SpecText;
use serde_json::json;
use std::path::Path;

/// A `kubectl` that notes its words, and runs the pods of a job one after the other, from the last to the
/// first.
const KUBECTL: &str = r#"echo "$*" >> jobs/calls
case $1 in
create)
    count=$(sed -n 's/.*"completions": \([0-9]*\).*/\1/p' "$3")
    words=$(sed -n '/"command": \[/,/\]/s/^ *"\([^"]*\)",\{0,1\}$/\1/p' "$3")
    for index in $(seq "$((count - 1))" -1 0); do
        JOB_COMPLETION_INDEX=$index "$(dirname "$0")"/$(echo $words) > "jobs/$index.log" 2>&1 || exit 1
    done;;
get) echo '{"status": {"conditions": [{"type": "Complete", "status": "True"}]}}';;
esac
"#;

/// Puts a `kubectl` and this fabc before all other programs.
fn kubectl(place: &Path) {
    program(place, "kubectl", KUBECTL);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fabc"), place.join("bin/fabc")).unwrap();
}

const ENGINE: [&str; 6] =
    ["--engine", "kubernetes", "--image", "registry.example/fabc:0.1", "--claim", "work/sweeps/ring"];

#[test]
fn kubernetes_is_handed_an_indexed_job() {
    let place = workplace();
    let whole_build = whole_build_files(place.path());
    kubectl(place.path());
    let shares = ["--until", "analyze", "--shards", "3", "--workers", "2", "--cores", "2"];
    let job = [&ENGINE[..], &shares].concat();
    let words = with(&["sweep", "submit", "ring.fab", "-o", "parts", "--wait"], &job);
    let (out, _) = with_programs(place.path(), &words, 0);
    assert!(out.contains("Kubernetes has taken the shards 1 to 3 as job fabc-ring\n"), "{out}");
    assert!(whole_build == results(&place.path().join("parts")));
    let read = |path: &str| std::fs::read_to_string(place.path().join("parts").join(path)).unwrap();
    assert_eq!(
        read("jobs/calls"),
        "delete --ignore-not-found job/fabc-ring\ncreate --filename jobs/kubernetes/job.json\n\
         get job/fabc-ring --output=json\n"
    );
    let cores = json!({ "cpu": "2" });
    let container = json!({
        "name": "shard",
        "image": "registry.example/fabc:0.1",
        "command": ["fabc", "--threads", "2", "sweep", "run", ".", "--shard", "job/3"],
        "workingDir": "/shared",
        "resources": { "requests": cores, "limits": cores },
        "volumeMounts": [{ "name": "shared", "mountPath": "/shared", "subPath": "sweeps/ring" }],
    });
    let pod = json!({
        "restartPolicy": "Never",
        "containers": [container],
        "volumes": [{ "name": "shared", "persistentVolumeClaim": { "claimName": "work" } }],
    });
    let manifest: serde_json::Value = serde_json::from_str(&read("jobs/kubernetes/job.json")).unwrap();
    assert_eq!(
        manifest,
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": { "name": "fabc-ring" },
            "spec": {
                "completionMode": "Indexed",
                "completions": 3,
                "parallelism": 2,
                "backoffLimitPerIndex": 3,
                "template": { "spec": pod },
            },
        })
    );
}

#[test]
fn the_pods_of_a_build_share_its_pieces() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    std::fs::write(place.join("pod.fab"), SpecText::pod([2, 2, 2], 2).named("my_pod").text()).unwrap();
    fabc(place, &["build", "pod.fab", "--out", "whole", "-q"], 0);
    kubectl(place);
    // Without `--wait` the merge is left to the user, who is told how.
    let words = [&["shards", "submit", "pod.fab", "--shards", "2"][..], &ENGINE].concat();
    let (out, _) = with_programs(place, &words, 0);
    assert_eq!(
        out,
        "Kubernetes has taken the shards 1 to 2 as job fabc-my-pod\n\
         when it is complete, `fabc shards merge . --out ..` in `out/my_pod.shards` merges\n\
         until then, `fabc shards merge out/my_pod.shards` lists what is missing\n"
    );
    // The last pod ran first, and left nothing to the other one.
    let log = |index: usize| {
        std::fs::read_to_string(place.join(format!("out/my_pod.shards/jobs/{index}.log"))).unwrap()
    };
    assert!(log(1).contains("shard 2/2 of my_pod is done in .: ") && log(1).contains("results written"));
    assert!(log(0).contains("shard 1/2 of my_pod is done in .: everything was there"), "{}", log(0));
    fabc(place, &["shards", "merge", "out/my_pod.shards", "-q"], 0);
    assert!(files(&place.join("whole/my_pod")) == files(&place.join("out/my_pod")));
}

#[test]
fn what_kubernetes_needs_is_said() {
    let place = workplace();
    let message = |words: &[&str], code: i32| {
        let output = command(place.path(), words).env("PATH", "/nowhere").output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        super::flowing(
            &(String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()),
        )
    };
    let sweep = ["sweep", "submit", "ring.fab", "-o", "parts", "--until", "analyze", "--shards", "3"];
    let missing = message(&with(&sweep, &["--engine", "kubernetes"]), 2);
    assert!(missing.contains("--image <IMAGE>") && missing.contains("--claim <NAME[/PATH]>"), "{missing}");
    let written = message(&with(&sweep, &[&ENGINE[..], &["--dry-run"]].concat()), 0);
    assert_eq!(
        written,
        "cd parts && kubectl delete --ignore-not-found job/fabc-ring \
         cd parts && kubectl create --filename jobs/kubernetes/job.json"
    );
    let absent = message(&with(&sweep, &ENGINE), 2);
    assert!(absent.contains("FAB0591 × Kubernetes cannot be used: there is no `kubectl` help: "), "{absent}");
    let outside = message(&["sweep", "run", "parts", "--shard", "job/3"], 2);
    let words = "`job` is for pods of an Indexed Job of Kubernetes: there is no JOB_COMPLETION_INDEX";
    assert!(outside.contains(words), "{outside}");
    program(place.path(), "kubectl", "echo 'error: You must be logged in to the server' >&2; exit 1\n");
    let (_, refused) = with_programs(place.path(), &with(&sweep, &ENGINE), 2);
    assert!(
        super::flowing(&refused).contains(
            "FAB0592 × Kubernetes refuses the job: error: You must be logged in to the server help: "
        ),
        "{refused}"
    );
}
