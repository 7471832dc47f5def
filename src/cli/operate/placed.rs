//! The directory of a pod in slices: reading it from the disk, and writing what belongs to no kind.

use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::staging::{MANIFEST, Staging};
use crate::io::stop::Stop;
use fabc_emit::{Artifact, ManifestEntry, PLACEMENT, PlacedPod, TOOL, manifest_json, placed_artifacts};
use fabc_pipeline::operate::PlacedFabric;
use std::path::Path;

/// A pod in slices, read from a folder of the disk.
pub(crate) type PlacedDirectory = PlacedFabric<DiskFolder>;

/// Whether a directory holds a pod in slices.
pub(crate) fn is_placed(directory: &Path) -> bool {
    directory.join(PLACEMENT).is_file()
}

/// Reads a directory that is named on the command line.
///
/// # Errors
/// It is no directory, and the errors of [`PlacedFabric::read`].
pub(crate) fn read_placed(directory: &Path) -> Result<PlacedDirectory, Stop> {
    needs_directory(directory)?;
    PlacedFabric::read(DiskFolder::new(directory))
}

/// Writes the files that belong to no kind: spec, placement, settings, report, and the manifest of all files.
/// `lines` are the manifest entries of the kinds' files. Returns the numbers of files and bytes, without
/// those of the kinds.
pub(crate) fn write_placed(
    staging: &mut Staging,
    placed: PlacedPod<'_>,
    spec_text: &str,
    options: &[(String, String)],
    mut lines: Vec<ManifestEntry>,
) -> Result<(usize, usize), DriverError> {
    let mut artifacts = placed_artifacts(placed);
    artifacts.push(Artifact { path: "spec.fab".to_owned(), bytes: spec_text.as_bytes().to_vec() });
    lines.extend(artifacts.iter().map(|artifact| ManifestEntry::for_file(&artifact.path, &artifact.bytes)));
    lines.sort();
    let contract = fabc_emit::placed_contract(placed.kinds);
    let manifest = manifest_json(TOOL, &placed.fabric.name, spec_text, contract, options, &lines);
    artifacts.push(Artifact { path: MANIFEST.to_owned(), bytes: manifest.into_bytes() });
    let mut bytes = 0;
    for artifact in &artifacts {
        bytes += artifact.bytes.len();
        staging.write(&artifact.path, &artifact.bytes)?;
    }
    Ok((artifacts.len(), bytes))
}
