//! The files of a directory that have one name.

use std::collections::BTreeMap;

/// The files of a directory: relative path with `/`, and content.
pub type Files = BTreeMap<String, Vec<u8>>;

pub(crate) const MANIFEST: &str = "manifest.json";
pub(crate) const SPEC: &str = "spec.fab";
pub(super) const TOPOLOGY: &str = "topology.json";
pub(super) const OCS: &str = "ocs.json";
pub(crate) const CERTIFICATES: &str = "certificates.json";
pub(crate) const REPORT: &str = "report.json";
pub(super) const FLOOR: &str = "floor.json";
pub(super) const SCHEDULE: &str = "schedule.json";
pub(super) const SCHEDULE_BIN: &str = "schedule.bin";
pub(super) const FORMULA: &str = "formula.json";

/// The file of all plans of vectors, in one of its two forms.
pub(super) fn schedule_of(files: &Files) -> Option<&'static str> {
    [SCHEDULE, SCHEDULE_BIN].into_iter().find(|path| files.contains_key(*path))
}
