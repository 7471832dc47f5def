//! The search over orders, for pods that one switch at a time would cut.
//!
//! Best first: fewest steps after which the pod is in parts, then most changes made. Exchange arguments keep
//! the tree small. While the pod is whole, an add whose ports are free can only help, and so can a remove
//! between cubes that stay joined to the end by what is lit already; both are made at once. While it is in
//! parts, an add that makes it whole is made at once; other adds matter only if they join two parts, and
//! removes only if an add waits for them. What is left are the removes that may cut, and those that do.

use super::changes::{Changes, Parts, State, bridges};
use fabc_base::ids::OcsId;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// States that the exact search looks at, and what they may cost together (states times changes).
const STATES: usize = 20_000;
const WORK: usize = 50_000_000;

/// A state that was reached, and how.
struct Reached {
    before: usize,
    steps: Vec<usize>,
    state: State,
    cost: u32,
}

/// What to look at next; smaller is earlier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Next {
    order: [u32; 2],
    /// Finish the switch at hand first.
    elsewhere: bool,
    waits: usize,
    found: usize,
    before: usize,
    change: Option<usize>,
}

/// An order, and whether it is proved to be a best one.
pub(super) fn order(changes: &Changes) -> (Vec<usize>, bool) {
    let states = STATES.min(WORK / changes.all.len().max(1));
    match best_first(changes, Some(states)) {
        Some(order) => (order, true),
        // Straight down: the deepest state first, there the cheapest step.
        None => (best_first(changes, None).expect("going down ends"), false),
    }
}

/// The best order; with `states`, by cost first and `None` when they are used up; without, by depth first.
fn best_first(changes: &Changes, states: Option<usize>) -> Option<Vec<usize>> {
    let exact = states.is_some();
    let mut all: Vec<Reached> =
        vec![Reached { before: 0, steps: Vec::new(), state: changes.start(), cost: 0 }];
    let mut seen: BTreeSet<State> = BTreeSet::new();
    let mut open = BinaryHeap::from([Reverse(Next {
        order: [0, 0],
        elsewhere: false,
        waits: 0,
        found: 0,
        before: 0,
        change: None,
    })]);
    let mut found = 0;
    while let Some(Reverse(next)) = open.pop() {
        if states.is_some_and(|states| all.len() > states) {
            return None;
        }
        let before = &all[next.before];
        let mut reached = Reached {
            before: next.before,
            steps: Vec::new(),
            state: before.state.clone(),
            cost: before.cost,
        };
        if let Some(change) = next.change {
            make(changes, &mut reached, change);
        }
        settle(changes, &mut reached);
        if !seen.insert(reached.state.clone()) {
            continue;
        }
        let (state, cost) = (reached.state.clone(), reached.cost);
        let ocs = reached.steps.last().map(|&change| changes.all[change].ocs);
        all.push(reached);
        let here = all.len() - 1;
        if state.count_ones(..) == changes.all.len() {
            return Some(path(&all, here));
        }
        let left = (changes.all.len() - state.count_ones(..)) as u32;
        for (change, cuts) in branches(changes, &state) {
            found += 1;
            let cost = cost + u32::from(cuts);
            open.push(Reverse(Next {
                order: if exact { [cost, left] } else { [left, cost] },
                elsewhere: ocs.is_some_and(|ocs| ocs != changes.all[change].ocs),
                waits: if changes.removes().contains(&change) {
                    changes.still_waits(&state, change)
                } else {
                    0
                },
                found,
                before: here,
                change: Some(change),
            }));
        }
    }
    None
}

/// Makes a change and counts whether it leaves the pod in parts.
fn make(changes: &Changes, reached: &mut Reached, change: usize) {
    reached.state.insert(change);
    reached.steps.push(change);
    reached.cost += u32::from(changes.parts(&reached.state).count > 1);
}

/// Makes all changes that can only help.
fn settle(changes: &Changes, reached: &mut Reached) {
    loop {
        let parts = changes.parts(&reached.state);
        let permanent = changes.permanent(&reached.state);
        if permanent.count == 1 {
            return finish(changes, reached);
        }
        let helps = |change: usize| {
            if changes.removes().contains(&change) {
                return !reached.state.contains(change)
                    && parts.count == 1
                    && permanent.joined(changes.all[change].cubes);
            }
            let two_parts = parts.count == 2 && !parts.joined(changes.all[change].cubes);
            changes.is_open(&reached.state, change) && (parts.count == 1 || two_parts)
        };
        let ocs: Option<OcsId> = reached.steps.last().map(|&change| changes.all[change].ocs);
        let candidates = changes.adds().chain(changes.removes()).filter(|&change| helps(change));
        let best = candidates.min_by_key(|&change| {
            let edge = &changes.all[change];
            let waits = if changes.removes().contains(&change) {
                changes.still_waits(&reached.state, change)
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
            Some(change) => make(changes, reached, change),
            None => return,
        }
    }
}

/// Makes all changes that are left, one switch after the other; nothing can cut the pod any more.
fn finish(changes: &Changes, reached: &mut Reached) {
    let mut switches = changes.switches();
    // The switch at hand goes first.
    let ocs = reached.steps.last().map(|&change| changes.all[change].ocs);
    switches.sort_by_key(|&other| (ocs != Some(other), other));
    for ocs in switches {
        while let Some(change) = changes.next_on(&reached.state, ocs) {
            reached.state.insert(change);
            reached.steps.push(change);
        }
    }
}

/// The changes worth trying in a settled state, and whether each leaves the pod in parts.
fn branches(changes: &Changes, state: &State) -> Vec<(usize, bool)> {
    let parts: Parts = changes.parts(state);
    let removes = || changes.removes().filter(|&remove| !state.contains(remove));
    if parts.count == 1 {
        let bridges = bridges(changes, state, &changes.permanent(state));
        return removes().map(|remove| (remove, bridges.contains(remove))).collect();
    }
    let joins = |add: &usize| changes.is_open(state, *add) && !parts.joined(changes.all[*add].cubes);
    let awaited = |remove: &usize| changes.all[*remove].waits.iter().any(|&add| !state.contains(add));
    let useful: Vec<(usize, bool)> =
        changes.adds().filter(joins).chain(removes().filter(awaited)).map(|change| (change, true)).collect();
    if !useful.is_empty() {
        return useful;
    }
    // The pod never becomes whole again: any order is as good.
    let open = changes.adds().filter(|&add| changes.is_open(state, add));
    open.chain(removes()).take(1).map(|change| (change, true)).collect()
}

/// The steps from the start to a state.
fn path(all: &[Reached], mut at: usize) -> Vec<usize> {
    let mut parts = Vec::new();
    while at > 0 {
        parts.push(&all[at].steps);
        at = all[at].before;
    }
    parts.into_iter().rev().flatten().copied().collect()
}
