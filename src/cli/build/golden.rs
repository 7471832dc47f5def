//! `--golden DIR`: compares a build with committed outputs.
//!
//! Input: the directory of an earlier build, and a compiled fabric. Output: the difference as `fabc diff`
//! prints it, with the directory as A and the build as B, or rewritten golden outputs. The version of fabc in
//! the manifest does not count as a difference.

use crate::diff::read_side;
use crate::io::errors::DriverError;
use crate::io::read::display;
use crate::io::staging::{self, MANIFEST, Staging};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, report_look};
use fabc_emit::compiled::CompiledFabric;
use fabc_pipeline::compare::{BuildComparison, BuildSide, SideDetails, Tolerance, compare_builds};
use std::path::{Path, PathBuf};

/// The golden directory of a fabric: `DIR/<fabric>`, or `DIR` where it is one itself.
pub(crate) fn golden_directory(directory: &Path, fabric: &str) -> PathBuf {
    if directory.join(MANIFEST).is_file() { directory.to_owned() } else { directory.join(fabric) }
}

/// Refuses a directory without golden outputs before anything is compiled.
///
/// # Errors
/// `DriverError::GoldenMissing` if there is no such directory.
pub(crate) fn check_exists(directory: &Path) -> Result<(), DriverError> {
    if directory.is_dir() { Ok(()) } else { Err(DriverError::GoldenMissing { path: display(directory) }) }
}

/// A golden directory, and how it is compared.
pub(crate) struct Golden<'a> {
    /// The golden directory of this fabric.
    pub(crate) directory: &'a Path,
    /// Whether the outputs are rewritten if they differ.
    pub(crate) update: bool,
    /// How much figures may differ. `None` compares bytes.
    pub(crate) tolerance: Option<&'a Tolerance>,
}

/// Compares with the golden outputs, and rewrites them with `update`.
///
/// # Errors
/// `DriverError::GoldenDiffers` or `DriverError::GoldenMissing` without `update`, and errors of the disk.
pub(crate) fn compare_golden(
    golden: &Golden<'_>,
    compiled: &CompiledFabric,
    spec_text: &str,
    options: &[(String, String)],
    terminal: Terminal,
) -> Result<(), Stop> {
    let Golden { directory, update, tolerance } = *golden;
    let path = display(directory);
    let mut error = DriverError::GoldenMissing { path: path.clone() };
    if directory.is_dir() {
        let differs = |how: String| DriverError::GoldenDiffers { path: path.clone(), how };
        match comparison_with(directory, compiled, spec_text, options, tolerance) {
            Ok(BuildComparison { diff, .. }) if diff.is_same() => {
                terminal.say(&format!("\nthe outputs equal {path}"))?;
                return Ok(());
            }
            Ok(BuildComparison { diff, beyond }) => {
                let text = fabc_emit::diff_text(&diff, beyond.as_deref(), report_look());
                if beyond.is_some_and(|beyond| beyond.is_empty()) {
                    terminal
                        .say(&format!("\nthe outputs are those of {path} within the tolerance\n{text}"))?;
                    return Ok(());
                }
                terminal.say(&format!("\nthe outputs differ from {path}\n{text}"))?;
                error = differs(fabc_emit::diff_summary(&diff));
            }
            // The directory holds no build, or a damaged one. That counts as a difference.
            Err(Stop { exit_code: 2, diagnostics, .. }) => {
                error = differs(diagnostics.first().map_or(String::new(), ToString::to_string));
            }
            Err(stop) => return Err(stop),
        }
    }
    if !update {
        return Err(error.into());
    }
    let mut staging = Staging::for_directory(directory, staging::BUILT)?;
    fabc_emit::each_artifact(compiled, spec_text, options, &mut |artifact| {
        staging.write(&artifact.path, &artifact.bytes)
    })?;
    staging.publish()?;
    terminal.say(&format!("updated {path}"))?;
    Ok(())
}

/// Compares a directory with this build, which is B.
fn comparison_with(
    directory: &Path,
    compiled: &CompiledFabric,
    spec_text: &str,
    options: &[(String, String)],
    tolerance: Option<&Tolerance>,
) -> Result<BuildComparison, Stop> {
    let old = read_side(directory)?;
    let new = BuildSide::from_compiled(compiled, SideDetails { label: "this build", spec_text, options })?;
    compare_builds(&[old, new], tolerance)
}
