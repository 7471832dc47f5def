//! `sweep.json` (`fabc.sweep/1`) and `failed.json` (`fabc.failed/1`).

use super::json::{OrderedKeys, formats};
use serde::Deserialize;

formats! { SweepFile = "fabc.sweep/1"; FailedFile = "fabc.failed/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepFile {
    format: String,
    pub tool: String,
    pub until: Option<String>,
    pub parameters: Vec<String>,
    #[serde(default)]
    pub columns: Vec<String>,
    pub runs: Vec<SweepLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepLine {
    pub values: Vec<String>,
    pub fabric: String,
    pub key: String,
    pub settings: OrderedKeys<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedFile {
    format: String,
    pub code: String,
    pub message: String,
}
