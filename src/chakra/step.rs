//! A step from the traces of its ranks.

use crate::communicators::{Communicators, GroupRanks};
use crate::errors::TraceError;
use crate::events::{RankGround, RankStep, TraceEvent, read_rank};
use crate::operations::{StepOperations, all_ranks};
use crate::order::phases_in_order;
use fabc_base::diag::Span;
use fabc_base::limits::{CHAKRA_RANKS, JOB_COMPUTE_PS};
use fabc_model::JobPhase;
use std::collections::{BTreeMap, BTreeSet};

/// Picoseconds of a microsecond.
const PS_OF_A_MICRO: u128 = 1_000_000;

/// The traces of ranks.
pub trait RankTraces {
    /// The bytes of the trace of a rank.
    ///
    /// # Errors
    /// The reason why there is none.
    fn read(&self, rank: u32) -> Result<Vec<u8>, String>;
}

impl<F: Fn(u32) -> Result<Vec<u8>, String>> RankTraces for F {
    fn read(&self, rank: u32) -> Result<Vec<u8>, String> {
        self(rank)
    }
}

/// A step of a job that was traced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TracedStep {
    /// The number of ranks.
    pub ranks: u32,
    /// Picoseconds that the rank with the most compute computes.
    pub compute_ps: u64,
    /// The phases in an order in which none waits for a later one. The groups of all operations are listed.
    pub phases: Vec<JobPhase>,
}

/// Everything that the ranks count.
#[derive(Default)]
pub(crate) struct StepCounts {
    /// `[event][rank]`: how often the rank takes part.
    pub(crate) counts: BTreeMap<TraceEvent, BTreeMap<u32, u64>>,
    /// Pairs of events: the first one is over before the second one starts on some rank.
    pub(crate) waits: BTreeSet<(TraceEvent, TraceEvent)>,
    compute_micros: u128,
    nodes: u64,
}

/// Reads the traces of all ranks from 0 on, until there are no more. `groups` is the text of the file of
/// communicator groups, and `chips` the number of chips of the fabric, where it is known. The trace of rank 0
/// alone stands for all ranks, if groups say who they are. Places of the phases are `span`.
///
/// # Errors
/// The first thing that is wrong.
pub fn read_step(
    traces: &dyn RankTraces,
    groups: Option<&str>,
    chips: Option<u64>,
    span: Span,
) -> Result<TracedStep, TraceError> {
    let listed = groups.map(Communicators::from_file).transpose()?;
    let first = traces.read(0).map_err(|reason| TraceError::Missing { rank: 0, reason })?;
    let is_second_missing = traces.read(1).is_err();
    let wanted = wanted_ranks(listed.as_ref(), chips)?;
    let is_alone = is_second_missing && wanted.is_some_and(|wanted| wanted > 1);
    let ground = |rank, nodes_before| RankGround {
        rank,
        ranks: wanted.filter(|_| is_alone),
        listed: listed.as_ref(),
        is_alone,
        nodes_before,
    };
    let mut counts = StepCounts::default();
    let (step, own) = read_rank(&first, &ground(0, 0))?;
    drop(first);
    let communicators = listed.as_ref().unwrap_or(&own);
    let ranks = match is_alone || wanted.is_none() && is_second_missing {
        true => counts.stand_for_all(step, communicators, wanted)?,
        false => {
            counts.add(0, step);
            counts.add_others(traces, wanted, &ground)?
        }
    };
    communicators.check(ranks)?;
    counts.finish(ranks, span)
}

/// The number of ranks that the fabric or the groups ask for.
fn wanted_ranks(listed: Option<&Communicators>, chips: Option<u64>) -> Result<Option<u32>, TraceError> {
    let by_groups = listed.and_then(Communicators::last_rank).map(|last| u64::from(last) + 1);
    let Some(wanted) = chips.or(by_groups) else { return Ok(None) };
    match u32::try_from(wanted).ok().filter(|wanted| *wanted <= CHAKRA_RANKS) {
        Some(wanted) => Ok(Some(wanted)),
        None => Err(TraceError::TooManyRanks { ranks: wanted }),
    }
}

impl StepCounts {
    fn add(&mut self, rank: u32, step: RankStep) {
        let RankStep { events, waits, compute_micros, nodes } = step;
        for (event, count) in &events {
            *self.counts.entry(event.clone()).or_default().entry(rank).or_default() += count;
        }
        let event = |index: u32| events[index as usize].0.clone();
        self.waits.extend(waits.into_iter().map(|(earlier, later)| (event(earlier), event(later))));
        self.compute_micros = self.compute_micros.max(compute_micros);
        self.nodes += nodes;
    }

    /// Adds the ranks from 1 on. Returns the number of ranks.
    fn add_others<'a>(
        &mut self,
        traces: &dyn RankTraces,
        wanted: Option<u32>,
        ground: &dyn Fn(u32, u64) -> RankGround<'a>,
    ) -> Result<u32, TraceError> {
        let mut rank = 1;
        loop {
            let bytes = match traces.read(rank) {
                Ok(bytes) => bytes,
                Err(reason) if wanted.is_some_and(|wanted| rank < wanted) => {
                    return Err(TraceError::Missing { rank, reason });
                }
                Err(_) => return Ok(rank),
            };
            if rank >= CHAKRA_RANKS {
                return Err(TraceError::TooManyRanks { ranks: u64::from(rank) + 1 });
            }
            let (step, _) = read_rank(&bytes, &ground(rank, self.nodes))?;
            self.add(rank, step);
            rank += 1;
        }
    }

    /// Adds rank 0, and for every group of it all listed groups that are like it: their ranks lie as far
    /// apart. Returns the number of ranks.
    fn stand_for_all(
        &mut self,
        step: RankStep,
        communicators: &Communicators,
        wanted: Option<u32>,
    ) -> Result<u32, TraceError> {
        let ranks = wanted.or(communicators.last_rank().map(|last| last + 1)).unwrap_or(1);
        if ranks > CHAKRA_RANKS {
            return Err(TraceError::TooManyRanks { ranks: ranks.into() });
        }
        if communicators.is_empty() {
            return Err(TraceError::OneRankWithoutGroups { ranks: ranks.into() });
        }
        for (event, count) in &step.events {
            let TraceEvent::Collective { collective, size, group } = event else { continue };
            for alike in alike_groups(group, communicators)? {
                let event = TraceEvent::Collective { collective: *collective, size: *size, group: alike };
                let members = all_ranks(&event, ranks);
                self.counts.insert(event, members.into_iter().map(|rank| (rank, *count)).collect());
            }
        }
        let event = |index: u32| step.events[index as usize].0.clone();
        self.waits.extend(step.waits.iter().map(|&(earlier, later)| (event(earlier), event(later))));
        self.compute_micros = step.compute_micros;
        Ok(ranks)
    }

    fn finish(self, ranks: u32, span: Span) -> Result<TracedStep, TraceError> {
        let micros = self.compute_micros;
        let compute = u64::try_from(micros * PS_OF_A_MICRO).ok().filter(|time| *time <= JOB_COMPUTE_PS);
        let compute_ps = compute.ok_or(TraceError::TooLong { rank: 0, micros })?;
        let operations = StepOperations::new(&self, ranks, span)?;
        let phases = phases_in_order(operations, &self.waits, span);
        Ok(TracedStep { ranks, compute_ps, phases })
    }
}

/// The listed groups whose ranks lie as far apart as those of a group of rank 0.
fn alike_groups(group: &GroupRanks, communicators: &Communicators) -> Result<Vec<GroupRanks>, TraceError> {
    let Some(own) = group else { return Ok(vec![None]) };
    let is_alike = |ranks: &[u32]| {
        ranks.len() == own.len()
            && ranks.iter().zip(own).all(|(rank, other)| rank - ranks[0] == other - own[0])
    };
    let mut group_of: BTreeMap<u32, &str> = BTreeMap::new();
    let mut alike: Vec<GroupRanks> = Vec::new();
    for (name, ranks) in communicators.lists().filter(|(_, ranks)| is_alike(ranks)) {
        if alike.iter().flatten().any(|known| known == ranks) {
            continue;
        }
        for &rank in ranks {
            if let Some(first) = group_of.insert(rank, name) {
                return Err(TraceError::OneRankOverlap { first: first.to_owned(), second: name.to_owned() });
            }
        }
        alike.push(Some(ranks.to_vec()));
    }
    Ok(alike)
}
