//! Whether the files are the ones that the manifest lists.

use super::read::{Manifest, bytes, contradiction, tagged};
use super::{Files, MANIFEST};
use crate::check::CheckError;
use crate::model::Fabric;
use std::collections::BTreeSet;

/// Checks names, sizes and hashes of all files; reports every difference.
pub(super) fn manifest(files: &Files, fabric: &Fabric) -> Vec<CheckError> {
    let manifest: Manifest = match tagged(files, MANIFEST) {
        Ok(manifest) => manifest,
        Err(error) => return vec![error],
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
        errors.push(contradiction(MANIFEST, "fabric", format!("says `{}`, but the spec declares `{}`", manifest.fabric, fabric.name)));
    }
    match bytes(files, "spec.fab") {
        Err(error) => errors.push(error),
        Ok(spec) if blake3::hash(spec).to_hex().as_str() != manifest.spec_blake3 => {
            errors.push(contradiction(MANIFEST, "spec_blake3", "is not the hash of spec.fab"));
        }
        Ok(_) => {}
    }
    errors
}
