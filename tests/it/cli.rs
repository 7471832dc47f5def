//! The command line, driven from outside: commands that compile no pod. `limits` and `messages` have their
//! inputs and their errors. `tests/it/cli_build.rs` has the commands that build.

mod help;
mod limits;
mod messages;
mod readers;
mod verdict_order;

use crate::support::spec_text::SpecText;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn fabc(directory: &Path, args: &[&str]) -> Output {
    command(directory, args).output().expect("fabc starts")
}

fn command(directory: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fabc"));
    command.args(args).current_dir(directory).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

fn with_input(directory: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = command(directory, args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fabc starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), input).expect("fabc reads");
    child.wait_with_output().expect("fabc ends")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("fabc exits by itself")
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

#[test]
fn help_lists_every_command_and_the_exit_codes() {
    let directory = tempfile::tempdir().unwrap();
    let help = fabc(directory.path(), &["--help"]);
    assert_eq!(code(&help), 0);
    for word in [
        "build",
        "check",
        "fmt",
        "verify",
        "explain",
        "graph",
        "tables",
        "plan",
        "init",
        "completions",
        "Exit codes",
    ] {
        assert!(out(&help).contains(word), "{word} is missing in\n{}", out(&help));
    }
}

#[test]
fn usage_errors_exit_with_2() {
    let directory = tempfile::tempdir().unwrap();
    for args in [
        &["frobnicate"][..],
        &[],
        &["build"],
        &["build", "pod.fab", "--until", "lunch"],
        &["build", "pod.fab", "--update"],
        &["check", "pod.fab", "-q", "-v"],
        &["check", "pod.fab", "--threads", "0"],
        &["tables"],
    ] {
        let output = fabc(directory.path(), args);
        assert_eq!(code(&output), 2, "{args:?}: {}", err(&output));
    }
}

#[test]
fn unknown_formats_are_refused_with_a_suggestion() {
    let directory = tempfile::tempdir().unwrap();
    let output = fabc(directory.path(), &["build", "pod.fab", "--emit", "grapml=x"]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("FAB0505"), "{}", err(&output));
}

#[test]
fn a_missing_spec_is_an_error_with_a_code_in_every_form() {
    let directory = tempfile::tempdir().unwrap();
    let human = fabc(directory.path(), &["check", "no.fab"]);
    assert_eq!(code(&human), 1);
    assert!(
        err(&human).contains("FAB0501") && err(&human).contains("fabc explain FAB0501"),
        "{}",
        err(&human)
    );
    let short = fabc(directory.path(), &["check", "no.fab", "--message-format", "short"]);
    assert_eq!(err(&short), "fabc: error[FAB0501]: cannot read `no.fab`: no such file or directory\n");
    let json = fabc(directory.path(), &["check", "no.fab", "--message-format", "json"]);
    let object: serde_json::Value = serde_json::from_str(err(&json)).expect("one object on one line");
    let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["format", "code", "severity", "message", "help", "labels"]);
    assert_eq!(object["code"], "FAB0501");
}

#[test]
fn a_spec_that_is_not_text_is_an_error_with_a_code() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("pod.fab"), b"fabric \xff {}").unwrap();
    for args in [&["check", "pod.fab"][..], &["fmt", "pod.fab"]] {
        let output = fabc(directory.path(), args);
        assert_eq!(code(&output), 1);
        assert!(err(&output).contains("FAB0502") && err(&output).contains("byte 7"), "{}", err(&output));
    }
}

#[test]
fn every_listed_code_is_explained() {
    let directory = tempfile::tempdir().unwrap();
    let list = fabc(directory.path(), &["explain"]);
    assert_eq!(code(&list), 0);
    assert!(out(&list).contains("FAB0901"));
    for line in out(&list).lines() {
        let (name, title) = line.split_once("  ").expect("a code and its title");
        let explained = fabc(directory.path(), &["explain", &name.to_lowercase()]);
        assert_eq!(code(&explained), 0);
        assert!(out(&explained).starts_with(&format!("{name}: {title}\n\n")), "{}", out(&explained));
    }
    let unknown = fabc(directory.path(), &["explain", "FAB7777"]);
    assert_eq!(code(&unknown), 2);
    assert!(err(&unknown).contains("FAB0516"));
}

#[test]
fn init_writes_a_spec_once() {
    let directory = tempfile::tempdir().unwrap();
    for template in ["tpu_v4", "torus", "single_cube"] {
        let name = format!("my_{template}");
        let made = fabc(directory.path(), &["init", &name, "--template", template]);
        assert_eq!(code(&made), 0, "{}", err(&made));
        let text = std::fs::read_to_string(directory.path().join(format!("{name}.fab"))).unwrap();
        assert!(text.contains(&format!("fabric {name} {{")) && text.starts_with("// "), "{text}");
        let again = fabc(directory.path(), &["init", &name, "--template", template]);
        assert_eq!(code(&again), 2);
        assert!(err(&again).contains("FAB0514"), "{}", err(&again));
        assert_eq!(std::fs::read_to_string(directory.path().join(format!("{name}.fab"))).unwrap(), text);
    }
    let bad = fabc(directory.path(), &["init", "../pod"]);
    assert_eq!(code(&bad), 2);
    assert!(err(&bad).contains("FAB0515"), "{}", err(&bad));
}

#[test]
fn verify_and_tables_refuse_other_directories() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("notes.txt"), "mine").unwrap();
    for args in [&["verify", "."][..], &["tables", "."], &["tables", "nowhere", "--router", "0"]] {
        let output = fabc(directory.path(), args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(err(&output).contains("FAB0510"), "{}", err(&output));
    }
}

/// A spec where a directory is wanted, a directory where a spec is, and the directory above: the hint names
/// what is meant.
#[test]
fn files_and_directories_in_each_others_place_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let help = |args: &[&str], exit_code: i32| {
        let output = fabc(directory.path(), &[args, &["--message-format", "json"]].concat());
        assert_eq!(code(&output), exit_code, "{args:?}: {}", err(&output));
        let object: serde_json::Value = serde_json::from_str(err(&output)).expect("one object");
        ["code", "message", "help"].map(|key| object[key].as_str().unwrap().to_owned())
    };
    std::fs::write(directory.path().join("pod.fab"), SpecText::pod([2, 2, 2], 2).text()).unwrap();
    assert_eq!(code(&fabc(directory.path(), &["build", "pod.fab", "-q", "--until", "synthesize"])), 0);
    for command in ["build", "check", "fmt", "graph"] {
        let refusal = help(&[command, "out/pod"], 1);
        let message = "cannot read `out/pod`: it is a directory, not a regular file";
        assert_eq!(
            refusal,
            ["FAB0501", message, "it is a built directory; its spec is `out/pod/spec.fab`"],
            "{command}"
        );
    }
    assert_eq!(help(&["check", "."], 1)[2], "name the file, such as `./pod.fab`");
    assert_eq!(help(&["verify", "out"], 2)[2], "name the directory of one fabric, such as `out/pod`");
    assert_eq!(
        help(&["verify", "gone"], 2)[1],
        "`gone` is not a directory that `fabc build` wrote: it does not exist"
    );
}

#[test]
fn the_path_that_was_written_is_escaped() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("pod.fab"), SpecText::pod([2, 2, 2], 2).text()).unwrap();
    for args in [&["--out", "a\u{1b}[31mb"][..], &["--emit", "csv=a\u{1b}[31mb.csv"]] {
        let output = fabc(directory.path(), &[&["build", "pod.fab", "--until", "synthesize"], args].concat());
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert!(
            out(&output).contains("wrote a\\u{1b}[31mb") && !out(&output).contains('\u{1b}'),
            "{}",
            out(&output)
        );
    }
}

/// Programs read wrong options in the form that they asked for.
#[test]
fn usage_errors_have_the_form_that_was_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let args = ["build", "pod.fab", "--until", "lunch", "--message-format"];
    let short = fabc(directory.path(), &[&args[..], &["short"]].concat());
    let stage_error = "fabc: error[FAB0548]: invalid value 'lunch' for '--until <STAGE>' [possible values: parse, resolve, synthesize, \
                analyze, route, check, emit]\n";
    assert_eq!((code(&short), err(&short)), (2, stage_error));
    let json = fabc(directory.path(), &["--message-format=json", "check"]);
    let object: serde_json::Value = serde_json::from_str(err(&json)).expect("one object");
    assert_eq!((code(&json), &object["code"]), (2, &"FAB0548".into()));
    assert_eq!(object["message"], "the following required arguments were not provided: <SPEC>");
    assert_eq!(object["help"], "Usage: fabc check <SPEC>; For more information, try '--help'.");
    let sarif = fabc(directory.path(), &["frobnicate", "--message-format", "sarif"]);
    let log: serde_json::Value = serde_json::from_str(err(&sarif)).expect("one log");
    assert_eq!((code(&sarif), &log["runs"][0]["results"][0]["ruleId"]), (2, &"FAB0548".into()));
    let human = fabc(directory.path(), &["build", "--emit", "dot"]);
    assert!(
        code(&human) == 2 && err(&human).starts_with("error: the following required argument"),
        "{}",
        err(&human)
    );
}

/// `check` and `build` list the same formats. One that the last stage does not reach is refused at once.
#[test]
fn formats_of_later_stages_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let lists = ["build", "check"].map(|command| fabc(directory.path(), &[command, "--emit", "list"]));
    assert!(lists.iter().all(|list| code(list) == 0) && out(&lists[0]) == out(&lists[1]));
    for line in out(&lists[0]).lines() {
        assert!(line.split("  ").filter(|part| !part.is_empty()).count() == 3, "{line}");
    }
    std::fs::write(directory.path().join("pod.fab"), SpecText::pod([2, 2, 2], 2).text()).unwrap();
    for (command, stage, format) in [
        ("check", "synthesize", "opensm_lft"),
        ("build", "analyze", "tables"),
        ("check", "resolve", "dot"),
        ("build", "parse", "spec"),
    ] {
        let output = fabc(
            directory.path(),
            &[command, "pod.fab", "--until", stage, "--emit", &format!("{format}=x"), "-q"],
        );
        assert_eq!(code(&output), 2, "{command} {stage} {format}: {}", err(&output));
        assert!(
            err(&output).contains(&format!("there is nothing to emit as `{format}`")),
            "{}",
            err(&output)
        );
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = command(directory.path(), &["explain"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fabc starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("fabc ends");
    assert_eq!((code(&output), err(&output)), (0, ""));
}

#[test]
fn standard_input_is_read_as_text() {
    let directory = tempfile::tempdir().unwrap();
    let output = with_input(directory.path(), &["fmt", "-"], b"\xff");
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("FAB0502"), "{}", err(&output));
}

/// A spec whose layout is not that of `fabc fmt`, some kilobytes long.
fn untidy() -> String {
    let spec = std::fs::read_to_string(format!("{}/specs/pod_256.fab", env!("CARGO_MANIFEST_DIR"))).unwrap();
    format!("{}{}", "// A line that makes the file longer.\n".repeat(200), spec.replace("    ", "\t"))
}

#[cfg(unix)]
#[test]
fn a_disk_that_is_full_does_not_cost_the_source() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pod.fab");
    std::fs::write(&path, untidy()).unwrap();
    // Without the trap, the signal kills. Either way the source must live.
    for (trap, exit_code) in [("trap '' XFSZ;", Some(2)), ("", None)] {
        let shell = format!("{trap} ulimit -f 1; exec \"$0\" fmt pod.fab");
        let output = Command::new("sh")
            .args(["-c", &shell, env!("CARGO_BIN_EXE_fabc")])
            .current_dir(directory.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), exit_code, "{}", err(&output));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), untidy());
        if exit_code.is_some() {
            assert!(err(&output).contains("FAB0503"), "{}", err(&output));
            assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        }
    }
    // The next run removes the remains of the killed one.
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
    assert_eq!(code(&fabc(directory.path(), &["fmt", "pod.fab"])), 0);
    assert_ne!(std::fs::read_to_string(&path).unwrap(), untidy());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn formatting_keeps_links_and_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let (file, link) = (directory.path().join("pod.fab"), directory.path().join("link.fab"));
    std::fs::write(&file, untidy()).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("pod.fab", &link).unwrap();
    assert_eq!(code(&fabc(directory.path(), &["fmt", "link.fab"])), 0);
    assert_ne!(std::fs::read_to_string(&file).unwrap(), untidy());
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(link.is_symlink());
    assert_eq!(code(&fabc(directory.path(), &["fmt", "--check", "pod.fab"])), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_takes_nothing_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("pod.fab"), untidy()).unwrap();
    for args in [
        &["explain"][..],
        &["explain", "FAB0541"],
        &["completions", "bash"],
        &["build", "--emit", "list"],
        &["fmt", "-"],
        &["check", "pod.fab"],
        &["check", "pod.fab", "--dump", "resolve", "--until", "resolve"],
        &["--help"],
        &["build", "--help"],
        &["--version"],
    ] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let input = || std::fs::File::open(directory.path().join("pod.fab")).unwrap();
        let full = command(directory.path(), args).stdin(input()).stdout(full).output().unwrap();
        let closed = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" >&-", env!("CARGO_BIN_EXE_fabc")])
            .args(args)
            .current_dir(directory.path())
            .stdin(input())
            .output()
            .unwrap();
        for (output, reason) in [(full, "no space left on device"), (closed, "it is closed")] {
            assert_eq!(code(&output), 2, "{args:?}: {}", err(&output));
            assert!(
                err(&output).contains("FAB0541") && err(&output).contains(reason),
                "{args:?}: {}",
                err(&output)
            );
        }
        // Devices that take everything still do. A closed output is no error for a command that prints
        // nothing.
        let null = std::fs::File::create("/dev/null").unwrap();
        assert_eq!(
            code(&command(directory.path(), args).stdin(input()).stdout(null).output().unwrap()),
            0,
            "{args:?}"
        );
    }
    let quiet = command(directory.path(), &["check", "-q", "pod.fab"])
        .stdout(std::fs::File::create("/dev/full").unwrap())
        .output();
    assert_eq!(code(&quiet.unwrap()), 0);
}

#[cfg(unix)]
#[test]
fn a_file_that_several_paths_lead_to_counts_once() {
    let directory = tempfile::tempdir().unwrap();
    let spec = std::fs::read_to_string(format!("{}/specs/pod_1024.fab", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let part = format!("{}/specs/parts/tpu_v4.fab", env!("CARGO_MANIFEST_DIR"));
    std::fs::create_dir(directory.path().join("parts")).unwrap();
    std::fs::copy(part, directory.path().join("parts/tpu_v4.fab")).unwrap();
    std::os::unix::fs::symlink("tpu_v4.fab", directory.path().join("parts/link.fab")).unwrap();
    std::os::unix::fs::symlink("parts", directory.path().join("again")).unwrap();
    let once = "use \"parts/tpu_v4.fab\";";
    assert!(spec.contains(once), "{spec}");
    let absolute = format!("use \"{}\";", directory.path().join("parts/tpu_v4.fab").display());
    let uses = [
        "use \"./parts/../parts/tpu_v4.fab\";",
        "use \"parts/link.fab\";",
        "use \"again/tpu_v4.fab\";",
        &absolute,
    ];
    std::fs::write(directory.path().join("once.fab"), &spec).unwrap();
    std::fs::write(
        directory.path().join("often.fab"),
        spec.replace(once, &format!("{once} {}", uses.join(" "))),
    )
    .unwrap();
    let dump = |name: &str| {
        let output = fabc(directory.path(), &["check", name, "--dump", "parse", "--until", "resolve"]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        out(&output).to_owned()
    };
    assert_eq!(dump("often.fab"), dump("once.fab"));
    // A cycle of `use` is found under any name of the file.
    std::os::unix::fs::symlink("circle.fab", directory.path().join("round.fab")).unwrap();
    std::fs::write(
        directory.path().join("circle.fab"),
        spec.replace(once, &format!("{once} use \"round.fab\";")),
    )
    .unwrap();
    let circle = fabc(directory.path(), &["check", "circle.fab"]);
    assert!(code(&circle) == 1 && err(&circle).contains("circle.fab -> round.fab"), "{}", err(&circle));
}
