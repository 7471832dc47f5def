//! `fabc.job/1`: a training job, with what its phases take and what proves their bounds.

use super::json::formats;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

formats! { JobFile = "fabc.job/1"; }

/// The whole file, as it is written. What follows from the spec and the schedules is written again and
/// compared, so it is skipped here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobFile {
    format: String,
    pub fabric: String,
    pub job: String,
    #[serde(rename = "axes")]
    _axes: IgnoredAny,
    #[serde(rename = "place")]
    _place: IgnoredAny,
    /// `[rank]`: the number of its chip among all routers.
    pub ranks: Vec<u32>,
    /// The topologies that were compared. Absent unless the topology was searched for the job.
    #[serde(default)]
    pub topologies: Vec<JobTopologyLine>,
    /// What topologies of their own for some phases would save. Absent where others are not known.
    #[serde(default)]
    pub reconfigure: Option<ReconfigureLine>,
    pub candidates: Vec<JobCandidateLine>,
    pub scenarios: Vec<JobScenarioLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobTopologyLine {
    pub topology: String,
    pub place: String,
    /// The time in nanoseconds, with three decimals.
    pub estimate_ns: Box<RawValue>,
    /// The same with messages along tables. `null` where it was not routed.
    pub routed_ns: Box<RawValue>,
}

/// The last ones follow from the others and the spec. They are written again and compared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReconfigureLine {
    pub topologies: Vec<PhaseTopologyLine>,
    /// `[phase]`: the index of its topology.
    pub phases: Vec<usize>,
    #[serde(rename = "switches")]
    _switches: IgnoredAny,
    #[serde(rename = "gain_ns")]
    _gain: IgnoredAny,
    #[serde(rename = "break_even_ns")]
    _break_even: IgnoredAny,
    /// Absent unless the job says what a change takes, like the next one.
    #[serde(rename = "switch_ns", default)]
    _switch: IgnoredAny,
    #[serde(rename = "saved_ns", default)]
    _saved: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseTopologyLine {
    pub topology: String,
    /// `[phase]`: its time in nanoseconds, with three decimals, or `null`.
    pub phases_ns: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobCandidateLine {
    pub place: String,
    /// The time in nanoseconds, with three decimals.
    pub communication_ns: Box<RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobScenarioLine {
    pub scenario: String,
    #[serde(rename = "communication_ns")]
    _communication: IgnoredAny,
    #[serde(rename = "exposed_ns")]
    _exposed: IgnoredAny,
    #[serde(rename = "compute_ns")]
    _compute: IgnoredAny,
    #[serde(rename = "step_ns")]
    _step: IgnoredAny,
    #[serde(rename = "bound_ns")]
    _bound: IgnoredAny,
    #[serde(rename = "universal_ns")]
    _universal: IgnoredAny,
    #[serde(rename = "share")]
    _share: IgnoredAny,
    pub phases: Vec<JobPhaseLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobPhaseLine {
    #[serde(rename = "name")]
    _name: IgnoredAny,
    #[serde(rename = "after")]
    _after: IgnoredAny,
    #[serde(rename = "volume_ns")]
    _volume: IgnoredAny,
    #[serde(rename = "latency_ns")]
    _latency: IgnoredAny,
    #[serde(rename = "time_ns")]
    _time: IgnoredAny,
    #[serde(rename = "bound_ns")]
    _bound: IgnoredAny,
    #[serde(rename = "universal_ns")]
    _universal: IgnoredAny,
    #[serde(rename = "busiest")]
    _busiest: IgnoredAny,
    pub witness: JobWitnessLine,
    pub operations: Vec<JobOperationLine>,
}

/// What proves the bound of a phase.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobWitnessLine {
    /// `[channel]`: the length. Empty where all are 1.
    Lengths(Vec<u64>),
    /// The channels inside of the groups of gathers.
    Relays,
    /// The operation whose schedule has the bound, by index.
    Operation(usize),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobOperationLine {
    #[serde(rename = "name")]
    _name: IgnoredAny,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    /// The axes of its groups, or else the groups themselves.
    #[serde(rename = "over", default)]
    _over: IgnoredAny,
    #[serde(rename = "groups", default)]
    _groups: IgnoredAny,
    #[serde(rename = "bytes")]
    _bytes: IgnoredAny,
    #[serde(rename = "times")]
    _times: IgnoredAny,
    /// What an all-to-all has alone.
    #[serde(rename = "skew", default)]
    _skew: IgnoredAny,
    #[serde(rename = "algorithm")]
    _algorithm: IgnoredAny,
    #[serde(rename = "load_bytes")]
    _load: IgnoredAny,
    #[serde(rename = "latency_ns")]
    _latency: IgnoredAny,
    /// The file of its schedule. `None` where data follows the forwarding tables.
    pub schedule: Option<String>,
}
