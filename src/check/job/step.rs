//! A step, recounted: the order of its phases, and what compute hides.

use super::loads::{CountedLoad, busy_times};
use super::scene::{JobScene, PICOSECOND};
use fabc_ir::{JobPhaseOutcome, JobStep};
use fabc_model::Job;
use std::collections::BTreeMap;

/// The times of a step from those of its phases. `loads` is by phase.
pub(super) fn recount_step(
    job_scene: &JobScene<'_>,
    phases: &[JobPhaseOutcome],
    loads: &[Vec<CountedLoad>],
) -> JobStep {
    let job = job_scene.job;
    let mut pool = u128::from(job.compute_ps) * PICOSECOND;
    let mut step = JobStep {
        compute: (u128::from(job.compute_ps) + u128::from(job.idle_ps)) * PICOSECOND,
        ..JobStep::default()
    };
    for stage in stages_of_job(job) {
        let chain = |time: &dyn Fn(usize) -> u128| chain_time(job, &stage, time);
        let alone = chain(&|phase| phases[phase].volume + phases[phase].latency);
        let latency = chain(&|phase| phases[phase].latency);
        let (volume, _) = busy_times(job_scene, stage.iter().flat_map(|&phase| &loads[phase]));
        let time = alone.max(volume + latency);
        let mut overlap = u32::MAX;
        let mut own = 0;
        for &phase in &stage {
            overlap = overlap.min(job.phases[phase].overlap_millionths);
            own += u128::from(job.phases[phase].compute_ps) * PICOSECOND;
        }
        let hidden = (time * u128::from(overlap) / 1_000_000).min(if own > 0 { own } else { pool });
        if own == 0 {
            pool -= hidden;
        }
        step.compute += own;
        step.communication += time;
        step.exposed += time - hidden;
        step.bound += chain(&|phase| phases[phase].bound.time);
        step.universal += chain(&|phase| phases[phase].universal);
    }
    step
}

/// The sets of phases that may run at the same time as others of their set, in the order of time.
pub(super) fn stages_of_job(job: &Job) -> Vec<Vec<usize>> {
    stages(&transitive_order(job))
}

/// `[later][earlier]`: whether the earlier phase is over before the later one starts.
fn transitive_order(job: &Job) -> Vec<Vec<bool>> {
    let count = job.phases.len();
    let mut waits = vec![vec![false; count]; count];
    for (later, phase) in job.phases.iter().enumerate() {
        for &earlier in &phase.after {
            waits[later][earlier] = true;
        }
    }
    // Through every phase in the middle (Warshall).
    for middle in 0..count {
        for later in 0..count {
            for earlier in 0..count {
                waits[later][earlier] |= waits[later][middle] && waits[middle][earlier];
            }
        }
    }
    waits
}

/// The same from the transitive order. A set ends
/// where all later phases wait for all earlier ones.
fn stages(waits_for: &[Vec<bool>]) -> Vec<Vec<usize>> {
    // A phase that waits for another one waits for more phases than that.
    let mut order: Vec<usize> = (0..waits_for.len()).collect();
    order.sort_by_key(|&phase| (waits_for[phase].iter().filter(|&&waits| waits).count(), phase));
    let mut stages = Vec::new();
    let mut start = 0;
    for end in 1..=order.len() {
        let (before, after) = order.split_at(end);
        if after.iter().all(|&later| before.iter().all(|&earlier| waits_for[later][earlier])) {
            stages.push(order[start..end].to_vec());
            start = end;
        }
    }
    stages
}

/// The longest chain of phases of a stage, each of which waits for the one before. The stage is in an order
/// in which no phase waits for a later one.
fn chain_time(job: &Job, stage: &[usize], time: &dyn Fn(usize) -> u128) -> u128 {
    let mut ends = BTreeMap::new();
    for &phase in stage {
        let before = job.phases[phase].after.iter().filter_map(|earlier| ends.get(earlier));
        let start = before.max().copied().unwrap_or(0);
        ends.insert(phase, start + time(phase));
    }
    ends.into_values().max().unwrap_or(0)
}
