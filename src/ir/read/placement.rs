//! `placement.json` (`fabc.placement/1`): which slice has which cubes.

use super::json::{Keyed, formats};
use serde::Deserialize;

formats! { PlacementFile = "fabc.placement/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementFile {
    format: String,
    pub fabric: String,
    pub kinds: Keyed<KindLine>,
    pub slices: Vec<SliceLine>,
    pub spare: Vec<u32>,
    pub down: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindLine {
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
