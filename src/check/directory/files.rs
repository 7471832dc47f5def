//! The names of the files of a directory.

use std::collections::BTreeMap;

/// The files of a directory: relative path with `/` to content.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Lists all other files of the directory, with their hashes.
pub const MANIFEST: &str = "manifest.json";
/// The normal form of the spec.
pub const SPEC: &str = "spec.fab";
pub(super) const TOPOLOGY: &str = "topology.json";
pub(super) const OCS: &str = "ocs.json";
/// Lengths and flows that prove the flow intervals of all scenarios.
pub const CERTIFICATES: &str = "certificates.json";
/// All metrics, requires and scenarios.
pub const REPORT: &str = "report.json";
pub(super) const FLOOR: &str = "floor.json";
pub(super) const LIGHT: &str = "light.csv";
pub(super) const SCHEDULE: &str = "schedule.json";
pub(super) const SCHEDULE_BIN: &str = "schedule.bin";
pub(super) const FORMULA: &str = "formula.json";

/// The path of the file with all schedules of vectors, in one of its two forms.
pub(super) fn schedule_path(files: &Files) -> Option<&'static str> {
    [SCHEDULE, SCHEDULE_BIN].into_iter().find(|path| files.contains_key(*path))
}
