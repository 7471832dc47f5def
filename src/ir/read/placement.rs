//! `placement.json` (`fabc.placement/1`): the cubes of every slice.

use super::json::{FreeKeys, formats};
use serde::Deserialize;

formats! { PlacementFile = "fabc.placement/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementFile {
    format: String,
    pub fabric: String,
    pub kinds: FreeKeys<SliceKindLine>,
    pub slices: Vec<SliceLine>,
    pub spare: Vec<u32>,
    pub down: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(rename = "KindLine", deny_unknown_fields)]
pub struct SliceKindLine {
    pub dir: String,
    pub manifest: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SliceLine {
    pub name: String,
    pub kind: String,
    pub cubes: Vec<u32>,
}
