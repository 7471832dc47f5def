//! The directory of a pod in slices: reading it from the disk, and writing what belongs to no kind.

use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::staging::Staging;
use crate::io::stop::Stop;
use fabc_emit::{ManifestEntry, PLACEMENT, PlacedPod};
use fabc_pipeline::operate::{PlacedFabric, placed_files};
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

/// Writes the files that belong to no kind. `lines` are the manifest entries of the kinds' files. Returns the
/// numbers of files and bytes, without those of the kinds.
pub(crate) fn write_placed(
    staging: &mut Staging,
    placed: PlacedPod<'_>,
    spec_text: &str,
    options: &[(String, String)],
    lines: Vec<ManifestEntry>,
) -> Result<(usize, usize), DriverError> {
    let files = placed_files(placed, spec_text, options, lines);
    let mut bytes = 0;
    for file in &files {
        bytes += file.bytes.len();
        staging.write(&file.path, &file.bytes)?;
    }
    Ok((files.len(), bytes))
}
