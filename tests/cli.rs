//! The command line, driven from outside: what works without compiling a pod. `tests/cli_build.rs` has the rest.

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
    let mut child =
        command(directory, args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("fabc starts");
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
    for word in ["build", "check", "fmt", "verify", "explain", "graph", "tables", "plan", "init", "completions", "Exit codes"] {
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
        &["build", "pod.fab", "--stop-after", "lunch"],
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
    assert!(err(&human).contains("FAB0501") && err(&human).contains("fabc explain FAB0501"), "{}", err(&human));
    let short = fabc(directory.path(), &["check", "no.fab", "--message-format", "short"]);
    assert_eq!(err(&short), "fabc: error[FAB0501]: cannot read `no.fab`: no such file or directory\n");
    let json = fabc(directory.path(), &["check", "no.fab", "--message-format", "json"]);
    let object: serde_json::Value = serde_json::from_str(err(&json)).expect("one object on one line");
    let keys: Vec<&String> = object.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["code", "severity", "message", "help", "labels"]);
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
fn completions_name_the_commands() {
    let directory = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = fabc(directory.path(), &["completions", shell]);
        assert_eq!(code(&script), 0);
        assert!(out(&script).contains("verify") && out(&script).contains("message-format"), "{shell}");
    }
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

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = command(directory.path(), &["explain"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("fabc starts");
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
