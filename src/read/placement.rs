//! `placement.json` (`fabc.placement/1`): which slice has which cubes.

use super::json::{Keyed, formats};
use serde::Deserialize;

formats! { PlacementFile = "fabc.placement/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlacementFile {
    format: String,
    pub(crate) fabric: String,
    pub(crate) kinds: Keyed<KindLine>,
    pub(crate) slices: Vec<SliceLine>,
    pub(crate) spare: Vec<u32>,
    pub(crate) down: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KindLine {
    pub(crate) dir: String,
    pub(crate) manifest: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SliceLine {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) cubes: Vec<u32>,
}
