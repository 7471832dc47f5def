//! Searches over all orders, for pods that one switch at a time would cut.
//!
//! Best first: the fewest steps after which the pod is disconnected, then the most changes made. Exchange
//! arguments keep the tree small. While the pod is connected, an add whose ports are free can only help. So
//! can a remove between cubes that lit permanent cross-connects join. Both are made at once. While the pod is
//! disconnected, an add that connects it is made at once. Other adds matter only if they join two parts, and
//! removes only if an add waits for them. The remaining branches are removes that may cut, and those that do.

use super::changes::{ChangeSet, CubeParts, PodChanges, bridges};
use fabc_base::ids::OcsId;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Limit on states of the exact search, and on states times changes.
const STATES_LIMIT: usize = 20_000;
const WORK_LIMIT: usize = 50_000_000;

/// A state of the search, and the steps to it.
struct SearchState {
    previous: usize,
    steps: Vec<usize>,
    state: ChangeSet,
    cost: u32,
}

/// A branch to examine. Smaller values come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Branch {
    order: [u32; 2],
    /// Whether the branch leaves the switch of the last step.
    leaves_switch: bool,
    waits: usize,
    branch_number: usize,
    previous: usize,
    change: Option<usize>,
}

/// An order of all changes, and whether it is proved to be the best.
pub(super) fn order(changes: &PodChanges) -> (Vec<usize>, bool) {
    let states = STATES_LIMIT.min(WORK_LIMIT / changes.edges.len().max(1));
    match best_first(changes, Some(states)) {
        Some(order) => (order, true),
        // Depth first: the deepest state, and there the cheapest step.
        None => (best_first(changes, None).expect("going down ends"), false),
    }
}

/// The best order. With `states` the search goes by cost, and returns `None` when they are used up. Without,
/// it goes by depth.
fn best_first(changes: &PodChanges, states: Option<usize>) -> Option<Vec<usize>> {
    let exact = states.is_some();
    let mut reached_states: Vec<SearchState> =
        vec![SearchState { previous: 0, steps: Vec::new(), state: changes.start(), cost: 0 }];
    let mut seen: BTreeSet<ChangeSet> = BTreeSet::new();
    let mut queue = BinaryHeap::from([Reverse(Branch {
        order: [0, 0],
        leaves_switch: false,
        waits: 0,
        branch_number: 0,
        previous: 0,
        change: None,
    })]);
    let mut branch_number = 0;
    while let Some(Reverse(next)) = queue.pop() {
        if states.is_some_and(|states| reached_states.len() > states) {
            return None;
        }
        let previous = &reached_states[next.previous];
        let mut reached = SearchState {
            previous: next.previous,
            steps: Vec::new(),
            state: previous.state.clone(),
            cost: previous.cost,
        };
        if let Some(change) = next.change {
            make_change(changes, &mut reached, change);
        }
        make_helpful_changes(changes, &mut reached);
        if !seen.insert(reached.state.clone()) {
            continue;
        }
        let (state, cost) = (reached.state.clone(), reached.cost);
        let ocs = reached.steps.last().map(|&change| changes.edges[change].ocs);
        reached_states.push(reached);
        let state_number = reached_states.len() - 1;
        if state.count_ones(..) == changes.edges.len() {
            return Some(steps_to_state(&reached_states, state_number));
        }
        let remaining = (changes.edges.len() - state.count_ones(..)) as u32;
        for (change, cuts) in branches(changes, &state) {
            branch_number += 1;
            let cost = cost + u32::from(cuts);
            queue.push(Reverse(Branch {
                order: if exact { [cost, remaining] } else { [remaining, cost] },
                leaves_switch: ocs.is_some_and(|ocs| ocs != changes.edges[change].ocs),
                waits: if changes.removes().contains(&change) {
                    changes.removes_before_add(&state, change)
                } else {
                    0
                },
                branch_number,
                previous: state_number,
                change: Some(change),
            }));
        }
    }
    None
}

/// Makes a change, and counts a step if the pod is then disconnected.
fn make_change(changes: &PodChanges, reached: &mut SearchState, change: usize) {
    reached.state.insert(change);
    reached.steps.push(change);
    reached.cost += u32::from(changes.parts(&reached.state).count > 1);
}

/// Makes all changes that can only help.
fn make_helpful_changes(changes: &PodChanges, reached: &mut SearchState) {
    loop {
        let parts = changes.parts(&reached.state);
        let permanent = changes.permanent_parts(&reached.state);
        if permanent.count == 1 {
            return make_remaining_changes(changes, reached);
        }
        let can_only_help = |change: usize| {
            if changes.removes().contains(&change) {
                return !reached.state.contains(change)
                    && parts.count == 1
                    && permanent.joined(changes.edges[change].cubes);
            }
            let two_parts = parts.count == 2 && !parts.joined(changes.edges[change].cubes);
            changes.is_open(&reached.state, change) && (parts.count == 1 || two_parts)
        };
        let ocs: Option<OcsId> = reached.steps.last().map(|&change| changes.edges[change].ocs);
        let candidates = changes.adds().chain(changes.removes()).filter(|&change| can_only_help(change));
        let best = candidates.min_by_key(|&change| {
            let edge = &changes.edges[change];
            let waits = if changes.removes().contains(&change) {
                changes.removes_before_add(&reached.state, change)
            } else {
                0
            };
            (
                ocs.is_some_and(|ocs| ocs != edge.ocs),
                changes.removes().contains(&change),
                edge.ocs,
                waits,
                change,
            )
        });
        match best {
            Some(change) => make_change(changes, reached, change),
            None => return,
        }
    }
}

/// Makes all remaining changes, one switch after the other. The pod cannot be cut any more.
fn make_remaining_changes(changes: &PodChanges, reached: &mut SearchState) {
    let mut switches = changes.switches();
    // The switch of the last step goes first.
    let ocs = reached.steps.last().map(|&change| changes.edges[change].ocs);
    switches.sort_by_key(|&other| (ocs != Some(other), other));
    for ocs in switches {
        while let Some(change) = changes.next_on(&reached.state, ocs) {
            reached.state.insert(change);
            reached.steps.push(change);
        }
    }
}

/// The changes worth trying in a settled state, and whether the pod is disconnected after each.
fn branches(changes: &PodChanges, state: &ChangeSet) -> Vec<(usize, bool)> {
    let parts: CubeParts = changes.parts(state);
    let removes = || changes.removes().filter(|&remove| !state.contains(remove));
    if parts.count == 1 {
        let bridges = bridges(changes, state, &changes.permanent_parts(state));
        return removes().map(|remove| (remove, bridges.contains(remove))).collect();
    }
    let joins_parts = |add: &usize| changes.is_open(state, *add) && !parts.joined(changes.edges[*add].cubes);
    let awaited = |remove: &usize| changes.edges[*remove].waits.iter().any(|&add| !state.contains(add));
    let useful: Vec<(usize, bool)> = changes
        .adds()
        .filter(joins_parts)
        .chain(removes().filter(awaited))
        .map(|change| (change, true))
        .collect();
    if !useful.is_empty() {
        return useful;
    }
    // The pod never becomes connected again, so any order is equally good.
    let open_adds = changes.adds().filter(|&add| changes.is_open(state, add));
    open_adds.chain(removes()).take(1).map(|change| (change, true)).collect()
}

/// The steps from the start to a state.
fn steps_to_state(reached_states: &[SearchState], mut state_number: usize) -> Vec<usize> {
    let mut steps = Vec::new();
    while state_number > 0 {
        steps.push(&reached_states[state_number].steps);
        state_number = reached_states[state_number].previous;
    }
    steps.into_iter().rev().flatten().copied().collect()
}
