//! Pairs of features that once broke each other: every spec of `tests/pairs/` is built, verified from its
//! files alone, and has what its first comments say.
//!
//! A line `//~ report: TEXT` asks for a text in `report.json`, `//~ says: TEXT` for one in what the build
//! prints, both with blanks folded. `//~ exit: 3` says how the build ends, 0 without it. `//~ repair: NAMES`
//! has these parts repaired, and the repair verified.

use crate::support::command;
use command::fabc;
use std::path::{Path, PathBuf};

/// The result that the comments of a spec ask for.
#[derive(Default)]
struct Expectation {
    exit: i32,
    report: Vec<String>,
    says: Vec<String>,
    repairs: Vec<String>,
}

fn parse_expectation(text: &str) -> Expectation {
    let mut expectation = Expectation::default();
    for line in text.lines().filter_map(|line| line.strip_prefix("//~ ")) {
        let (key, value) = line.split_once(": ").expect("a line says what it asks for");
        match key {
            "exit" => expectation.exit = value.parse().expect("an exit code"),
            "report" => expectation.report.push(folded(value)),
            "says" => expectation.says.push(folded(value)),
            "repair" => expectation.repairs.push(value.to_owned()),
            other => panic!("`{other}` is nothing that can be asked for"),
        }
    }
    expectation
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn specs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut specs: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "fab")).collect();
    specs.sort();
    specs
}

#[test]
fn pairs_of_features_build_and_verify() {
    for spec in specs() {
        let (name, text) =
            (spec.file_stem().unwrap().to_str().unwrap(), std::fs::read_to_string(&spec).unwrap());
        let Expectation { exit, report, says, repairs } = parse_expectation(&text);
        let place = tempfile::tempdir().unwrap();
        let path = spec.to_str().unwrap();
        fabc(place.path(), &["check", path], if exit == 0 { 0 } else { exit });
        let (out, _) = fabc(place.path(), &["build", path], exit);
        let out = folded(&out);
        says.iter().for_each(|says| assert!(out.contains(says), "{name} does not say `{says}`:\n{out}"));
        if exit != 0 {
            continue;
        }
        let built = format!("out/{name}");
        let file = std::fs::read_to_string(place.path().join(&built).join("report.json"));
        let file = folded(
            &file.unwrap_or_else(|error| panic!("{built}: {error}: a spec has the name of its fabric")),
        );
        report
            .iter()
            .for_each(|text| assert!(file.contains(text), "{name} has no `{text}` in its report:\n{file}"));
        fabc(place.path(), &["verify", &built], 0);
        for down in repairs {
            let names: Vec<&str> = down.split(' ').flat_map(|name| ["--down", name]).collect();
            for effort in ["local", "full"] {
                fabc(
                    place.path(),
                    &[&["repair", &built, "--out", "fixed", "--effort", effort, "-q"][..], &names].concat(),
                    0,
                );
                fabc(place.path(), &["verify", &built, "--repair", "fixed"], 0);
            }
        }
    }
}
