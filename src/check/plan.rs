//! Recounts a plan of changes from its steps alone.
//!
//! Input: a pod, the settings of its switches before and after, and the ordered steps. Output: the plan with
//! every number that it states. A step that removes an absent cross-connect, or adds one at an occupied
//! port, is convicted. The order with the fewest disconnected steps is not searched here.
//! [`SwitchPlan::fewest`] is true if no step disconnects the pod, and claims nothing otherwise.

use fabc_base::ids::{BlockId, Id, IdVec, OcsId};
use fabc_ir::{Mirrors, PlanCut, PlanStep, StepChange, SwitchPlan};
use fabc_model::{FacePort, Pod};
use std::collections::BTreeSet;

/// Carries out the steps one after the other. Of the switches in `replaced`, all cross-connects are removed
/// before the first one is added.
///
/// # Errors
/// A sentence about the first step that cannot be carried out, or about a result that is not the new
/// setting.
pub fn recount_plan(
    pod: &Pod,
    live: &Mirrors,
    new: &Mirrors,
    steps: &[PlanStep],
    replaced: &[OcsId],
) -> Result<SwitchPlan, String> {
    let mut setting = live.clone();
    let mut taken: BTreeSet<FacePort> = BTreeSet::new();
    for (ocs, pairs) in live.enumerate() {
        for &pair in pairs {
            taken.extend(
                face_ports(pod, ocs, pair).ok_or("the live setting names a port that does not exist")?,
            );
        }
    }
    let live_parts = connected_cubes(pod, &setting).len();
    let (mut counted, mut cuts): (Vec<PlanStep>, Vec<PlanCut>) =
        (Vec::with_capacity(steps.len()), Vec::new());
    let mut lit: usize = live.iter().map(BTreeSet::len).sum();
    let mut whole_without = None;
    for (index, step) in steps.iter().enumerate() {
        // While the cross-connects of other switches connect all cubes, no step on this switch disconnects
        // the pod.
        if index == 0 || steps[index - 1].ocs != step.ocs {
            whole_without = is_connected_without(pod, &setting, step.ocs).then_some(step.ocs);
        }
        let number = index + 1;
        let ends = face_ports(pod, step.ocs, step.pair)
            .ok_or_else(|| format!("step {number} names a port that does not exist"))?;
        let is_possible = match step.change {
            StepChange::Remove => {
                setting[step.ocs].remove(&step.pair) && ends.iter().all(|end| taken.remove(end))
            }
            StepChange::Add => {
                ends.iter().all(|&end| taken.insert(end)) && setting[step.ocs].insert(step.pair)
            }
        };
        if !is_possible {
            return Err(format!(
                "step {number} removes a cross-connect that does not exist, or adds one at a port that is taken"
            ));
        }
        lit = if step.change == StepChange::Add { lit + 1 } else { lit - 1 };
        let parts_found =
            if whole_without == Some(step.ocs) { Vec::new() } else { connected_cubes(pod, &setting) };
        if parts_found.len() > 1 {
            match cuts.last_mut() {
                Some(cut) if cut.last == index => cut.last = number,
                _ => {
                    let separated = parts_found
                        .iter()
                        .min_by_key(|part| (part.len(), part[0]))
                        .cloned()
                        .unwrap_or_default();
                    let between = switches_between(pod, steps, &separated);
                    cuts.push(PlanCut { first: number, last: number, apart: separated, between });
                }
            }
        }
        counted.push(PlanStep { lit, parts: parts_found.len().max(1), ..*step });
    }
    if setting != *new {
        return Err("the steps do not lead to the new topology".to_owned());
    }
    let kept: IdVec<OcsId, usize> = live
        .ids()
        .map(|ocs| if replaced.contains(&ocs) { 0 } else { live[ocs].intersection(&new[ocs]).count() })
        .collect();
    check_step_counts(pod, [live, new], steps, replaced)?;
    let fewest = cuts.is_empty();
    Ok(SwitchPlan { steps: counted, kept, live_parts, cuts, fewest, replaced: replaced.to_vec() })
}

/// Convicts a switch with steps on cross-connects that stay, and a replaced one with an add before a remove.
fn check_step_counts(
    pod: &Pod,
    settings: [&Mirrors; 2],
    steps: &[PlanStep],
    replaced: &[OcsId],
) -> Result<(), String> {
    let [live, new] = settings;
    let expected = |ocs: OcsId| match replaced.contains(&ocs) {
        true => live[ocs].len() + new[ocs].len(),
        false => change_count(live, new, ocs),
    };
    let counted = |ocs: OcsId| steps.iter().filter(|step| step.ocs == ocs).count();
    if let Some(ocs) = live.ids().find(|&ocs| counted(ocs) != expected(ocs)) {
        let name = &pod.ocses[ocs].name;
        return Err(format!("the steps on {name} change a cross-connect that both settings have"));
    }
    if !replaced.is_sorted_by(|a, b| a < b) {
        return Err("the replaced switches do not ascend".to_owned());
    }
    for &ocs in replaced {
        let changes: Vec<StepChange> =
            steps.iter().filter(|step| step.ocs == ocs).map(|step| step.change).collect();
        if !changes.is_sorted() {
            return Err(format!(
                "{} is replaced before all of its cross-connects are removed",
                pod.ocses[ocs].name
            ));
        }
    }
    Ok(())
}

/// Number of cross-connects of a switch that only one of two settings has.
fn change_count(live: &Mirrors, new: &Mirrors, ocs: OcsId) -> usize {
    live[ocs].symmetric_difference(&new[ocs]).count()
}

/// The face ports that a pair of ports of a switch connects.
fn face_ports(pod: &Pod, ocs: OcsId, pair: [u32; 2]) -> Option<[FacePort; 2]> {
    let [a, b] = pair;
    let ocs = &pod.ocses[ocs];
    let second = if ocs.b.is_empty() { &ocs.a } else { &ocs.b };
    Some([*ocs.a.get(a as usize)?, *second.get(b as usize)?])
}

/// The connected components of the cubes under a setting. All lists ascend.
fn connected_cubes(pod: &Pod, setting: &Mirrors) -> Vec<Vec<BlockId>> {
    let mut part_of: Vec<usize> = (0..pod.cubes as usize).collect();
    let mut members: Vec<Vec<usize>> = part_of.iter().map(|&cube| vec![cube]).collect();
    for (ocs, pairs) in setting.enumerate() {
        for &pair in pairs {
            let Some([a, b]) =
                face_ports(pod, ocs, pair).map(|ends| ends.map(|face| part_of[face.cube.index()]))
            else {
                continue;
            };
            if a != b {
                // The smaller part moves into the larger one.
                let (into, from) = if members[a].len() < members[b].len() { (b, a) } else { (a, b) };
                for cube in std::mem::take(&mut members[from]) {
                    part_of[cube] = into;
                    members[into].push(cube);
                }
            }
        }
    }
    let nonempty = members.into_iter().filter(|part| !part.is_empty());
    nonempty
        .map(|part| part.into_iter().map(BlockId::new).collect::<BTreeSet<_>>().into_iter().collect())
        .collect()
}

/// Whether all cubes are connected without the cross-connects of one switch.
fn is_connected_without(pod: &Pod, setting: &Mirrors, ocs: OcsId) -> bool {
    let mut others = setting.clone();
    others[ocs].clear();
    connected_cubes(pod, &others).len() == 1
}

/// The switches with a step on a cross-connect between `apart` and the other cubes, ascending.
fn switches_between(pod: &Pod, steps: &[PlanStep], separated: &[BlockId]) -> Vec<OcsId> {
    let crosses = |step: &&PlanStep| {
        let inside =
            face_ports(pod, step.ocs, step.pair).map(|ends| ends.map(|face| separated.contains(&face.cube)));
        inside.is_some_and(|[a, b]| a != b)
    };
    steps.iter().filter(crosses).map(|step| step.ocs).collect::<BTreeSet<_>>().into_iter().collect()
}
