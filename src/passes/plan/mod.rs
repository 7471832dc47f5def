//! Orders the changes from the live cross-connects to new ones so that the pod stays connected.
//!
//! Input: a pod and two settings of its OCSes. Output: a [`SwitchPlan`] that changes exactly what differs. A
//! port is in at most one cross-connect, so an add waits for the removes that free its ports. The wiring
//! inside a cube does not change, so it is the cubes that must stay connected. Guarantee: where
//! [`SwitchPlan::fewest`] says so, the number of steps after which the pod is disconnected is minimal (zero
//! if possible). Source: our own. The exchange arguments are in `search`.
//!
//! The pass tries switch by switch first. A plan that finishes one switch before the next is the easiest to
//! carry out. The search over all orders is for pods that such a plan would cut.

mod changes;
mod search;

use changes::PodChanges;
use fabc_base::ids::{BlockId, Id, IdVec, OcsId};
use fabc_ir::{Mirrors, PlanCut, PlanStep, StepChange, SwitchPlan};
use fabc_model::Pod;

/// Orders the changes between two settings. Both must be matchings within the rules of the pod's switches.
pub fn plan(pod: &Pod, live: &Mirrors, new: &Mirrors) -> SwitchPlan {
    plan_with_spares(pod, live, new, &[])
}

/// Orders the changes between two settings where spare switches take the place of some switches, ascending.
pub fn plan_with_spares(pod: &Pod, live: &Mirrors, new: &Mirrors, replaced: &[OcsId]) -> SwitchPlan {
    let changes = PodChanges::between_settings(pod, live, new, replaced);
    let (order, fewest) = match switch_by_switch(&changes) {
        Some(order) => (order, true),
        None => search::order(&changes),
    };
    SwitchPlan { replaced: replaced.to_vec(), ..counted_plan(&changes, [live, new], &order, fewest) }
}

/// The plan that finishes one switch after the other in the order of `switches`. These are all switches that
/// change. Some steps of the plan may disconnect the pod.
pub fn plan_in_order(
    pod: &Pod,
    live: &Mirrors,
    new: &Mirrors,
    replaced: &[OcsId],
    switches: &[OcsId],
) -> SwitchPlan {
    let changes = PodChanges::between_settings(pod, live, new, replaced);
    let mut state = changes.start();
    let mut order = Vec::with_capacity(changes.edges.len());
    for &ocs in switches {
        while let Some(change) = changes.next_on(&state, ocs) {
            state.insert(change);
            order.push(change);
        }
    }
    SwitchPlan { replaced: replaced.to_vec(), ..counted_plan(&changes, [live, new], &order, false) }
}

/// The plan with the changes in this order, with every number about its steps.
fn counted_plan(changes: &PodChanges, settings: [&Mirrors; 2], order: &[usize], fewest: bool) -> SwitchPlan {
    let [live, _] = settings;
    let mut state = changes.start();
    let live_parts = changes.parts(&state).count;
    let mut lit = live.iter().map(|set| set.len()).sum::<usize>();
    let mut steps = Vec::with_capacity(order.len());
    let mut cuts: Vec<PlanCut> = Vec::new();
    // Consecutive changes of one switch are safe together if the pod is connected without any of them.
    let mut safe_on = None;
    for (index, &change) in order.iter().enumerate() {
        let edge = &changes.edges[change];
        if index == 0 || changes.edges[order[index - 1]].ocs != edge.ocs {
            safe_on = changes.is_connected_without(&state, edge.ocs).then_some(edge.ocs);
        }
        state.insert(change);
        lit = if edge.change == StepChange::Add { lit + 1 } else { lit - 1 };
        let parts = if safe_on == Some(edge.ocs) { 1 } else { changes.parts(&state).count };
        if parts > 1 {
            match cuts.last_mut() {
                Some(cut) if cut.last == index => cut.last = index + 1,
                _ => {
                    let cubes_apart = smallest_part(changes, &state);
                    let between = changes.switches_between(&cubes_apart);
                    cuts.push(PlanCut { first: index + 1, last: index + 1, apart: cubes_apart, between });
                }
            }
        }
        steps.push(PlanStep { ocs: edge.ocs, change: edge.change, pair: edge.pair, lit, parts });
    }
    let kept: IdVec<_, usize> = live.ids().map(|ocs| changes.kept_on(ocs, settings)).collect();
    let fewest = fewest || cuts.is_empty();
    SwitchPlan { steps, kept, live_parts, cuts, fewest, replaced: Vec::new() }
}

/// Changes one switch after the other, if each can be changed completely without cutting the pod. `None` if
/// some switch cannot.
fn switch_by_switch(changes: &PodChanges) -> Option<Vec<usize>> {
    let mut state = changes.start();
    if changes.parts(&state).count > 1 {
        return None;
    }
    let mut remaining = changes.switches();
    let mut order = Vec::with_capacity(changes.edges.len());
    while !remaining.is_empty() {
        let count_before = remaining.len();
        remaining.retain(|&ocs| {
            let is_safe = changes.is_connected_without(&state, ocs);
            let mut after = state.clone();
            let mut steps = Vec::new();
            while let Some(change) = changes.next_on(&after, ocs) {
                after.insert(change);
                if !is_safe && changes.parts(&after).count > 1 {
                    return true;
                }
                steps.push(change);
            }
            order.extend(steps);
            state = after;
            false
        });
        if remaining.len() == count_before {
            return None;
        }
    }
    Some(order)
}

/// The cubes of the smallest part. Of equal parts, the one with the first cube counts.
fn smallest_part(changes: &PodChanges, state: &changes::ChangeSet) -> Vec<BlockId> {
    let parts = changes.parts(state);
    let mut members: Vec<Vec<BlockId>> = vec![Vec::new(); parts.part_of.len()];
    for (cube, &part) in parts.part_of.iter().enumerate() {
        members[part as usize].push(BlockId::new(cube));
    }
    members
        .into_iter()
        .filter(|part| !part.is_empty())
        .min_by_key(|part| (part.len(), part[0]))
        .unwrap_or_default()
}
