//! `ocs.json` (`fabc.ocs/1`), and the CONFIG_DB of a switch.

use super::json::{Keyed, formats};
use serde::Deserialize;
use std::collections::BTreeMap;

formats! { OcsFile = "fabc.ocs/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OcsFile {
    format: String,
    pub(crate) ocs: Vec<OcsLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OcsLine {
    pub(crate) name: String,
    pub(crate) a: Vec<String>,
    pub(crate) b: Vec<String>,
    pub(crate) cross_connects: Vec<(u32, u32)>,
}

/// A `fabc.ocs/1` of anybody: other keys are skipped.
#[derive(Deserialize)]
pub(crate) struct AnyOcsFile {
    pub(crate) format: String,
    pub(crate) ocs: Vec<OcsSetting>,
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
pub(crate) struct ConfigDb {
    #[serde(rename = "OCS_PORT")]
    pub(crate) ports: Keyed<ConfigPort>,
    #[serde(rename = "OCS_CROSS_CONNECT")]
    pub(crate) cross_connects: Keyed<ConfigCrossConnect>,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfigPort {
    pub(crate) label: String,
    /// As the published image reads it.
    pub(crate) config_status: Option<String>,
    /// As the high-level design has it.
    pub(crate) state: Option<String>,
}

#[derive(PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfigCrossConnect {
    pub(crate) a_side: String,
    pub(crate) b_side: String,
}

/// What a switch in service has: other tables and keys are skipped.
#[derive(Deserialize)]
pub(crate) struct AnyConfigDb {
    #[serde(rename = "OCS_PORT")]
    pub(crate) ports: BTreeMap<String, AnyConfigPort>,
    #[serde(rename = "OCS_CROSS_CONNECT", default)]
    pub(crate) cross_connects: BTreeMap<String, AnyConfigCrossConnect>,
}

#[derive(Deserialize)]
pub(crate) struct AnyConfigPort {
    pub(crate) label: String,
    #[serde(default)]
    pub(crate) state: Option<String>,
    #[serde(default)]
    pub(crate) config_status: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct AnyConfigCrossConnect {
    pub(crate) a_side: String,
    pub(crate) b_side: String,
}
