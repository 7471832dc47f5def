//! `ocs.json` (`fabc.ocs/1`), and the CONFIG_DB of a switch.

use super::json::{FreeKeys, formats};
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

/// A `fabc.ocs/1` from any program. Other keys are skipped.
#[derive(Deserialize)]
pub struct AnyOcsFile {
    pub format: String,
    pub ocs: Vec<OcsSetting>,
}

/// One switch in such a file.
#[derive(Deserialize)]
pub struct OcsSetting {
    /// The name of the switch, such as `X[0,0]`.
    pub name: String,
    /// `[index]`: names of the ports on its first side.
    pub a: Vec<String>,
    /// `[index]`: names of the ports on its second side. For a switch without sides, both indices are into
    /// `a`.
    pub b: Vec<String>,
    /// Pairs of port indices, into `a` and `b`.
    pub cross_connects: Vec<[u32; 2]>,
}

/// The CONFIG_DB that fabc writes for one switch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigDb {
    #[serde(rename = "OCS_PORT")]
    pub ports: FreeKeys<ConfigPort>,
    #[serde(rename = "OCS_CROSS_CONNECT")]
    pub cross_connects: FreeKeys<ConfigCrossConnect>,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigPort {
    pub label: String,
    /// The state, as the published image reads it.
    pub config_status: Option<String>,
    /// The state, as the high-level design has it.
    pub state: Option<String>,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigCrossConnect {
    pub a_side: String,
    pub b_side: String,
}

/// The CONFIG_DB of a switch in service. Other tables and keys are skipped.
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
