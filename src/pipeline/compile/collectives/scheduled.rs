//! Plans the collectives of a fabric whose vectors are scheduled. Each collective takes the fastest of its
//! algorithms. Its vectors use a channel only when the earlier plans leave it free.

use super::CollectivesError;
use super::declared::find_router;
use crate::compile::context::ScenarioContext;
use fabc_base::diag::Failure;
use fabc_base::ids::NodeId;
use fabc_base::progress::Progress;
use fabc_ir::{
    CollectiveBound, CollectiveCandidate, CollectiveOutcome, CollectiveResult, CollectiveRow, CollectiveTime,
    Fraction, Scene, Schedule, Timed, TimedMessage, cycle_time, schedulable_scene,
};
use fabc_model::{
    Collective, CollectiveAlgorithm, DeclaredCollective, DeclaredMessage, DeclaredMessages, SlotPace,
};
use fabc_passes::collective::flow_bound_by_lengths;
use fabc_passes::scheduled::{
    MessageSet, PlanningSite, ScheduledError, VectorJob, bound_cycles, farthest, least_cycles, plan,
    plan_groups,
};
use std::collections::BTreeMap;

impl ScenarioContext<'_> {
    /// Plans every collective of the spec, each after the one that it waits for. The checker then replays
    /// every plan, and checks that the plans do not collide with each other.
    pub(in crate::compile) fn scheduled(
        &self,
        pace: SlotPace,
        progress: &dyn Progress,
    ) -> Result<Vec<CollectiveResult>, Failure> {
        let scene = schedulable_scene(&self.fabric.plant, self.topology);
        if let Some(blocks) = self.fabric.failover() {
            fabc_check::verify_replaceable(self.topology, blocks).map_err(Failure::internal)?;
        }
        let collectives = &self.fabric.collectives;
        let mut outcomes: Vec<Option<CollectiveOutcome>> = vec![None; collectives.len()];
        progress.begin("schedules", collectives.len() as u64);
        for index in in_order(collectives) {
            let declared = &collectives[index];
            // Where a hop is shorter than a slot, the last vectors still leave while they already arrive.
            let start = declared
                .after
                .and_then(|before| Some(outcomes[before].as_ref()?.schedule.timed()?.free_from()))
                .unwrap_or(0);
            let earlier = finished(&outcomes);
            let site =
                PlanningSite { scene: &scene, pace, clock_hz: self.fabric.clock_hz, earlier: &earlier };
            let outcome = self.schedule_collective(site, declared, start)?;
            outcomes[index] = Some(outcome);
            progress.advance();
        }
        progress.end();
        fabc_check::vectors_together(&scene, &finished(&outcomes)).map_err(Failure::internal)?;
        let result = |outcome| CollectiveResult { scenarios: vec![outcome], ..CollectiveResult::default() };
        Ok(outcomes.into_iter().flatten().map(result).collect())
    }

    /// Plans one collective by all of its algorithms, from the cycle `start` on, and takes the fastest plan.
    fn schedule_collective(
        &self,
        site: PlanningSite<'_>,
        declared: &DeclaredCollective,
        start: u32,
    ) -> Result<CollectiveOutcome, Failure> {
        let DeclaredCollective { collective, size, .. } = *declared;
        let everybody = site.scene.endpoints().count() as u64;
        let chips = declared.groups.map_or(everybody, u64::from);
        let listed = declared
            .messages
            .as_ref()
            .map(|messages| self.messages(messages, declared, site.pace))
            .transpose()?;
        let vectors = listed.as_ref().map_or_else(
            || collective.vectors(size, chips, site.pace.vector_bytes),
            |listed| listed.iter().map(|message| u64::from(message.vectors)).sum(),
        );
        let messages = listed
            .as_deref()
            .zip(declared.messages.as_ref())
            .map(|(list, declared)| MessageSet { list, paths: declared.ways });
        let root =
            declared.root.as_deref().map(|root| find_router(root, self.topology, declared)).transpose()?;
        let block = self.fabric.blocks().0 as usize;
        let job = VectorJob {
            collective,
            vectors,
            messages,
            members: None,
            root,
            seed: declared.seed,
            start,
            block,
        };
        // Groups have no bounds besides those that come with their plans.
        let bounds = if declared.groups.is_some() { Vec::new() } else { self.scene_bounds(site, job) };
        let (plans, left_out) = plan_algorithms(site, job, declared, &bounds)?;
        let candidates = plans.iter().filter_map(CheckedPlan::candidate).collect();
        let too_few = || not_scheduled(declared, ScheduledError::TooFew { chips: chips as usize });
        let fastest = plans.into_iter().next().ok_or_else(too_few)?;
        let schedule = fastest.schedule;
        let mut best: Option<(u64, &CollectiveBound)> = None;
        for bound in &schedule.bounds {
            let cycles = bound_cycles(bound, collective, vectors, chips, site.pace)
                .map_err(|reason| not_scheduled(declared, reason))?;
            if best.is_none_or(|(highest, _)| cycles > highest) {
                best = Some((cycles, bound));
            }
        }
        let (bound, witness) = best.ok_or_else(too_few)?;
        let row = CollectiveRow {
            scenario: "nominal".to_owned(),
            collective,
            root: root.map(|root: NodeId| self.topology.name(root)),
            size,
            chips,
            candidates,
            left_out,
            bound: cycle_time(bound, site.clock_hz),
            witness: witness.clone(),
            along: None,
            with_switches: None,
        };
        Ok(CollectiveOutcome::new(row, schedule))
    }

    /// Bounds on every plan of a collective of all chips: by the certificate of the flow, and by the farthest
    /// pair.
    fn scene_bounds(&self, site: PlanningSite<'_>, job: VectorJob<'_>) -> Vec<CollectiveBound> {
        let VectorJob { collective, root, vectors, .. } = job;
        let by_lengths = self.bound_by_lengths(site.scene, collective);
        by_lengths.into_iter().chain(farthest(site.scene, collective, root, vectors, site.pace)).collect()
    }

    /// The messages of a collective, in vectors.
    fn messages(
        &self,
        messages: &DeclaredMessages,
        declared: &DeclaredCollective,
        pace: SlotPace,
    ) -> Result<Vec<TimedMessage>, Failure> {
        let timed_message = |message: &DeclaredMessage| {
            let (from, to) = (
                find_router(&message.from, self.topology, declared)?,
                find_router(&message.to, self.topology, declared)?,
            );
            let vectors =
                message.bytes.div_ceil(u64::from(pace.vector_bytes)).min(u64::from(u32::MAX)) as u32;
            Ok(TimedMessage { from, to, earliest: message.earliest, vectors, first: 0 })
        };
        let messages =
            TimedMessage::numbered(messages.all.iter().map(timed_message).collect::<Result<_, Failure>>()?);
        // The spec may name the same routers differently.
        if let Some(twice) = messages.windows(2).find(|pair| {
            (pair[0].from, pair[0].to, pair[0].earliest) == (pair[1].from, pair[1].to, pair[1].earliest)
        }) {
            let [from, to] = [twice[0].from, twice[0].to].map(|node| self.topology.name(node));
            return Err(not_scheduled(declared, ScheduledError::Twice { from, to }));
        }
        match messages.iter().find(|message| message.from == message.to) {
            Some(itself) => Err(not_scheduled(
                declared,
                ScheduledError::Itself { router: self.topology.name(itself.from) },
            )),
            None => Ok(messages),
        }
    }

    /// The bound on an all-to-all by the certificate of the concurrent flow.
    fn bound_by_lengths(&self, scene: &Scene<'_>, collective: Collective) -> Option<CollectiveBound> {
        let is_whole = scene.links().count() == self.topology.links().len();
        let applies = collective == Collective::AllToAll && is_whole;
        applies.then(|| flow_bound_by_lengths(scene, &self.lengths.lengths)).flatten()
    }
}

/// The plans of those collectives that are finished.
fn finished(outcomes: &[Option<CollectiveOutcome>]) -> Vec<&Timed> {
    outcomes.iter().flatten().filter_map(|outcome| outcome.schedule.timed()).collect()
}

/// The indices of all collectives, each after the one that it waits for.
fn in_order(all: &[DeclaredCollective]) -> Vec<usize> {
    let depth = |index: usize| std::iter::successors(Some(index), |&index| all[index].after).count();
    let mut depths: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    (0..all.len()).for_each(|index| depths.entry(depth(index)).or_default().push(index));
    depths.into_values().flatten().collect()
}

/// A plan that the checker has replayed.
struct CheckedPlan {
    /// The cycle in which it ends.
    end: u32,
    /// The place of its algorithm among all algorithms of the collective.
    place: usize,
    /// Vectors on its busiest channel.
    busiest: u64,
    schedule: Schedule,
}

impl CheckedPlan {
    /// The plan as a line of the report, with the time from its start on.
    fn candidate(&self) -> Option<CollectiveCandidate> {
        let timed = self.schedule.timed()?;
        let cycles = u64::from(timed.end - timed.start);
        let total = cycle_time(cycles, timed.clock_hz);
        let volume = cycle_time(self.busiest * u64::from(timed.pace.slot), timed.clock_hz).min(total);
        let time = CollectiveTime { volume, latency: total - volume, overhead: 0 };
        Some(CollectiveCandidate {
            algorithm: self.schedule.algorithm,
            chunks: self.schedule.chunks,
            reduced_from: None,
            steps: cycles,
            volume: Fraction::integer(self.busiest),
            time,
        })
    }
}

/// Plans a collective by every algorithm that may be the fastest. Returns the plans, the fastest one first,
/// and the algorithms that were left out. `bounds` are added to those of every plan.
fn plan_algorithms(
    site: PlanningSite<'_>,
    job: VectorJob<'_>,
    declared: &DeclaredCollective,
    bounds: &[CollectiveBound],
) -> Result<(Vec<CheckedPlan>, Vec<CollectiveAlgorithm>), Failure> {
    let (mut plans, mut left_out) = (Vec::<CheckedPlan>::new(), Vec::new());
    let known = CollectiveAlgorithm::for_slots(declared.collective);
    let wanted = known.iter().copied().filter(|&known| declared.algorithm.is_none_or(|only| only == known));
    // Try the algorithms by their lower bounds: one that certainly takes longer than a plan is not planned.
    let earliest_end =
        |algorithm| job.start.saturating_add(least_cycles(site, job, algorithm, declared.groups.is_some()));
    let mut by_bound: Vec<(u32, usize, CollectiveAlgorithm)> =
        wanted.enumerate().map(|(place, algorithm)| (earliest_end(algorithm), place, algorithm)).collect();
    by_bound.sort_unstable_by_key(|&(end, place, _)| (end, place));
    for &(least_end, place, algorithm) in &by_bound {
        if plans.iter().any(|plan| (plan.end, plan.place) < (least_end, place)) {
            left_out.push((place, algorithm));
            continue;
        }
        let planned = match declared.groups {
            Some(size) => plan_groups(site, job, algorithm, size as usize),
            None => plan(site, job, algorithm),
        };
        match planned {
            Ok(mut schedule) => {
                schedule.bounds.extend(bounds.iter().cloned());
                let Some(timed) = schedule.timed() else { continue };
                let end = timed.end;
                let replayed = fabc_check::verify_vectors(site.scene, &schedule)
                    .map_err(|error| convicted(declared, algorithm, error))?;
                plans.push(CheckedPlan { end, place, busiest: replayed.busiest, schedule });
            }
            Err(ScheduledError::NoGroups { .. } | ScheduledError::TooLarge { .. })
                if declared.algorithm.is_none() && known.len() > 1 =>
            {
                left_out.push((place, algorithm));
            }
            Err(reason) => return Err(not_scheduled(declared, reason)),
        }
    }
    // Of equally fast plans, the first algorithm of the list comes first.
    plans.sort_by_key(|plan| (plan.end, plan.place));
    left_out.sort_unstable_by_key(|(place, _)| *place);
    Ok((plans, left_out.into_iter().map(|(_, algorithm)| algorithm).collect()))
}

/// The error of a collective for which no vectors can be scheduled.
fn not_scheduled(declared: &DeclaredCollective, reason: ScheduledError) -> Failure {
    let (name, span) = (declared.name.clone(), declared.span);
    Failure::spec(CollectivesError::NotScheduled { name, reason, span })
}

/// The error where the checker rejects a plan.
fn convicted(
    declared: &DeclaredCollective,
    algorithm: CollectiveAlgorithm,
    error: fabc_check::CheckError,
) -> Failure {
    let (collective, algorithm, error) = (declared.collective.name(), algorithm.name(), Box::new(error));
    Failure::internal(CollectivesError::Convicted { collective, algorithm, error })
}
