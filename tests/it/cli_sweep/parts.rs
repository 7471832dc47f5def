//! Builds in parts: shards, what they keep, and what is done again.

use super::flowing;
use crate::support::plain::{command, fabc, files};
use crate::support::spec_text::SpecText;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Specs whose faults are of every kind, with tables of every kind.
fn faulty() -> Vec<(&'static str, String)> {
    let pod = SpecText::pod([2, 2, 2], 3).named("pod").text();
    let ring = |name: &'static str, faults: &str| {
        let budget = format!("budget {{ vcs = 4; faults = 1 {faults}; }}");
        (
            name,
            SpecText::network("torus 4 x 4;")
                .named(name)
                .with(&budget)
                .with("routing = allowed_turns;")
                .text(),
        )
    };
    let simulated =
        "simulate open { rates = 0.2; warmup = 100 cycles; measure = 200 cycles; scenarios = all; }";
    let minimal = SpecText::network("torus 3 x 3;")
        .named("minimal")
        .with("budget { vcs = 4; faults = 1 link; }")
        .with(simulated)
        .text();
    vec![("pod", pod), ring("links", "link"), ring("routers", "router"), ("minimal", minimal)]
}

#[test]
fn parts_of_a_build_come_to_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in faulty() {
        let spec = format!("{name}.fab");
        std::fs::write(place.path().join(&spec), text).unwrap();
        fabc(place.path(), &["build", &spec, "--out", "whole", "-q"], 0);
        for shard in ["2/3", "1/3", "2/3", "3/3"] {
            fabc(place.path(), &["build", &spec, "--shard", shard, "--out", "parts", "-q"], 0);
        }
        fabc(place.path(), &["shards", "merge", &format!("parts/{name}.shards"), "-q"], 0);
        let [whole, parts] = ["whole", "parts"].map(|out| files(&place.path().join(out).join(name)));
        assert!(whole.keys().eq(parts.keys()), "{name}: {:?}\n{:?}", whole.keys(), parts.keys());
        assert!(whole.keys().any(|path| path.to_string_lossy().contains("fault-")), "{name} has faults");
        let unlike: Vec<_> = whole.keys().filter(|path| whole[*path] != parts[*path]).collect();
        assert!(unlike.is_empty(), "{name}: {unlike:?}");
    }
    // Processes of this machine build it from a spec and from the directory.
    let (out, _) = fabc(
        place.path(),
        &["shards", "submit", "links.fab", "--out", "submitted", "--shards", "2", "--workers", "2"],
        0,
    );
    assert!(out.contains("wrote submitted/links"), "{out}");
    let [whole, submitted] = ["whole", "submitted"].map(|out| files(&place.path().join(out).join("links")));
    assert!(whole == submitted);
    let (out, _) =
        fabc(place.path(), &["shards", "submit", "submitted/links.shards", "--engine", "slurm"], 0);
    assert!(out.contains("wrote submitted/links"), "all was there: {out}");
}

#[test]
fn parts_that_are_missing_or_wrong_are_named() {
    let place = tempfile::tempdir().unwrap();
    let spec = SpecText::network("torus 3 x 3;").named("ring").with("budget { vcs = 4; faults = 1 link; }");
    std::fs::write(place.path().join("ring.fab"), spec.text()).unwrap();
    let expect_message = |args: &[&str], code: i32, wanted: &str| {
        let (_, err) = fabc(place.path(), args, code);
        assert!(flowing(&err).starts_with(&flowing(wanted)), "{args:?}: {err}");
    };
    expect_message(
        &["shards", "merge", "."],
        2,
        "FAB0594\n\n  × there is no `shards.json` in `.`\n  help: `fabc build SPEC --shard i/n` writes it\n",
    );
    let (out, _) = fabc(place.path(), &["build", "ring.fab", "--shard", "2/2"], 0);
    assert!(
        out.starts_with("shard 2/2 of ring is done in out/ring.shards: ") && out.contains("written in"),
        "{out}"
    );
    let first = first_link(place.path());
    expect_message(
        &["shards", "merge", "out/ring.shards"],
        2,
        &format!("FAB0594 × shard 1/2 is not done: {first}"),
    );
    let (_, err) = fabc(place.path(), &["shards", "merge", "out/ring.shards"], 2);
    assert!(
        flowing(&err).contains("missing help: `fabc build out/ring.shards --shard 1/2` does it"),
        "{err}"
    );
    fabc(place.path(), &["build", "out/ring.shards", "--shard", "1/2"], 0);
    let (out, _) = fabc(place.path(), &["build", "out/ring.shards", "--shard", "1/2"], 0);
    assert_eq!(out, "shard 1/2 of ring is done in out/ring.shards: everything was there\n");
    // A bit that fell over.
    let kept = place.path().join("out/ring.shards/kept");
    let damaged = kept.join("nominal.bin");
    let good = std::fs::read(&damaged).unwrap();
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    std::fs::write(&damaged, &bad).unwrap();
    expect_message(
        &["shards", "merge", "out/ring.shards"],
        2,
        "FAB0594\n\n  × none of the 2 shards is finished\n  help: `fabc build out/ring.shards --shard 1/2` does it\n",
    );
    std::fs::write(&damaged, &good).unwrap();
    fabc(place.path(), &["shards", "merge", "out/ring.shards", "--out", "merged", "-q"], 0);
    fabc(place.path(), &["verify", "merged/ring"], 0);
    // A file of another spec counts as missing.
    std::fs::write(place.path().join("ring.fab"), spec.with("routing = allowed_turns;").text()).unwrap();
    let (out, _) = fabc(place.path(), &["build", "ring.fab", "--shard", "1/1"], 0);
    assert!(out.contains("written in") && !out.contains("everything was there"), "{out}");
    expect_message(
        &["build", "out/ring.shards", "--shard", "1/2", "--set", "n=4"],
        2,
        "FAB0594\n\n  × `out/ring.shards` is a directory of shards\n  help: `--set`, `--until` and `--out` belong to a spec: name that, or\n        leave them out\n",
    );
    std::fs::create_dir_all(place.path().join("else/ring.shards")).unwrap();
    std::fs::write(place.path().join("else/ring.shards/notes"), "mine").unwrap();
    expect_message(&["build", "ring.fab", "--shard", "1/2", "--out", "else"], 2, "FAB0504");
    expect_message(&["build", "ring.fab", "ring.fab", "--shard", "1/2"], 2, "FAB0543");
}

/// The name of the first fault of a built ring.
fn first_link(place: &Path) -> String {
    fabc(place, &["build", "ring.fab", "--out", "once", "-q"], 0);
    let report = std::fs::read_to_string(place.join("once/ring/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    report["scenarios"].as_object().unwrap().keys().next().unwrap().clone()
}

/// A pod whose simulations run on the healthy fabric and on every fault.
fn simulated() -> String {
    let windows = "warmup = 100 cycles; measure = 200 cycles;";
    SpecText::pod([2, 2, 2], 2)
        .named("pod")
        .with(&format!(
            "simulate open {{ rates = 0.1 .. 0.3 step 0.2; {windows} seeds = 2; scenarios = all; }}"
        ))
        .with("simulate spread { traffic = all_to_all { bytes = 200 B; } }")
        .with("simulate closed { traffic = all_to_all { bytes = 100 B; } scenarios = all; }")
        .with(&format!(
            "simulate flits {{ model = flit {{ hosts = 2; window = 8; }} rates = 0.1; {windows} }}"
        ))
        .with("require open.saturation >= 0.1; require closed.time <= 100 us;")
        .text()
}

#[expect(clippy::disallowed_types, reason = "whether a file was written again shows in its time only")]
type Written = std::time::SystemTime;

/// Files, and when each was written.
type KeptFiles = BTreeMap<PathBuf, (Vec<u8>, Written)>;

/// The files that shards keep.
fn kept(place: &Path) -> KeptFiles {
    let directory = place.join("out/pod.shards/kept");
    let written = |path: &Path| std::fs::metadata(directory.join(path)).unwrap().modified().unwrap();
    files(&directory).into_iter().map(|(path, bytes)| (path.clone(), (bytes, written(&path)))).collect()
}

#[test]
fn simulations_of_parts_come_to_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), simulated()).unwrap();
    fabc(place.path(), &["build", "pod.fab", "--out", "whole", "-q"], 0);
    for (shard, threads) in [("2/3", "1"), ("3/3", "3"), ("1/3", "2")] {
        fabc(place.path(), &["--threads", threads, "build", "pod.fab", "--shard", shard, "-q"], 0);
    }
    let parts = kept(place.path());
    fabc(place.path(), &["shards", "merge", "out/pod.shards", "--out", "parts", "-q"], 0);
    let [whole, merged] = ["whole", "parts"].map(|out| files(&place.path().join(out).join("pod")));
    assert!(whole.keys().eq(merged.keys()), "{:?}\n{:?}", whole.keys(), merged.keys());
    let unlike: Vec<_> = whole.keys().filter(|path| whole[*path] != merged[*path]).collect();
    assert!(unlike.is_empty(), "{unlike:?}");
    // Each of 12 switches is a fault: tables of 13 scenarios, two simulations on all of them, two on one.
    assert_eq!(parts.len(), 13 + 2 * 13 + 2, "{:?}", parts.keys());
    // One shard keeps what three keep. Everything is what processes of this machine count.
    std::fs::remove_dir_all(place.path().join("out")).unwrap();
    let (out, err) = fabc(
        place.path(),
        &["--threads", "2", "shards", "submit", "pod.fab", "--shards", "2", "--workers", "1"],
        0,
    );
    // Work that is done before the total is known is not counted.
    let mut counts = err.lines().filter_map(|line| line.strip_suffix(" done")?.split_once(" of "));
    assert!(out.contains("wrote out/pod") && counts.any(|(done, all)| done == all), "{out}{err}");
    let again = kept(place.path());
    assert!(parts.keys().eq(again.keys()) && parts.iter().all(|(path, (bytes, _))| again[path].0 == *bytes));
    assert!(whole == files(&place.path().join("out/pod")));
}

/// The same bytes, but for one word, under a hash of their own.
fn resealed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(bytes[..bytes.len() - 32].to_vec()).unwrap();
    assert!(text.contains(from), "no {from} in {text}");
    let mut bytes = text.replacen(from, to, 1).into_bytes();
    let hash = blake3::hash(&bytes);
    bytes.extend(hash.as_bytes());
    bytes
}

/// Where a shard keeps a file.
fn kept_path(place: &Path, name: &str) -> PathBuf {
    place.join("out/pod.shards/kept").join(name)
}

/// Runs a shard of three.
fn run_shard(place: &Path, shard: usize, wanted: &str) {
    let (out, _) = fabc(place, &["build", "out/pod.shards", "--shard", &format!("{shard}/3")], 0);
    assert!(out.contains(wanted), "{out}");
}

/// A file that is missing or not what it was is written again by its shard, which writes nothing else.
fn mend(place: &Path, whole_build: &KeptFiles, name: &str, shard: usize, simulation: &str) {
    let (_, err) = fabc(place, &["shards", "merge", "out/pod.shards"], 2);
    let message = format!("FAB0594 × shard {shard}/3 is not done: {simulation} missing");
    assert!(flowing(&err).starts_with(&message), "{err}");
    let before = kept(place);
    for other in (1..=3).filter(|other| *other != shard) {
        run_shard(place, other, "everything was there");
    }
    run_shard(place, shard, "1 file written");
    let after = kept(place);
    assert!(
        after.keys().eq(whole_build.keys())
            && after.iter().all(|(path, (bytes, _))| whole_build[path].0 == *bytes)
    );
    let written: Vec<_> = after
        .keys()
        .filter(|path| before.get(*path).is_none_or(|(_, time)| *time != after[*path].1))
        .collect();
    assert_eq!(written, [Path::new(name)]);
}

#[test]
fn a_simulation_that_is_missing_or_wrong_is_run_again_alone() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    std::fs::write(place.join("pod.fab"), simulated()).unwrap();
    fabc(place, &["build", "pod.fab", "--shard", "1/3", "-q"], 0);
    run_shard(place, 2, "files written");
    run_shard(place, 3, "files written");
    let whole_build = kept(place);
    let bytes = |name: &str| whole_build[Path::new(name)].0.clone();
    // X[0,0] is the first of 12 faults. The simulations of the healthy pod are numbered on from there, in the
    // order of their names.
    let (second, faulty) = ("open.fault-X_0_1.bin", "`open` on X[0,1]");
    for (name, shard, simulation) in [
        (second, 2, faulty),
        ("closed.nominal.bin", 1, "`closed` on nominal"),
        ("flits.nominal.bin", 2, "`flits` on nominal"),
        ("open.nominal.bin", 3, "`open` on nominal"),
        ("spread.nominal.bin", 1, "`spread` on nominal"),
    ] {
        std::fs::remove_file(kept_path(place, name)).unwrap();
        mend(place, &whole_build, name, shard, simulation);
    }
    // A bit that fell over. Another scenario, simulation or build. Other tables.
    let mut fallen = bytes(second);
    *fallen.last_mut().unwrap() ^= 1;
    let tables = |hash: &[u8]| hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let hash = |name: &str| tables(&bytes(name)[bytes(name).len() - 32..]);
    let [tables_hash, other_tables_hash] = ["fault-X_0_1.bin", "fault-X_0_0.bin"].map(hash);
    for damaged in [
        fallen,
        bytes("open.fault-X_0_0.bin"),
        bytes("closed.fault-X_0_1.bin"),
        resealed(&bytes(second), "\"key\":\"", "\"key\":\"0"),
        resealed(&bytes(second), "kept_simulation.bin/1", "kept_simulation.bin/2"),
        resealed(&bytes(second), &tables_hash, &other_tables_hash),
    ] {
        std::fs::write(kept_path(place, second), damaged).unwrap();
        mend(place, &whole_build, second, 2, faulty);
    }
    refuse_resealed_reports(place, second, &bytes(second));
    std::fs::remove_file(kept_path(place, second)).unwrap();
    mend(place, &whole_build, second, 2, faulty);
    fabc(place, &["shards", "merge", "out/pod.shards", "-q"], 0);
    fabc(place, &["verify", "out/pod"], 0);
}

/// Under a hash of its own a report must still follow from its counts and the tables.
fn refuse_resealed_reports(place: &Path, name: &str, honest: &[u8]) {
    for (from, to, reason) in [
        ("\"seed\":1,\"low\"", "\"seed\":3,\"low\"", "these are not the seeds of the spec, each once"),
        (
            "{\"rate\":0.10,\"seed\":1",
            "{\"rate\":0.11,\"seed\":1",
            "these are not the rates and seeds of the spec, each once",
        ),
        ("\"senders\":16", "\"senders\":15", "its report does not follow from its counts and the tables"),
        ("\"born\":", "\"born\":1", "born is not what has a latency and what is unfinished"),
    ] {
        std::fs::write(kept_path(place, name), resealed(honest, from, to)).unwrap();
        let (_, err) = fabc(place, &["shards", "merge", "out/pod.shards"], 2);
        let message = format!(
            "FAB0594 × `out/pod.shards/kept/{name}` cannot be of this build: {reason} help: remove it, and run its shard again"
        );
        assert!(flowing(&err).starts_with(&message), "{err}");
    }
}

#[test]
fn a_killed_shard_goes_on_with_its_simulations() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), simulated()).unwrap();
    fabc(place.path(), &["build", "pod.fab", "--shard", "1/1", "-q"], 0);
    let whole_build = kept(place.path());
    std::fs::remove_dir_all(place.path().join("out")).unwrap();
    // Killed when it has found the healthy pod, some faults, all of them, and run some simulations.
    let done = || {
        let entries = std::fs::read_dir(place.path().join("out/pod.shards/kept")).into_iter().flatten();
        entries
            .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "bin"))
            .count()
    };
    for enough in [1, 6, 13, 15, 22, 34] {
        let mut child = command(place.path(), &["build", "pod.fab", "--shard", "1/1", "-q"]).spawn().unwrap();
        while done() < enough && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
    fabc(place.path(), &["build", "pod.fab", "--shard", "1/1", "-q"], 0);
    let mut again = kept(place.path());
    again.retain(|path, _| !path.to_string_lossy().contains(".fabc-"));
    assert!(
        whole_build.keys().eq(again.keys())
            && whole_build.iter().all(|(path, (bytes, _))| again[path].0 == *bytes)
    );
}
