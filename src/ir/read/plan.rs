//! `plan.json` (`fabc.plan/1`) with the tables of every stage. What follows from the steps is not kept: the
//! reader counts it again and writes it again.

use super::json::formats;
use crate::PortIndices;
use serde::Deserialize;
use serde::de::IgnoredAny;

formats! { PlanFile = "fabc.plan/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    format: String,
    pub fabric: String,
    #[serde(rename = "removed")]
    _removed: IgnoredAny,
    #[serde(rename = "added")]
    _added: IgnoredAny,
    #[serde(rename = "kept")]
    _kept: IgnoredAny,
    #[serde(rename = "live_parts")]
    _live_parts: IgnoredAny,
    #[serde(rename = "steps_in_parts")]
    _steps_in_parts: IgnoredAny,
    pub fewest: bool,
    #[serde(rename = "cuts")]
    _cuts: IgnoredAny,
    /// Names of the switches that are replaced.
    #[serde(default)]
    pub replaced: Vec<String>,
    pub groups: Vec<GroupLine>,
    pub stages: Vec<StageLine>,
    #[serde(rename = "final")]
    pub last: Vec<StageLine>,
    pub load: StagedLoad,
    pub vcs: u8,
    pub ranks: Vec<u32>,
}

/// A run of steps on one switch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupLine {
    pub ocs: String,
    #[serde(rename = "kept")]
    _kept: IgnoredAny,
    pub steps: Vec<StepLine>,
    #[serde(rename = "patch")]
    _patch: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepLine {
    #[serde(rename = "step")]
    _step: IgnoredAny,
    /// The operation: `remove` or `add`.
    pub op: String,
    /// The indices of the two ports.
    pub pair: PortIndices,
    #[serde(rename = "a")]
    _a: IgnoredAny,
    #[serde(rename = "b")]
    _b: IgnoredAny,
    #[serde(rename = "lit")]
    _lit: IgnoredAny,
    #[serde(rename = "parts")]
    _parts: IgnoredAny,
}

/// A change of tables, and the steps that follow it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageLine {
    /// The number of the stage, from 1. The last changes have none.
    pub stage: Option<u64>,
    /// The first and the last of its steps, from 1.
    #[serde(default)]
    pub steps: Option<[usize; 2]>,
    /// Numbers of the groups of these steps, from 1.
    #[serde(default)]
    pub groups: Vec<usize>,
    pub load: u64,
    pub order: String,
    pub delta: String,
    pub changed: [u64; 3],
    pub keys_most: u64,
    /// (router, dst, in port, in VC)
    pub waits: Vec<(u32, u32, i16, i8)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StagedLoad {
    pub old: u64,
    pub new: u64,
    pub parts: u64,
}
