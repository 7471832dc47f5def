//! Plans the phases of a job in one scene: schedules of its collectives, loads, times and bounds.

use super::errors::JobPlanError;
use super::gathers::GatherPlans;
use super::limits::{message_overhead, universal_time};
use fabc_base::ids::{ChannelId, IdVec, NodeId};
use fabc_ir::{
    ChipGroups, ForwardingTables, JobBound, JobOperationOutcome, JobOutcome, JobPhaseOutcome, JobStep, Scene,
    Schedule, cycle_time, hop_cycles,
};
use fabc_job_plan::{
    BoundedOperation, ChipPaths, MOST_PATH_CHIPS, MessageWays, OperationLoad, PhaseBounds, PhaseTime,
    PhaseTimes, UniversalLimits, exchanged_pairs, job_step, message_pairs, operation_groups, phase_times,
};
use fabc_model::{CollectiveAlgorithm, Fabric, Job, JobOperation, JobOperationKind, JobPhase};
use fabc_passes::collective::CollectiveError;
use std::sync::OnceLock;

/// Plans a job in one scene. Every chip of it lives.
pub struct JobPlanner<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) scene: &'a Scene<'a>,
    pub(super) tables: Option<&'a ForwardingTables>,
    pub(super) job: &'a Job,
    /// `[channel]`: the time of a hop over it, in attoseconds.
    pub(super) hops: IdVec<ChannelId, u128>,
    /// What holds for every topology and placement.
    pub(super) limits: &'a UniversalLimits,
    /// Whether bounds of messages are searched by their flow.
    pub(super) has_flow: bool,
    /// The paths of the tables, once many placements ask for them.
    pub(super) paths: OnceLock<ChipPaths>,
}

/// An operation with its groups, its load and its schedule.
struct PlannedOperation {
    groups: ChipGroups,
    load: OperationLoad,
    algorithm: CollectiveAlgorithm,
    schedule: Option<Schedule>,
}

/// A phase with its operations.
struct PlannedPhase {
    operations: Vec<PlannedOperation>,
    times: PhaseTimes,
}

/// The phases of a job as they are planned with a placement, without bounds.
pub(super) struct PlannedPhases {
    phases: Vec<PlannedPhase>,
    /// The time of all communication of a step, in attoseconds.
    pub(super) communication: u128,
}

/// The loads of the operations of a phase, each with the number of its runs.
fn loads_of<'a>(
    phase: &'a JobPhase,
    operations: &'a [PlannedOperation],
) -> impl Iterator<Item = (&'a OperationLoad, u64)> {
    operations.iter().zip(&phase.operations).map(|(planned, operation)| (&planned.load, operation.times))
}

impl<'a> JobPlanner<'a> {
    /// Prepares a scene. `tables` are its forwarding tables, if packets follow some. `limits` are those of
    /// its topology ([`universal_limits`](super::universal_limits)).
    pub fn new(
        fabric: &'a Fabric,
        scene: &'a Scene<'a>,
        tables: Option<&'a ForwardingTables>,
        limits: &'a UniversalLimits,
        job: &'a Job,
    ) -> Self {
        let hops = hop_cycles(fabric, scene.topology);
        let hops = scene.topology.channels().map(|channel| cycle_time(hops[channel], fabric.clock_hz));
        Self {
            fabric,
            scene,
            tables,
            job,
            hops: hops.collect(),
            limits,
            has_flow: true,
            paths: OnceLock::new(),
        }
    }

    /// The same without a search for the flow of messages. Their bounds are less tight then, and quickly
    /// known.
    pub fn with_quick_bounds(self) -> Self {
        Self { has_flow: false, ..self }
    }

    /// Keeps the paths of all pairs of chips, since many placements are to be compared. Large fabrics have
    /// too many of them.
    ///
    /// # Errors
    /// Refuses tables that lose a message.
    pub(super) fn keep_paths(&self) -> Result<(), JobPlanError> {
        let Some(tables) = self.tables else { return Ok(()) };
        if self.scene.topology.endpoints().count() <= MOST_PATH_CHIPS && self.paths.get().is_none() {
            let paths = ChipPaths::new(self.scene, tables).map_err(|reason| {
                let phase = &self.job.phases[0];
                JobPlanError::of_operation(self.job, phase, &phase.operations[0], &reason.to_string())
            })?;
            let _ = self.paths.set(paths);
        }
        Ok(())
    }

    /// No gathers yet, to be planned with a placement.
    pub(super) fn gathers(&self) -> GatherPlans<'_> {
        GatherPlans::new(self.fabric, self.scene, self.tables, self.job, &self.hops)
    }

    /// How messages go. `None` without tables.
    pub(super) fn ways(&self) -> Option<MessageWays<'_>> {
        let kept = self.paths.get().map(MessageWays::Kept);
        kept.or(self.tables.map(MessageWays::Walked))
    }

    pub(super) fn bounds<'b>(&'b self, operations: &'b [BoundedOperation<'b>]) -> PhaseBounds<'b> {
        let unit_bps = self.fabric.capacities.unit_bps();
        let (overhead, has_flow) = (self.overhead(), self.has_flow);
        PhaseBounds { scene: self.scene, hops: &self.hops, overhead, unit_bps, has_flow, operations }
    }

    /// The least time of a phase in any topology and with any placement.
    pub(super) fn universal(&self, phase: &JobPhase) -> u128 {
        universal_time(self.limits, self.job, phase)
    }

    /// Plans all phases with a placement, and proves their bounds.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does.
    pub fn plan(&self, scenario: &str, ranks: &[NodeId]) -> Result<JobOutcome, JobPlanError> {
        Ok(self.with_bounds(scenario, self.plan_phases(ranks)?))
    }

    /// Plans all phases with a placement. Bounds take longer, and placements are compared without them.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does.
    pub(super) fn plan_phases(&self, ranks: &[NodeId]) -> Result<PlannedPhases, JobPlanError> {
        let mut gathers = self.gathers();
        let plan = |phase: &JobPhase| {
            let plan = |operation| self.operation(phase, operation, ranks, &mut gathers);
            let operations: Vec<PlannedOperation> =
                phase.operations.iter().map(plan).collect::<Result<_, _>>()?;
            let loads: Vec<(&OperationLoad, u64)> = loads_of(phase, &operations).collect();
            let times = phase_times(self.scene, self.fabric.capacities.unit_bps(), &loads);
            Ok(PlannedPhase { operations, times })
        };
        let phases: Vec<PlannedPhase> =
            self.job.phases.iter().map(plan).collect::<Result<_, JobPlanError>>()?;
        let communication = self.step(&phases, |_| [0, 0]).communication;
        Ok(PlannedPhases { phases, communication })
    }

    /// The times of a step. `bounds` gives the lower bounds of a phase: for this topology with this
    /// placement, and for all.
    fn step(&self, phases: &[PlannedPhase], bounds: impl Fn(usize) -> [u128; 2]) -> JobStep {
        let stage_volume = |stage: &[usize]| {
            let together: Vec<(&OperationLoad, u64)> = stage
                .iter()
                .flat_map(|&phase| loads_of(&self.job.phases[phase], &phases[phase].operations))
                .collect();
            phase_times(self.scene, self.fabric.capacities.unit_bps(), &together).volume
        };
        let time = |(index, phase): (usize, &PlannedPhase)| {
            let [bound, universal] = bounds(index);
            PhaseTime { volume: phase.times.volume, latency: phase.times.latency, bound, universal }
        };
        let times: Vec<PhaseTime> = phases.iter().enumerate().map(time).collect();
        job_step(self.job, &times, stage_volume)
    }

    /// Proves bounds of phases that were planned.
    pub(super) fn with_bounds(&self, scenario: &str, planned: PlannedPhases) -> JobOutcome {
        let prove = |(phase, planned): (&JobPhase, &PlannedPhase)| {
            (self.proved_bound(phase, &planned.operations), self.universal(phase))
        };
        let bounds: Vec<(JobBound, u128)> = self.job.phases.iter().zip(&planned.phases).map(prove).collect();
        let step = self.step(&planned.phases, |phase| [bounds[phase].0.time, bounds[phase].1]);
        let phases = self.job.phases.iter().zip(planned.phases).zip(bounds);
        let outcome = |((phase, planned), (bound, universal))| self.outcome(phase, planned, bound, universal);
        JobOutcome { scenario: scenario.to_owned(), phases: phases.map(outcome).collect(), step }
    }

    /// The lower bound of a phase that was planned. It holds for an even choice of experts.
    fn proved_bound(&self, phase: &JobPhase, planned: &[PlannedOperation]) -> JobBound {
        let operations = || phase.operations.iter().zip(planned);
        let pairs: Vec<Vec<(NodeId, NodeId)>> = operations()
            .map(|(operation, planned)| exchanged_pairs(operation.kind, &planned.groups))
            .collect();
        let bounded: Vec<BoundedOperation<'_>> = operations()
            .zip(&pairs)
            .map(|((operation, PlannedOperation { groups, schedule, .. }), pairs)| {
                let (bytes, schedule) = (operation.step_bytes(), schedule.as_ref());
                BoundedOperation { operation, bytes, groups, pairs, schedule }
            })
            .collect();
        self.bounds(&bounded).best()
    }

    fn outcome(
        &self,
        phase: &JobPhase,
        planned: PlannedPhase,
        bound: JobBound,
        universal: u128,
    ) -> JobPhaseOutcome {
        let PlannedPhase { operations, times } = planned;
        let loads = channel_loads(self.scene, &operations);
        let outcome = |(planned, operation): (PlannedOperation, &JobOperation)| JobOperationOutcome {
            algorithm: planned.algorithm,
            load: phase_load(self.scene, &planned.load),
            latency: planned.load.latency * u128::from(operation.times),
            schedule: planned.schedule,
        };
        JobPhaseOutcome {
            operations: operations.into_iter().zip(&phase.operations).map(outcome).collect(),
            volume: times.volume,
            latency: times.latency,
            busiest: times.busiest,
            loads,
            bound,
            universal,
        }
    }

    pub(super) fn overhead(&self) -> u128 {
        message_overhead(self.job)
    }

    fn operation(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        ranks: &[NodeId],
        gathers: &mut GatherPlans<'_>,
    ) -> Result<PlannedOperation, JobPlanError> {
        let groups = operation_groups(self.job, operation, ranks);
        let pairs = message_pairs(operation.kind, &groups);
        let has_own_paths = operation.algorithm == Some(CollectiveAlgorithm::Paths);
        if let (Some(ways), false, false) = (self.ways(), pairs.is_empty(), has_own_paths) {
            let load = self.along_tables(phase, operation, ways, &groups, &pairs, self.overhead())?;
            let algorithm = CollectiveAlgorithm::Direct;
            return Ok(PlannedOperation { groups, load, algorithm, schedule: None });
        }
        let JobOperationKind::Collective(collective) = operation.kind else {
            let reason = CollectiveError::Untabled.to_string();
            return Err(JobPlanError::of_operation(self.job, phase, operation, &reason));
        };
        let (schedule, load) = gathers.schedule(phase, operation, collective, &groups)?;
        Ok(PlannedOperation { groups, load, algorithm: schedule.algorithm, schedule: Some(schedule) })
    }

    /// The load of an operation between pairs of chips along the forwarding tables.
    pub(super) fn along_tables(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        ways: MessageWays<'_>,
        groups: &ChipGroups,
        pairs: &[(NodeId, NodeId)],
        overhead: u128,
    ) -> Result<OperationLoad, JobPlanError> {
        let group = groups.size();
        OperationLoad::along_tables(self.scene, ways, &self.hops, overhead, operation, group, pairs)
            .map_err(|reason| JobPlanError::of_operation(self.job, phase, operation, &reason.to_string()))
    }
}

/// `[channel]`: the bytes of the operations of a phase in a step.
fn channel_loads(scene: &Scene<'_>, planned: &[PlannedOperation]) -> Vec<u128> {
    let bytes = |channel| planned.iter().map(|planned| planned.load.bytes[channel]).sum();
    scene.topology.channels().map(bytes).collect()
}

/// The most bytes that a channel carries per lane, rounded up.
fn phase_load(scene: &Scene<'_>, load: &OperationLoad) -> u128 {
    let per_lane = |channel| {
        let lanes = u128::from(scene.topology.channel_capacity(channel).max(1));
        load.bytes[channel].div_ceil(lanes)
    };
    scene.channels().map(per_lane).max().unwrap_or(0)
}
