//! The files of a directory that have one name.

use std::collections::BTreeMap;

/// The files of a directory: relative path with `/`, and content.
pub type Files = BTreeMap<String, Vec<u8>>;

/// What the directory holds, with the hash of every other file.
pub const MANIFEST: &str = "manifest.json";
/// The normal form of the spec.
pub const SPEC: &str = "spec.fab";
pub(super) const TOPOLOGY: &str = "topology.json";
pub(super) const OCS: &str = "ocs.json";
/// Lengths and flows that prove the flows of all scenarios.
pub const CERTIFICATES: &str = "certificates.json";
/// Every metric, every require, every scenario.
pub const REPORT: &str = "report.json";
pub(super) const FLOOR: &str = "floor.json";
pub(super) const SCHEDULE: &str = "schedule.json";
pub(super) const SCHEDULE_BIN: &str = "schedule.bin";
pub(super) const FORMULA: &str = "formula.json";

/// The file of all plans of vectors, in one of its two forms.
pub(super) fn schedule_of(files: &Files) -> Option<&'static str> {
    [SCHEDULE, SCHEDULE_BIN].into_iter().find(|path| files.contains_key(*path))
}
