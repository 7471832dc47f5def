//! The results of the training jobs that a spec declares.
//!
//! All times are in attoseconds. A load is in whole bytes of a step, rounded up.

use super::verdict::ScenarioValue;
use super::{ATTOSECONDS_OF_A_NANOSECOND, Fraction, RequireOutcome, Schedule};
use fabc_base::ids::{ChannelId, NodeId};
use fabc_model::{CollectiveAlgorithm, Fabric, JobMetric, Metric, Require};

/// The result of one job.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct JobResult {
    /// `[rank]`: its chip. Empty where there are no tables.
    pub ranks: Vec<NodeId>,
    /// The topologies that were compared, the one that was taken first. Empty unless the topology was
    /// searched for the job.
    pub topologies: Vec<JobTopology>,
    /// What topologies of their own for some phases would save. `None` where the switches cannot be set to
    /// others, or a step has nothing to change between.
    pub reconfiguration: Option<Reconfiguration>,
    /// The placements that were compared, the one that was taken first. Empty unless it was chosen.
    pub candidates: Vec<JobCandidate>,
    /// `[scenario]`: the outcomes, nominal first. A scenario with a dead chip has none.
    pub scenarios: Vec<JobOutcome>,
}

/// A topology that was compared with others in a search for jobs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobTopology {
    /// What it is: `torus 4 x 4 x 8`, or the demand that was searched.
    pub topology: String,
    /// The best placement on it.
    pub place: String,
    /// The estimated time of all communication with messages on their best paths, in whole picoseconds.
    pub estimate: u128,
    /// The same with messages on tables that were routed for the jobs. `None` where the estimate is too large
    /// for that.
    pub routed: Option<u128>,
}

/// What a step would save if the switches were set anew between its phases. Messages count on their best
/// paths, on all topologies alike. The placement stays. Times are in whole picoseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reconfiguration {
    /// The topologies that were compared, that of the fabric first.
    pub topologies: Vec<PhaseTopology>,
    /// `[phase]`: the index of its topology, where changes may take longest. The same for all phases if no
    /// changes pay.
    pub taken: Vec<usize>,
    /// The changes of a step, the one back to its start among them.
    pub changes: u64,
    /// The time that the phases take less than on the best single topology, without that of the changes.
    pub saved: u128,
    /// The time of a change, if the job says it. The changes are then those that save most with it. Where
    /// none do, they are those that may take longest.
    pub switch: Option<u128>,
}

/// A topology with the times of phases on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PhaseTopology {
    /// `as built`, `cubes wrapped`, or the name that it has in a search for jobs.
    pub topology: String,
    /// `[phase]`: its time, in whole picoseconds. `None` if it joins chips that the topology does not, or has
    /// a gather that cannot be planned there.
    pub times: Vec<Option<u128>>,
}

impl Reconfiguration {
    /// The time of a change below which changes pay, in whole picoseconds, rounded down. `None` if no changes
    /// pay.
    pub fn break_even(&self) -> Option<u128> {
        self.saved.checked_div(self.changes.into())
    }

    /// The time of all changes of a step. `None` if the job does not say that of one.
    pub fn change_time(&self) -> Option<u128> {
        self.switch.map(|switch| switch * u128::from(self.changes))
    }
}

/// A placement that was planned in full.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobCandidate {
    /// What it is: `order`, or for each axis the digits of the coordinates of chips that it takes.
    pub place: String,
    /// The time of all communication on the healthy fabric, in whole picoseconds.
    pub communication: u128,
}

/// The outcome of a job in one scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobOutcome {
    /// The name of the scenario.
    pub scenario: String,
    /// `[phase]`: the outcomes, in the order of the job.
    pub phases: Vec<JobPhaseOutcome>,
    /// The times of the step.
    pub step: JobStep,
}

/// The outcome of a phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobPhaseOutcome {
    /// `[operation]`: the outcomes, in the order of the phase.
    pub operations: Vec<JobOperationOutcome>,
    /// The time in which the busiest channel carries its bytes.
    pub volume: u128,
    /// The largest sum of latencies of an operation, over all of its runs.
    pub latency: u128,
    /// The busiest channels, ascending. Of many the first ones.
    pub busiest: Vec<ChannelId>,
    /// `[channel]`: the bytes of a step.
    pub loads: Vec<u128>,
    /// The lower bound for this topology and placement.
    pub bound: JobBound,
    /// A lower bound for every topology and placement.
    pub universal: u128,
}

/// The outcome of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobOperationOutcome {
    /// The algorithm that was taken. A `send` is `direct`.
    pub algorithm: CollectiveAlgorithm,
    /// The most bytes that a channel carries per lane, in a step.
    pub load: u128,
    /// The critical path of a run, over all of its runs.
    pub latency: u128,
    /// The schedule. `None` where data follows the forwarding tables from each source to its destination.
    pub schedule: Option<Schedule>,
}

/// A lower bound on a phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobBound {
    /// The time that no algorithm goes below.
    pub time: u128,
    /// What proves the volume of the bound.
    pub witness: JobWitness,
}

/// What proves a lower bound on the volume of a phase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobWitness {
    /// Lengths by channel: every byte travels at least the shortest length between its ends. An empty
    /// list means that every channel has the length 1.
    Lengths(Vec<u64>),
    /// Copies that do not come from a chip of their group are passed on by others, which take them in by
    /// further channels.
    Relays,
    /// The bounds of the schedule of the operation with this index.
    Operation(usize),
}

/// The times of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct JobStep {
    /// The time of all communication, stage after stage.
    pub communication: u128,
    /// The part of it that no compute hides.
    pub exposed: u128,
    /// The time that chips compute, with the idle time of a pipeline.
    pub compute: u128,
    /// The lower bounds of this topology and placement, stage after stage.
    pub bound: u128,
    /// The lower bounds of all topologies and placements, stage after stage.
    pub universal: u128,
}

impl JobPhaseOutcome {
    /// The time of the phase by itself.
    pub fn time(&self) -> u128 {
        self.volume + self.latency
    }
}

impl JobStep {
    /// The time of the step.
    pub fn step(&self) -> u128 {
        self.compute + self.exposed
    }

    /// The value of a metric, times in ns.
    pub fn value(&self, metric: JobMetric) -> Fraction {
        let nanoseconds = |time: u128| Fraction::new(time, ATTOSECONDS_OF_A_NANOSECOND);
        match metric {
            JobMetric::Communication => nanoseconds(self.communication),
            JobMetric::Step => nanoseconds(self.step()),
            JobMetric::Exposed => nanoseconds(self.exposed),
            JobMetric::Share if self.communication == 0 => Fraction::integer(1u8),
            JobMetric::Share => Fraction::new(self.universal, self.communication),
        }
    }
}

impl JobResult {
    /// The outcome on the healthy fabric.
    pub fn nominal(&self) -> Option<&JobOutcome> {
        self.scenarios.first()
    }

    /// The outcome under the tolerated fault that is worst by a metric. Of equal ones the first.
    pub fn worst_fault(&self, metric: JobMetric) -> Option<&JobOutcome> {
        let worse = |first: &JobOutcome, second: &JobOutcome| {
            let (first, second) = (first.step.value(metric), second.step.value(metric));
            if metric == JobMetric::Share { second < first } else { second > first }
        };
        self.scenarios.iter().skip(1).reduce(|worst, next| if worse(worst, next) { next } else { worst })
    }
}

/// Fills in the outcomes of the `require` lines about jobs. `results` are those of the fabric, in its order,
/// or empty.
pub fn settle_jobs(fabric: &Fabric, requires: &mut [RequireOutcome], results: &[JobResult]) {
    for settled in requires {
        let Metric::Job(metric) = settled.require.metric else { continue };
        let job = fabric.jobs.iter().position(|job| settled.require.job() == Some(&*job.name));
        let value = job.and_then(|index| measured_value(&settled.require, metric, results.get(index)?));
        *settled = RequireOutcome::of_plan(fabric, &settled.require, value);
    }
}

fn measured_value(require: &Require, metric: JobMetric, result: &JobResult) -> Option<ScenarioValue> {
    let outcome = if require.fault { result.worst_fault(metric) } else { result.nominal() }?;
    Some((outcome.step.value(metric), require.fault.then(|| outcome.scenario.clone())))
}
