//! Builds that are killed, and outputs that cannot be written.

use super::{names, small, spec, torus, workplace};
use crate::support::plain::{command, fabc, files};
use std::path::Path;
use std::process::{Command, Output, Stdio};

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_half_written() {
    let place = workplace();
    let out = place.path().join("out");
    // Large enough to be in the middle of something for a while.
    let mut child = command(place.path(), &["build", &spec("pod_1024"), "-q"]).spawn().expect("fabc starts");
    while !out.is_dir() {
        assert!(child.try_wait().unwrap().is_none(), "the build ended before it could be interrupted");
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill starts");
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(names(place.path()), ["small.fab"]);
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_handed_over_are_an_error() {
    let place = workplace();
    fabc(place.path(), &["build", "small.fab", "--out", "live", "-q"], 0);
    std::fs::write(place.path().join("torus.fab"), small().with("topology = torus 2 x 2 x 4;").text())
        .unwrap();
    fabc(place.path(), &["build", "torus.fab", "--out", "new", "-q"], 0);
    let full = |args: &[&str], code| {
        let Output { status, stderr, .. } =
            command(place.path(), args).stdout(std::fs::File::create("/dev/full").unwrap()).output().unwrap();
        let err = String::from_utf8_lossy(&stderr).into_owned();
        assert_eq!(status.code(), Some(code), "{args:?}: {err}");
        assert!(err.contains("FAB0541") && err.contains("no space left on device"), "{args:?}: {err}");
    };
    for args in [
        &["build", "small.fab"][..],
        &["build", "small.fab", "--emit", "dot"],
        &["build", "small.fab", "--emit", "tables_csv=d/,dot"],
        &["build", "small.fab", "--emit", "ibnetdiscover"],
        &["build", "small.fab", "--dump", "route"],
        &["build", "small.fab", "--golden", "live"],
        &["check", "small.fab", "--until", "analyze", "--dump", "analyze"],
        &["graph", "small.fab"],
        &["tables", "live/small"],
        &["tables", "live/small", "--router", "0"],
        &["verify", "live/small"],
    ] {
        full(args, 2);
    }
    // There 2 says that there are changes.
    full(&["plan", "new/small", "--live", "live/small", "--json"], 1);
    full(&["plan", "new/small", "--live", "live/small"], 1);
    assert_eq!(names(place.path()), ["d", "live", "new", "small.fab", "torus.fab"]);
    // A reader that has seen enough stops nothing.
    let mut child = command(place.path(), &["build", "small.fab"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
    assert!(place.path().join("out/small/manifest.json").is_file());
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_leaves_golden_outputs_and_devices_as_they_were() {
    let place = workplace();
    std::fs::write(place.path().join("torus.fab"), torus()).unwrap();
    fabc(place.path(), &["build", "torus.fab", "--golden", "golden", "--update", "-q"], 0);
    let before = files(&place.path().join("golden"));
    for goes in ["--golden golden --update", "--out golden"] {
        let shell = format!("trap '' XFSZ; ulimit -f 4; exec \"$0\" build small.fab -q {goes}");
        let output = Command::new("sh")
            .args(["-c", &shell, env!("CARGO_BIN_EXE_fabc")])
            .current_dir(place.path())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{err}");
        assert!(err.contains("FAB0503"), "{err}");
        assert!(files(&place.path().join("golden")) == before);
        assert_eq!(names(&place.path().join("golden")), ["small"]);
    }
    // A device is written, not replaced.
    let (_, err) = fabc(place.path(), &["build", "small.fab", "--emit", "dot=/dev/full"], 2);
    assert!(err.contains("FAB0503") && err.contains("no space left"), "{err}");
    assert!(!Path::new("/dev/full").metadata().unwrap().is_file());
}

/// Names that contain `.fabc-tmp-..`, `.fabc-old-..` or `.fabc-lock-..`. A running build has two: directory,
/// lock.
#[cfg(unix)]
fn leftovers(directory: &Path) -> Vec<String> {
    let entries = if directory.is_dir() { names(directory) } else { Vec::new() };
    entries.into_iter().filter(|name| name.contains(".fabc-")).collect()
}

#[cfg(unix)]
#[test]
fn what_killed_builds_left_goes_and_what_running_ones_write_stays() {
    let place = workplace();
    let out = place.path().join("out");
    let parts = format!("{}/specs/parts/", env!("CARGO_MANIFEST_DIR"));
    let large = std::fs::read_to_string(spec("pod_1024"))
        .unwrap()
        .replace("fabric pod_1024", "fabric small")
        .replace("parts/", &parts);
    std::fs::write(place.path().join("large.fab"), large).unwrap();
    let start = || {
        let mut child = command(place.path(), &["build", "large.fab", "-q"]).spawn().expect("fabc starts");
        while !leftovers(&out).contains(&format!(".small.fabc-tmp-{}", child.id())) {
            assert!(child.try_wait().unwrap().is_none(), "the build ended before it could be killed");
            std::thread::yield_now();
        }
        child
    };
    let mut killed = start();
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(leftovers(&out).len(), 2);
    let mut running = start();
    let kept = leftovers(&out);
    let built = command(place.path(), &["build", "small.fab", "-q"]).status().unwrap();
    let still_kept = leftovers(&out);
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(built.code(), Some(0));
    assert!(
        kept.len() == 2 && still_kept == kept,
        "the first is gone, and somebody writes to the second: {kept:?} {still_kept:?}"
    );
    // Killed between the two renames: the only copy stands aside.
    let before = files(&out.join("small"));
    std::fs::rename(out.join("small"), out.join(".small.fabc-old-1")).unwrap();
    std::fs::write(place.path().join("fails.fab"), small().text().replace("diameter <= 6", "diameter <= 1"))
        .unwrap();
    fabc(place.path(), &["build", "fails.fab", "-q"], 3);
    assert_eq!(names(&out), ["small"]);
    assert!(files(&out.join("small")) == before);
}
