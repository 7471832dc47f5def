//! Sweeps and builds in parts by several processes: their locks, what they leave, and what is proved of what
//! they kept.

#[path = "support/plain.rs"]
mod plain;
#[path = "support/spec_text.rs"]
mod spec_text;

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

/// What people read, without the places where lines end.
fn flowing(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
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
    fabc(place.path(), &[&["sweep", "plan", "ring.fab", "-o", "sweep"], &sets[..]].concat(), 0);
    let run = || command(place.path(), &["sweep", "run", "sweep"]).env("LD_PRELOAD", &library).stdout(Stdio::piped()).spawn().unwrap();
    let three = [run(), run(), run()];
    let ran = three.map(|child| {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().split(" of ").next().unwrap().parse::<usize>().unwrap()
    });
    assert_eq!(ran.iter().sum::<usize>(), 8, "{ran:?}");
    let stays = |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with('.');
    assert!(!files(&place.path().join("sweep")).keys().any(|path| stays(path)));
    // What a killed build leaves, and a killed run that was there already.
    for child in [&["build", "ring.fab", "-q"][..], &["sweep", "run", "sweep", "-q"]] {
        let left = place.path().join("out/.ring.fabc-tmp-1");
        std::fs::create_dir_all(left.join("tables")).unwrap();
        std::fs::write(place.path().join("out/.ring.fabc-lock-1"), "").unwrap();
        let of_a_run = std::fs::read_dir(place.path().join("sweep/runs")).unwrap().next().unwrap().unwrap().path();
        std::fs::write(of_a_run.join(".lock"), "").unwrap();
        assert!(command(place.path(), child).env("LD_PRELOAD", &library).status().unwrap().success());
        match child[0] {
            "build" => assert!(!left.exists() && !place.path().join("out/.ring.fabc-lock-1").exists()),
            _ => assert!(!of_a_run.join(".lock").exists()),
        }
    }
}

#[cfg(unix)]
#[test]
fn what_a_killed_process_was_writing_goes() {
    let place = workplace();
    let sets = ["--set", "n=3,4", "--until", "synthesize"];
    let plan = [&["sweep", "plan", "ring.fab", "-o", "sweep"], &sets[..]].concat();
    fabc(place.path(), &plan, 0);
    fabc(place.path(), &["build", "ring.fab", "--shard", "1/2"], 0);
    let spec = files(&place.path().join("sweep/runs")).into_keys().find(|path| path.ends_with("spec.fab")).unwrap();
    let left = [
        place.path().join("sweep/runs").join(&spec).with_file_name(".spec.fab.fabc-tmp-1"),
        place.path().join("sweep/.sweep.json.fabc-tmp-1-3"),
        place.path().join("out/ring.shards/spec/.spec.fab.fabc-tmp-1"),
        place.path().join("out/ring.shards/kept/.nominal.bin.fabc-tmp-1"),
    ];
    left.iter().for_each(|path| std::fs::write(path, "half").unwrap());
    // Nobody takes what somebody is writing.
    let written = place.path().join("out/ring.shards/kept/.other.bin.fabc-tmp-1");
    let file = std::fs::File::create(&written).unwrap();
    file.try_lock().unwrap();
    fabc(place.path(), &plan, 0);
    fabc(place.path(), &["build", "out/ring.shards", "--shard", "2/2"], 0);
    let stay: Vec<_> = left.iter().filter(|path| path.exists()).collect();
    assert!(stay.is_empty() && written.exists(), "{stay:?}");
}
