//! A plan of changes, counted again from its steps alone.
//!
//! Comes in: a pod, what its switches are set to before and after, and the steps between in their order. Goes
//! out: the plan with every number that it states. A step that removes what is not there, or adds where a
//! port is taken, is convicted. Which order has the fewest steps in parts is not searched here:
//! [`Plan::fewest`] is true where no step leaves the pod in parts, and no claim otherwise.

use fabc_base::ids::{BlockId, Id, IdVec, OcsId};
use fabc_ir::{Change, Cut, Mirrors, Plan, Step};
use fabc_model::{FacePort, Pod};
use std::collections::BTreeSet;

/// Carries the steps out one after the other.
///
/// # Errors
/// In words: the first step that cannot be carried out, or that the steps lead elsewhere.
pub fn plan(pod: &Pod, live: &Mirrors, new: &Mirrors, steps: &[Step]) -> Result<Plan, String> {
    let mut set = live.clone();
    let mut taken: BTreeSet<FacePort> = BTreeSet::new();
    for (ocs, pairs) in live.enumerate() {
        for &pair in pairs {
            taken.extend(faces(pod, ocs, pair).ok_or("the live setting names a port that there is not")?);
        }
    }
    let live_parts = parts(pod, &set).len();
    let (mut counted, mut cuts): (Vec<Step>, Vec<Cut>) = (Vec::with_capacity(steps.len()), Vec::new());
    let mut lit: usize = live.iter().map(BTreeSet::len).sum();
    let mut whole_without = None;
    for (at, step) in steps.iter().enumerate() {
        // While the cross-connects of other switches join all cubes, nothing on this one takes the pod apart.
        if at == 0 || steps[at - 1].ocs != step.ocs {
            whole_without = is_whole_without(pod, &set, step.ocs).then_some(step.ocs);
        }
        let number = at + 1;
        let ends = faces(pod, step.ocs, step.pair)
            .ok_or_else(|| format!("step {number} names a port that there is not"))?;
        let goes = match step.change {
            Change::Remove => set[step.ocs].remove(&step.pair) && ends.iter().all(|end| taken.remove(end)),
            Change::Add => ends.iter().all(|&end| taken.insert(end)) && set[step.ocs].insert(step.pair),
        };
        if !goes {
            return Err(format!("step {number} removes what is not there, or adds where a port is taken"));
        }
        lit = if step.change == Change::Add { lit + 1 } else { lit - 1 };
        let found = if whole_without == Some(step.ocs) { Vec::new() } else { parts(pod, &set) };
        if found.len() > 1 {
            match cuts.last_mut() {
                Some(cut) if cut.last == at => cut.last = number,
                _ => {
                    let apart =
                        found.iter().min_by_key(|part| (part.len(), part[0])).cloned().unwrap_or_default();
                    let between = between(pod, steps, &apart);
                    cuts.push(Cut { first: number, last: number, apart, between });
                }
            }
        }
        counted.push(Step { lit, parts: found.len().max(1), ..*step });
    }
    if set != *new {
        return Err("the steps do not lead to the new topology".to_owned());
    }
    let kept: IdVec<OcsId, usize> = live.ids().map(|ocs| live[ocs].intersection(&new[ocs]).count()).collect();
    if let Some(ocs) =
        live.ids().find(|&ocs| steps.iter().filter(|step| step.ocs == ocs).count() != changes(live, new, ocs))
    {
        return Err(format!("the steps on {} touch what both settings have", pod.ocses[ocs].name));
    }
    let fewest = cuts.is_empty();
    Ok(Plan { steps: counted, kept, live_parts, cuts, fewest })
}

/// Cross-connects of one switch that only one of two settings has.
fn changes(live: &Mirrors, new: &Mirrors, ocs: OcsId) -> usize {
    live[ocs].symmetric_difference(&new[ocs]).count()
}

/// The face ports that a pair of ports of a switch joins.
fn faces(pod: &Pod, ocs: OcsId, [a, b]: [u32; 2]) -> Option<[FacePort; 2]> {
    let ocs = &pod.ocses[ocs];
    let second = if ocs.b.is_empty() { &ocs.a } else { &ocs.b };
    Some([*ocs.a.get(a as usize)?, *second.get(b as usize)?])
}

/// The cubes part by part, joined by the cross-connects that are set; every list ascends.
fn parts(pod: &Pod, set: &Mirrors) -> Vec<Vec<BlockId>> {
    let mut of: Vec<usize> = (0..pod.cubes as usize).collect();
    let mut members: Vec<Vec<usize>> = of.iter().map(|&cube| vec![cube]).collect();
    for (ocs, pairs) in set.enumerate() {
        for &pair in pairs {
            let Some([a, b]) = faces(pod, ocs, pair).map(|ends| ends.map(|face| of[face.cube.index()]))
            else {
                continue;
            };
            if a != b {
                // The smaller part moves into the larger one.
                let (into, from) = if members[a].len() < members[b].len() { (b, a) } else { (a, b) };
                for cube in std::mem::take(&mut members[from]) {
                    of[cube] = into;
                    members[into].push(cube);
                }
            }
        }
    }
    let whole = members.into_iter().filter(|part| !part.is_empty());
    whole
        .map(|part| part.into_iter().map(BlockId::new).collect::<BTreeSet<_>>().into_iter().collect())
        .collect()
}

/// Whether all cubes are joined with every cross-connect of one switch dark.
fn is_whole_without(pod: &Pod, set: &Mirrors, ocs: OcsId) -> bool {
    let mut others = set.clone();
    others[ocs].clear();
    parts(pod, &others).len() == 1
}

/// The switches with a step on a cross-connect between some cubes and the others, ascending.
fn between(pod: &Pod, steps: &[Step], apart: &[BlockId]) -> Vec<OcsId> {
    let crosses = |step: &&Step| {
        let inside = faces(pod, step.ocs, step.pair).map(|ends| ends.map(|face| apart.contains(&face.cube)));
        inside.is_some_and(|[a, b]| a != b)
    };
    steps.iter().filter(crosses).map(|step| step.ocs).collect::<BTreeSet<_>>().into_iter().collect()
}
