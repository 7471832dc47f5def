//! Reads the outcome of a run from its directory.

use crate::io::errors::DriverError;
use crate::io::read::{display, read_bytes};
use crate::io::staging::MANIFEST;
use crate::io::stop::Stop;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_ir::read::{FailedFile, Manifest, json, tagged};
use fabc_ir::{SweepOutcome, SweepRun};
use fabc_pipeline::operate::{reported_collectives, reported_metrics};
use fabc_pipeline::refusal::Refusal;
use serde_json::Value;
use std::path::Path;

/// The file that says why a run has no directory.
pub(crate) const FAILED: &str = "failed.json";

/// Whether a run is over. A run's directory exists completely or not at all.
pub(crate) fn is_over(folder: &Path, run: &SweepRun) -> bool {
    folder.join(&run.fabric).join(MANIFEST).is_file() || folder.join(FAILED).is_file()
}

/// The code and the message of the first error.
pub(crate) fn first_error(stop: &Stop) -> (String, String) {
    let first = stop.diagnostics.first();
    let code = first.and_then(|first| first.code()).map_or(String::new(), |code| code.to_string());
    (code, first.map_or(String::new(), ToString::to_string))
}

/// Reads the outcome of a run.
///
/// # Errors
/// The errors of reading its files, and `DriverError::Sweep` if a file differs from its hash in the manifest.
pub(crate) fn read_outcome(folder: &Path, run: &SweepRun) -> Result<SweepOutcome, DriverError> {
    let built = folder.join(&run.fabric);
    let damaged = |reason: String| Refusal::NotBuilt { path: display(folder), reason };
    if !built.join(MANIFEST).is_file() {
        let failed: FailedFile =
            tagged(&read_bytes(&folder.join(FAILED), ARTIFACT_BYTES)?).map_err(damaged)?;
        return Ok(SweepOutcome::Failed { code: failed.code, message: failed.message });
    }
    let manifest: Manifest = tagged(&read_bytes(&built.join(MANIFEST), ARTIFACT_BYTES)?).map_err(damaged)?;
    for line in &manifest.files {
        let path = built.join(&line.path);
        let is_listed = path.is_file()
            && blake3::hash(&read_bytes(&path, ARTIFACT_BYTES)?).to_hex().as_str() == line.blake3;
        if !is_listed {
            let problem = format!(
                "`{}` is not the file that the run wrote: its hash differs from that in `{MANIFEST}`",
                display(&path)
            );
            return Err(DriverError::Sweep {
                problem,
                hint: format!("remove `{}`: `fabc sweep run` runs it again", display(&built)),
            });
        }
    }
    let report: Value = match std::fs::metadata(built.join("report.json")) {
        Ok(_) => json(&read_bytes(&built.join("report.json"), ARTIFACT_BYTES)?).map_err(damaged)?,
        // The build stopped before anything was measured.
        Err(_) => Value::Null,
    };
    let metrics = reported_metrics(&report).into_iter().chain(reported_collectives(&report)).collect();
    Ok(SweepOutcome::Built { contract: manifest.contract, metrics })
}
