//! `plan.json` (`fabc.plan/1`) with the tables of every moment: what is proved of it, and no more.

use super::json::formats;
use serde::Deserialize;

formats! { PlanFile = "fabc.plan/1"; }

#[derive(Deserialize)]
pub(crate) struct PlanFile {
    format: String,
    pub(crate) fabric: String,
    pub(crate) groups: Vec<GroupLine>,
    pub(crate) stages: Vec<StageLine>,
    #[serde(rename = "final")]
    pub(crate) last: StageLine,
    pub(crate) load: StagedLoad,
    pub(crate) vcs: u8,
    pub(crate) ranks: Vec<u32>,
}

/// A run of steps on one switch.
#[derive(Deserialize)]
pub(crate) struct GroupLine {
    pub(crate) ocs: String,
    pub(crate) steps: Vec<StepLine>,
}

#[derive(Deserialize)]
pub(crate) struct StepLine {
    /// `remove` or `add`.
    pub(crate) op: String,
    pub(crate) pair: [u32; 2],
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
