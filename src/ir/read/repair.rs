//! `repair.json` (`fabc.repair/1`) and `delta.json` (`fabc.delta/1`): what a repair comes to, and what
//! changes.

use super::json::formats;
use serde::Deserialize;

formats! {
    RepairFile = "fabc.repair/1";
    DeltaFile = "fabc.delta/1";
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairFile {
    format: String,
    pub fabric: String,
    pub down: Vec<String>,
    #[serde(default)]
    pub since: Option<Vec<String>>,
    pub step: String,
    #[serde(default)]
    pub scenario: Option<String>,
    pub order: String,
    pub live: bool,
    pub load: LoadLine,
    pub unserved: u64,
    pub routers: u64,
    pub changed: [u64; 3],
    /// (router, dst, in port, in VC)
    pub stranded: Vec<(u32, u32, i16, i8)>,
    #[serde(default)]
    pub ranks: Option<Vec<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadLine {
    pub nominal: u64,
    pub repaired: u64,
    pub bound: Option<u64>,
    pub parts: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaFile {
    format: String,
    pub fabric: String,
    pub routers: Vec<DeltaLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaLine {
    pub router: u32,
    /// (dst, in port, in VC, out port, out VC)
    pub add: Vec<(u32, i16, i8, u16, u8)>,
    pub turn: Vec<(u32, i16, i8, u16, u8)>,
    /// (dst, in port, in VC)
    pub drop: Vec<(u32, i16, i8)>,
}
