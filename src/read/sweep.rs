//! `sweep.json` (`fabc.sweep/1`) and `failed.json` (`fabc.failed/1`).

use super::json::{Ordered, formats};
use serde::Deserialize;

formats! { SweepFile = "fabc.sweep/1"; FailedFile = "fabc.failed/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SweepFile {
    format: String,
    pub(crate) tool: String,
    pub(crate) until: Option<String>,
    pub(crate) parameters: Vec<String>,
    pub(crate) runs: Vec<SweepLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SweepLine {
    pub(crate) values: Vec<String>,
    pub(crate) fabric: String,
    pub(crate) key: String,
    pub(crate) settings: Ordered<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FailedFile {
    format: String,
    pub(crate) code: String,
    pub(crate) message: String,
}
