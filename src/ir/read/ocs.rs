//! `ocs.json` (`fabc.ocs/1`), and the CONFIG_DB of a switch.

use super::json::{Keyed, formats};
use serde::Deserialize;
use std::collections::BTreeMap;

formats! { OcsFile = "fabc.ocs/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OcsFile {
    format: String,
    pub ocs: Vec<OcsLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OcsLine {
    pub name: String,
    pub a: Vec<String>,
    pub b: Vec<String>,
    pub cross_connects: Vec<(u32, u32)>,
}

/// A `fabc.ocs/1` of anybody: other keys are skipped.
#[derive(Deserialize)]
pub struct AnyOcsFile {
    pub format: String,
    pub ocs: Vec<OcsSetting>,
}

/// One switch as a file of anybody describes it.
#[derive(Deserialize)]
pub struct OcsSetting {
    /// Such as `X[0,0]`.
    pub name: String,
    /// Names of the ports that `cross_connects` counts on its first side.
    pub a: Vec<String>,
    /// The same of its second side; of a switch without sides, both count in `a`.
    pub b: Vec<String>,
    /// Pairs of indices.
    pub cross_connects: Vec<[u32; 2]>,
}

/// What fabc writes for one switch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigDb {
    #[serde(rename = "OCS_PORT")]
    pub ports: Keyed<ConfigPort>,
    #[serde(rename = "OCS_CROSS_CONNECT")]
    pub cross_connects: Keyed<ConfigCrossConnect>,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigPort {
    pub label: String,
    /// As the published image reads it.
    pub config_status: Option<String>,
    /// As the high-level design has it.
    pub state: Option<String>,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigCrossConnect {
    pub a_side: String,
    pub b_side: String,
}

/// What a switch in service has: other tables and keys are skipped.
#[derive(Deserialize)]
pub struct AnyConfigDb {
    #[serde(rename = "OCS_PORT")]
    pub ports: BTreeMap<String, AnyConfigPort>,
    #[serde(rename = "OCS_CROSS_CONNECT", default)]
    pub cross_connects: BTreeMap<String, AnyConfigCrossConnect>,
}

#[derive(Deserialize)]
pub struct AnyConfigPort {
    pub label: String,
    #[serde(default)]
    pub state: Option<String>,
    #[serde(default)]
    pub config_status: Option<String>,
}

#[derive(Deserialize)]
pub struct AnyConfigCrossConnect {
    pub a_side: String,
    pub b_side: String,
}
