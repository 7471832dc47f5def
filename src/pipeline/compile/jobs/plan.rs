//! Plans the phases of a job in one scene: schedules of its collectives, loads, times and bounds.

use super::JobPlanError;
use crate::compile::collectives::{
    CollectivesError, CollectivesRequest, RequestedGroups, ScenarioCollectives, channel_cost,
};
use fabc_base::ids::{ChannelId, IdVec, NodeId};
use fabc_ir::{
    ATTOSECONDS_OF_A_PICOSECOND, ChipGroups, ForwardingTables, JobBound, JobOperationOutcome, JobOutcome,
    JobPhaseOutcome, JobStep, Scene, Schedule, Topology, Transfers, cycle_time, hop_cycles,
};
use fabc_job_plan::{
    BoundedOperation, ChipPaths, ExchangeSettings, GroupedChips, MOST_PATH_CHIPS, MessageWays, OperationLoad,
    PhaseBounds, PhaseTime, PhaseTimes, UniversalLimits, exchange_ranks, exchanged_pairs, job_step,
    message_pairs, operation_groups, phase_times, quick_gather_time,
};
use fabc_model::{
    Collective, CollectiveAlgorithm, Fabric, Job, JobOperation, JobOperationKind, JobPhase, job_stages,
};
use fabc_passes::collective::CollectiveError;
use fabc_passes::limit::NearestChips;
use std::sync::OnceLock;

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
    /// Whether bounds of messages are searched by their flow.
    has_flow: bool,
    /// The paths of the tables, once many placements ask for them.
    paths: OnceLock<ChipPaths>,
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

/// The plans of gathers with a placement. Operations in the same groups share them.
#[derive(Default)]
struct GatherPlans<'a> {
    known: Vec<(CollectivesRequest, ScenarioCollectives<'a>)>,
}

impl<'a> GatherPlans<'a> {
    /// The plans of a request, which may be known.
    fn of(
        &mut self,
        request: &CollectivesRequest,
        new: impl FnOnce() -> ScenarioCollectives<'a>,
    ) -> &mut ScenarioCollectives<'a> {
        let index = self.known.iter().position(|(known, _)| known == request).unwrap_or_else(|| {
            self.known.push((request.clone(), new()));
            self.known.len() - 1
        });
        &mut self.known[index].1
    }
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

    /// The same without a search for the flow of messages. Their bounds are less tight then, and quickly known.
    pub fn with_quick_bounds(self) -> Self {
        Self { has_flow: false, ..self }
    }

    /// Keeps the paths of all pairs of chips, since many placements are to be compared. Large fabrics have too
    /// many of them.
    ///
    /// # Errors
    /// Refuses tables that lose a message.
    pub(super) fn keep_paths(&self) -> Result<(), JobPlanError> {
        let Some(tables) = self.tables else { return Ok(()) };
        if self.scene.topology.endpoints().count() <= MOST_PATH_CHIPS && self.paths.get().is_none() {
            let paths = ChipPaths::new(self.scene, tables).map_err(|reason| {
                let phase = &self.job.phases[0];
                operation_error(self.job, phase, &phase.operations[0], &reason.to_string())
            })?;
            let _ = self.paths.set(paths);
        }
        Ok(())
    }

    /// How messages go. `None` without tables.
    fn ways(&self) -> Option<MessageWays<'_>> {
        let kept = self.paths.get().map(MessageWays::Kept);
        kept.or(self.tables.map(MessageWays::Walked))
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
            } else if let Some(ways) = self.ways() {
                let load = self.along_tables(phase, operation, ways, &groups, &pairs, 0)?;
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
        let mut gathers = GatherPlans::default();
        self.job.phases.iter().map(|phase| self.flow_time_of(phase, ranks, &mut gathers)).collect()
    }

    /// The same of a single phase.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does.
    pub(super) fn flow_phase_time(&self, phase: &JobPhase, ranks: &[NodeId]) -> Result<u128, JobPlanError> {
        self.flow_time_of(phase, ranks, &mut GatherPlans::default())
    }

    fn flow_time_of(
        &self,
        phase: &JobPhase,
        ranks: &[NodeId],
        gathers: &mut GatherPlans<'a>,
    ) -> Result<u128, JobPlanError> {
        self.time_of_phase(phase, ranks, gathers, |messages| {
            // An estimate counts a skew, as the load of a plan does. A bound does not.
            let bounded = messages.iter().map(|message| message.bounded(message.operation.skewed_bytes()));
            let bounded: Vec<BoundedOperation<'_>> = bounded.collect();
            Ok(if bounded.is_empty() { 0 } else { self.bounds(&bounded).estimate() })
        })
    }

    /// The least time of a phase by the hops between its ranks, in attoseconds. Nothing is searched.
    pub fn hop_time(&self, phase: &JobPhase, ranks: &[NodeId]) -> u128 {
        let operations = phase.operations.iter();
        let grouped: Vec<GroupedOperation<'_>> =
            operations.map(|operation| GroupedOperation::new(self.job, operation, ranks)).collect();
        let bounded = grouped.iter().map(|grouped| grouped.bounded(grouped.operation.step_bytes()));
        let bounded: Vec<BoundedOperation<'_>> = bounded.collect();
        self.bounds(&bounded).by_hops()
    }

    fn bounds<'b>(&'b self, operations: &'b [BoundedOperation<'b>]) -> PhaseBounds<'b> {
        let unit_bps = self.fabric.capacities.unit_bps();
        let (overhead, has_flow) = (self.overhead(), self.has_flow);
        PhaseBounds { scene: self.scene, hops: &self.hops, overhead, unit_bps, has_flow, operations }
    }

    /// A time below which the communication of a step does not come with a placement, in attoseconds: the
    /// messages of every stage along the tables, or what all placements need.
    ///
    /// # Errors
    /// Refuses tables that lose a message.
    pub(super) fn least_time(&self, ranks: &[NodeId]) -> Result<u128, JobPlanError> {
        let stage_time = |stage: Vec<usize>| {
            let phases = || stage.iter().map(|&phase| &self.job.phases[phase]);
            let mut loads = Vec::new();
            for (phase, operation) in
                phases().flat_map(|phase| phase.operations.iter().map(move |one| (phase, one)))
            {
                let GroupedOperation { groups, pairs, .. } =
                    GroupedOperation::new(self.job, operation, ranks);
                let has_own_paths = operation.algorithm == Some(CollectiveAlgorithm::Paths);
                if let (Some(ways), false, false) = (self.ways(), pairs.is_empty(), has_own_paths) {
                    let load = self.along_tables(phase, operation, ways, &groups, &pairs, 0)?;
                    loads.push((load, operation.times));
                }
            }
            let loads: Vec<(&OperationLoad, u64)> =
                loads.iter().map(|(load, times)| (load, *times)).collect();
            let messages = phase_times(self.scene, self.fabric.capacities.unit_bps(), &loads).volume;
            Ok(phases().map(|phase| self.universal(phase)).fold(messages, u128::max))
        };
        job_stages(&self.job.phases).into_iter().map(stage_time).sum()
    }

    /// The least time of a phase in any topology and with any placement.
    fn universal(&self, phase: &JobPhase) -> u128 {
        self.limits.time(self.overhead(), &phase.operations, &grouped_chips(self.job, phase))
    }

    /// The estimated time of the communication of a step with gathers as they are planned, and messages along
    /// the tables, in attoseconds. Phases are added up.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does, and tables that lose a message.
    pub(super) fn table_time(&self, ranks: &[NodeId]) -> Result<u128, JobPlanError> {
        let mut gathers = GatherPlans::default();
        self.job.phases.iter().map(|phase| self.table_phase_time(phase, ranks, &mut gathers)).sum()
    }

    fn table_phase_time(
        &self,
        phase: &JobPhase,
        ranks: &[NodeId],
        gathers: &mut GatherPlans<'a>,
    ) -> Result<u128, JobPlanError> {
        self.time_of_phase(phase, ranks, gathers, |messages| {
            let load = |message: &GroupedOperation<'_>| {
                let GroupedOperation { operation, groups, pairs } = message;
                let ways = self.ways().ok_or_else(|| {
                    operation_error(self.job, phase, operation, &CollectiveError::Untabled.to_string())
                })?;
                let load = self.along_tables(phase, operation, ways, groups, pairs, self.overhead())?;
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
        plans: &mut GatherPlans<'a>,
        messages_time: impl Fn(&[GroupedOperation<'_>]) -> Result<u128, JobPlanError>,
    ) -> Result<u128, JobPlanError> {
        let operations = phase.operations.iter();
        let grouped = operations.map(|operation| GroupedOperation::new(self.job, operation, ranks));
        let (messages, gathers): (Vec<_>, Vec<_>) = grouped.partition(|grouped| !grouped.pairs.is_empty());
        let mut load = |gather: &GroupedOperation<'_>| {
            let GroupedOperation { operation, groups, .. } = gather;
            let JobOperationKind::Collective(collective) = operation.kind else { return Ok(None) };
            let schedule = self.schedule(phase, operation, collective, groups, plans)?;
            Ok(Some((self.along_schedule(phase, operation, &schedule)?, operation.times)))
        };
        let loads: Vec<_> = gathers.iter().map(&mut load).collect::<Result<_, JobPlanError>>()?;
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
        self.keep_paths()?;
        let unit = self.fabric.capacities.unit_bps();
        Ok(exchange_ranks(self.scene, self.paths.get(), unit, self.job, start, settings))
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
        let mut gathers = GatherPlans::default();
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

    /// The times of a step. `bounds` gives the lower bounds of a phase: for this topology with this placement,
    /// and for all.
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
        let outcome = |((phase, planned), bounds)| self.outcome(phase, planned, bounds);
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
        PlannedPhase { operations, times }: PlannedPhase,
        (bound, universal): (JobBound, u128),
    ) -> JobPhaseOutcome {
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

    fn overhead(&self) -> u128 {
        u128::from(self.job.overhead_ps) * ATTOSECONDS_OF_A_PICOSECOND
    }

    fn operation(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        ranks: &[NodeId],
        gathers: &mut GatherPlans<'a>,
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
            return Err(operation_error(self.job, phase, operation, &reason));
        };
        let schedule = self.schedule(phase, operation, collective, &groups, gathers)?;
        let load = self.along_schedule(phase, operation, &schedule)?;
        Ok(PlannedOperation { groups, load, algorithm: schedule.algorithm, schedule: Some(schedule) })
    }

    /// The load of an operation between pairs of chips along the forwarding tables.
    fn along_tables(
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
            .map_err(|reason| operation_error(self.job, phase, operation, &reason.to_string()))
    }

    /// The load of an operation by its schedule.
    fn along_schedule(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        schedule: &Schedule,
    ) -> Result<OperationLoad, JobPlanError> {
        let cost = || channel_cost(self.fabric, self.scene, self.job.overhead_ps, false);
        OperationLoad::of_schedule(self.scene, &self.hops, self.overhead(), operation, schedule, cost)
            .map_err(|reason| operation_error(self.job, phase, operation, &reason.to_string()))
    }

    /// The schedule of a collective whose groups take the least time for one run.
    fn schedule(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        collective: Collective,
        groups: &ChipGroups,
        gathers: &mut GatherPlans<'a>,
    ) -> Result<Schedule, JobPlanError> {
        let request = CollectivesRequest {
            // Any collective and size may be asked for.
            collectives: Vec::new(),
            sizes: vec![1],
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
            match self.requested_schedule(&whole, collective, operation.bytes, gathers) {
                Ok(schedule) if matches!(schedule.transfers, Transfers::Rounds(_)) => {
                    return self.rounds_or_groups(phase, operation, collective, schedule, &request, gathers);
                }
                // Where routers only forward, there are no rounds.
                Ok(_) | Err(CollectivesError::NotPlanned { .. }) => {}
                Err(convicted) => return Err(JobPlanError::Convicted(convicted)),
            }
        }
        self.schedule_in_groups(phase, operation, collective, &request, gathers)
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
        gathers: &mut GatherPlans<'a>,
    ) -> Result<Schedule, JobPlanError> {
        let load = |schedule: &Schedule| self.along_schedule(phase, operation, schedule);
        let first = load(&rounds)?;
        let latency = first.latency * u128::from(operation.times);
        let time = self.time_of_loads(&[(first, operation.times)]);
        if latency * 2 <= time {
            return Ok(rounds);
        }
        let is_faster = |other: &Schedule| {
            load(other).is_ok_and(|load| self.time_of_loads(&[(load, operation.times)]) < time)
        };
        let grouped = self.schedule_in_groups(phase, operation, collective, request, gathers).ok();
        Ok(grouped.filter(is_faster).unwrap_or(rounds))
    }

    fn schedule_in_groups(
        &self,
        phase: &JobPhase,
        operation: &JobOperation,
        collective: Collective,
        request: &CollectivesRequest,
        gathers: &mut GatherPlans<'a>,
    ) -> Result<Schedule, JobPlanError> {
        self.requested_schedule(request, collective, operation.bytes, gathers).map_err(|error| match error {
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
        gathers: &mut GatherPlans<'a>,
    ) -> Result<Schedule, CollectivesError> {
        let new = || ScenarioCollectives::new(self.fabric, self.scene, request).along(self.tables, &[]);
        gathers.of(request, new).schedule(collective, bytes)
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
