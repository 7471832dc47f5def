//! Plans the collectives of a fabric whose vectors are scheduled. Each collective takes the fastest of its
//! algorithms. Its vectors use a channel only when the earlier plans leave it free.

use super::CollectivesError;
use super::declared::named;
use crate::compile::context::Context;
use fabc_base::diag::Failure;
use fabc_base::ids::NodeId;
use fabc_base::progress::Progress;
use fabc_ir::{
    CollectiveBound, CollectiveCandidate, CollectiveOutcome, CollectiveResult, CollectiveRow, CollectiveTime,
    Scene, Schedule, Timed, TimedMessage, cycle_time, schedulable_scene,
};
use fabc_model::{
    Collective, CollectiveAlgorithm, DeclaredCollective, DeclaredMessage, DeclaredMessages, SlotPace,
};
use fabc_passes::collective::over_lengths;
use fabc_passes::scheduled::{
    Job, Messages, ScheduledError, Site, bound_cycles, farthest, least_cycles, plan, plan_groups,
};
use std::collections::BTreeMap;

impl Context<'_> {
    /// Plans every collective of the spec, each after the one that it waits for. The checker then replays
    /// every plan, and checks that the plans do not collide with each other.
    pub(in crate::compile) fn scheduled(
        &self,
        pace: SlotPace,
        progress: &dyn Progress,
    ) -> Result<Vec<CollectiveResult>, Failure> {
        let scene = schedulable_scene(&self.fabric.plant, self.topology);
        if let Some(blocks) = self.fabric.failover() {
            fabc_check::replaced(self.topology, blocks).map_err(Failure::internal)?;
        }
        let all = &self.fabric.collectives;
        let mut found: Vec<Option<CollectiveOutcome>> = vec![None; all.len()];
        progress.begin("schedules", all.len() as u64);
        for at in in_order(all) {
            let declared = &all[at];
            // Where a hop is shorter than a slot, the last vectors still leave when they have begun to come.
            let start = declared
                .after
                .and_then(|before| Some(found[before].as_ref()?.schedule.timed()?.free()))
                .unwrap_or(0);
            let before = timed(&found);
            let site = Site { scene: &scene, pace, clock_hz: self.fabric.clock_hz, before: &before };
            let outcome = self.scheduled_one(site, declared, start)?;
            found[at] = Some(outcome);
            progress.advance();
        }
        progress.end();
        fabc_check::vectors_together(&scene, &timed(&found)).map_err(Failure::internal)?;
        let result = |outcome| CollectiveResult { scenarios: vec![outcome], ..CollectiveResult::default() };
        Ok(found.into_iter().flatten().map(result).collect())
    }

    fn scheduled_one(
        &self,
        site: Site<'_>,
        declared: &DeclaredCollective,
        start: u32,
    ) -> Result<CollectiveOutcome, Failure> {
        let DeclaredCollective { collective, size, .. } = *declared;
        let everybody = site.scene.endpoints().count() as u64;
        let chips = declared.groups.map_or(everybody, u64::from);
        let all = declared
            .messages
            .as_ref()
            .map(|messages| self.messages(messages, declared, site.pace))
            .transpose()?;
        let vectors = all.as_ref().map_or_else(
            || collective.vectors(size, chips, site.pace.vector_bytes),
            |all| all.iter().map(|message| u64::from(message.vectors)).sum(),
        );
        let messages =
            all.as_deref().zip(declared.messages.as_ref()).map(|(all, of)| Messages { all, ways: of.ways });
        let root = declared.root.as_deref().map(|root| named(root, self.topology, declared)).transpose()?;
        let block = self.fabric.blocks().0 as usize;
        let job =
            Job { collective, vectors, messages, members: None, root, seed: declared.seed, start, block };
        let failed = |reason: ScheduledError| {
            let (name, span) = (declared.name.clone(), declared.span);
            Failure::spec(CollectivesError::NotScheduled { name, reason, span })
        };
        let mut left_out = Vec::new();
        // Each with the cycle in which it ends, the place of its algorithm, vectors on its busiest channel.
        let mut plans: Vec<(u32, usize, u64, Schedule)> = Vec::new();
        let known = CollectiveAlgorithm::scheduled(collective);
        let further: Vec<CollectiveBound> = match declared.groups {
            Some(_) => Vec::new(),
            None => {
                let by_lengths = self.by_lengths(site.scene, collective);
                by_lengths
                    .into_iter()
                    .chain(farthest(site.scene, collective, root, vectors, site.pace))
                    .collect()
            }
        };
        // First what may take least: what takes longer for sure than a plan that there is, is not planned.
        let wanted =
            known.iter().copied().filter(|&known| declared.algorithm.is_none_or(|only| only == known));
        let mut by_least: Vec<(u32, usize, CollectiveAlgorithm)> = wanted
            .enumerate()
            .map(|(place, algorithm)| {
                (
                    start.saturating_add(least_cycles(site, job, algorithm, declared.groups.is_some())),
                    place,
                    algorithm,
                )
            })
            .collect();
        by_least.sort_unstable_by_key(|&(least, place, _)| (least, place));
        for &(least, place, algorithm) in &by_least {
            if plans.iter().any(|(end, before, ..)| (*end, *before) < (least, place)) {
                left_out.push((place, algorithm));
                continue;
            }
            let found = match declared.groups {
                Some(size) => plan_groups(site, job, algorithm, size as usize),
                None => plan(site, job, algorithm),
            };
            match found {
                Ok(mut schedule) => {
                    schedule.bounds.extend(further.iter().cloned());
                    let Some(timed) = schedule.timed() else { continue };
                    let end = timed.end;
                    let replayed = fabc_check::vectors(site.scene, &schedule)
                        .map_err(|error| convicted(declared, algorithm, error))?;
                    plans.push((end, place, replayed.busiest, schedule));
                }
                Err(ScheduledError::NoGroups { .. } | ScheduledError::TooLarge { .. })
                    if declared.algorithm.is_none() && known.len() > 1 =>
                {
                    left_out.push((place, algorithm));
                }
                Err(reason) => return Err(failed(reason)),
            }
        }
        // Of equally fast ones the first of the list.
        plans.sort_by_key(|(end, place, ..)| (*end, *place));
        left_out.sort_unstable_by_key(|(place, _)| *place);
        let left_out = left_out.into_iter().map(|(_, algorithm)| algorithm).collect();
        let candidate = |(.., busiest, schedule): &(u32, usize, u64, Schedule)| {
            Some(candidate(schedule, schedule.timed()?, *busiest))
        };
        let candidates: Vec<CollectiveCandidate> = plans.iter().filter_map(candidate).collect();
        let Some((.., schedule)) = plans.into_iter().next() else {
            return Err(failed(ScheduledError::TooFew { chips: chips as usize }));
        };
        let mut best: Option<(u64, &CollectiveBound)> = None;
        for bound in &schedule.bounds {
            let cycles = bound_cycles(bound, collective, vectors, chips, site.pace).map_err(failed)?;
            if best.is_none_or(|(most, _)| cycles > most) {
                best = Some((cycles, bound));
            }
        }
        let (bound, witness) =
            best.ok_or_else(|| failed(ScheduledError::TooFew { chips: chips as usize }))?;
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
        };
        Ok(CollectiveOutcome::new(row, schedule))
    }

    /// The messages of a collective, in vectors.
    fn messages(
        &self,
        messages: &DeclaredMessages,
        declared: &DeclaredCollective,
        pace: SlotPace,
    ) -> Result<Vec<TimedMessage>, Failure> {
        let one = |message: &DeclaredMessage| {
            let (from, to) = (
                named(&message.from, self.topology, declared)?,
                named(&message.to, self.topology, declared)?,
            );
            let vectors =
                message.bytes.div_ceil(u64::from(pace.vector_bytes)).min(u64::from(u32::MAX)) as u32;
            Ok(TimedMessage { from, to, earliest: message.earliest, vectors, first: 0 })
        };
        let all = TimedMessage::numbered(messages.all.iter().map(one).collect::<Result<_, Failure>>()?);
        let wrong = |reason| {
            Failure::spec(CollectivesError::NotScheduled {
                name: declared.name.clone(),
                reason,
                span: declared.span,
            })
        };
        // By other names for the same routers.
        if let Some(twice) = all.windows(2).find(|pair| {
            (pair[0].from, pair[0].to, pair[0].earliest) == (pair[1].from, pair[1].to, pair[1].earliest)
        }) {
            let [from, to] = [twice[0].from, twice[0].to].map(|node| self.topology.name(node));
            return Err(wrong(ScheduledError::Twice { from, to }));
        }
        match all.iter().find(|message| message.from == message.to) {
            Some(itself) => Err(wrong(ScheduledError::Itself { router: self.topology.name(itself.from) })),
            None => Ok(all),
        }
    }

    /// What the certificate of the concurrent flow says of an all-to-all.
    fn by_lengths(&self, scene: &Scene<'_>, collective: Collective) -> Option<CollectiveBound> {
        let whole = scene.links().count() == self.topology.links().len();
        let asked = collective == Collective::AllToAll && whole;
        asked.then(|| over_lengths(scene, &self.lengths.lengths)).flatten()
    }
}

/// The plans that there are.
fn timed(found: &[Option<CollectiveOutcome>]) -> Vec<&Timed> {
    found.iter().flatten().filter_map(|outcome| outcome.schedule.timed()).collect()
}

/// All collectives, each after the one that it waits for.
fn in_order(all: &[DeclaredCollective]) -> Vec<usize> {
    let depth = |at: usize| std::iter::successors(Some(at), |&at| all[at].after).count();
    let mut depths: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    (0..all.len()).for_each(|at| depths.entry(depth(at)).or_default().push(at));
    depths.into_values().flatten().collect()
}

/// What a plan takes from its start on.
fn candidate(schedule: &Schedule, timed: &Timed, busiest: u64) -> CollectiveCandidate {
    let cycles = u64::from(timed.end - timed.start);
    let total = cycle_time(cycles, timed.clock_hz);
    let volume = cycle_time(busiest * u64::from(timed.pace.slot), timed.clock_hz).min(total);
    let time = CollectiveTime { volume, latency: total - volume, overhead: 0 };
    let (algorithm, chunks) = (schedule.algorithm, schedule.chunks);
    CollectiveCandidate { algorithm, chunks, reduced_from: None, steps: cycles, volume: busiest, time }
}

fn convicted(
    declared: &DeclaredCollective,
    algorithm: CollectiveAlgorithm,
    error: fabc_check::CheckError,
) -> Failure {
    let (collective, algorithm, error) = (declared.collective.name(), algorithm.name(), Box::new(error));
    Failure::internal(CollectivesError::Convicted { collective, algorithm, error })
}
