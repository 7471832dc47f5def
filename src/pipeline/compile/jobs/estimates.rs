//! Times of a job that are known before it is planned in full, to compare placements and topologies.

use super::errors::JobPlanError;
use super::gathers::GatherPlans;
use super::plan::JobPlanner;
use fabc_base::ids::NodeId;
use fabc_ir::ChipGroups;
use fabc_job_plan::{
    BoundedOperation, ExchangeSettings, OperationLoad, PhaseTimes, exchange_ranks, message_pairs,
    operation_groups, phase_times, quick_gather_time,
};
use fabc_model::{CollectiveAlgorithm, Job, JobOperation, JobOperationKind, JobPhase, job_stages};
use fabc_passes::collective::CollectiveError;

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

impl JobPlanner<'_> {
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
        Ok(gathers + self.times_of_loads(&loads).total())
    }

    /// `[phase]`: the estimated time of its communication if messages took the best paths of the topology, in
    /// attoseconds. Gathers are planned.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does.
    pub(super) fn flow_times(&self, ranks: &[NodeId]) -> Result<Vec<u128>, JobPlanError> {
        let mut gathers = self.gathers();
        let time =
            |phase| self.time_of_phase(phase, ranks, &mut gathers, |messages| self.flow_time_of(messages));
        self.job.phases.iter().map(time).collect()
    }

    /// The same of a single phase.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does.
    pub(super) fn flow_phase_time(&self, phase: &JobPhase, ranks: &[NodeId]) -> Result<u128, JobPlanError> {
        self.time_of_phase(phase, ranks, &mut self.gathers(), |messages| self.flow_time_of(messages))
    }

    /// The estimated time of messages on their best paths.
    fn flow_time_of(&self, messages: &[GroupedOperation<'_>]) -> Result<u128, JobPlanError> {
        // An estimate counts a skew, as the load of a plan does. A bound does not.
        let bounded = messages.iter().map(|message| message.bounded(message.operation.skewed_bytes()));
        let bounded: Vec<BoundedOperation<'_>> = bounded.collect();
        Ok(if bounded.is_empty() { 0 } else { self.bounds(&bounded).estimate() })
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
            let messages = self.times_of_loads(&loads).volume;
            Ok(phases().map(|phase| self.universal(phase)).fold(messages, u128::max))
        };
        job_stages(&self.job.phases).into_iter().map(stage_time).sum()
    }

    /// The estimated time of the communication of a step with gathers as they are planned, and messages along
    /// the tables, in attoseconds. Phases are added up.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does, and tables that lose a message.
    pub(super) fn table_time(&self, ranks: &[NodeId]) -> Result<u128, JobPlanError> {
        let mut gathers = self.gathers();
        let time = |phase| {
            self.time_of_phase(phase, ranks, &mut gathers, |messages| self.table_time_of(phase, messages))
        };
        self.job.phases.iter().map(time).sum()
    }

    /// The time of messages of a phase along the tables.
    fn table_time_of(
        &self,
        phase: &JobPhase,
        messages: &[GroupedOperation<'_>],
    ) -> Result<u128, JobPlanError> {
        let load = |message: &GroupedOperation<'_>| {
            let GroupedOperation { operation, groups, pairs } = message;
            let ways = self.ways().ok_or_else(|| {
                let reason = CollectiveError::Untabled.to_string();
                JobPlanError::of_operation(self.job, phase, operation, &reason)
            })?;
            let load = self.along_tables(phase, operation, ways, groups, pairs, self.overhead())?;
            Ok((load, operation.times))
        };
        let loads: Vec<_> = messages.iter().map(load).collect::<Result<_, JobPlanError>>()?;
        Ok(self.times_of_loads(&loads).total())
    }

    /// The time of the gathers of a phase, as they are planned, and of its messages.
    fn time_of_phase(
        &self,
        phase: &JobPhase,
        ranks: &[NodeId],
        plans: &mut GatherPlans<'_>,
        messages_time: impl Fn(&[GroupedOperation<'_>]) -> Result<u128, JobPlanError>,
    ) -> Result<u128, JobPlanError> {
        let operations = phase.operations.iter();
        let grouped = operations.map(|operation| GroupedOperation::new(self.job, operation, ranks));
        let (messages, gathers): (Vec<_>, Vec<_>) = grouped.partition(|grouped| !grouped.pairs.is_empty());
        let mut load = |gather: &GroupedOperation<'_>| {
            let GroupedOperation { operation, groups, .. } = gather;
            let JobOperationKind::Collective(collective) = operation.kind else { return Ok(None) };
            let (_, load) = plans.schedule(phase, operation, collective, groups)?;
            Ok(Some((load, operation.times)))
        };
        let loads: Vec<_> = gathers.iter().map(&mut load).collect::<Result<_, JobPlanError>>()?;
        let loads: Vec<(OperationLoad, u64)> = loads.into_iter().flatten().collect();
        Ok(self.times_of_loads(&loads).total() + messages_time(&messages)?)
    }

    /// The times of operations that run at the same time, each with the number of its runs.
    fn times_of_loads(&self, loads: &[(OperationLoad, u64)]) -> PhaseTimes {
        let loads: Vec<(&OperationLoad, u64)> = loads.iter().map(|(load, times)| (load, *times)).collect();
        phase_times(self.scene, self.fabric.capacities.unit_bps(), &loads)
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
}
