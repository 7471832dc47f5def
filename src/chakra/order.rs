//! The phases of a step: operations that wait for each other in turn, and the order of the phases.

use crate::events::TraceEvent;
use crate::operations::StepOperations;
use fabc_base::diag::Span;
use fabc_model::{JobOperation, JobOperationKind, JobPhase, RankGroups};
use std::collections::{BTreeMap, BTreeSet};

/// `[later][earlier]`: whether an operation waits for another one, directly or not. 64 operations a word.
struct WaitBits {
    words: usize,
    rows: Vec<Vec<u64>>,
}

impl WaitBits {
    fn new(operations: usize, waits: impl Iterator<Item = (usize, usize)>) -> Self {
        let words = operations.div_ceil(64);
        let mut bits = Self { words, rows: vec![vec![0; words]; operations] };
        for (earlier, later) in waits {
            bits.rows[later][earlier / 64] |= 1 << (earlier % 64);
        }
        // Through every operation in the middle (Warshall).
        for middle in 0..operations {
            let through = bits.rows[middle].clone();
            for later in 0..operations {
                if bits.waits(later, middle) {
                    (0..bits.words).for_each(|word| bits.rows[later][word] |= through[word]);
                }
            }
        }
        bits
    }

    fn waits(&self, later: usize, earlier: usize) -> bool {
        self.rows[later][earlier / 64] >> (earlier % 64) & 1 == 1
    }
}

/// Sorts operations into phases. A phase stands behind those that it waits for. Among others, the one whose
/// longest path of dependencies is shorter comes first.
pub(crate) fn phases_in_order(
    operations: StepOperations,
    waits: &BTreeSet<(TraceEvent, TraceEvent)>,
    span: Span,
) -> Vec<JobPhase> {
    let StepOperations { list, of_event } = operations;
    let pair =
        |(earlier, later): &(TraceEvent, TraceEvent)| Some((*of_event.get(earlier)?, *of_event.get(later)?));
    let bits = WaitBits::new(list.len(), waits.iter().filter_map(pair));
    // The first operation of its phase, by operation.
    let together =
        |one: usize, other: usize| one == other || bits.waits(one, other) && bits.waits(other, one);
    let mut phases: Vec<Vec<usize>> = Vec::new();
    for operation in 0..list.len() {
        match phases.iter_mut().find(|phase| together(phase[0], operation)) {
            Some(phase) => phase.push(operation),
            None => phases.push(vec![operation]),
        }
    }
    let follows = |later: &[usize], earlier: &[usize]| {
        later[0] != earlier[0] && bits.waits(later[0], earlier[0]) && !bits.waits(earlier[0], later[0])
    };
    // A phase that waits for another one waits for more phases than that. So the longest path comes after.
    let mut depths: BTreeMap<usize, usize> = BTreeMap::new();
    let mut order: Vec<usize> = (0..phases.len()).collect();
    let count = |phase: usize| phases.iter().filter(|earlier| follows(&phases[phase], earlier)).count();
    order.sort_by_cached_key(|&phase| (count(phase), phase));
    for &phase in &order {
        let before = order.iter().filter(|&&earlier| follows(&phases[phase], &phases[earlier]));
        let depth = before.filter_map(|earlier| depths.get(earlier)).max().map_or(0, |depth| depth + 1);
        depths.insert(phase, depth);
    }
    order.sort_by_key(|phase| (depths[phase], *phase));
    let mut sorted: Vec<JobPhase> = Vec::new();
    for (number, &phase) in order.iter().enumerate() {
        let before: Vec<usize> =
            (0..number).filter(|&earlier| follows(&phases[phase], &phases[order[earlier]])).collect();
        // What a phase before waits for need not be said again.
        let is_direct = |&earlier: &usize| {
            !before.iter().any(|&middle| follows(&phases[order[middle]], &phases[order[earlier]]))
        };
        sorted.push(JobPhase {
            name: format!("phase_{}", number + 1),
            after: before.iter().copied().filter(is_direct).collect(),
            compute_ps: 0,
            overlap_millionths: 0,
            operations: named(joined(phases[phase].iter().map(|&index| list[index].clone()).collect())),
            span,
        });
    }
    sorted
}

/// Joins messages there and back to one operation, and those from the last rank of a chain to the first.
fn joined(mut operations: Vec<JobOperation>) -> Vec<JobOperation> {
    absorb(&mut operations, closes, |_, wrap| *wrap = true);
    absorb(&mut operations, is_back, |both, _| *both = true);
    operations
}

/// Removes every operation that fits another one, which becomes a `send` `both` ways or with `wrap`.
fn absorb(
    operations: &mut Vec<JobOperation>,
    fits: fn(&JobOperation, &JobOperation) -> bool,
    mark: fn(&mut bool, &mut bool),
) {
    let mut first = 0;
    while first < operations.len() {
        let other = operations.iter().position(|other| fits(&operations[first], other));
        if let (Some(other), JobOperationKind::Send { both, wrap }) = (other, &mut operations[first].kind) {
            mark(both, wrap);
            operations.remove(other);
            first = first.saturating_sub(usize::from(other < first));
        }
        first += 1;
    }
}

/// The groups of a `send` that is alike but for its groups. `None` for anything else.
fn alike_lists<'a>(one: &'a JobOperation, other: &'a JobOperation) -> Option<[&'a [Vec<u32>]; 2]> {
    let (RankGroups::Listed(lists), RankGroups::Listed(others)) = (&one.groups, &other.groups) else {
        return None;
    };
    let is_alike = (one.bytes, one.times) == (other.bytes, other.times) && lists.len() == others.len();
    is_alike.then_some([lists, others])
}

const ONE_WAY: JobOperationKind = JobOperationKind::Send { both: false, wrap: false };

/// Whether pairs lead from the last rank of every chain back to its first one.
fn closes(chain: &JobOperation, pairs: &JobOperation) -> bool {
    if chain.kind != ONE_WAY || pairs.kind != ONE_WAY {
        return false;
    }
    let Some([chains, pairs]) = alike_lists(chain, pairs) else { return false };
    let mut wanted: Vec<Vec<u32>> = chains.iter().map(|list| vec![list[list.len() - 1], list[0]]).collect();
    wanted.sort();
    let mut pairs = pairs.to_vec();
    pairs.sort();
    chains.iter().all(|list| list.len() > 2) && wanted == pairs
}

/// Whether chains are those of another `send` the other way round.
fn is_back(there: &JobOperation, back: &JobOperation) -> bool {
    let JobOperationKind::Send { both: false, wrap } = there.kind else { return false };
    if back.kind != there.kind {
        return false;
    }
    let Some([chains, others]) = alike_lists(there, back) else { return false };
    // A ring may start anywhere.
    let from_least = |mut list: Vec<u32>| {
        let least = list.iter().enumerate().min_by_key(|(_, rank)| **rank).map_or(0, |(place, _)| place);
        list.rotate_left(if wrap { least } else { 0 });
        list
    };
    let turned = |list: &Vec<u32>| from_least(list.iter().rev().copied().collect());
    let mut chains: Vec<Vec<u32>> = chains.iter().map(turned).collect();
    let mut others: Vec<Vec<u32>> = others.iter().cloned().map(from_least).collect();
    chains.sort();
    others.sort();
    chains == others
}

/// The operations with names: their kinds, with numbers where a kind comes more than once.
fn named(mut operations: Vec<JobOperation>) -> Vec<JobOperation> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    operations.iter().for_each(|operation| *counts.entry(operation.kind.name()).or_default() += 1);
    let mut numbers: BTreeMap<&'static str, usize> = BTreeMap::new();
    for operation in &mut operations {
        let word = operation.kind.name();
        let number = numbers.entry(word).or_default();
        *number += 1;
        operation.name = if counts[word] > 1 { format!("{word}_{number}") } else { word.to_owned() };
    }
    operations
}
