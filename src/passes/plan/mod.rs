//! From the live cross-connects to new ones, in an order that keeps the pod in one piece.
//!
//! In: a pod and two settings of its OCSes. Out: a [`Plan`] that touches exactly what differs. A port is in
//! at most one cross-connect, so an add waits for the removes that free its ports. Cubes are wired inside, so
//! it is the cubes that must stay joined. Guarantee: the fewest steps after which the pod is in parts (none,
//! if that can be had) wherever [`Plan::fewest`] says so. Source: our own; the exchange arguments stand in
//! `search`.
//!
//! Switch by switch is tried first, since a plan that finishes one switch before the next is the easiest to
//! carry out; the search over all orders is for pods that this would cut.

mod changes;
mod search;

use changes::Changes;
use fabc_base::ids::{BlockId, Id, IdVec};
use fabc_ir::{Change, Cut, Mirrors, Plan, Step};
use fabc_model::Pod;

/// Orders the changes between two settings, which must be matchings within the rules of the pod's switches.
pub fn plan(pod: &Pod, live: &Mirrors, new: &Mirrors) -> Plan {
    let changes = Changes::between(pod, live, new);
    let start = changes.start();
    let (order, fewest) = match switch_by_switch(&changes) {
        Some(order) => (order, true),
        None => search::order(&changes),
    };

    let mut state = start.clone();
    let live_parts = changes.parts(&state).count;
    let mut lit = live.iter().map(|set| set.len()).sum::<usize>();
    let mut steps = Vec::with_capacity(order.len());
    let mut cuts: Vec<Cut> = Vec::new();
    // Consecutive changes of one switch are safe together where the pod is whole without any of them.
    let mut safe_on = None;
    for (at, &change) in order.iter().enumerate() {
        let edge = &changes.all[change];
        if at == 0 || changes.all[order[at - 1]].ocs != edge.ocs {
            safe_on = changes.is_whole_without(&state, edge.ocs).then_some(edge.ocs);
        }
        state.insert(change);
        lit = if edge.change == Change::Add { lit + 1 } else { lit - 1 };
        let parts = if safe_on == Some(edge.ocs) { 1 } else { changes.parts(&state).count };
        if parts > 1 {
            match cuts.last_mut() {
                Some(cut) if cut.last == at => cut.last = at + 1,
                _ => {
                    let apart = smallest_part(&changes, &state);
                    let between = changes.between_parts(&apart);
                    cuts.push(Cut { first: at + 1, last: at + 1, apart, between });
                }
            }
        }
        steps.push(Step { ocs: edge.ocs, change: edge.change, pair: edge.pair, lit, parts });
    }
    let kept: IdVec<_, usize> = live.ids().map(|ocs| live[ocs].intersection(&new[ocs]).count()).collect();
    let fewest = fewest || cuts.is_empty();
    Plan { steps, kept, live_parts, cuts, fewest }
}

/// One switch after the other, wherever each can be changed as a whole without cutting the pod; `None` if one
/// is left that cannot.
fn switch_by_switch(changes: &Changes) -> Option<Vec<usize>> {
    let mut state = changes.start();
    if changes.parts(&state).count > 1 {
        return None;
    }
    let mut left = changes.switches();
    let mut order = Vec::with_capacity(changes.all.len());
    while !left.is_empty() {
        let before = left.len();
        left.retain(|&ocs| {
            let safe = changes.is_whole_without(&state, ocs);
            let mut after = state.clone();
            let mut steps = Vec::new();
            while let Some(change) = changes.next_on(&after, ocs) {
                after.insert(change);
                if !safe && changes.parts(&after).count > 1 {
                    return true;
                }
                steps.push(change);
            }
            order.extend(steps);
            state = after;
            false
        });
        if left.len() == before {
            return None;
        }
    }
    Some(order)
}

/// The cubes of the smallest part; of equals, the one with the first cube.
fn smallest_part(changes: &Changes, state: &changes::State) -> Vec<BlockId> {
    let parts = changes.parts(state);
    let mut members: Vec<Vec<BlockId>> = vec![Vec::new(); parts.of.len()];
    for (cube, &part) in parts.of.iter().enumerate() {
        members[part as usize].push(BlockId::new(cube));
    }
    members
        .into_iter()
        .filter(|part| !part.is_empty())
        .min_by_key(|part| (part.len(), part[0]))
        .unwrap_or_default()
}
