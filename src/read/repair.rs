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
pub(crate) struct RepairFile {
    format: String,
    pub(crate) fabric: String,
    pub(crate) down: Vec<String>,
    #[serde(default)]
    pub(crate) since: Option<Vec<String>>,
    pub(crate) step: String,
    #[serde(default)]
    pub(crate) scenario: Option<String>,
    pub(crate) order: String,
    pub(crate) live: bool,
    pub(crate) load: LoadLine,
    pub(crate) unserved: u64,
    pub(crate) routers: u64,
    pub(crate) changed: [u64; 3],
    /// (router, dst, in port, in VC)
    pub(crate) stranded: Vec<(u32, u32, i16, i8)>,
    #[serde(default)]
    pub(crate) ranks: Option<Vec<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LoadLine {
    pub(crate) nominal: u64,
    pub(crate) repaired: u64,
    pub(crate) bound: Option<u64>,
    pub(crate) parts: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeltaFile {
    format: String,
    pub(crate) fabric: String,
    pub(crate) routers: Vec<DeltaLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeltaLine {
    pub(crate) router: u32,
    /// (dst, in port, in VC, out port, out VC)
    pub(crate) add: Vec<(u32, i16, i8, u16, u8)>,
    pub(crate) turn: Vec<(u32, i16, i8, u16, u8)>,
    /// (dst, in port, in VC)
    pub(crate) drop: Vec<(u32, i16, i8)>,
}
