//! `fabc verify` of a pod in slices. It proves every kind, then that the slices are isolated, then that every
//! file can be written again.

use crate::io::read::{self, display};
use crate::io::staging::MANIFEST;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::operate::placed::{PlacedDirectory, isolation_stop};
use fabc_check::{CheckError, Isolation};
use fabc_emit::{ManifestEntry, TOOL, manifest_json};
use fabc_ir::read::{Manifest, tagged};
use fabc_lang::parse_normal_form;
use fabc_lang::syntax::{print_spec, without_origin};
use fabc_model::kind_files;
use fabc_pipeline::verify::{self, Remake};
use std::collections::BTreeMap;
use std::path::Path;

/// Verifies the directory, and prints what was proved.
///
/// # Errors
/// `DriverError::NotBuilt` for missing files, and `CheckError`s with exit code 3 for all violations.
pub(crate) fn verify(directory: &Path, remake: Remake, terminal: Terminal) -> Result<(), Stop> {
    let placed = PlacedDirectory::read_proved(directory)?;
    let files = read::read_directory(directory)?;
    let stop = |errors| isolation_stop(errors, &placed.sources);
    let file_error = |path: &str, problem: &str| CheckError::Files {
        path: path.to_owned(),
        violation: problem.to_owned(),
    };
    let manifest: Manifest = tagged(&files[MANIFEST])
        .map_err(|reason| stop(vec![file_error(MANIFEST, &format!("is not what fabc writes: {reason}"))]))?;
    let mut errors = Vec::new();
    let mut unchecked: BTreeMap<&str, &Vec<u8>> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes)).collect();
    let mut broken = Vec::new();
    for kind in &placed.fabric.slices.kinds {
        let folder = kind_files(&kind.name);
        let kind_files_only: BTreeMap<String, Vec<u8>> = files
            .iter()
            .filter_map(|(path, bytes)| Some((path.strip_prefix(&folder)?.to_owned(), bytes.clone())))
            .collect();
        unchecked.retain(|path, _| !path.starts_with(&folder));
        let loaded =
            read::built_spec(&directory.join(&folder)).map_err(|unread| Stop { exit_code: 3, ..unread })?;
        let declared = print_spec(&without_origin(parse_normal_form(&kind.spec)));
        if declared != print_spec(&without_origin(loaded.spec.clone())) {
            errors.push(file_error(
                &format!("{folder}spec.fab"),
                "is not what `spec.fab` declares for this kind",
            ));
        }
        match verify::directory_with(&kind_files_only, &loaded.fabric, &print_spec(&loaded.spec), remake) {
            Ok(verified) => broken.extend(verified.broken),
            Err(more) => errors.extend(more),
        }
    }
    let written = fabc_emit::placed_artifacts(placed.as_emitted());
    let spec = ("spec.fab", placed.spec_text.as_bytes());
    for (path, bytes) in
        written.iter().map(|artifact| (artifact.path.as_str(), &artifact.bytes[..])).chain([spec])
    {
        match unchecked.remove(path) {
            Some(found) if found == bytes => {}
            Some(_) => errors.push(file_error(path, "is not reproduced from the placement and the kinds")),
            None => errors.push(file_error(path, "is missing")),
        }
    }
    unchecked.remove(MANIFEST);
    errors.extend(unchecked.keys().map(|path| file_error(path, "is not a file that fabc writes")));
    let lines: Vec<ManifestEntry> = files
        .iter()
        .filter(|(path, _)| *path != MANIFEST)
        .map(|(path, bytes)| ManifestEntry::for_file(path, bytes))
        .collect();
    let options: Vec<(String, String)> = manifest.options.0.into_iter().collect();
    let contract = fabc_emit::placed_contract(&placed.kinds);
    let again =
        manifest_json(&manifest.tool, &placed.fabric.name, &placed.spec_text, contract, &options, &lines);
    if again.as_bytes() != files[MANIFEST] {
        let by = if manifest.tool == TOOL { "" } else { "; another version wrote it" };
        errors.push(file_error(MANIFEST, &format!("does not list what is there{by}")));
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
    terminal.say("every file is reproduced to the byte from spec.fab, the kinds and the placement. `fabc verify` of a kind lists what it takes on trust")?;
    if broken.is_empty() {
        return Ok(());
    }
    terminal.say("a contract is broken, as the directory says itself")?;
    Err(stop(broken))
}
