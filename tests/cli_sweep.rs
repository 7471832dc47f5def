//! `fabc sweep`, driven from outside.

#[path = "support/plain.rs"]
mod plain;
#[path = "support/spec_text.rs"]
mod spec_text;

use plain::{command, fabc, files};
use spec_text::SpecText;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// Rings of routers: quick to compile.
fn ring() -> String {
    let spec = SpecText::network("torus n x n;").named("ring").with("require diameter <= most;").text();
    format!("param n = 4 in 2..=12;\nparam most = 8;\nparam unused = 1;\n{spec}")
}

fn workplace() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("ring.fab"), ring()).unwrap();
    directory
}

const SETS: [&str; 4] = ["--set", "n=3..=6", "--set", "most=2,4"];

fn with<'a>(head: &[&'a str], tail: &[&'a str]) -> Vec<&'a str> {
    head.iter().chain(&SETS).chain(tail).copied().collect()
}

#[test]
fn a_sweep_has_a_row_for_every_combination_and_runs_each_once() {
    let place = workplace();
    let (out, err) = fabc(place.path(), &with(&["sweep", "ring.fab"], &[]), 0);
    assert!(err.contains("8 of 8") && err.contains("n=6 most=4"), "{err}");
    assert!(out.contains("8 of 8 runs: 0 were there"), "{out}");
    let sweep = place.path().join("out/sweep_ring");
    let table = std::fs::read_to_string(sweep.join("table.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 9);
    assert_eq!(rows[0][..3], ["n", "most", "status"]);
    let diameter = rows[0].iter().position(|name| *name == "diameter").unwrap();
    let told: Vec<[&str; 4]> = rows[1..].iter().map(|row| [row[0], row[1], row[2], row.get(diameter).copied().unwrap_or("")]).collect();
    // What can never hold is refused before anything is compiled, and has no metrics.
    for [n, most, status, measured] in told {
        let diameter = n.parse::<u32>().unwrap() / 2 * 2;
        let holds = diameter <= most.parse().unwrap();
        assert_eq!(status == "kept", holds, "{n} {most} {status}");
        assert!(!holds || measured == diameter.to_string(), "{n} {most} {measured}");
    }
    // What is there is not run again, and other values are added to it.
    let (out, err) = fabc(place.path(), &with(&["sweep", "ring.fab"], &[]), 0);
    assert!(out.contains("0 of 8 runs: 8 were there") && err.is_empty(), "{out}{err}");
    let (out, _) = fabc(place.path(), &["sweep", "ring.fab", "--set", "n=4,7", "--set", "most=4", "--set", "unused=1,2"], 0);
    // What nothing depends on makes no other run.
    assert!(out.contains("1 of 2 runs: 1 were there"), "{out}");
    assert_eq!(std::fs::read_to_string(sweep.join("table.csv")).unwrap().lines().count(), 5);
    // Every run is a directory that can be proved.
    let built = std::fs::read_to_string(sweep.join("table.json")).unwrap();
    let first = built.split("\"directory\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a run");
    fabc(&sweep, &["verify", first], 0);
    let manifest = std::fs::read_to_string(sweep.join(first).join("manifest.json")).unwrap();
    assert!(manifest.contains("\"param.n\":\"4\"") && manifest.contains("\"param.most\":\"4\""), "{manifest}");
}

#[test]
fn shards_come_to_the_same_bytes_and_twice_does_no_harm() {
    let place = workplace();
    let until = ["--until", "analyze"];
    fabc(place.path(), &with(&["sweep", "ring.fab", "-o", "whole", "-q"], &until), 0);
    let (out, _) = fabc(place.path(), &with(&["sweep", "plan", "ring.fab", "-o", "parts"], &until), 0);
    assert!(out.contains("planned 8 runs in parts"), "{out}");
    // The plan is all that is needed.
    std::fs::remove_file(place.path().join("ring.fab")).unwrap();
    fabc(place.path(), &["sweep", "run", "parts", "--shard", "2/3", "-q"], 0);
    let (_, err) = fabc(place.path(), &["sweep", "merge", "parts"], 2);
    assert!(err.contains("FAB0544") && err.contains("of 8 runs are not there yet"), "{err}");
    let twice: Vec<_> = ["1/3", "3/3", "3/3", "2/3"]
        .map(|shard| command(place.path(), &["sweep", "run", "parts", "--shard", shard, "-q"]).stderr(Stdio::null()).spawn().unwrap())
        .into();
    for mut child in twice {
        assert!(child.wait().unwrap().success());
    }
    fabc(place.path(), &["sweep", "merge", "parts", "-q"], 0);
    let [whole, parts] = ["whole", "parts"].map(|name| files(&place.path().join(name)));
    assert!(whole.keys().eq(parts.keys()), "{:?}\n{:?}", whole.keys(), parts.keys());
    assert!(whole == parts);
}

#[test]
fn a_killed_worker_loses_nothing() {
    let place = workplace();
    fabc(place.path(), &with(&["sweep", "ring.fab", "-o", "whole", "-q"], &[]), 0);
    for after in [5, 20, 40, 60, 90, 120, 160, 200, 300, 400] {
        let mut child = command(place.path(), &with(&["sweep", "ring.fab", "-o", "killed", "-q"], &[])).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(after));
        // On Unix this is a SIGKILL.
        let _ = child.kill();
        child.wait().unwrap();
    }
    fabc(place.path(), &with(&["sweep", "ring.fab", "-o", "killed", "-q"], &[]), 0);
    let is_ours = |path: &&PathBuf| !path.iter().any(|part| part.to_string_lossy().contains(".fabc-"));
    let [whole, killed] = ["whole", "killed"].map(|name| files(&place.path().join(name)));
    let killed: BTreeMap<&PathBuf, &Vec<u8>> = killed.iter().filter(|(path, _)| is_ours(path)).collect();
    assert!(whole.keys().eq(killed.keys().copied()));
    assert!(whole.iter().all(|(path, bytes)| killed[path] == bytes));
}

#[test]
fn what_is_swept_may_stand_in_the_spec() {
    let place = workplace();
    let swept = ring().replace("fabric ring {", "sweep { n = 3..=4; most = 4, 8; }\nfabric ring {");
    std::fs::write(place.path().join("swept.fab"), &swept).unwrap();
    let (out, _) = fabc(place.path(), &["sweep", "swept.fab", "--until", "synthesize", "--set", "most=6"], 0);
    assert!(out.contains("2 of 2 runs") && out.contains("most  n"), "{out}");
    let (out, _) = fabc(place.path(), &["sweep", "swept.fab", "--until", "synthesize"], 0);
    assert!(out.contains("4 of 4 runs"), "{out}");
    fabc(place.path(), &["check", "swept.fab"], 0);
    std::fs::write(place.path().join("swept.fab"), swept.replace("3..=4", "3, 13")).unwrap();
    let (_, err) = fabc(place.path(), &["sweep", "swept.fab", "--message-format", "short"], 1);
    assert!(err.contains("swept.fab:") && err.contains("FAB0144"), "{err}");
}

#[test]
fn what_cannot_be_swept_is_told_before_anything_is_run() {
    let place = workplace();
    let (_, err) = fabc(place.path(), &["sweep", "ring.fab", "--set", "n=4,13", "--message-format", "short"], 1);
    assert!(err.starts_with("--set:1:3: error[FAB0144]"), "{err}");
    for (args, what) in [
        (["--set", "n=4..4"], "the range is empty"),
        (["--set", "n=4,,5"], "nothing stands between two commas"),
        (["--set", "most=0..1000000"], "at most 100000 runs"),
        (["--until", "resolve"], "leaves nothing to compare"),
    ] {
        let (_, err) = fabc(place.path(), &[&["sweep", "ring.fab"], &args[..]].concat(), 2);
        assert!(err.contains("FAB0544") && err.contains(what), "{err}");
    }
    let (_, err) = fabc(place.path(), &["sweep", "run", "."], 2);
    assert!(err.contains("FAB0544") && err.contains("no `sweep.json`"), "{err}");
    let (_, err) = fabc(place.path(), &["sweep", "ring.fab", "-o", "."], 2);
    assert!(err.contains("FAB0504"), "{err}");
    let (_, err) = fabc(place.path(), &["sweep", "run", ".", "--shard", "3/2"], 2);
    assert!(err.contains("from `1/n` to `n/n`"), "{err}");
    assert!(!place.path().join("out").exists());
}
