//! Completions as a shell asks for them, and man pages.

use crate::machines::plain::{command, fabc, files};
use std::path::Path;
use std::process::Command;

/// The completions of bash after these words, with the script that fabc prints.
fn proposed(place: &Path, words: &[&str]) -> Vec<String> {
    let (script, _) = fabc(place, &["completions", "bash"], 0);
    let ask = "\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMP_TYPE=9\n\
               _clap_complete_fabc fabc \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"\n\
               printf '%s\\n' \"${COMPREPLY[@]}\"\n";
    let bin = Path::new(env!("CARGO_BIN_EXE_fabc")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-c", &format!("{script}{ask}"), "bash"])
        .args(words)
        .current_dir(place)
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn a_shell_is_told_what_may_come_next() {
    let place = tempfile::tempdir().unwrap();
    for name in ["pod.fab", "port.txt", "pods/more.fab"] {
        let path = place.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    for (words, expected) in [
        (&["fabc", "ver"][..], &["verify"][..]),
        (&["fabc", "explain", "FAB09"], &["FAB0901"]),
        (&["fabc", "explain", "up_"], &["up_down"]),
        (&["fabc", "schema", "slices"], &["slices", "slices_availability", "slices_plan"]),
        (&["fabc", "build", "po"], &["pod.fab", "pods/"]),
        (&["fabc", "build", "pod.fab", "--emit", "topo"], &["topology", "topograph"]),
        (&["fabc", "place", "pods", "--emit", "slic"], &["slices_json"]),
        (&["fabc", "build", "pod.fab", "--until", "an"], &["analyze"]),
        (&["fabc", "build", "pod.fab", "--mess"], &["--message-format"]),
        (&["fabc", "sweep", "pre"], &["prepare"]),
        (&["fabc", "shards", "m"], &["merge"]),
    ] {
        assert_eq!(proposed(place.path(), words), expected, "{words:?}");
    }
    // A shell that there is not.
    let output =
        command(place.path(), &["--", "fabc", "ver"]).env("FABC_COMPLETE", "no_shell").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn every_shell_asks_fabc() {
    let place = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (script, _) = fabc(place.path(), &["completions", shell], 0);
        assert!(script.contains("FABC_COMPLETE") && script.contains("fabc"), "{shell}: {script}");
    }
}

#[test]
fn every_command_has_a_page() {
    let place = tempfile::tempdir().unwrap();
    let (out, _) = fabc(place.path(), &["man", "pages/man1"], 0);
    let pages = files(&place.path().join("pages/man1"));
    assert_eq!(out, format!("wrote {} pages to pages/man1\n", pages.len()));
    let (help, _) = fabc(place.path(), &["--help"], 0);
    let commands = help.lines().skip_while(|line| !line.starts_with("Usage")).skip(2);
    let commands: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        .map(|line| line[8..].split_whitespace().next().unwrap())
        .collect();
    assert!(commands.len() > 20, "{help}");
    for command in commands {
        assert!(pages.contains_key(Path::new(&format!("fabc-{command}.1"))), "{command}");
    }
    let page = |name: &str| String::from_utf8(pages[Path::new(name)].clone()).unwrap();
    assert!(
        page("fabc.1").contains("Exit codes")
            && page("fabc-build.1").contains("Examples")
            && page("fabc-sweep-run.1").contains("\\-\\-shard"),
        "{}",
        page("fabc-sweep-run.1")
    );
    assert!(
        page("fabc-build.1").starts_with(".ie") && page("fabc-build.1").contains(".TH fabc-build 1"),
        "{}",
        page("fabc-build.1")
    );
    // They are replaced by the same.
    fabc(place.path(), &["man", "pages/man1", "-q"], 0);
    assert_eq!(files(&place.path().join("pages/man1")), pages);
    std::fs::write(place.path().join("file"), "").unwrap();
    let (_, err) = fabc(place.path(), &["man", "file", "--message-format", "short"], 2);
    assert!(err.starts_with("fabc: error[FAB0503]: cannot write `file`"), "{err}");
}
