//! `fabc verify` of a pod in slices: every kind alone, then that the slices are apart, then that every file
//! comes out again.

use crate::io::errors::Stop;
use crate::io::read::{self, display};
use crate::io::staging::MANIFEST;
use crate::io::terminal::Terminal;
use crate::operate::placed::{Placed, isolation_stop};
use fabc_check::{CheckError, Isolation};
use fabc_emit::{ManifestLine, TOOL, manifest_json};
use fabc_ir::read::{Manifest, tagged};
use fabc_lang::parse_normal_form;
use fabc_lang::syntax::{print_spec, without_origin};
use fabc_model::kind_files;
use fabc_pipeline::verify::{self, Remake};
use std::collections::BTreeMap;
use std::path::Path;

/// Verifies the directory.
///
/// # Errors
/// A file is missing, or something does not hold (exit code 3).
pub(crate) fn verify(directory: &Path, remake: Remake, terminal: Terminal) -> Result<(), Stop> {
    let placed = Placed::proved(directory)?;
    let files = read::directory(directory)?;
    let stop = |errors| isolation_stop(errors, &placed.sources);
    let wrong = |path: &str, what: &str| CheckError::Files { path: path.to_owned(), what: what.to_owned() };
    let manifest: Manifest = tagged(&files[MANIFEST])
        .map_err(|reason| stop(vec![wrong(MANIFEST, &format!("is not what fabc writes: {reason}"))]))?;
    let mut errors = Vec::new();
    let mut left: BTreeMap<&str, &Vec<u8>> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes)).collect();
    let mut broken = Vec::new();
    for kind in &placed.fabric.slices.kinds {
        let folder = kind_files(&kind.name);
        let own: BTreeMap<String, Vec<u8>> = files
            .iter()
            .filter_map(|(path, bytes)| Some((path.strip_prefix(&folder)?.to_owned(), bytes.clone())))
            .collect();
        left.retain(|path, _| !path.starts_with(&folder));
        let loaded =
            read::built_spec(&directory.join(&folder)).map_err(|unread| Stop { exit_code: 3, ..unread })?;
        let declared = print_spec(&without_origin(parse_normal_form(&kind.spec)));
        if declared != print_spec(&without_origin(loaded.spec.clone())) {
            errors.push(wrong(&format!("{folder}spec.fab"), "is not what `spec.fab` declares for this kind"));
        }
        match verify::directory_with(&own, &loaded.fabric, &print_spec(&loaded.spec), remake) {
            Ok(verified) => broken.extend(verified.broken),
            Err(more) => errors.extend(more),
        }
    }
    let written = fabc_emit::placed_artifacts(placed.emitted());
    let spec = ("spec.fab", placed.spec_text.as_bytes());
    for (path, bytes) in
        written.iter().map(|artifact| (artifact.path.as_str(), &artifact.bytes[..])).chain([spec])
    {
        match left.remove(path) {
            Some(found) if found == bytes => {}
            Some(_) => errors.push(wrong(path, "does not come out again from the placement and the kinds")),
            None => errors.push(wrong(path, "is missing")),
        }
    }
    left.remove(MANIFEST);
    errors.extend(left.keys().map(|path| wrong(path, "is no file that fabc writes")));
    let lines: Vec<ManifestLine> = files
        .iter()
        .filter(|(path, _)| *path != MANIFEST)
        .map(|(path, bytes)| ManifestLine::of(path, bytes))
        .collect();
    let options: Vec<(String, String)> = manifest.options.0.into_iter().collect();
    let contract = fabc_emit::placed_contract(&placed.kinds);
    let again =
        manifest_json(&manifest.tool, &placed.fabric.name, &placed.spec_text, contract, &options, &lines);
    if again.as_bytes() != files[MANIFEST] {
        let by = if manifest.tool == TOOL { "" } else { "; another version wrote it" };
        errors.push(wrong(MANIFEST, &format!("does not list what is there{by}")));
    }
    if !errors.is_empty() {
        return Err(stop(errors));
    }
    let Isolation { slices, cubes, cross_connects } = placed.isolation;
    let kinds = placed.kinds.len();
    terminal.say(&format!(
        "verified {}: {} files, {kinds} kinds of slices alone, {slices} slices on {cubes} cubes by {cross_connects} cross-connects, none of which joins two",
        display(directory),
        files.len()
    ))?;
    terminal.say("every file comes out again to the byte from spec.fab, the kinds and the placement; `fabc verify` of a kind says what nothing can prove of it")?;
    if broken.is_empty() {
        return Ok(());
    }
    terminal.say("a contract is broken, as the directory says itself")?;
    Err(stop(broken))
}
