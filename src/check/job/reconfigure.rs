//! What setting the switches anew between phases would save, recounted from the times of phases.
//!
//! The times on other topologies are claims. From them follow the changes of a step, what they save, and
//! that no other changes save more: with the time of a change that the job says, or else per change.

use super::scene::PICOSECOND;
use super::step::stages_of_job;
use fabc_ir::{JobOutcome, PhaseTopology, Reconfiguration};
use fabc_model::{Job, JobOperationKind, JobPhase};

/// Recounts what the file of a job claims. `taken` is the topology of every phase, by index.
///
/// # Errors
/// The first contradiction.
pub(crate) fn recount_reconfiguration(
    job: &Job,
    nominal: &JobOutcome,
    topologies: Vec<PhaseTopology>,
    taken: Vec<usize>,
) -> Result<Reconfiguration, String> {
    if topologies.is_empty() || topologies.iter().any(|listed| listed.times.len() != job.phases.len()) {
        return Err("a topology does not have a time for every phase".to_owned());
    }
    check_built(job, nominal, &topologies[0])?;
    let stages = stages_of_job(job);
    let times: Vec<Vec<Option<u128>>> =
        topologies.iter().map(|listed| stage_times(&stages, &listed.times)).collect();
    let plan = taken_by_stage(&stages, &taken, topologies.len(), job.phases.len())?;
    let own = own_stages(job, &stages);
    let mut shared = (0..plan.len()).filter(|&stage| !own[stage]).map(|stage| plan[stage]);
    let base = shared.next();
    if shared.any(|topology| Some(topology) != base) {
        return Err("phases that share a topology have several".to_owned());
    }
    let time: Option<u128> = plan.iter().enumerate().map(|(stage, &topology)| times[topology][stage]).sum();
    let time = time.ok_or("a phase has a topology that does not join its chips")?;
    let wholes = times.iter().filter_map(|times| times.iter().copied().sum::<Option<u128>>());
    let single = wholes.min().ok_or("no topology joins the chips of all phases")?;
    let changes = (0..plan.len()).filter(|&stage| plan[stage] != plan[(stage + 1) % plan.len()]).count();
    let saved = single.checked_sub(time).ok_or("a single topology takes less time")?;
    if (changes == 0) != (saved == 0) {
        return Err("changes are taken if they save time, and only then".to_owned());
    }
    let switch = job.reconfigure.as_ref().map(|rules| u128::from(rules.switch_ps));
    let with_changes = switch.map(|switch| (least_shared_cost(&times, &own, switch, 1), switch));
    if let Some((least, switch)) = with_changes.filter(|(least, _)| *least < single) {
        if time + switch * changes as u128 != least {
            return Err("other changes save more time".to_owned());
        }
    } else {
        // A price per change at which the plan saves nothing: no other plan saves anything either.
        let least = least_shared_cost(&times, &own, saved, changes.max(1) as u128);
        if least < single * changes.max(1) as u128 {
            return Err("other changes save more time per change".to_owned());
        }
    }
    Ok(Reconfiguration { topologies, taken, changes: changes as u64, saved, switch })
}

/// `[stage]`: whether the job lets all of its phases have a topology of their own.
fn own_stages(job: &Job, stages: &[Vec<usize>]) -> Vec<bool> {
    let Some(rules) = &job.reconfigure else { return vec![true; stages.len()] };
    stages.iter().map(|stage| stage.iter().all(|phase| rules.phases.contains(phase))).collect()
}

/// The least cost of plans in which all stages but the `own` ones share some topology.
fn least_shared_cost(times: &[Vec<Option<u128>>], own: &[bool], saved: u128, changes: u128) -> u128 {
    if own.iter().all(|own| *own) {
        return least_cost(times, saved, changes);
    }
    let mut least = u128::MAX;
    for shared in 0..times.len() {
        let mut left = times.to_vec();
        for (stage, _) in own.iter().enumerate().filter(|(_, own)| !**own) {
            for (topology, times) in left.iter_mut().enumerate() {
                if topology != shared {
                    times[stage] = None;
                }
            }
        }
        least = least.min(least_cost(&left, saved, changes));
    }
    least
}

/// On the topology of the fabric, operations of one form on their best paths take no longer than they do.
fn check_built(job: &Job, nominal: &JobOutcome, built: &PhaseTopology) -> Result<(), String> {
    for ((phase, planned), time) in job.phases.iter().zip(&nominal.phases).zip(&built.times) {
        let most = planned.time() / PICOSECOND + 1;
        if time.is_none_or(|time| has_one_form(phase) && time > most) {
            return Err(format!("on the topology of the fabric, `{}` takes less time than that", phase.name));
        }
    }
    Ok(())
}

/// Whether operations of a phase are all gathers, or all messages.
fn has_one_form(phase: &JobPhase) -> bool {
    let sends = |kind: JobOperationKind| match kind {
        JobOperationKind::Send { .. } => true,
        JobOperationKind::Collective(collective) => collective == fabc_model::Collective::AllToAll,
    };
    let first = phase.operations.first().map(|operation| sends(operation.kind));
    phase.operations.iter().all(|operation| Some(sends(operation.kind)) == first)
}

fn stage_times(stages: &[Vec<usize>], times: &[Option<u128>]) -> Vec<Option<u128>> {
    stages.iter().map(|stage| stage.iter().map(|&phase| times[phase]).sum()).collect()
}

/// `[stage]`: its topology. Phases that may run at the same time have the same one.
fn taken_by_stage(
    stages: &[Vec<usize>],
    taken: &[usize],
    topologies: usize,
    phases: usize,
) -> Result<Vec<usize>, String> {
    if taken.len() != phases || taken.iter().any(|&index| index >= topologies) {
        return Err("a phase has no topology of the list".to_owned());
    }
    let one = |stage: &Vec<usize>| {
        let first = taken[stage[0]];
        let is_one = stage.iter().all(|&phase| taken[phase] == first);
        if is_one { Ok(first) } else { Err("phases of one time have several topologies".to_owned()) }
    };
    stages.iter().map(one).collect()
}

/// The least of (time x `changes` + changes of a plan x `saved`) over all plans: products of matrices in
/// which sums stand for products and the least for sums, stage by stage around the circle.
fn least_cost(times: &[Vec<Option<u128>>], saved: u128, changes: u128) -> u128 {
    let count = times.len();
    let change = |from: usize, to: usize| if from == to { 0 } else { saved };
    // `costs[first][next]`: from the topology of the first stage to that of the stage to come.
    let start: Vec<Vec<Option<u128>>> =
        (0..count).map(|first| (0..count).map(|next| (first == next).then_some(0)).collect()).collect();
    let costs = (0..times[0].len()).fold(start, |costs, stage| {
        let entry = |row: &Vec<Option<u128>>, next: usize| {
            let through = |here: usize| Some(row[here]? + times[here][stage]? * changes + change(here, next));
            (0..count).filter_map(through).min()
        };
        costs.iter().map(|row| (0..count).map(|next| entry(row, next)).collect()).collect()
    });
    (0..count).filter_map(|first| costs[first][first]).min().unwrap_or(u128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_go_around_the_circle() {
        let times = [vec![Some(3), Some(9)], vec![Some(8), Some(2)], vec![Some(1), None]];
        assert_eq!(least_cost(&times, 0, 1), 3, "1 on the third and 2 on the second");
        assert_eq!(least_cost(&times, 3, 1), 9, "3 with two changes of 3");
        assert_eq!(least_cost(&times, 4, 1), 10, "no changes: 8 and 2 on the second");
        // The second stage may not change, whatever the first one has.
        assert_eq!(least_shared_cost(&times, &[true, false], 0, 1), 3);
        assert_eq!(least_shared_cost(&times, &[false, false], 0, 1), 10);
    }
}
