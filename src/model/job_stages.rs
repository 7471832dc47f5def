//! The stages of a step: phases that may run at the same time.

use crate::job::JobPhase;

/// The parts of a job that run one after the other. A stage is a set of phases, by index, in an order in
/// which none waits for a later one. Phases of one stage may run at the same time, those of different stages
/// never.
pub fn job_stages(phases: &[JobPhase]) -> Vec<Vec<usize>> {
    let before = phases_before(phases);
    let count = phases.len();
    let unordered =
        |first: usize, second: usize| !before[first].contains(&second) && !before[second].contains(&first);
    let mut stage_of: Vec<Option<usize>> = vec![None; count];
    let mut stages: Vec<Vec<usize>> = Vec::new();
    for start in 0..count {
        if stage_of[start].is_some() {
            continue;
        }
        // Everything that is connected to a phase by steps between unordered phases.
        let mut stage = vec![start];
        stage_of[start] = Some(stages.len());
        let mut next = 0;
        while next < stage.len() {
            let beside = |&other: &usize| stage_of[other].is_none() && unordered(stage[next], other);
            let joined: Vec<usize> = (0..count).filter(beside).collect();
            joined.iter().for_each(|&other| stage_of[other] = Some(stages.len()));
            stage.extend(joined);
            next += 1;
        }
        // A phase that waits for another one waits for more phases than that.
        stage.sort_by_key(|&phase| (before[phase].len(), phase));
        stages.push(stage);
    }
    // A phase of an earlier stage is before all phases of a later one.
    stages.sort_by_key(|stage| before[stage[0]].iter().filter(|phase| !stage.contains(phase)).count());
    stages
}

/// `[phase]`: all phases that are over before it starts.
fn phases_before(phases: &[JobPhase]) -> Vec<Vec<usize>> {
    let mut before: Vec<Vec<usize>> = phases.iter().map(|phase| phase.after.clone()).collect();
    // Each round follows the order one step further. There are no more steps than phases.
    for _ in 0..phases.len() {
        for phase in 0..before.len() {
            let farther: Vec<usize> =
                before[phase].iter().flat_map(|&earlier| before[earlier].iter().copied()).collect();
            before[phase].extend(farther);
            before[phase].sort_unstable();
            before[phase].dedup();
        }
    }
    before
}
