//! Inputs within limits: special files, huge files, and pods of the largest size.

use super::{code, err, with_input};
use crate::support::spec_text::SpecText;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs fabc with little memory (kilobytes of address space), and waits for it at most ten seconds.
#[cfg(unix)]
fn confined(directory: &Path, args: &[&str], input: Stdio) -> Output {
    let script = format!("ulimit -v 300000 && exec {} \"$@\"", env!("CARGO_BIN_EXE_fabc"));
    let mut shell = Command::new("sh");
    // Every thread reserves address space.
    shell
        .args(["-c", &script, "sh"])
        .args(args)
        .args(["--threads", "2"])
        .current_dir(directory)
        .env("NO_COLOR", "1")
        .env_remove("RUST_BACKTRACE");
    let mut child =
        shell.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("sh starts");
    for _ in 0..1000 {
        if child.try_wait().expect("a child").is_some() {
            return child.wait_with_output().expect("it has ended");
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().expect("it runs");
    panic!("{args:?} does not end");
}

/// A pod with one group of switches, and a line.
#[cfg(unix)]
fn pod_with(line: &str) -> String {
    let pod =
        SpecText::pod([2, 2, 2], 2).without("ocs Y").without("ocs Z").without("budget").without("topology");
    pod.with(line).text()
}

/// Makes a pipe that nobody writes to.
#[cfg(unix)]
fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
#[cfg(unix)]
fn inputs_are_read_within_limits() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    make_pipe(&directory.join("pipe"));
    std::fs::File::create(directory.join("huge")).unwrap().set_len(1 << 40).unwrap();
    std::fs::create_dir_all(directory.join("built/inputs")).unwrap();
    for (input, reason) in [
        ("/dev/zero", "it is a device, a pipe or a socket, not a regular file"),
        ("pipe", "it is a device, a pipe or a socket, not a regular file"),
        ("built", "it is a directory, not a regular file"),
    ] {
        refuse_special_file(directory, input, reason);
    }
    refuse_huge_file(directory);
    refuse_special_files_of_builds(directory);
}

/// A file that is not regular is no input of any command, and no file that a spec names.
#[cfg(unix)]
fn refuse_special_file(directory: &Path, input: &str, reason: &str) {
    for args in [
        &["check", input][..],
        &["build", input],
        &["fmt", input],
        &["graph", input],
        &["verify", "--tables", input, "--topology", input],
    ] {
        let output = confined(directory, args, Stdio::null());
        assert_eq!(code(&output), 1, "{args:?}: {}", err(&output));
        assert!(err(&output).contains("FAB0501"), "{args:?}: {}", err(&output));
    }
    for (name, text) in [
        ("use.fab", pod_with(&format!("use \"{input}\"; topology = synthesize;"))),
        ("cross_connects.fab", pod_with(&format!("topology = cross_connects \"{input}\";"))),
        (
            "near.fab",
            pod_with(&format!("topology = synthesize {{ start = cross_connects \"{input}\"; moves <= 3; }}")),
        ),
        ("matrix.fab", pod_with(&format!("demand = matrix \"{input}\"; topology = synthesize;"))),
    ] {
        std::fs::write(directory.join(name), text).unwrap();
        let output = confined(directory, &["check", name, "--message-format", "short"], Stdio::null());
        assert_eq!(code(&output), 1, "{name}: {}", err(&output));
        assert!(
            err(&output).contains(reason) && err(&output).contains(&format!("{name}:")),
            "{name}: {}",
            err(&output)
        );
    }
    let stdin = || Stdio::from(std::fs::File::open("/dev/zero").unwrap());
    for args in [&["check", "-"][..], &["check", "/dev/stdin"], &["fmt", "-"]] {
        let output = confined(directory, args, stdin());
        assert_eq!(code(&output), 1, "{args:?}: {}", err(&output));
        assert!(
            err(&output).contains("FAB0007") && err(&output).contains("4194304 bytes"),
            "{args:?}: {}",
            err(&output)
        );
    }
}

/// A regular file is refused by its length, with the limit of its kind.
#[cfg(unix)]
fn refuse_huge_file(directory: &Path) {
    std::fs::write(directory.join("use.fab"), pod_with("use \"huge\"; topology = synthesize;")).unwrap();
    std::fs::write(
        directory.join("matrix.fab"),
        pod_with("demand = matrix \"huge\"; topology = synthesize;"),
    )
    .unwrap();
    std::fs::write(directory.join("cross_connects.fab"), pod_with("topology = cross_connects \"huge\";"))
        .unwrap();
    for (args, part) in [
        (&["check", "huge"][..], "FAB0007"),
        (&["check", "use.fab"], "it has more than 4194304 bytes"),
        (&["check", "matrix.fab"], "it has more than 68608 bytes"),
        (&["check", "cross_connects.fab"], "it has more than 16785408 bytes"),
        (&["verify", "--tables", "huge", "--topology", "huge"], "`huge` has more than 4294967296 bytes"),
    ] {
        let output = confined(directory, &[args, &["--message-format", "short"]].concat(), Stdio::null());
        assert_eq!(code(&output), 1, "{args:?}: {}", err(&output));
        assert!(err(&output).contains(part), "{args:?}: {}", err(&output));
    }
}

/// Special files in the directory of a build, and as the live setting of a plan.
#[cfg(unix)]
fn refuse_special_files_of_builds(directory: &Path) {
    std::fs::write(directory.join("built/spec.fab"), pod_with("topology = cross_connects \"live.json\";"))
        .unwrap();
    std::fs::write(directory.join("built/manifest.json"), "{}").unwrap();
    std::fs::write(directory.join("built/ocs.json"), "{}").unwrap();
    let cross_connects = r#"{"format":"fabc.ocs/1","ocs":[]}"#;
    std::fs::write(directory.join("built/inputs/ocs.json"), cross_connects).unwrap();
    make_pipe(&directory.join("built/notes"));
    let output = confined(directory, &["verify", "built"], Stdio::null());
    assert!(code(&output) != 0 && err(&output).contains("FAB0"), "{}", err(&output));
    let dark = ["X[0,0]", "X[0,1]", "X[1,0]", "X[1,1]"]
        .map(|name| format!(r#"{{"name":"{name}","a":[],"b":[],"cross_connects":[]}}"#));
    std::fs::write(
        directory.join("built/ocs.json"),
        cross_connects.replace("[]", &format!("[{}]", dark.join(","))),
    )
    .unwrap();
    for live in ["/dev/zero", "pipe", "huge"] {
        let output = confined(directory, &["plan", "built", "--live", live], Stdio::null());
        let wanted = if live == "huge" { "FAB0519" } else { "FAB0501" };
        assert!(code(&output) == 1 && err(&output).contains(wanted), "{live}: {}", err(&output));
    }
    std::fs::remove_file(directory.join("built/inputs/ocs.json")).unwrap();
    make_pipe(&directory.join("built/inputs/ocs.json"));
    for args in [
        &["verify", "built"][..],
        &["tables", "built", "--router", "0"],
        &["plan", "built", "--live", "huge"],
    ] {
        let output = confined(directory, args, Stdio::null());
        assert!(code(&output) != 0 && err(&output).contains("FAB0"), "{args:?}: {}", err(&output));
    }
}

#[test]
fn a_pipe_of_the_shell_is_read_like_standard_input() {
    let directory = tempfile::tempdir().unwrap();
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/specs/pod_256.fab");
    let text = std::fs::read(spec).unwrap();
    let output = with_input(directory.path(), &["check", "/dev/stdin"], &text);
    assert_eq!(code(&output), 0, "{}", err(&output));
}

#[test]
#[cfg(unix)]
fn pods_at_the_limits_are_checked_or_refused_with_little_memory() {
    let directory = tempfile::tempdir().unwrap();
    let pod = |side: &str, cubes: &str, rest: &str| {
        let pod = SpecText::pod([2, 2, 2], 2).without("ocs Y").without("ocs Z").without("budget");
        pod.with(
            "ocs X[u in 0..2, v in 0..2] { couple +x[u, v] with -x[u, v] over fiber; ports = 1_000_000; }",
        )
        .with(&format!("cube {{ mesh {side} over fiber; }} cubes = {cubes}; {rest}"))
        .text()
    };
    for (text, expected) in [
        (pod("2 x 2 x 2", "131_072", "topology = synthesize;"), Err("FAB0113")),
        (pod("2 x 2 x 2", "32_768", "topology = synthesize;"), Ok(())),
        (pod("4 x 4 x 4", "16_384", "topology = synthesize;"), Err("FAB0206")),
        (pod("2 x 2 x 2", "32_768", "topology = synthesize { symmetry = none; }"), Err("FAB0206")),
        (pod("2 x 2 x 262_144", "1", "topology = synthesize;"), Err("FAB0206")),
        (pod("2 x 2 x 262_145", "1", "topology = synthesize;"), Err("FAB0113")),
        (pod("2 x 2 x 2", "2048", "topology = synthesize; demand = matrix \"no.csv\";"), Err("FAB0113")),
    ] {
        std::fs::write(directory.path().join("pod.fab"), &text).unwrap();
        let output =
            confined(directory.path(), &["check", "pod.fab", "--message-format", "short"], Stdio::null());
        match expected {
            Ok(()) => assert_eq!(code(&output), 0, "{}\n{text}", err(&output)),
            Err(wanted) => {
                assert!(
                    code(&output) != 0
                        && err(&output).contains(wanted)
                        && err(&output).starts_with("pod.fab:"),
                    "{}\n{text}",
                    err(&output)
                );
            }
        }
    }
}
