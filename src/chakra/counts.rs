//! What all ranks of a step count together.

use crate::communicators::{Communicators, GroupRanks};
use crate::errors::TraceError;
use crate::events::{RankGround, RankStep, TraceEvent, read_rank};
use fabc_base::limits::CHAKRA_RANKS;
use std::collections::{BTreeMap, BTreeSet};

/// The traces of ranks, as bytes.
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

/// Everything that the ranks count.
#[derive(Default)]
pub(crate) struct StepCounts {
    /// `[event][rank]`: how often the rank takes part.
    pub(crate) counts: BTreeMap<TraceEvent, BTreeMap<u32, u64>>,
    /// Pairs of events: the first one is over before the second one starts on some rank.
    pub(crate) waits: BTreeSet<(TraceEvent, TraceEvent)>,
    /// Microseconds that the rank with the most compute computes.
    pub(crate) compute_micros: u128,
    nodes: u64,
}

impl StepCounts {
    pub(crate) fn add(&mut self, rank: u32, step: RankStep) {
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
    pub(crate) fn add_others<'a>(
        &mut self,
        traces: &dyn RankTraces,
        wanted: Option<u32>,
        ground: &dyn Fn(u32, u64) -> RankGround<'a>,
    ) -> Result<u32, TraceError> {
        let mut rank = 1;
        loop {
            let bytes = match traces.read(rank) {
                Ok(bytes) => bytes,
                Err(reason)
                    if wanted.is_some_and(|wanted| rank < wanted) || traces.read(rank + 1).is_ok() =>
                {
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
    pub(crate) fn stand_for_all(
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
                let members = event.ranks(ranks);
                self.counts.insert(event, members.into_iter().map(|rank| (rank, *count)).collect());
            }
        }
        let event = |index: u32| step.events[index as usize].0.clone();
        self.waits.extend(step.waits.iter().map(|&(earlier, later)| (event(earlier), event(later))));
        self.compute_micros = step.compute_micros;
        Ok(ranks)
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
