//! Plans the phases of a job in one scene: schedules of its collectives, loads, times and bounds.

use super::JobPlanError;
use crate::compile::collectives::{
    CollectivesError, CollectivesRequest, RequestedGroups, ScenarioCollectives,
};
use fabc_base::ids::{ChannelId, IdVec, NodeId};
use fabc_ir::{
    ATTOSECONDS_OF_A_PICOSECOND, ChipGroups, ForwardingTables, JobOperationOutcome, JobOutcome,
    JobPhaseOutcome, JobStep, Scene, Schedule, Topology, Transfers, cycle_time, hop_cycles,
};
use fabc_job_plan::{
    BoundedOperation, ExchangeSettings, GroupedChips, OperationLoad, PhaseTime, UniversalLimits,
    exchange_ranks, hop_bound, job_step, message_pairs, operation_groups, phase_bound, phase_times,
    quick_gather_time,
};
use fabc_model::{Collective, CollectiveAlgorithm, Fabric, Job, JobOperation, JobOperationKind, JobPhase};
use fabc_passes::collective::CollectiveError;
use fabc_passes::limit::NearestChips;

/// Plans a job in one scene. Every chip of it lives.
pub struct JobPlanner<'a> {
    fabric: &'a Fabric,
    scene: &'a Scene<'a>,
    tables: Option<&'a ForwardingTables>,
    job: &'a Job,
    /// `[channel]`: the time of a hop over it, in attoseconds.
    hops: IdVec<ChannelId, u128>,
    /// What holds for every topology and placement.
    limits: &'a UniversalLimits,
}

/// An operation with its groups, its load and its schedule.
struct PlannedOperation {
    groups: ChipGroups,
    pairs: Vec<(NodeId, NodeId)>,
    load: OperationLoad,
    algorithm: CollectiveAlgorithm,
    schedule: Option<Schedule>,
}

/// An operation with its groups, and the pairs between which it sends.
struct GroupedOperation<'a> {
    operation: &'a JobOperation,
    groups: ChipGroups,
    pairs: Vec<(NodeId, NodeId)>,
}

impl<'a> GroupedOperation<'a> {
    fn new(job: &Job, operation: &'a JobOperation, ranks: &[NodeId]) -> Self {
        let groups = operation_groups(job, operation, ranks);
        let pairs = message_pairs(operation.kind, &groups);
        Self { operation, groups, pairs }
    }

    /// What bounds it, if a chip has so many bytes in a step.
    fn bounded(&self, bytes: u128) -> BoundedOperation<'_> {
        let Self { operation, groups, pairs } = self;
        BoundedOperation { operation, bytes, groups, pairs, schedule: None }
    }
}

impl<'a> JobPlanner<'a> {
    /// Prepares a scene. `tables` are its forwarding tables, if packets follow some. `limits` are those of
    /// its topology ([`universal_limits`]).
    pub fn new(
        fabric: &'a Fabric,
        scene: &'a Scene<'a>,
        tables: Option<&'a ForwardingTables>,
        limits: &'a UniversalLimits,
        job: &'a Job,
    ) -> Self {
        let hops = hop_cycles(fabric, scene.topology);
        let hops = scene.topology.channels().map(|channel| cycle_time(hops[channel], fabric.clock_hz));
        Self { fabric, scene, tables, job, hops: hops.collect(), limits }
    }

    /// The estimated time of the communication of a step with a placement, without the overhead of
    /// messages. Messages follow the tables.
    ///
    /// # Errors
    /// Refuses tables that lose a message.
    pub fn quick_time(&self, ranks: &[NodeId]) -> Result<u128, JobPlanError> {
        self.job.phases.iter().map(|phase| self.quick_phase_time(phase, ranks)).sum()
    }

    fn quick_phase_time(&self, phase: &JobPhase, ranks: &[NodeId]) -> Result<u128, JobPlanError> {
        let unit = self.fabric.capacities.unit_bps();
        let (mut gathers, mut loads) = (0, Vec::new());
        for operation in &phase.operations {
            let groups = operation_groups(self.job, operation, ranks);
            let pairs = message_pairs(operation.kind, &groups);
            if pairs.is_empty() {
                gathers += quick_gather_time(self.scene, unit, operation, &groups);
            } else if let Some(tables) = self.tables {
                let load = self.along_tables(phase, operation, tables, &groups, &pairs, 0)?;
                loads.push((load, operation.times));
            }
        }
        let loads: Vec<(&OperationLoad, u64)> = loads.iter().map(|(load, times)| (load, *times)).collect();
        let times = phase_times(self.scene, unit, &loads);
        Ok(gathers + times.volume + times.latency)
    }

    /// `[phase]`: the estimated time of its communication if messages took the best paths of the topology, in
    /// attoseconds. Gathers are planned.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does.
    pub(super) fn flow_times(&self, ranks: &[NodeId]) -> Result<Vec<u128>, JobPlanError> {
        self.job.phases.iter().map(|phase| self.flow_phase_time(phase, ranks)).collect()
    }

    /// The same of a single phase.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does.
    pub(super) fn flow_phase_time(&self, phase: &JobPhase, ranks: &[NodeId]) -> Result<u128, JobPlanError> {
        self.time_of_phase(phase, ranks, |messages| {
            // An estimate counts a skew, as the load of a plan does. A bound does not.
            let bounded = messages.iter().map(|message| message.bounded(message.operation.skewed_bytes()));
            let bounded: Vec<BoundedOperation<'_>> = bounded.collect();
            let unit = self.fabric.capacities.unit_bps();
            let bound = || phase_bound(self.scene, &self.hops, self.overhead(), unit, &bounded).time;
            Ok(if bounded.is_empty() { 0 } else { bound() })
        })
    }

    /// The least time of a phase by the hops between its ranks, in attoseconds. Nothing is searched.
    pub fn hop_time(&self, phase: &JobPhase, ranks: &[NodeId]) -> u128 {
        let operations = phase.operations.iter();
        let grouped: Vec<GroupedOperation<'_>> =
            operations.map(|operation| GroupedOperation::new(self.job, operation, ranks)).collect();
        let bounded = grouped.iter().map(|grouped| grouped.bounded(grouped.operation.step_bytes()));
        let bounded: Vec<BoundedOperation<'_>> = bounded.collect();
        hop_bound(self.scene, &self.hops, self.overhead(), self.fabric.capacities.unit_bps(), &bounded)
    }

    /// The estimated time of the communication of a step with gathers as they are planned, and messages along
    /// the tables, in attoseconds. Phases are added up.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does, and tables that lose a message.
    pub(super) fn table_time(&self, ranks: &[NodeId]) -> Result<u128, JobPlanError> {
        self.job.phases.iter().map(|phase| self.table_phase_time(phase, ranks)).sum()
    }

    fn table_phase_time(&self, phase: &JobPhase, ranks: &[NodeId]) -> Result<u128, JobPlanError> {
        self.time_of_phase(phase, ranks, |messages| {
            let load = |message: &GroupedOperation<'_>| {
                let GroupedOperation { operation, groups, pairs } = message;
                let tables = self.tables.ok_or_else(|| {
                    operation_error(self.job, phase, operation, &CollectiveError::Untabled.to_string())
                })?;
                let load = self.along_tables(phase, operation, tables, groups, pairs, self.overhead())?;
                Ok((load, operation.times))
            };
            let loads: Vec<_> = messages.iter().map(load).collect::<Result<_, JobPlanError>>()?;
            Ok(self.time_of_loads(&loads))
        })
    }

    /// The time of the gathers of a phase, as they are planned, and of its messages.
    fn time_of_phase(
        &self,
        phase: &JobPhase,
        ranks: &[NodeId],
        messages_time: impl Fn(&[GroupedOperation<'_>]) -> Result<u128, JobPlanError>,
    ) -> Result<u128, JobPlanError> {
        let operations = phase.operations.iter();
        let grouped = operations.map(|operation| GroupedOperation::new(self.job, operation, ranks));
        let (messages, gathers): (Vec<_>, Vec<_>) = grouped.partition(|grouped| !grouped.pairs.is_empty());
        let load = |gather: &GroupedOperation<'_>| {
            let GroupedOperation { operation, groups, .. } = gather;
            let JobOperationKind::Collective(collective) = operation.kind else { return Ok(None) };
            let schedule = self.schedule(phase, operation, collective, groups)?;
            let (scene, hops) = (self.scene, &self.hops);
            let load = OperationLoad::of_schedule(scene, hops, self.overhead(), operation, &schedule);
            Ok(Some((load, operation.times)))
        };
        let loads: Vec<_> = gathers.iter().map(load).collect::<Result<_, JobPlanError>>()?;
        let loads: Vec<(OperationLoad, u64)> = loads.into_iter().flatten().collect();
        Ok(self.time_of_loads(&loads) + messages_time(&messages)?)
    }

    /// The time of operations that run at the same time, each with the number of its runs.
    fn time_of_loads(&self, loads: &[(OperationLoad, u64)]) -> u128 {
        let loads: Vec<(&OperationLoad, u64)> = loads.iter().map(|(load, times)| (load, *times)).collect();
        let times = phase_times(self.scene, self.fabric.capacities.unit_bps(), &loads);
        times.volume + times.latency
    }

    /// The placement to which exchanges of ranks lead from `start`.
    ///
    /// # Errors
    /// Refuses tables that lose a message.
    pub(super) fn exchange(
        &self,
        start: &[NodeId],
        settings: ExchangeSettings,
    ) -> Result<Vec<NodeId>, JobPlanError> {
        let unit = self.fabric.capacities.unit_bps();
        exchange_ranks(self.scene, self.tables, unit, self.job, start, settings).map_err(|reason| {
            let phase = &self.job.phases[0];
            operation_error(self.job, phase, &phase.operations[0], &reason.to_string())
        })
    }

    /// Plans all phases with a placement.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does.
    pub fn plan(&self, scenario: &str, ranks: &[NodeId]) -> Result<JobOutcome, JobPlanError> {
        let mut phases = Vec::with_capacity(self.job.phases.len());
        let mut loads = Vec::with_capacity(self.job.phases.len());
        for phase in &self.job.phases {
            let (outcome, operations) = self.phase(phase, ranks)?;
            phases.push(outcome);
            loads.push(operations);
        }
        let stage_volume = |stage: &[usize]| {
            let together: Vec<(&OperationLoad, u64)> = stage
                .iter()
                .flat_map(|&phase| loads[phase].iter().zip(&self.job.phases[phase].operations))
                .map(|(load, operation)| (load, operation.times))
                .collect();
            phase_times(self.scene, self.fabric.capacities.unit_bps(), &together).volume
        };
        let time = |phase: &JobPhaseOutcome| PhaseTime {
            volume: phase.volume,
            latency: phase.latency,
            bound: phase.bound.time,
            universal: phase.universal,
        };
        let times: Vec<PhaseTime> = phases.iter().map(time).collect();
        let step = job_step(self.job, &times, stage_volume);
        Ok(JobOutcome { scenario: scenario.to_owned(), phases, step })
    }

    fn phase(
        &self,
        phase: &JobPhase,
        ranks: &[NodeId],
    ) -> Result<(JobPhaseOutcome, Vec<OperationLoad>), JobPlanError> {
        let plan = |operation| self.operation(phase, operation, ranks);
        let planned: Vec<PlannedOperation> = phase.operations.iter().map(plan).collect::<Result<_, _>>()?;
        let unit = self.fabric.capacities.unit_bps();
        let loads: Vec<(&OperationLoad, u64)> = planned
            .iter()
            .zip(&phase.operations)
            .map(|(planned, operation)| (&planned.load, operation.times))
            .collect();
        let times = phase_times(self.scene, unit, &loads);
        let bounded: Vec<BoundedOperation<'_>> = planned
            .iter()
            .zip(&phase.operations)
            .map(|(planned, operation)| BoundedOperation {
                operation,
                bytes: operation.step_bytes(),
                groups: &planned.groups,
                pairs: &planned.pairs,
                schedule: planned.schedule.as_ref(),
            })
            .collect();
        let bound = phase_bound(self.scene, &self.hops, self.overhead(), unit, &bounded);
        let universal = self.limits.time(self.overhead(), &phase.operations, &grouped_chips(self.job, phase));
        let outcome = |planned: &PlannedOperation, operation: &JobOperation| JobOperationOutcome {
            algorithm: planned.algorithm,
            load: phase_load(self.scene, &planned.load),
            latency: planned.load.latency * u128::from(operation.times),
            schedule: planned.schedule.clone(),
        };
        let outcomes =
            planned.iter().zip(&phase.operations).map(|(planned, operation)| outcome(planned, operation));
        let outcome = JobPhaseOutcome {
            operations: outcomes.collect(),
            volume: times.volume,
            latency: times.latency,
            busiest: times.busiest,
            loads: channel_loads(self.scene, &planned),
            bound,
            universal,
        };
        Ok((outcome, planned.into_iter().map(|planned| planned.load).collect()))
    }

    fn overhead(&self) -> u128 {
        u128::from(self.job.overhead_ps) * ATTOSECONDS_OF_A_PICOSECOND
    }

    fn operation(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        ranks: &[NodeId],
    ) -> Result<PlannedOperation, JobPlanError> {
        let groups = operation_groups(self.job, operation, ranks);
        let pairs = message_pairs(operation.kind, &groups);
        let has_own_paths = operation.algorithm == Some(CollectiveAlgorithm::Paths);
        if let (Some(tables), false, false) = (self.tables, pairs.is_empty(), has_own_paths) {
            let load = self.along_tables(phase, operation, tables, &groups, &pairs, self.overhead())?;
            let algorithm = CollectiveAlgorithm::Direct;
            return Ok(PlannedOperation { groups, pairs, load, algorithm, schedule: None });
        }
        let JobOperationKind::Collective(collective) = operation.kind else {
            let reason = CollectiveError::Untabled.to_string();
            return Err(operation_error(self.job, phase, operation, &reason));
        };
        let schedule = self.schedule(phase, operation, collective, &groups)?;
        let load = OperationLoad::of_schedule(self.scene, &self.hops, self.overhead(), operation, &schedule);
        Ok(PlannedOperation { groups, pairs, load, algorithm: schedule.algorithm, schedule: Some(schedule) })
    }

    /// The load of an operation between pairs of chips along the forwarding tables.
    fn along_tables(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        tables: &ForwardingTables,
        groups: &ChipGroups,
        pairs: &[(NodeId, NodeId)],
        overhead: u128,
    ) -> Result<OperationLoad, JobPlanError> {
        let group = groups.size();
        OperationLoad::along_tables(self.scene, tables, &self.hops, overhead, operation, group, pairs)
            .map_err(|reason| operation_error(self.job, phase, operation, &reason.to_string()))
    }

    /// The schedule of a collective whose groups take the least time for one run.
    fn schedule(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        collective: Collective,
        groups: &ChipGroups,
    ) -> Result<Schedule, JobPlanError> {
        let request = CollectivesRequest {
            collectives: vec![collective],
            sizes: vec![operation.bytes],
            algorithm: operation.algorithm,
            chunks: None,
            root: None,
            groups: Some(RequestedGroups::Listed(groups.clone())),
            overhead_ps: self.job.overhead_ps,
            barrier: false,
            seed: 1,
        };
        let is_whole = groups.size() == self.scene.topology.endpoints().count() as u64;
        if is_whole && collective != Collective::AllToAll && operation.algorithm.is_none() {
            let algorithm = match collective {
                Collective::AllReduce => CollectiveAlgorithm::GatherReduce,
                _ => CollectiveAlgorithm::Steps,
            };
            let whole = CollectivesRequest { algorithm: Some(algorithm), groups: None, ..request.clone() };
            match self.requested_schedule(&whole, collective, operation.bytes) {
                Ok(schedule) if matches!(schedule.transfers, Transfers::Rounds(_)) => {
                    return self.rounds_or_groups(phase, operation, collective, schedule, &request);
                }
                // Where routers only forward, there are no rounds.
                Ok(_) | Err(CollectivesError::NotPlanned { .. }) => {}
                Err(convicted) => return Err(JobPlanError::Convicted(convicted)),
            }
        }
        self.schedule_in_groups(phase, operation, collective, &request)
    }

    /// The schedule in rounds of all chips, or the one of their group if that takes less time. Rounds reach
    /// the bound of the volume. Where they wait for hops for most of their time, others may be faster.
    fn rounds_or_groups(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        collective: Collective,
        rounds: Schedule,
        request: &CollectivesRequest,
    ) -> Result<Schedule, JobPlanError> {
        let load = |schedule: &Schedule| {
            OperationLoad::of_schedule(self.scene, &self.hops, self.overhead(), operation, schedule)
        };
        let first = load(&rounds);
        let latency = first.latency * u128::from(operation.times);
        let time = self.time_of_loads(&[(first, operation.times)]);
        if latency * 2 <= time {
            return Ok(rounds);
        }
        let is_faster = |other: &Schedule| self.time_of_loads(&[(load(other), operation.times)]) < time;
        let grouped = self.schedule_in_groups(phase, operation, collective, request).ok();
        Ok(grouped.filter(is_faster).unwrap_or(rounds))
    }

    fn schedule_in_groups(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        collective: Collective,
        request: &CollectivesRequest,
    ) -> Result<Schedule, JobPlanError> {
        self.requested_schedule(request, collective, operation.bytes).map_err(|error| match error {
            CollectivesError::NotPlanned { reason, .. } => {
                operation_error(self.job, phase, operation, &reason.to_string())
            }
            other => JobPlanError::Convicted(other),
        })
    }

    fn requested_schedule(
        &self,
        request: &CollectivesRequest,
        collective: Collective,
        bytes: u64,
    ) -> Result<Schedule, CollectivesError> {
        let mut planned = ScenarioCollectives::new(self.fabric, self.scene, request).along(self.tables, &[]);
        planned.schedule(collective, bytes)
    }
}

/// The error of an operation that no schedule does.
pub(super) fn operation_error(
    job: &Job,
    phase: &JobPhase,
    operation: &JobOperation,
    reason: &str,
) -> JobPlanError {
    JobPlanError::Operation {
        job: job.name.clone(),
        operation: format!("{}.{}", phase.name, operation.name),
        reason: reason.to_owned(),
        hint: "`fabc explain FAB0652` lists what operations need".to_owned(),
        span: Some(operation.span),
    }
}

/// `[phase]`: the least times of a job on any network of so many chips with so many channels each, in
/// attoseconds: by the channels of a chip and one hop alone.
pub fn times_by_ports(fabric: &Fabric, job: &Job, chips: u64, channels: u64) -> Vec<u128> {
    let limits = limits_of_chips(fabric, chips, channels);
    let overhead = u128::from(job.overhead_ps) * ATTOSECONDS_OF_A_PICOSECOND;
    let time = |phase: &JobPhase| limits.time(overhead, &phase.operations, &grouped_chips(job, phase));
    job.phases.iter().map(time).collect()
}

/// What bounds phases in every topology and with every placement.
pub fn universal_limits(fabric: &Fabric, topology: &Topology) -> UniversalLimits {
    let lanes = |chip: NodeId| -> u64 {
        let lanes = |channel| topology.channel_capacity(channel);
        let inwards: u64 = topology.channels_into(chip).map(lanes).sum();
        inwards.max(topology.channels_from(chip).map(lanes).sum())
    };
    let widest = topology.endpoints().map(lanes).max().unwrap_or(1);
    limits_of_chips(fabric, topology.endpoints().count() as u64, widest)
}

/// The same for so many chips, each with at most so many lanes, before a topology is known.
pub(in crate::compile) fn limits_of_chips(fabric: &Fabric, chips: u64, chip_lanes: u64) -> UniversalLimits {
    let least_link = fabric.link_types.iter().map(|link| link.latency_cycles).min().unwrap_or(0);
    let least = u64::from(fabric.router_latencies().least) + u64::from(least_link);
    UniversalLimits {
        chip_lanes,
        chips,
        least_hop: cycle_time(least, fabric.clock_hz),
        unit_bps: fabric.capacities.unit_bps(),
        nearest: fabric.pod().map(|pod| NearestChips::new(pod, &fabric.capacities)),
    }
}

/// The least times of a step on any topology, with any placement.
pub(in crate::compile) fn universal_step(limits: &UniversalLimits, job: &Job) -> JobStep {
    let overhead = u128::from(job.overhead_ps) * ATTOSECONDS_OF_A_PICOSECOND;
    let least = |phase: &JobPhase| {
        let universal = limits.time(overhead, &phase.operations, &grouped_chips(job, phase));
        PhaseTime { volume: universal, latency: 0, bound: universal, universal }
    };
    let phases: Vec<PhaseTime> = job.phases.iter().map(least).collect();
    job_step(job, &phases, |_| 0)
}

/// `[channel]`: the bytes of the operations of a phase in a step.
fn channel_loads(scene: &Scene<'_>, planned: &[PlannedOperation]) -> Vec<u128> {
    let bytes = |channel| planned.iter().map(|planned| planned.load.bytes[channel]).sum();
    scene.topology.channels().map(bytes).collect()
}

/// The chips of the groups of every operation of a phase.
fn grouped_chips(job: &Job, phase: &JobPhase) -> Vec<GroupedChips> {
    phase.operations.iter().map(|operation| GroupedChips::of_operation(job, operation)).collect()
}

/// The most bytes that a channel carries per lane, rounded up.
fn phase_load(scene: &Scene<'_>, load: &OperationLoad) -> u128 {
    let per_lane = |channel| {
        let lanes = u128::from(scene.topology.channel_capacity(channel).max(1));
        load.bytes[channel].div_ceil(lanes)
    };
    scene.channels().map(per_lane).max().unwrap_or(0)
}
