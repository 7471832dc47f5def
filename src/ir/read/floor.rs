//! `floor.json` (`fabc.floor/1`): the routers of every cabinet, and the places of cabinets.

use super::json::formats;
use serde::Deserialize;

formats! { FloorFile = "fabc.floor/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FloorFile {
    format: String,
    pub fabric: String,
    pub rows: u32,
    pub columns: u32,
    pub cabinets: Vec<CabinetLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CabinetLine {
    pub id: u32,
    pub row: u32,
    pub column: u32,
    pub routers: Vec<u32>,
    /// Names of the switches of a rack. Absent elsewhere.
    #[serde(default)]
    pub switches: Vec<String>,
}
