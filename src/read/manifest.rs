//! `manifest.json` (`fabc.manifest/1`).

use super::json::{Keyed, formats};
use serde::Deserialize;

formats! { Manifest = "fabc.manifest/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    format: String,
    pub(crate) tool: String,
    pub(crate) fabric: String,
    pub(crate) spec_blake3: String,
    /// Older directories say nothing of it.
    #[serde(default)]
    pub(crate) contract: String,
    pub(crate) options: Keyed<String>,
    pub(crate) files: Vec<ManifestLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ManifestLine {
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) blake3: String,
}
