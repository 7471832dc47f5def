//! Whether the files are the ones that the manifest lists.

use super::files::{Files, MANIFEST, SCHEDULE_BIN, SPEC, schedule_of};
use super::read::{bytes, contradiction, tagged};
use crate::CheckError;
use fabc_ir::read::Manifest;
use fabc_model::Fabric;
use std::collections::{BTreeMap, BTreeSet};

/// How the build was called.
#[derive(Default)]
pub(super) struct Build {
    /// The program and its version.
    pub(super) tool: String,
    /// What it says of the contract.
    pub(super) contract: String,
    /// Its options, by name.
    pub(super) options: Vec<(String, String)>,
}

/// Checks names, sizes and hashes of all files, and that the options of the build are some that it has and
/// fit the files; reports every difference.
pub(super) fn manifest(files: &Files, fabric: &Fabric) -> (Build, Vec<CheckError>) {
    let manifest: Manifest = match tagged(files, MANIFEST) {
        Ok(manifest) => manifest,
        Err(error) => return (Build::default(), vec![error]),
    };
    let mut errors = Vec::new();
    let mut wrong = |path: &str, what: String| errors.push(CheckError::Files { path: path.to_owned(), what });
    for pair in manifest.files.windows(2).filter(|pair| pair[0].path >= pair[1].path) {
        wrong(MANIFEST, format!("`{}` and `{}` are out of order", pair[0].path, pair[1].path));
    }
    for line in &manifest.files {
        match files.get(&line.path) {
            None => wrong(&line.path, "is listed, but it is missing".to_owned()),
            Some(_) if line.path == MANIFEST => wrong(MANIFEST, "lists itself".to_owned()),
            Some(bytes) if bytes.len() as u64 != line.bytes => {
                wrong(&line.path, format!("has {} bytes, but {} are listed", bytes.len(), line.bytes))
            }
            Some(bytes) if blake3::hash(bytes).to_hex().as_str() != line.blake3 => {
                wrong(&line.path, "was changed: its blake3 hash is another one than listed".to_owned());
            }
            Some(_) => {}
        }
    }
    let listed: BTreeSet<&str> = manifest.files.iter().map(|line| line.path.as_str()).collect();
    for path in files.keys().filter(|path| *path != MANIFEST && !listed.contains(path.as_str())) {
        wrong(path, "is not listed: nothing belongs here that the build did not write".to_owned());
    }
    if manifest.fabric != fabric.name {
        errors.push(contradiction(
            MANIFEST,
            "fabric",
            format!("says `{}`, but the spec declares `{}`", manifest.fabric, fabric.name),
        ));
    }
    match bytes(files, SPEC) {
        Err(error) => errors.push(error),
        Ok(spec) if blake3::hash(spec).to_hex().as_str() != manifest.spec_blake3 => {
            errors.push(contradiction(MANIFEST, "spec_blake3", "is not the hash of spec.fab"));
        }
        Ok(_) => {}
    }
    let version = manifest.tool.strip_prefix("fabc ").is_some_and(is_version);
    if !version {
        errors.push(contradiction(
            MANIFEST,
            "tool",
            format!("says `{}`, but must be `fabc` and a version", manifest.tool),
        ));
    }
    errors.extend(options(files, &manifest.options.0));
    (
        Build {
            tool: manifest.tool,
            contract: manifest.contract,
            options: manifest.options.0.into_iter().collect(),
        },
        errors,
    )
}

/// `0.1.0`, with digits in every part.
fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The stages that a build can be stopped after and still write a directory, and whether it has tables by
/// then.
const STOPPED_AFTER: [(&str, bool); 4] =
    [("synthesize", false), ("analyze", false), ("route", true), ("check", true)];

/// Whether the options are those of a build that leaves such files.
fn options(files: &Files, options: &BTreeMap<String, String>) -> Vec<CheckError> {
    // Where vectors are scheduled, plans stand in the place of tables.
    let routed = files.keys().any(|path| path.starts_with("tables/")) || schedule_of(files).is_some();
    let binary = files.contains_key("tables/nominal.bin") || files.contains_key(SCHEDULE_BIN);
    let mut errors = Vec::new();
    let mut wrong =
        |option: &str, what: String| errors.push(contradiction(MANIFEST, format!("options.{option}"), what));
    for (name, value) in options {
        match (name.as_str(), value.as_str()) {
            ("stop_after", stage) => match STOPPED_AFTER.iter().find(|(known, _)| *known == stage) {
                None => wrong(
                    name,
                    format!("says `{stage}`, which is no stage that a build can be stopped after"),
                ),
                Some((_, tables)) if *tables != routed => {
                    let there = if routed { "there are tables" } else { "there are no tables" };
                    wrong(name, format!("says `{stage}`, but {there}"));
                }
                Some(_) => {}
            },
            ("tables", "binary") if binary => {}
            ("tables", "binary") => {
                wrong(name, "says `binary`, but there are no tables in that form".to_owned())
            }
            ("tables", other) => {
                wrong(name, format!("says `{other}`, but only `binary` is ever written there"))
            }
            _ if is_setting(name) && !value.is_empty() => {}
            _ => wrong(name, "is no option of a build".to_owned()),
        }
    }
    if binary && !options.contains_key("tables") {
        wrong("tables", "is missing, but the tables are binary".to_owned());
    }
    if !routed && !options.contains_key("stop_after") {
        wrong("stop_after", "is missing, but there are no tables".to_owned());
    }
    errors
}

/// Whether an option says the value of a parameter (`param.cubes`), or what the spec changed in a file that
/// it used (`use.cubes`, `use.link copper.latency`). The spec of the directory has these values in their
/// places and no parameters any more, so that nothing in the directory could contradict them.
fn is_setting(name: &str) -> bool {
    let letters = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let word = |text: &str| letters(text) && text.starts_with(|first: char| !first.is_ascii_digit());
    match name.split_once('.') {
        Some(("param", name)) => word(name),
        Some(("use", changed)) => match changed.split_once('.') {
            Some((item, setting)) => {
                item.split(' ').count() <= 2 && item.split(' ').all(word) && word(setting)
            }
            None => word(changed),
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_must_fit_the_files() {
        let files =
            |paths: &[&str]| Files::from_iter(paths.iter().map(|path| ((*path).to_owned(), Vec::new())));
        let given = |pairs: &[(&str, &str)]| {
            BTreeMap::from_iter(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))
        };
        let (json, bin, none) = (files(&["tables/nominal.json"]), files(&["tables/nominal.bin"]), files(&[]));
        let wrong = |files: &Files, pairs: &[(&str, &str)]| options(files, &given(pairs)).len();
        assert_eq!(wrong(&json, &[]), 0);
        assert_eq!(wrong(&json, &[("stop_after", "check")]), 0);
        assert_eq!(wrong(&bin, &[("tables", "binary"), ("stop_after", "route")]), 0);
        assert_eq!(wrong(&none, &[("stop_after", "analyze")]), 0);
        assert_eq!(
            wrong(
                &json,
                &[("param.cubes", "8"), ("use.cubes", "8"), ("use.link copper.latency", "30 cycles")]
            ),
            0
        );
        assert_eq!(
            wrong(
                &json,
                &[
                    ("param.8", "8"),
                    ("param.", "8"),
                    ("use.a b c.d", "1"),
                    ("set.cubes", "8"),
                    ("param.cubes", "")
                ]
            ),
            5
        );
        assert_eq!(wrong(&none, &[]), 1);
        assert_eq!(wrong(&bin, &[]), 1);
        assert_eq!(wrong(&json, &[("tables", "binary")]), 1);
        assert_eq!(wrong(&json, &[("tables", "json")]), 1);
        assert_eq!(wrong(&json, &[("stop_after", "analyze")]), 1);
        assert_eq!(wrong(&json, &[("stop_after", "resolve")]), 1);
        assert_eq!(wrong(&json, &[("effort", "9")]), 1);
        assert!(is_version("0.1.0") && !is_version("0.1") && !is_version("0.1.x") && !is_version("0..1"));
    }
}
