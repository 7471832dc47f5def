//! Verifies a pod in slices: every kind, then the isolation of the slices, then that every file can be
//! written again.

use super::{Remake, directory_with};
use crate::folder::Folder;
use crate::operate::PlacedFabric;
use crate::refusal::Convicted;
use fabc_check::{CheckError, Files, MANIFEST, verify_light_file};
use fabc_emit::{ManifestEntry, TOOL, manifest_json};
use fabc_ir::face_end_name;
use fabc_ir::read::{Manifest, tagged};
use fabc_lang::parse_normal_form;
use fabc_lang::syntax::{print_spec, without_origin};
use fabc_model::kind_files;
use std::collections::BTreeMap;

/// Verifies a pod in slices with all of its files. `remake` says which runs of simulations are made again.
/// Returns the `require` lines of kinds that do not hold, as the directory says itself.
///
/// # Errors
/// [`Convicted`] for all violations.
pub fn verify_slices<F: Folder>(
    placed: &PlacedFabric<F>,
    files: &Files,
    remake: Remake,
) -> Result<Vec<CheckError>, F::Error> {
    let stop = |errors| Convicted { errors, sources: placed.sources.clone() };
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
        let loaded = placed.folder.below(&folder).spec().map_err(F::convicting)?;
        let declared = print_spec(&without_origin(parse_normal_form(&kind.spec)));
        if declared != print_spec(&without_origin(loaded.spec.clone())) {
            errors.push(file_error(
                &format!("{folder}spec.fab"),
                "is not what `spec.fab` declares for this kind",
            ));
        }
        match directory_with(&kind_files_only, &loaded.fabric, &print_spec(&loaded.spec), remake) {
            Ok(verified) => broken.extend(verified.broken),
            Err(more) => errors.extend(more),
        }
    }
    if let Some(budgets) = &placed.light {
        let pod = placed.pod();
        let face = |end| face_end_name(pod, end);
        errors.extend(verify_light_file(files, &placed.fabric, budgets, &face).err());
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
        return Err(stop(errors).into());
    }
    Ok(broken)
}
