//! `--golden DIR`: what changed against committed outputs, in the words of a fabric.
//!
//! Comes in: a directory from an earlier build, and what was compiled now. Goes out: the same difference that
//! `fabc diff` tells, A the directory, B the build; or golden outputs rewritten. The version of fabc in the
//! manifest is no difference.

use crate::diff::{Side, SideArgs, compared};
use crate::io::errors::{DriverError, Stop};
use crate::io::read::display;
use crate::io::staging::{self, MANIFEST, Staging};
use crate::io::terminal::look;
use fabc_emit::compiled::Compiled;
use fabc_ir::Diff;
use fabc_passes::compare::{Tolerance, beyond};
use std::path::{Path, PathBuf};

/// The golden directory of a fabric: `DIR/<fabric>`, or `DIR` where it is one itself.
pub(crate) fn place(directory: &Path, fabric: &str) -> PathBuf {
    if directory.join(MANIFEST).is_file() { directory.to_owned() } else { directory.join(fabric) }
}

/// Refuses to compare with what is not there, before anything is compiled.
///
/// # Errors
/// There are no golden outputs.
pub(crate) fn exists(directory: &Path) -> Result<(), DriverError> {
    if directory.is_dir() { Ok(()) } else { Err(DriverError::GoldenMissing { path: display(directory) }) }
}

/// What is compared, and how it is judged.
pub(crate) struct Golden<'a> {
    /// The golden directory.
    pub(crate) directory: &'a Path,
    /// Whether it is to be rewritten.
    pub(crate) update: bool,
    /// How much figures may differ; without it every byte counts.
    pub(crate) tolerance: Option<&'a Tolerance>,
}

/// Compares with the golden outputs, and rewrites them if asked to.
///
/// # Errors
/// They differ or are missing (without `update`), hold something foreign, or the disk does not let us.
pub(crate) fn golden(
    golden: &Golden<'_>,
    compiled: &Compiled,
    spec_text: &str,
    options: &[(String, String)],
    say: &dyn Fn(&str) -> Result<(), DriverError>,
) -> Result<(), Stop> {
    let Golden { directory, update, tolerance } = *golden;
    let path = display(directory);
    let mut error = DriverError::GoldenMissing { path: path.clone() };
    if directory.is_dir() {
        let differs = |how: String| DriverError::GoldenDiffers { path: path.clone(), how };
        match compared_with(directory, compiled, spec_text, options) {
            Ok(diff) if diff.is_same() => {
                say(&format!("\nthe outputs equal {path}"))?;
                return Ok(());
            }
            Ok(diff) => {
                let beyond = tolerance.map(|tolerance| beyond(&diff, tolerance));
                let text = fabc_emit::diff_text(&diff, beyond.as_deref(), look());
                if beyond.is_some_and(|beyond| beyond.is_empty()) {
                    say(&format!("\nthe outputs are those of {path} within the tolerance\n{text}"))?;
                    return Ok(());
                }
                say(&format!("\nthe outputs differ from {path}\n{text}"))?;
                error = differs(fabc_emit::diff_summary(&diff));
            }
            // What is there is no build, or a damaged one: another thing than what came out.
            Err(Stop { exit_code: 2, diagnostics, .. }) => {
                error = differs(diagnostics.first().map_or(String::new(), ToString::to_string));
            }
            Err(stop) => return Err(stop),
        }
    }
    if !update {
        return Err(error.into());
    }
    let mut staging = Staging::at(directory, staging::BUILT)?;
    fabc_emit::each_artifact(compiled, spec_text, options, &mut |artifact| {
        staging.write(&artifact.path, &artifact.bytes)
    })?;
    staging.publish()?;
    say(&format!("updated {path}"))?;
    Ok(())
}

/// The difference of this build, as B, from a directory.
fn compared_with(
    directory: &Path,
    compiled: &Compiled,
    spec_text: &str,
    options: &[(String, String)],
) -> Result<Diff, Stop> {
    let old = Side::directory(directory)?;
    let new = Side::compiled(compiled, SideArgs { label: "this build", spec_text, options })?;
    compared(&[old, new])
}
