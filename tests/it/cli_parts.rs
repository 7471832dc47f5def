//! Sweeps and builds by several processes: their locks, what they leave, and what is proved of what they
//! share.

use crate::support::plain;
use crate::support::shards::kept_path;
use crate::support::spec_text;
use plain::{command, fabc, files};
use spec_text::SpecText;
use std::path::Path;

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

/// A message without its line ends.
fn flowing(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    words.split(" 1 error. To learn more").next().unwrap_or_default().to_owned()
}

/// A library that gives `flock` the rules of NFS, where it is a lock of a range: an exclusive one needs a
/// file that is open for writing.
#[cfg(target_os = "linux")]
fn nfs(place: &Path) -> std::path::PathBuf {
    let code = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
int flock(int fd, int operation) {
    int mode = fcntl(fd, F_GETFL) & O_ACCMODE;
    if (((operation & LOCK_EX) && mode == O_RDONLY) || ((operation & LOCK_SH) && mode == O_WRONLY)) {
        errno = EBADF;
        return -1;
    }
    int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    return real(fd, operation);
}
"#;
    let [source, library] = ["nfs.c", "nfs.so"].map(|name| place.join(name));
    std::fs::write(&source, code).unwrap();
    let words = ["-shared", "-fPIC", "-o", library.to_str().unwrap(), source.to_str().unwrap(), "-ldl"];
    assert!(std::process::Command::new("cc").args(words).status().unwrap().success());
    library
}

#[cfg(target_os = "linux")]
#[test]
fn by_the_rules_of_nfs_no_run_is_made_twice_and_leftovers_go() {
    use std::process::Stdio;
    let (place, tools) = (workplace(), tempfile::tempdir().unwrap());
    let library = nfs(tools.path());
    let sets = ["--set", "n=3..=6", "--set", "most=2,9"];
    fabc(place.path(), &[&["sweep", "prepare", "ring.fab", "-o", "sweep"], &sets[..]].concat(), 0);
    let run = || {
        command(place.path(), &["sweep", "run", "sweep"])
            .env("LD_PRELOAD", &library)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let three = [run(), run(), run()];
    let ran = three.map(|child| {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().split(" of ").next().unwrap().parse::<usize>().unwrap()
    });
    assert_eq!(ran.iter().sum::<usize>(), 8, "{ran:?}");
    let stays = |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with('.');
    assert!(!files(&place.path().join("sweep")).keys().any(|path| stays(path)));
    // Remains of a killed build, and of a killed run that was there before.
    for child in [&["build", "ring.fab", "-q"][..], &["sweep", "run", "sweep", "-q"]] {
        let leftover = place.path().join("out/.ring.fabc-tmp-1");
        std::fs::create_dir_all(leftover.join("tables")).unwrap();
        std::fs::write(place.path().join("out/.ring.fabc-lock-1"), "").unwrap();
        let of_a_run =
            std::fs::read_dir(place.path().join("sweep/runs")).unwrap().next().unwrap().unwrap().path();
        std::fs::write(of_a_run.join(".lock"), "").unwrap();
        assert!(command(place.path(), child).env("LD_PRELOAD", &library).status().unwrap().success());
        match child[0] {
            "build" => assert!(!leftover.exists() && !place.path().join("out/.ring.fabc-lock-1").exists()),
            _ => assert!(!of_a_run.join(".lock").exists()),
        }
    }
}

#[cfg(unix)]
#[test]
fn what_a_killed_process_was_writing_goes() {
    let place = workplace();
    let sets = ["--set", "n=3,4", "--until", "synthesize"];
    let plan = [&["sweep", "prepare", "ring.fab", "-o", "sweep"], &sets[..]].concat();
    fabc(place.path(), &plan, 0);
    fabc(place.path(), &["build", "ring.fab", "--shard", "1/2"], 0);
    let spec =
        files(&place.path().join("sweep/runs")).into_keys().find(|path| path.ends_with("spec.fab")).unwrap();
    let leftovers = [
        place.path().join("sweep/runs").join(&spec).with_file_name(".spec.fab.fabc-tmp-1"),
        place.path().join("sweep/.sweep.json.fabc-tmp-1-3"),
        place.path().join("out/ring.shards/spec/.spec.fab.fabc-tmp-1"),
        place.path().join("out/ring.shards/kept/.0123.bin.fabc-tmp-1"),
    ];
    leftovers.iter().for_each(|path| std::fs::write(path, "half").unwrap());
    // No process takes a file that another one is writing.
    let written = place.path().join("out/ring.shards/kept/.other.bin.fabc-tmp-1");
    let file = std::fs::File::create(&written).unwrap();
    file.try_lock().unwrap();
    fabc(place.path(), &plan, 0);
    fabc(place.path(), &["build", "out/ring.shards", "--shard", "2/2"], 0);
    let stay: Vec<_> = leftovers.iter().filter(|path| path.exists()).collect();
    assert!(stay.is_empty() && written.exists(), "{stay:?}");
}

const SETS: [&str; 6] = ["--set", "n=3,4", "--set", "most=2,9", "--until", "analyze"];

/// A sweep of four runs, one of which fails.
fn swept() -> tempfile::TempDir {
    let place = workplace();
    fabc(place.path(), &[&["sweep", "ring.fab", "-o", "sweep", "-q"], &SETS[..]].concat(), 0);
    place
}

/// The first built run of a sweep, and the first that failed, from the directory of the sweep.
fn first_runs(sweep: &Path) -> [std::path::PathBuf; 2] {
    let runs: Vec<_> = files(&sweep.join("runs")).into_keys().collect();
    ["manifest.json", "failed.json"].map(|name| {
        Path::new("runs").join(runs.iter().find(|path| path.ends_with(name)).unwrap().parent().unwrap())
    })
}

/// Replaces some text of a file. Returns the old content.
fn change(path: &Path, from: &str, to: &str) -> Vec<u8> {
    let old = std::fs::read(path).unwrap();
    let text = String::from_utf8(old.clone()).unwrap();
    assert!(text.contains(from), "no {from} in {text}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
    old
}

/// Lists a changed file in the manifest of its directory with the hash that it has now.
fn sign(directory: &Path, name: &str) {
    let manifest = directory.join("manifest.json");
    let mut value: serde_json::Value = serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
    let bytes = std::fs::read(directory.join(name)).unwrap();
    let line = value["files"].as_array().unwrap().iter().position(|line| line["path"] == name).unwrap();
    let old = value["files"][line].clone();
    value["files"][line]["bytes"] = bytes.len().into();
    value["files"][line]["blake3"] = blake3::hash(&bytes).to_hex().as_str().into();
    let bytes_and_hash =
        |line: &serde_json::Value| format!("\"bytes\":{},\"blake3\":{}", line["bytes"], line["blake3"]);
    change(&manifest, &bytes_and_hash(&old), &bytes_and_hash(&value["files"][line]));
}

#[test]
fn a_figure_that_was_changed_does_not_come_into_the_table() {
    let place = swept();
    let sweep = place.path().join("sweep");
    let [built, _] = first_runs(&sweep);
    let report = sweep.join(&built).join("report.json");
    let old = change(&report, "\"diameter\":2", "\"diameter\":99999");
    let (_, err) = fabc(place.path(), &["sweep", "merge", "sweep"], 2);
    let run = built.display();
    let message = format!(
        "FAB0544 × `sweep/{run}/report.json` is not the file that the run wrote: its hash differs from that in `manifest.json` help: remove \
         `sweep/{run}`: `fabc sweep run` runs it again"
    );
    assert_eq!(flowing(&err), message);
    // Under a hash of its own it stands in the table, and is convicted.
    sign(&sweep.join(&built), "report.json");
    fabc(place.path(), &["sweep", "merge", "sweep", "-q"], 0);
    assert!(std::fs::read_to_string(sweep.join("table.csv")).unwrap().contains("99999"));
    let (_, err) = fabc(place.path(), &["sweep", "verify", "sweep"], 3);
    assert!(
        flowing(&err).contains(&format!("FAB0544 × `sweep/{run}` does not hold what it claims")),
        "{err}"
    );
    assert!(err.contains("FAB0423"), "{err}");
    std::fs::write(&report, old).unwrap();
    sign(&sweep.join(&built), "report.json");
    fabc(place.path(), &["sweep", "merge", "sweep", "-q"], 0);
    fabc(place.path(), &["sweep", "verify", "sweep"], 0);
}

#[test]
fn a_sweep_is_proved_run_by_run_and_written_again() {
    let place = swept();
    let sweep = place.path().join("sweep");
    let (out, _) = fabc(place.path(), &["sweep", "verify", "sweep"], 0);
    assert!(out.starts_with("verified sweep: 4 runs that differ, 3 built and proved, 1 failed\n"), "{out}");
    for listed in ["sweep.json settings  ", "report.json passes ", "manifest.json options  "] {
        assert!(out.contains(listed), "{listed} in {out}");
    }
    let [built, failed] = first_runs(&sweep);
    let spec = built.parent().unwrap().join("spec/spec.fab");
    let convicted = |path: &Path, from: &str, to: &str, message: &str, code: i32| {
        let old = change(&sweep.join(path), from, to);
        let (_, err) = fabc(place.path(), &["sweep", "verify", "sweep"], code);
        assert!(flowing(&err).starts_with(&format!("FAB0544 × {message}")), "{err}");
        std::fs::write(sweep.join(path), old).unwrap();
    };
    let path = |path: &Path| format!("`sweep/{}`", path.display());
    let again = "is not reproduced from the runs";
    convicted(Path::new("table.csv"), "4,9,kept,16", "4,9,kept,17", &format!("`sweep/table.csv` {again}"), 3);
    convicted(Path::new("table.json"), "\"kept\"", "\"open\"", &format!("`sweep/table.json` {again}"), 3);
    convicted(Path::new("table.txt"), "kept", "open", &format!("`sweep/table.txt` {again}"), 3);
    convicted(Path::new("index.html"), "kept", "open", &format!("`sweep/index.html` {again}"), 3);
    let words = format!("{} is not reproduced: the run ends otherwise", path(&failed.join("failed.json")));
    convicted(&failed.join("failed.json"), "\"message\":\"", "\"message\":\"no ", &words, 3);
    let words = format!(
        "{} is not the spec of this run: its key differs from that in `sweep.json`",
        path(spec.parent().unwrap())
    );
    convicted(&spec, "latency = 10 ns", "latency = 11 ns", &words, 2);
    let words = "`sweep.json` says `n=8` of a run whose settings have another value";
    convicted(Path::new("sweep.json"), "\"values\":[\"3\"", "\"values\":[\"8\"", words, 3);
    convicted(
        Path::new("sweep.json"),
        "\"fabric\":\"ring\"",
        "\"fabric\":\"rind\"",
        "1 of 4 runs are missing",
        2,
    );
    // Nothing is run of a spec that was changed.
    std::fs::remove_dir_all(sweep.join(&built)).unwrap();
    let old = change(&sweep.join(&spec), "latency = 10 ns", "latency = 11 ns");
    let (_, err) = fabc(place.path(), &["sweep", "run", "sweep"], 2);
    let words = format!(
        "FAB0544 × {} is not the spec of this run: its key differs from that in `sweep.json` help: remove that folder: `fabc sweep \
         prepare` writes it again",
        path(spec.parent().unwrap())
    );
    assert_eq!(flowing(&err), words);
    std::fs::write(sweep.join(&spec), old).unwrap();
    fabc(place.path(), &["sweep", "run", "sweep", "-q"], 0);
    fabc(place.path(), &["sweep", "verify", "sweep"], 0);
}

#[test]
fn an_impossible_corner_is_a_failed_run() {
    let place = tempfile::tempdir().unwrap();
    let pod = SpecText::pod([2, 2, 2], 2)
        .without("cubes")
        .with("cubes = n; budget { vcs = 2; faults = 0; }")
        .text();
    let text = format!("param n = 2 in 2..=64;\n{}", pod.replace("ports = 16", "ports = 4"));
    std::fs::write(place.path().join("pod.fab"), &text).unwrap();
    let (out, _) = fabc(
        place.path(),
        &["sweep", "pod.fab", "--set", "n=2,3,8", "--until", "synthesize", "-o", "sweep"],
        0,
    );
    assert!(out.contains("3 of 3 runs: 0 were there, 1 failed"), "{out}");
    let table = std::fs::read_to_string(place.path().join("sweep/table.csv")).unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[1].starts_with("2,open,") || rows[1].starts_with("2,kept,"), "{table}");
    assert!(rows[3].starts_with("8,failed,") && rows[3].contains("FAB0111: "), "{table}");
    fabc(place.path(), &["sweep", "verify", "sweep"], 0);
    // An error with all values refuses the sweep, at its place. A value that is not declared does, too.
    let (_, err) = fabc(
        place.path(),
        &["sweep", "pod.fab", "--set", "n=8,9", "-o", "none", "--message-format", "short"],
        1,
    );
    assert!(err.starts_with("pod.fab:") && err.contains("error[FAB0111]"), "{err}");
    let (_, err) = fabc(
        place.path(),
        &["sweep", "pod.fab", "--set", "n=2,65", "-o", "none", "--message-format", "short"],
        1,
    );
    assert!(err.starts_with("--set:1:3: error[FAB0144]"), "{err}");
    std::fs::write(place.path().join("pod.fab"), text.replace("over copper;", "over cooper;")).unwrap();
    let (_, err) = fabc(
        place.path(),
        &["sweep", "pod.fab", "--set", "n=2,8", "-o", "none", "--message-format", "short"],
        1,
    );
    assert!(err.starts_with("pod.fab:") && err.contains("cooper"), "{err}");
    // So is an expression that cannot be calculated with some of the values.
    let divided =
        text.replace("cubes = n;", "cubes = k;").replace("param n", "let k = 8 / (n - 4);\nparam n");
    std::fs::write(place.path().join("pod.fab"), &divided).unwrap();
    fabc(
        place.path(),
        &["sweep", "pod.fab", "--set", "n=4,8", "--until", "synthesize", "-o", "divided", "-q"],
        0,
    );
    let table = std::fs::read_to_string(place.path().join("divided/table.csv")).unwrap();
    assert!(table.contains("4,failed,") && table.contains("FAB01"), "{table}");
    let (out, _) = fabc(place.path(), &["sweep", "verify", "divided"], 0);
    assert!(!out.contains("failed.json  "), "{out}");
    // A spec that names input files is not kept where it means nothing.
    let graph = SpecText::network("graph \"g.txt\" { default = wire; }").with(
        "router { radix = 4; hosts = n; vcs = 8; flit = 64 B; \
                 buffer = 64 flits; latency = 10 cycles; }",
    );
    std::fs::write(place.path().join("g.txt"), "a b\nb c\na c\n").unwrap();
    std::fs::write(place.path().join("net.fab"), format!("param n = 1;\n{}", graph.text())).unwrap();
    fabc(
        place.path(),
        &["sweep", "net.fab", "--set", "n=1,9", "--until", "synthesize", "-o", "graph", "-q"],
        0,
    );
    let table = std::fs::read_to_string(place.path().join("graph/table.csv")).unwrap();
    assert!(table.contains("9,failed,") && table.contains("FAB01"), "{table}");
    let (out, _) = fabc(place.path(), &["sweep", "verify", "graph"], 0);
    assert!(out.contains("failed.json  "), "{out}");
    assert!(!place.path().join("none").exists());
}

#[test]
fn a_spec_that_was_changed_beside_its_shards_is_convicted() {
    let place = workplace();
    for shard in ["1/2", "2/2"] {
        fabc(place.path(), &["build", "ring.fab", "--shard", shard, "-q"], 0);
    }
    let spec = place.path().join("out/ring.shards/spec/spec.fab");
    let old = change(&spec, "require diameter <= 8", "require diameter <= 9");
    let words = "FAB0594 × `out/ring.shards/spec` is not the spec of these shards: its key differs from that of `shards.json` \
                 help: `fabc build SPEC --shard i/n` writes both again";
    let (_, err) = fabc(place.path(), &["shards", "merge", "out/ring.shards"], 2);
    assert_eq!(flowing(&err), words);
    assert!(!place.path().join("out/ring").exists());
    std::fs::remove_file(kept_path(&place.path().join("out/ring.shards"), "nominal")).unwrap();
    let (_, err) = fabc(place.path(), &["build", "out/ring.shards", "--shard", "1/2"], 2);
    assert_eq!(flowing(&err), words);
    std::fs::write(&spec, old).unwrap();
    fabc(place.path(), &["build", "out/ring.shards", "--shard", "1/2", "-q"], 0);
    fabc(place.path(), &["shards", "merge", "out/ring.shards", "-q"], 0);
}

#[test]
fn names_that_spreadsheets_would_run_and_names_with_commas_are_read_as_they_were() {
    let place = tempfile::tempdir().unwrap();
    let net = SpecText::network("graph \"g.txt\" { default = wire; }")
        .with("link wire { bandwidth = 512 Gbps; latency = 10 ns; }");
    std::fs::write(place.path().join("g.txt"), "=1+1 b,c\nb,c @x\n=1+1 @x\n").unwrap();
    std::fs::write(
        place.path().join("net.fab"),
        net.clone().with("budget { vcs = 4; faults = 1 link; } routing = allowed_turns;").text(),
    )
    .unwrap();
    fabc(place.path(), &["build", "net.fab", "-q", "--out", "out"], 0);
    let gather =
        ["collective", "out/net", "--collective", "all_gather", "--size", "64KiB", "--scenario", "all"];
    let (rows, _) = fabc(place.path(), &[&gather[..], &["--csv"]].concat(), 0);
    assert!(rows.contains("\n\"'=1+1.port0\",all_gather,"), "{rows}");
    fabc(place.path(), &[&gather[..6], &["--emit", "trace=t.csv"]].concat(), 0);
    let trace = std::fs::read_to_string(place.path().join("t.csv")).unwrap();
    assert!(trace.contains("\n0,\"'=1+1\",\"b,c\",342\n0,\"'=1+1\",\"'@x\",342\n"), "{trace}");
    let (out, _) = fabc(place.path(), &["sim", "out/net", "--with", "traffic = trace \"t.csv\""], 0);
    assert!(out.contains("6 messages"), "{out}");
    fabc(place.path(), &["build", "net.fab", "-q", "--emit", "tables_csv=tables"], 0);
    let table = std::fs::read_to_string(place.path().join("tables/nominal/router_00000.csv")).unwrap();
    assert!(table.contains("1,\"b,c\",inject,,") && table.contains("2,\"'@x\",inject,,"), "{table}");
    // The error of a wrong quote names its line.
    std::fs::write(place.path().join("t.csv"), "0,\"b,c,1,1\n").unwrap();
    let (_, err) = fabc(place.path(), &["sim", "out/net", "--with", "traffic = trace \"t.csv\""], 1);
    let message = flowing(&err);
    assert!(
        message.contains("a quote is not closed")
            && message.contains("help: a quote within quotes must be doubled"),
        "{err}"
    );
    // The values of a sweep are text, too.
    let spec = "param name = \"=g.txt\";\nfabric net {".to_owned()
        + net.text().replace("\"g.txt\"", "name").split_once("fabric net {").unwrap().1;
    std::fs::copy(place.path().join("g.txt"), place.path().join("=g.txt")).unwrap();
    std::fs::write(place.path().join("swept.fab"), spec).unwrap();
    fabc(
        place.path(),
        &["sweep", "swept.fab", "--set", "name=\"=g.txt\"", "--until", "synthesize", "-q", "-o", "sweep"],
        0,
    );
    let table = std::fs::read_to_string(place.path().join("sweep/table.csv")).unwrap();
    assert!(table.contains("\n\"\"\"=g.txt\"\"\",kept,"), "{table}");
}
