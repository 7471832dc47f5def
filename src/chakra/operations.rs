//! Operations of a step: events that are alike, in groups that share no rank.

use crate::counts::StepCounts;
use crate::errors::TraceError;
use crate::events::TraceEvent;

use fabc_base::diag::Span;
use fabc_base::limits::{CHAKRA_CLASSES, COLLECTIVE_BYTES, JOB_BYTES};
use fabc_model::{Collective, EVEN_SKEW, JobOperation, JobOperationKind, RankGroups};
use std::collections::{BTreeMap, BTreeSet};

/// The operations of a step.
pub(crate) struct StepOperations {
    /// All operations. Their names are not final.
    pub(crate) list: Vec<JobOperation>,
    /// The operations of every event. A message belongs to one as well.
    pub(crate) of_event: BTreeMap<TraceEvent, usize>,
}

/// Collectives that may be one operation: their kind, bytes, count, and how far apart their ranks lie.
type CollectiveKey = (Collective, u128, u64, Vec<u32>);

/// Messages that may be one operation: their bytes, their count, how many ranks ahead they go, and whether
/// they go back instead.
type MessageKey = (u64, u64, u32, bool);

/// A class of events in groups that share no rank.
struct EventClass {
    members: BTreeSet<u32>,
    groups: Vec<Vec<u32>>,
    events: Vec<TraceEvent>,
}

impl StepOperations {
    /// Makes the operations.
    ///
    /// # Errors
    /// Refuses ranks that do not count alike, too many classes, and too many bytes.
    pub(crate) fn new(counts: &StepCounts, ranks: u32, span: Span) -> Result<Self, TraceError> {
        let mut collectives: BTreeMap<CollectiveKey, Vec<EventClass>> = BTreeMap::new();
        let mut messages: BTreeMap<MessageKey, Vec<(u32, u32, TraceEvent)>> = BTreeMap::new();
        for (event, by_rank) in &counts.counts {
            let members = event.ranks(ranks);
            let count = common_count(event, &members, by_rank)?;
            match event {
                TraceEvent::Collective { collective, size, .. } if members.len() > 1 => {
                    // Only an all-gather counts the part of one rank.
                    let parts = if *collective == Collective::AllGather { members.len() } else { 1 };
                    let bytes = u128::from(*size) * parts as u128;
                    check_amount(event, bytes, count)?;
                    let apart = members.iter().map(|rank| rank - members[0]).collect();
                    add_group(
                        collectives.entry((*collective, bytes, count, apart)).or_default(),
                        members,
                        event,
                    );
                }
                TraceEvent::Collective { .. } => {}
                TraceEvent::Message { size, from, to } => {
                    check_amount(event, (*size).into(), count)?;
                    messages.entry((*size, count, to.abs_diff(*from), to < from)).or_default().push((
                        *from,
                        *to,
                        event.clone(),
                    ));
                }
            }
        }
        let mut all = Self { list: Vec::new(), of_event: BTreeMap::new() };
        for ((collective, bytes, count), classes) in joined_classes(collectives) {
            for class in classes {
                let kind = JobOperationKind::Collective(collective);
                all.push(kind, class.groups, bytes as u64, count, &class.events, span);
            }
        }
        for ((bytes, count, ..), messages) in messages {
            for (size, chains) in chains_by_length(&messages) {
                debug_assert!(size > 1);
                let events: Vec<TraceEvent> = chains.iter().flat_map(|chain| chain.events.clone()).collect();
                let groups = chains.into_iter().map(|chain| chain.ranks).collect();
                let kind = JobOperationKind::Send { both: false, wrap: false };
                all.push(kind, groups, bytes, count, &events, span);
            }
        }
        match all.list.len() {
            0 => Err(TraceError::Silent),
            classes if classes > CHAKRA_CLASSES => Err(TraceError::TooManyClasses { classes }),
            _ => Ok(all),
        }
    }

    fn push(
        &mut self,
        kind: JobOperationKind,
        groups: Vec<Vec<u32>>,
        bytes: u64,
        times: u64,
        events: &[TraceEvent],
        span: Span,
    ) {
        self.of_event.extend(events.iter().map(|event| (event.clone(), self.list.len())));
        let groups = RankGroups::Listed(groups);
        let name = String::new();
        let (skew_millionths, algorithm) = (EVEN_SKEW, None);
        self.list.push(JobOperation { name, kind, groups, bytes, times, skew_millionths, algorithm, span });
    }
}

/// What an event is called in errors.
fn subject(event: &TraceEvent) -> String {
    match event {
        TraceEvent::Collective { collective, size, group } => {
            let group = match group.as_deref() {
                None => "all ranks".to_owned(),
                Some([first, .., last]) => format!("the group from rank {first} to {last}"),
                Some(_) => "a group".to_owned(),
            };
            format!("{} of {size} B in {group}", collective.name())
        }
        TraceEvent::Message { size, from, to } => format!("the message of {size} B from rank {from} to {to}"),
    }
}

/// How often every rank takes part in an event.
fn common_count(
    event: &TraceEvent,
    members: &[u32],
    by_rank: &BTreeMap<u32, u64>,
) -> Result<u64, TraceError> {
    let count = |rank: u32| by_rank.get(&rank).copied().unwrap_or(0);
    let first = members[0];
    match members.iter().find(|&&rank| count(rank) != count(first)) {
        None => Ok(count(first)),
        Some(&second) => Err(TraceError::Counts {
            subject: subject(event),
            first,
            first_count: count(first),
            second,
            second_count: count(second),
        }),
    }
}

fn check_amount(event: &TraceEvent, bytes: u128, times: u64) -> Result<(), TraceError> {
    let fits = bytes <= u128::from(COLLECTIVE_BYTES) && bytes * u128::from(times) <= u128::from(JOB_BYTES);
    if fits { Ok(()) } else { Err(TraceError::TooMuch { subject: subject(event), bytes, times }) }
}

/// Adds a group to the first class with which it shares no rank.
fn add_group(classes: &mut Vec<EventClass>, group: Vec<u32>, event: &TraceEvent) {
    let free = classes.iter().position(|class| group.iter().all(|rank| !class.members.contains(rank)));
    let index = free.unwrap_or(classes.len());
    if free.is_none() {
        classes.push(EventClass { members: BTreeSet::new(), groups: Vec::new(), events: Vec::new() });
    }
    classes[index].members.extend(&group);
    classes[index].groups.push(group);
    classes[index].events.push(event.clone());
}

/// Joins classes that differ only by how far apart the ranks of their groups lie, where they share no rank.
fn joined_classes(
    collectives: BTreeMap<CollectiveKey, Vec<EventClass>>,
) -> BTreeMap<(Collective, u128, u64), Vec<EventClass>> {
    let mut joined: BTreeMap<(Collective, u128, u64), Vec<EventClass>> = BTreeMap::new();
    for ((collective, bytes, count, _), classes) in collectives {
        let known = joined.entry((collective, bytes, count)).or_default();
        for class in classes {
            let fits = |other: &&mut EventClass| {
                other.groups[0].len() == class.groups[0].len() && other.members.is_disjoint(&class.members)
            };
            match known.iter_mut().find(fits) {
                Some(other) => {
                    other.members.extend(&class.members);
                    other.groups.extend(class.groups);
                    other.events.extend(class.events);
                }
                None => known.push(class),
            }
        }
    }
    for class in joined.values_mut().flatten() {
        class.groups.sort();
    }
    joined
}

/// Ranks each of which sends to the next one.
struct MessageChain {
    ranks: Vec<u32>,
    events: Vec<TraceEvent>,
}

/// Joins messages that all go as many ranks ahead to chains. `[length]`: the chains of so many ranks.
fn chains_by_length(messages: &[(u32, u32, TraceEvent)]) -> BTreeMap<usize, Vec<MessageChain>> {
    let next: BTreeMap<u32, (u32, &TraceEvent)> =
        messages.iter().map(|(from, to, event)| (*from, (*to, event))).collect();
    let targets: BTreeSet<u32> = messages.iter().map(|(_, to, _)| *to).collect();
    let mut chains: BTreeMap<usize, Vec<MessageChain>> = BTreeMap::new();
    // All messages go ahead by as many ranks, so that every chain has a start.
    for &start in next.keys().filter(|start| !targets.contains(start)) {
        let mut chain = MessageChain { ranks: vec![start], events: Vec::new() };
        let mut at = start;
        while let Some(&(to, event)) = next.get(&at) {
            chain.ranks.push(to);
            chain.events.push(event.clone());
            at = to;
        }
        chains.entry(chain.ranks.len()).or_default().push(chain);
    }
    chains
}
