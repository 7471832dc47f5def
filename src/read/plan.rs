//! `plan.json` (`fabc.plan/1`) with the tables of every moment. What follows from the steps is not kept: it
//! is counted again, and written again.

use super::json::formats;
use serde::Deserialize;
use serde::de::IgnoredAny;

formats! { PlanFile = "fabc.plan/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanFile {
    format: String,
    pub(crate) fabric: String,
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
    pub(crate) fewest: bool,
    #[serde(rename = "cuts")]
    _cuts: IgnoredAny,
    pub(crate) groups: Vec<GroupLine>,
    pub(crate) stages: Vec<StageLine>,
    #[serde(rename = "final")]
    pub(crate) last: Vec<StageLine>,
    pub(crate) load: StagedLoad,
    pub(crate) vcs: u8,
    pub(crate) ranks: Vec<u32>,
}

/// A run of steps on one switch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupLine {
    pub(crate) ocs: String,
    #[serde(rename = "kept")]
    _kept: IgnoredAny,
    pub(crate) steps: Vec<StepLine>,
    #[serde(rename = "patch")]
    _patch: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepLine {
    #[serde(rename = "step")]
    _step: IgnoredAny,
    /// `remove` or `add`.
    pub(crate) op: String,
    pub(crate) pair: [u32; 2],
    #[serde(rename = "a")]
    _a: IgnoredAny,
    #[serde(rename = "b")]
    _b: IgnoredAny,
    #[serde(rename = "lit")]
    _lit: IgnoredAny,
    #[serde(rename = "parts")]
    _parts: IgnoredAny,
}

/// A change of tables, and the steps after it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StageLine {
    /// From 1; none of the last.
    pub(crate) stage: Option<u64>,
    /// The first and the last, from 1.
    #[serde(default)]
    pub(crate) steps: Option<[usize; 2]>,
    /// Numbers of the groups that they belong to, from 1.
    #[serde(default)]
    pub(crate) groups: Vec<usize>,
    pub(crate) load: u64,
    pub(crate) order: String,
    pub(crate) delta: String,
    pub(crate) changed: [u64; 3],
    pub(crate) keys_most: u64,
    /// (router, dst, in port, in VC)
    pub(crate) waits: Vec<(u32, u32, i16, i8)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StagedLoad {
    pub(crate) old: u64,
    pub(crate) new: u64,
    pub(crate) parts: u64,
}
