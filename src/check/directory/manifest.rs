//! Verifies the files of a directory against its manifest.

use super::files::{Files, MANIFEST, SCHEDULE_BIN, SPEC, schedule_path};
use super::read::{bytes, contradiction, tagged};
use crate::CheckError;
use fabc_ir::read::Manifest;
use fabc_model::Fabric;
use std::collections::{BTreeMap, BTreeSet};

/// How the build was called, as the manifest records it.
#[derive(Default)]
pub(super) struct BuildRecord {
    /// The program and its version.
    pub(super) tool: String,
    /// The state of the contract.
    pub(super) contract: String,
    /// The options as name and value.
    pub(super) options: Vec<(String, String)>,
}

/// Verifies names, sizes and hashes of all files. Also verifies that the options of the build exist and fit
/// the files. Reports every difference.
pub(super) fn verify_manifest(files: &Files, fabric: &Fabric) -> (BuildRecord, Vec<CheckError>) {
    let manifest: Manifest = match tagged(files, MANIFEST) {
        Ok(manifest) => manifest,
        Err(error) => return (BuildRecord::default(), vec![error]),
    };
    let mut errors = Vec::new();
    let mut report =
        |path: &str, violation: String| errors.push(CheckError::Files { path: path.to_owned(), violation });
    for pair in manifest.files.windows(2).filter(|pair| pair[0].path >= pair[1].path) {
        report(MANIFEST, format!("`{}` and `{}` are out of order", pair[0].path, pair[1].path));
    }
    for line in &manifest.files {
        match files.get(&line.path) {
            None => report(&line.path, "is listed, but it is missing".to_owned()),
            Some(_) if line.path == MANIFEST => report(MANIFEST, "lists itself".to_owned()),
            Some(bytes) if bytes.len() as u64 != line.bytes => {
                report(&line.path, format!("has {} bytes, but {} are listed", bytes.len(), line.bytes))
            }
            Some(bytes) if blake3::hash(bytes).to_hex().as_str() != line.blake3 => {
                report(&line.path, "was changed: its blake3 hash differs from the listed one".to_owned());
            }
            Some(_) => {}
        }
    }
    let listed: BTreeSet<&str> = manifest.files.iter().map(|line| line.path.as_str()).collect();
    for path in files.keys().filter(|path| *path != MANIFEST && !listed.contains(path.as_str())) {
        report(path, "is not listed: nothing belongs here that the build did not write".to_owned());
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
    errors.extend(verify_options(files, &manifest.options.0));
    (
        BuildRecord {
            tool: manifest.tool,
            contract: manifest.contract,
            options: manifest.options.0.into_iter().collect(),
        },
        errors,
    )
}

/// Whether a text is a version such as `0.1.0`, with digits in every part.
fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The stages that a build can stop after and still write a directory. The flag says whether tables exist by
/// then.
const STOPPED_AFTER: [(&str, bool); 4] =
    [("synthesize", false), ("analyze", false), ("route", true), ("check", true)];

/// Verifies that the options can leave such files.
fn verify_options(files: &Files, options: &BTreeMap<String, String>) -> Vec<CheckError> {
    // Where vectors are scheduled, schedules take the place of tables.
    let routed = files.keys().any(|path| path.starts_with("tables/")) || schedule_path(files).is_some();
    let binary = files.contains_key("tables/nominal.bin") || files.contains_key(SCHEDULE_BIN);
    let mut errors = Vec::new();
    let mut report = |option: &str, violation: String| {
        errors.push(contradiction(MANIFEST, format!("options.{option}"), violation))
    };
    for (name, value) in options {
        match (name.as_str(), value.as_str()) {
            ("stop_after", stage) => match STOPPED_AFTER.iter().find(|(known, _)| *known == stage) {
                None => {
                    report(name, format!("says `{stage}`, but a build cannot be stopped after such a stage"))
                }
                Some((_, tables)) if *tables != routed => {
                    let presence = if routed { "there are tables" } else { "there are no tables" };
                    report(name, format!("says `{stage}`, but {presence}"));
                }
                Some(_) => {}
            },
            ("tables", "binary") if binary => {}
            ("tables", "binary") => {
                report(name, "says `binary`, but there are no tables in that form".to_owned())
            }
            ("tables", other) => {
                report(name, format!("says `{other}`, but only `binary` is ever written there"))
            }
            _ if is_setting(name) && !value.is_empty() => {}
            _ => report(name, "is not an option of a build".to_owned()),
        }
    }
    if binary && !options.contains_key("tables") {
        report("tables", "is missing, but the tables are binary".to_owned());
    }
    if !routed && !options.contains_key("stop_after") {
        report("stop_after", "is missing, but there are no tables".to_owned());
    }
    errors
}

/// Whether an option records the value of a parameter (`param.cubes`), or a change of an included file
/// (`use.cubes`, `use.link copper.latency`). The spec of the directory has these values in place and has no
/// parameters, so nothing in the directory could contradict them.
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
        let wrong = |files: &Files, pairs: &[(&str, &str)]| verify_options(files, &given(pairs)).len();
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
