//! `floor.json` (`fabc.floor/1`): which router stands in which cabinet, and where that stands.

use super::json::formats;
use serde::Deserialize;

formats! { FloorFile = "fabc.floor/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FloorFile {
    format: String,
    pub(crate) fabric: String,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) cabinets: Vec<CabinetLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CabinetLine {
    pub(crate) id: u32,
    pub(crate) row: u32,
    pub(crate) column: u32,
    pub(crate) routers: Vec<u32>,
    /// Names of the switches of a rack; absent elsewhere.
    #[serde(default)]
    pub(crate) switches: Vec<String>,
}
