//! `manifest.json` (`fabc.manifest/1`).

use super::json::{FreeKeys, formats};
use serde::Deserialize;

formats! { Manifest = "fabc.manifest/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: String,
    pub tool: String,
    pub fabric: String,
    pub spec_blake3: String,
    /// Older directories do not have it.
    #[serde(default)]
    pub contract: String,
    pub options: FreeKeys<String>,
    pub files: Vec<ManifestLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestLine {
    pub path: String,
    pub bytes: u64,
    pub blake3: String,
}
