//! Schedules of what the groups of a job gather and add up, with a placement.
//!
//! In: an operation and its groups. Out: the schedule that takes least time for one run, and its load.
//! Operations in the same groups share their plans, since all of them derive from copies.

use super::errors::JobPlanError;
use super::limits::message_overhead;
use crate::compile::collectives::{
    CollectivesError, CollectivesRequest, RequestedGroups, ScenarioCollectives, channel_cost,
};
use fabc_base::ids::{ChannelId, IdVec};
use fabc_ir::{ChipGroups, ForwardingTables, Scene, Schedule, Transfers};
use fabc_job_plan::{OperationLoad, phase_times};
use fabc_model::{Collective, CollectiveAlgorithm, Fabric, Job, JobOperation, JobPhase};

/// Plans the gathers of a job with a placement.
pub(super) struct GatherPlans<'a> {
    fabric: &'a Fabric,
    scene: &'a Scene<'a>,
    tables: Option<&'a ForwardingTables>,
    job: &'a Job,
    /// `[channel]`: the time of a hop over it, in attoseconds.
    hops: &'a IdVec<ChannelId, u128>,
    known: Vec<(CollectivesRequest, ScenarioCollectives<'a>)>,
}

impl<'a> GatherPlans<'a> {
    pub(super) fn new(
        fabric: &'a Fabric,
        scene: &'a Scene<'a>,
        tables: Option<&'a ForwardingTables>,
        job: &'a Job,
        hops: &'a IdVec<ChannelId, u128>,
    ) -> Self {
        Self { fabric, scene, tables, job, hops, known: Vec::new() }
    }

    /// The schedule of a collective whose groups take the least time for one run, with its load.
    ///
    /// # Errors
    /// Refuses an operation that no schedule does.
    pub(super) fn schedule(
        &mut self,
        phase: &JobPhase,
        operation: &JobOperation,
        collective: Collective,
        groups: &ChipGroups,
    ) -> Result<(Schedule, OperationLoad), JobPlanError> {
        let failed = |error| match error {
            CollectivesError::NotPlanned { reason, .. } => {
                JobPlanError::of_operation(self.job, phase, operation, &reason.to_string())
            }
            other => JobPlanError::Convicted(other),
        };
        self.fastest(operation, collective, groups).map_err(failed)
    }

    fn fastest(
        &mut self,
        operation: &JobOperation,
        collective: Collective,
        groups: &ChipGroups,
    ) -> Result<(Schedule, OperationLoad), CollectivesError> {
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
            match self.requested(&whole, operation, collective) {
                Ok(rounds) if matches!(rounds.0.transfers, Transfers::Rounds(_)) => {
                    return Ok(self.rounds_or_groups(operation, collective, rounds, &request));
                }
                // Where routers only forward, there are no rounds.
                Ok(_) | Err(CollectivesError::NotPlanned { .. }) => {}
                Err(convicted) => return Err(convicted),
            }
        }
        self.requested(&request, operation, collective)
    }

    /// The schedule in rounds of all chips, or the one of their group if that takes less time. Rounds reach
    /// the bound of the volume. Where they wait for hops for most of their time, others may be faster.
    fn rounds_or_groups(
        &mut self,
        operation: &JobOperation,
        collective: Collective,
        rounds: (Schedule, OperationLoad),
        request: &CollectivesRequest,
    ) -> (Schedule, OperationLoad) {
        let unit = self.fabric.capacities.unit_bps();
        let (scene, runs) = (self.scene, operation.times);
        let time = |load: &OperationLoad| phase_times(scene, unit, &[(load, runs)]).total();
        let latency = rounds.1.latency * u128::from(runs);
        if latency * 2 <= time(&rounds.1) {
            return rounds;
        }
        let grouped = self.requested(request, operation, collective).ok();
        grouped.filter(|(_, load)| time(load) < time(&rounds.1)).unwrap_or(rounds)
    }

    /// The fastest schedule of a request, with its load.
    fn requested(
        &mut self,
        request: &CollectivesRequest,
        operation: &JobOperation,
        collective: Collective,
    ) -> Result<(Schedule, OperationLoad), CollectivesError> {
        let index = self.known.iter().position(|(known, _)| known == request).unwrap_or_else(|| {
            let new = ScenarioCollectives::new(self.fabric, self.scene, request).along(self.tables, &[]);
            self.known.push((request.clone(), new));
            self.known.len() - 1
        });
        let schedule = self.known[index].1.schedule(collective, operation.bytes)?;
        let overhead = message_overhead(self.job);
        let cost = || channel_cost(self.fabric, self.scene, self.job.overhead_ps, false);
        let load = OperationLoad::of_schedule(self.scene, self.hops, overhead, operation, &schedule, cost)?;
        Ok((schedule, load))
    }
}
