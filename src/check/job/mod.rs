//! Recounts training jobs: what their phases put on channels, how long a step takes, and what bounds it.
//!
//! Input: the job of the spec, the placement, the schedules and the witnesses that the files claim. Output:
//! the same values as the compiler has, from other code. No pass is used.
//!
//! - The placement must be a permutation of the chips, and the one of the spec if that says which.
//! - Where data has no schedule, it follows the forwarding tables, pair by pair.
//! - Every schedule must do its collective in the groups that the axes give. Its loads are added in bytes.
//! - What topologies of their own for phases save follows from the times that are claimed.
//! - A bound follows from lengths by shortest paths, or from the bounds of a proved schedule.

mod bounds;
mod loads;
mod reconfigure;
mod scene;
mod step;

use crate::schedule::{TableWalk, verify_message_schedule, verify_schedule};
use bounds::{BoundClaim, recount_bound, universal_time};
use fabc_base::ids::NodeId;
use fabc_ir::{
    ChipGroups, JobBound, JobOperationOutcome, JobOutcome, JobPhaseOutcome, JobWitness, Scene, Schedule,
    Transfers,
};
use fabc_model::{
    Collective, CollectiveAlgorithm, Job, JobOperation, JobOperationKind, JobPhase, JobPlace, RankGroups,
};
use loads::{CountedLoad, busy_times, count_direct, count_schedule, sum_loads};
pub(crate) use reconfigure::recount_reconfiguration;
pub(crate) use scene::JobScene;
use std::collections::BTreeSet;
use step::recount_step;

/// The most channels of a phase that its file lists as busiest.
const LISTED: usize = 8;

/// What the files claim of a phase.
pub(crate) struct ClaimedPhase {
    /// `[operation]`: its schedule. `None` where data follows the forwarding tables.
    pub(crate) schedules: Vec<Option<Schedule>>,
    /// What proves the bound of the phase.
    pub(crate) witness: JobWitness,
}

/// Verifies that a placement is a permutation of the chips, and that it is the one of the spec where the
/// spec says which.
pub(crate) fn verify_ranks(job: &Job, scene: &Scene<'_>, ranks: &[NodeId]) -> Result<(), String> {
    let chips: Vec<NodeId> = scene.topology.endpoints().collect();
    let taken: BTreeSet<NodeId> = ranks.iter().copied().collect();
    if ranks.len() != chips.len() || taken != chips.iter().copied().collect() {
        return Err(format!("they are no permutation of the {} chips", chips.len()));
    }
    let wanted = |rank: usize| match &job.place {
        JobPlace::Order => Some(chips[rank]),
        JobPlace::File { chips: numbers, .. } => {
            numbers.get(rank).and_then(|&number| chips.get(number as usize).copied())
        }
        JobPlace::Aligned | JobPlace::Search { .. } => Some(ranks[rank]),
    };
    match (0..ranks.len()).find(|&rank| wanted(rank) != Some(ranks[rank])) {
        Some(rank) => Err(format!("rank {rank} is not on the chip that the spec says")),
        None => Ok(()),
    }
}

/// The chips of the groups of an operation. Of listed groups, ranks in none are idle.
fn chips_of_groups(job: &Job, groups: &RankGroups, ranks: &[NodeId]) -> Result<Vec<Vec<NodeId>>, String> {
    let lists = match groups {
        RankGroups::Along(over) => return Ok(groups_along(job, over, ranks)),
        RankGroups::Listed(lists) => lists,
    };
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    for list in lists {
        let mut chips = Vec::new();
        for &rank in list {
            let chip = ranks.get(rank as usize).ok_or_else(|| format!("there is no rank {rank}"))?;
            if !seen.insert(rank) {
                return Err(format!("rank {rank} is in two groups"));
            }
            chips.push(*chip);
        }
        all.push(chips);
    }
    let size = all.first().map_or(0, Vec::len);
    match size >= 2 && all.iter().all(|chips| chips.len() == size) {
        true => Ok(all),
        false => Err("its groups do not have as many ranks, at least two".to_owned()),
    }
}

/// The groups of ranks that differ along some axes only, and their chips.
fn groups_along(job: &Job, over: &[usize], ranks: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut groups: Vec<(Vec<u32>, Vec<NodeId>)> = Vec::new();
    let mut index_of = std::collections::BTreeMap::new();
    for (rank, &chip) in ranks.iter().enumerate() {
        let mut left = rank as u64;
        let mut fixed = Vec::new();
        for (axis, sizes) in job.axes.iter().enumerate() {
            let size = u64::from(sizes.size.max(1));
            if !over.contains(&axis) {
                fixed.push((left % size) as u32);
            }
            left /= size;
        }
        let index = *index_of.entry(fixed.clone()).or_insert_with(|| {
            groups.push((fixed, Vec::new()));
            groups.len() - 1
        });
        groups[index].1.push(chip);
    }
    groups.into_iter().map(|(_, chips)| chips).collect()
}

/// An operation as it was recounted.
struct CountedOperation {
    groups: ChipGroups,
    pairs: Vec<(NodeId, NodeId)>,
    load: CountedLoad,
    algorithm: CollectiveAlgorithm,
}

impl JobScene<'_> {
    /// Recounts everything that the file of the job says about a scenario.
    pub(crate) fn recount(&self, scenario: &str, claimed: Vec<ClaimedPhase>) -> Result<JobOutcome, String> {
        if claimed.len() != self.job.phases.len() {
            return Err("it does not have the phases of the spec".to_owned());
        }
        let walk = self.tables.map(|tables| TableWalk::new(self.scene, tables)).transpose();
        let walk = walk.map_err(|error| error.to_string())?;
        let mut phases = Vec::new();
        let mut loads = Vec::new();
        for (phase, claimed) in self.job.phases.iter().zip(claimed) {
            let (outcome, counted) = self.phase(phase, claimed, walk.as_ref())?;
            phases.push(outcome);
            loads.push(counted);
        }
        let step = recount_step(self, &phases, &loads);
        Ok(JobOutcome { scenario: scenario.to_owned(), phases, step })
    }

    fn phase(
        &self,
        phase: &JobPhase,
        ClaimedPhase { schedules, witness }: ClaimedPhase,
        walk: Option<&TableWalk<'_>>,
    ) -> Result<(JobPhaseOutcome, Vec<CountedLoad>), String> {
        if schedules.len() != phase.operations.len() {
            return Err(format!("phase `{}` does not have the operations of the spec", phase.name));
        }
        let mut counted = Vec::new();
        for (operation, schedule) in phase.operations.iter().zip(&schedules) {
            let error = |violation: String| format!("`{}.{}`: {violation}", phase.name, operation.name);
            counted.push(self.operation(operation, schedule.as_ref(), walk).map_err(error)?);
        }
        let (volume, busiest) = busy_times(self, counted.iter().map(|operation| &operation.load));
        let runs = |(counted, operation): (&CountedOperation, &JobOperation)| {
            counted.load.latency * u128::from(operation.times)
        };
        let latencies: Vec<u128> = counted.iter().zip(&phase.operations).map(runs).collect();
        let claims: Vec<BoundClaim<'_>> = counted
            .iter()
            .zip(&phase.operations)
            .zip(&schedules)
            .map(|((counted, operation), schedule)| BoundClaim {
                operation,
                groups: &counted.groups,
                pairs: &counted.pairs,
                schedule: schedule.as_ref(),
            })
            .collect();
        let time = recount_bound(self, &claims, &witness)
            .map_err(|violation| format!("the bound of phase `{}` {violation}", phase.name))?;
        let universal = universal_time(self, &claims);
        let outcomes =
            counted.iter().zip(&latencies).zip(schedules).map(|((counted, &latency), schedule)| {
                let load = counted.load.most_per_lane(self.scene);
                JobOperationOutcome { algorithm: counted.algorithm, load, latency, schedule }
            });
        let outcome = JobPhaseOutcome {
            operations: outcomes.collect(),
            volume,
            latency: latencies.iter().copied().max().unwrap_or(0),
            busiest: busiest.into_iter().take(LISTED).collect(),
            loads: sum_loads(self, counted.iter().map(|operation| &operation.load)),
            bound: JobBound { time, witness },
            universal,
        };
        Ok((outcome, counted.into_iter().map(|counted| counted.load).collect()))
    }

    fn operation(
        &self,
        operation: &JobOperation,
        schedule: Option<&Schedule>,
        walk: Option<&TableWalk<'_>>,
    ) -> Result<CountedOperation, String> {
        let groups = ChipGroups::new(chips_of_groups(self.job, &operation.groups, self.ranks)?);
        let pairs = pairs_of(operation.kind, &groups);
        let Some(schedule) = schedule else {
            if pairs.is_empty() {
                return Err("it has no schedule, but copies or adds up".to_owned());
            }
            let is_asked = operation.algorithm.is_none_or(|asked| asked == CollectiveAlgorithm::Direct);
            let walk = walk.filter(|_| is_asked).ok_or_else(|| "it has no schedule".to_owned())?;
            let load = count_direct(self, walk, operation, &groups, &pairs)?;
            return Ok(CountedOperation { groups, pairs, load, algorithm: CollectiveAlgorithm::Direct });
        };
        let JobOperationKind::Collective(collective) = operation.kind else {
            return Err("it sends along the tables, and has no schedule".to_owned());
        };
        // A single group of all chips needs no groups.
        let is_whole = groups.size() == self.scene.endpoints().count() as u64;
        let is_of_groups = match &schedule.groups {
            Some(of_schedule) => *of_schedule == groups,
            None => is_whole && schedule.root.is_none() && matches!(schedule.transfers, Transfers::Rounds(_)),
        };
        if schedule.collective != collective || !is_of_groups {
            return Err("the schedule is for another collective or for other groups".to_owned());
        }
        if operation.algorithm.is_some_and(|asked| asked != schedule.algorithm) {
            return Err("the schedule is by an algorithm that the spec does not ask for".to_owned());
        }
        match (schedule.follows_tables(), self.tables) {
            (true, Some(tables)) => verify_message_schedule(self.scene, tables, schedule),
            _ => verify_schedule(self.scene, schedule),
        }
        .map_err(|error| error.to_string())?;
        let load = count_schedule(self, operation, schedule)?;
        Ok(CountedOperation { groups, pairs, load, algorithm: schedule.algorithm })
    }
}

/// The ordered pairs between which an operation sends data of their own.
fn pairs_of(kind: JobOperationKind, groups: &ChipGroups) -> Vec<(NodeId, NodeId)> {
    let mut pairs = Vec::new();
    for list in groups.lists() {
        for (place, &from) in list.iter().enumerate() {
            match kind {
                JobOperationKind::Collective(Collective::AllToAll) => {
                    pairs.extend(list.iter().filter(|&&to| to != from).map(|&to| (from, to)));
                }
                JobOperationKind::Collective(_) => {}
                // The last one sends to the first, or to nobody.
                JobOperationKind::Send { wrap: false, .. } if place + 1 == list.len() => {}
                JobOperationKind::Send { both, .. } => {
                    let to = list[(place + 1) % list.len()];
                    pairs.push((from, to));
                    pairs.extend(both.then_some((to, from)));
                }
            }
        }
    }
    pairs
}
