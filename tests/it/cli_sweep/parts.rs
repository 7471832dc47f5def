//! Builds by several processes: shards, what they share, and what is done again.

use super::flowing;
use crate::support::plain::{command, fabc, files};
use crate::support::shards::{kept_path, pieces};
use crate::support::spec_text::SpecText;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
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
fn shards_of_a_build_come_to_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in faulty() {
        let spec = format!("{name}.fab");
        std::fs::write(place.path().join(&spec), text).unwrap();
        fabc(place.path(), &["build", &spec, "--out", "whole", "-q"], 0);
        // Three at a time: whatever one of them has finished or works on, the others leave.
        let shards = ["1/3", "2/3", "3/3"].map(|shard| {
            command(place.path(), &["build", &spec, "--shard", shard, "--out", "parts"])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        });
        let written = shards.map(|shard| {
            let output = shard.wait_with_output().unwrap();
            assert!(output.status.success());
            results_written(&String::from_utf8(output.stdout).unwrap())
        });
        let directory = place.path().join(format!("parts/{name}.shards"));
        let results = files(&directory.join("kept")).len();
        assert_eq!(written.iter().sum::<usize>(), results, "{name}: {written:?}");
        // What a search finds of the topology is no piece of its own.
        assert!((0..=1).contains(&(results - pieces(&directory).len())), "{name}");
        let merge = format!("parts/{name}.shards");
        fabc(place.path(), &["shards", "merge", &merge, "-q"], 0);
        fabc(place.path(), &["shards", "merge", &merge, "-q", "--remake", "1000"], 0);
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

/// The number of results that a shard says it has written.
fn results_written(out: &str) -> usize {
    if out.contains("everything was there") {
        return 0;
    }
    let (_, rest) = out.split_once(".shards: ").unwrap();
    rest.split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn pieces_that_are_missing_or_wrong_are_named() {
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
        out.starts_with("shard 2/2 of ring is done in out/ring.shards: ")
            && out.contains("results written in"),
        "{out}"
    );
    let directory = place.path().join("out/ring.shards");
    let names: Vec<String> = pieces(&directory).into_keys().collect();
    let faults: Vec<&String> = names.iter().filter(|name| *name != "nominal").collect();
    let remove = |name: &str| std::fs::remove_file(kept_path(&directory, name)).unwrap();
    remove(faults[0]);
    let help = "help: `fabc build out/ring.shards --shard 1/1` does the rest";
    expect_message(
        &["shards", "merge", "out/ring.shards"],
        2,
        &format!("FAB0594 × 1 piece is not finished: {} {help}", faults[0]),
    );
    faults[1..].iter().for_each(|name| remove(name));
    let (_, err) = fabc(place.path(), &["shards", "merge", "out/ring.shards"], 2);
    let message = format!("FAB0594 × {} pieces are not finished: ", faults.len());
    assert!(flowing(&err).starts_with(&message) && flowing(&err).contains(&format!(" .. {help}")), "{err}");
    let (out, _) = fabc(place.path(), &["build", "out/ring.shards", "--shard", "1/2"], 0);
    assert_eq!(results_written(&out), faults.len());
    let (out, _) = fabc(place.path(), &["build", "out/ring.shards", "--shard", "1/2"], 0);
    assert_eq!(out, "shard 1/2 of ring is done in out/ring.shards: everything was there\n");
    // A bit that fell over.
    let damaged = kept_path(&directory, "nominal");
    let good = std::fs::read(&damaged).unwrap();
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    std::fs::write(&damaged, &bad).unwrap();
    let message = format!("FAB0594 × 1 piece is not finished: nominal {help}");
    expect_message(&["shards", "merge", "out/ring.shards"], 2, &message);
    let (out, err) = fabc(place.path(), &["build", "out/ring.shards", "--shard", "1/2"], 0);
    assert_eq!(results_written(&out), 1);
    assert!(err.contains("is made again: its hash does not match its content"), "{err}");
    assert_eq!(std::fs::read(&damaged).unwrap(), good);
    // Nothing is listed until the healthy fabric is found.
    let queue = std::fs::read(directory.join("queue.json")).unwrap();
    std::fs::remove_file(directory.join("queue.json")).unwrap();
    expect_message(
        &["shards", "merge", "out/ring.shards"],
        2,
        &format!("FAB0594 × no shard has found the healthy fabric {help}"),
    );
    fabc(place.path(), &["build", "out/ring.shards", "--shard", "1/2"], 0);
    assert_eq!(std::fs::read(directory.join("queue.json")).unwrap(), queue);
    fabc(place.path(), &["shards", "merge", "out/ring.shards", "--out", "merged", "-q"], 0);
    fabc(place.path(), &["verify", "merged/ring"], 0);
    // The results of another spec are others.
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

/// The results that shards share.
fn kept(place: &Path) -> KeptFiles {
    let directory = place.join("out/pod.shards/kept");
    let written = |path: &Path| std::fs::metadata(directory.join(path)).unwrap().modified().unwrap();
    files(&directory).into_iter().map(|(path, bytes)| (path.clone(), (bytes, written(&path)))).collect()
}

#[test]
fn simulations_of_shards_come_to_the_same_bytes() {
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
    // The topology was searched for as well.
    assert_eq!(parts.len(), 1 + 13 + 2 * 13 + 2, "{:?}", parts.keys());
    // One shard finds what three find. Everything is what processes of this machine count.
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

/// The directory of the shards of the pod.
fn pod_shards(place: &Path) -> PathBuf {
    place.join("out/pod.shards")
}

/// A piece that is missing is made again by whichever shard comes first, which makes nothing else.
fn mend(place: &Path, whole_build: &KeptFiles, piece: &str) {
    let (_, err) = fabc(place, &["shards", "merge", "out/pod.shards"], 2);
    let message = format!("FAB0594 × 1 piece is not finished: {piece} ");
    assert!(flowing(&err).starts_with(&message), "{err}");
    let before = kept(place);
    let (out, _) = fabc(place, &["build", "out/pod.shards", "--shard", "2/3"], 0);
    assert_eq!(results_written(&out), 1, "{out}");
    let (out, _) = fabc(place, &["build", "out/pod.shards", "--shard", "1/3"], 0);
    assert!(out.contains("everything was there"), "{out}");
    let after = kept(place);
    assert!(
        after.keys().eq(whole_build.keys())
            && after.iter().all(|(path, (bytes, _))| whole_build[path].0 == *bytes)
    );
    let written: Vec<_> = after
        .keys()
        .filter(|path| before.get(*path).is_none_or(|(_, time)| *time != after[*path].1))
        .collect();
    assert_eq!(written, [Path::new(kept_path(&pod_shards(place), piece).file_name().unwrap())]);
}

#[test]
fn a_simulation_that_is_missing_or_wrong_is_run_again_alone() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    std::fs::write(place.join("pod.fab"), simulated()).unwrap();
    fabc(place, &["build", "pod.fab", "--out", "whole", "-q"], 0);
    let whole = files(&place.join("whole/pod"));
    fabc(place, &["build", "pod.fab", "--shard", "1/3", "-q"], 0);
    let whole_build = kept(place);
    let path = |piece: &str| kept_path(&pod_shards(place), piece);
    let bytes = |piece: &str| whole_build[Path::new(path(piece).file_name().unwrap())].0.clone();
    let faulty = "`open` on X[0,1]";
    for piece in [faulty, "`closed` on nominal", "`flits` on nominal", "X[0,1]"] {
        std::fs::remove_file(path(piece)).unwrap();
        mend(place, &whole_build, piece);
    }
    let mut fallen = bytes(faulty);
    *fallen.last_mut().unwrap() ^= 1;
    std::fs::write(path(faulty), fallen).unwrap();
    mend(place, &whole_build, faulty);
    // Under a hash of its own a result is of another scenario, simulation or build, or does not follow from
    // its counts and the tables. The merge makes it again, and says so.
    let key = path(faulty).file_stem().unwrap().to_string_lossy().into_owned();
    let foreign = "it belongs to another build";
    for (wrong, reason) in [
        (bytes("`open` on X[0,0]"), foreign),
        (bytes("`closed` on X[0,1]"), foreign),
        (resealed(&bytes(faulty), &format!("\"key\":\"{key}"), "\"key\":\"0"), foreign),
        (
            resealed(&bytes(faulty), "kept_simulation.bin/1", "kept_simulation.bin/2"),
            "its format is `fabc.kept_simulation.bin/2`, but this fabc reads `fabc.kept_simulation.bin/1`",
        ),
        (
            resealed(&bytes(faulty), "\"seed\":1,\"low\"", "\"seed\":3,\"low\""),
            "these are not the seeds of the spec, each once",
        ),
        (
            resealed(&bytes(faulty), "{\"rate\":0.10,\"seed\":1", "{\"rate\":0.11,\"seed\":1"),
            "these are not the rates and seeds of the spec, each once",
        ),
        (
            resealed(&bytes(faulty), "\"senders\":16", "\"senders\":15"),
            "its report does not follow from its counts and the tables",
        ),
        (
            resealed(&bytes(faulty), "\"born\":", "\"born\":1"),
            "born is not what has a latency and what is unfinished",
        ),
    ] {
        std::fs::write(path(faulty), wrong).unwrap();
        let (_, err) = fabc(place, &["shards", "merge", "out/pod.shards", "--remake", "0"], 0);
        let message = format!("`out/pod.shards/kept/{key}.bin` is made again: {reason}");
        assert!(flowing(&err).contains(&message), "{err}");
        assert!(whole == files(&place.join("out/pod")) && whole_build.keys().eq(kept(place).keys()));
        assert_eq!(std::fs::read(path(faulty)).unwrap(), bytes(faulty));
    }
}

#[test]
fn a_result_that_is_valid_but_not_that_of_the_search_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    std::fs::write(place.join("pod.fab"), SpecText::pod([2, 2, 2], 3).named("pod").text()).unwrap();
    fabc(place, &["build", "pod.fab", "--shard", "1/1", "-q"], 0);
    // Twice the lengths of channels prove the same bound.
    let path = kept_path(&pod_shards(place), "X[0,1]");
    let honest = std::fs::read(&path).unwrap();
    std::fs::write(&path, with_double_lengths(&honest)).unwrap();
    fabc(place, &["shards", "merge", "out/pod.shards", "--out", "trusted", "--remake", "0", "-q"], 0);
    fabc(place, &["verify", "trusted/pod"], 0);
    let again = ["shards", "merge", "out/pod.shards", "--remake", "1000", "--message-format", "json"];
    let (_, err) = fabc(place, &again, 2);
    let told = err.lines().find(|line| line.starts_with('{')).expect("an error");
    let told: serde_json::Value = serde_json::from_str(told).unwrap();
    let key = path.file_stem().unwrap().to_string_lossy().into_owned();
    let message =
        format!("`out/pod.shards/kept/{key}.bin` is valid, but a new search finds another result for X[0,1]");
    let help = "its shard was another fabc, or was tampered with: remove `out/pod.shards`, and build again";
    assert_eq!([&told["code"], &told["message"], &told["help"]], ["FAB0594", &message, help]);
    assert!(!place.join("out/pod").exists());
    // One piece in so many is made again by default, and none of the others is found out.
    std::fs::write(&path, honest).unwrap();
    fabc(place, &["shards", "merge", "out/pod.shards", "--remake", "1000", "-q"], 0);
}

/// The file of a scenario whose lengths are twice as long, under a hash of its own.
fn with_double_lengths(bytes: &[u8]) -> Vec<u8> {
    let content = &bytes[..bytes.len() - 32];
    let end = content.iter().position(|byte| *byte == b'\n').unwrap();
    let head: serde_json::Value = serde_json::from_slice(&content[..end]).unwrap();
    let text = String::from_utf8(content[..end].to_vec()).unwrap();
    let lengths = head["lengths"].as_array().unwrap();
    let list = |factor: u64| {
        let numbers: Vec<String> =
            lengths.iter().map(|length| (factor * length.as_u64().unwrap()).to_string()).collect();
        format!("\"lengths\":[{}]", numbers.join(","))
    };
    let mut text = text.replacen(&list(1), &list(2), 1);
    for field in ["volume", "distance"] {
        let number: u128 = head[field].as_str().unwrap().parse().unwrap();
        let word = |number: u128| format!("\"{field}\":\"{number}\"");
        text = text.replacen(&word(number), &word(2 * number), 1);
    }
    let mut changed = [text.as_bytes(), &content[end..]].concat();
    assert_ne!(changed, content);
    let hash = blake3::hash(&changed);
    changed.extend(hash.as_bytes());
    changed
}

#[test]
fn a_killed_shard_goes_on_with_its_simulations() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("pod.fab"), simulated()).unwrap();
    fabc(place.path(), &["build", "pod.fab", "--shard", "1/1", "-q"], 0);
    let whole_build = kept(place.path());
    std::fs::remove_dir_all(place.path().join("out")).unwrap();
    // Killed when it has found the topology, the healthy pod, some faults, all of them, and run some
    // simulations.
    let done = || {
        let entries = std::fs::read_dir(place.path().join("out/pod.shards/kept")).into_iter().flatten();
        entries
            .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "bin"))
            .count()
    };
    for enough in [1, 2, 7, 14, 16, 23, 35] {
        let mut child = command(place.path(), &["build", "pod.fab", "--shard", "1/1", "-q"]).spawn().unwrap();
        while done() < enough && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = child.kill();
        child.wait().unwrap();
    }
    fabc(place.path(), &["build", "pod.fab", "--shard", "1/1", "-q"], 0);
    let mut again = kept(place.path());
    again.retain(|path, _| path.extension().is_some_and(|ending| ending == "bin"));
    assert!(
        whole_build.keys().eq(again.keys())
            && whole_build.iter().all(|(path, (bytes, _))| again[path].0 == *bytes)
    );
}
