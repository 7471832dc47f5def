//! A step: phases one after the other, and compute that hides some of their time.

use fabc_ir::JobStep;
use fabc_model::{Job, job_stages};

/// Attoseconds are so many times finer than picoseconds.
const PICOSECOND: u128 = 1_000_000;
/// Parts of a share of overlap.
const MILLIONTHS: u128 = 1_000_000;

/// The times of a phase by itself, in attoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PhaseTime {
    /// The time of the busiest channel.
    pub volume: u128,
    /// The latencies of its operations.
    pub latency: u128,
    /// The lower bound for the topology and placement.
    pub bound: u128,
    /// The lower bound for all topologies and placements.
    pub universal: u128,
}

/// The times of a step from those of its phases. `stage_volume` is the time in which the busiest channel
/// carries the bytes of all phases of a stage.
///
/// A stage takes as long as its busiest channel with the latencies of its longest chain, and no less than
/// that chain alone. Compute hides at most the least overlap of its phases. Phases with compute of their own
/// hide behind that alone, others behind what is left of the compute of the step.
pub fn job_step(job: &Job, phases: &[PhaseTime], stage_volume: impl Fn(&[usize]) -> u128) -> JobStep {
    let mut step = JobStep::default();
    let mut left = u128::from(job.compute_ps) * PICOSECOND;
    for stage in &job_stages(&job.phases) {
        let longest = longest_chain(job, stage, |phase| phases[phase].volume + phases[phase].latency);
        let latency = longest_chain(job, stage, |phase| phases[phase].latency);
        let time = longest.max(stage_volume(stage) + latency);
        let members = || stage.iter().map(|&phase| &job.phases[phase]);
        let overlap = members().map(|phase| phase.overlap_millionths).min().unwrap_or(0);
        let own: u128 = members().map(|phase| u128::from(phase.compute_ps) * PICOSECOND).sum();
        let pool = if own > 0 { own } else { left };
        let hidden = (time * u128::from(overlap) / MILLIONTHS).min(pool);
        if own == 0 {
            left -= hidden;
        }
        step.communication += time;
        step.exposed += time - hidden;
        step.compute += own;
        step.bound += longest_chain(job, stage, |phase| phases[phase].bound);
        step.universal += longest_chain(job, stage, |phase| phases[phase].universal);
    }
    step.compute += (u128::from(job.compute_ps) + u128::from(job.idle_ps)) * PICOSECOND;
    step
}

/// The longest chain of phases of a stage that wait for each other.
fn longest_chain(job: &Job, stage: &[usize], time: impl Fn(usize) -> u128) -> u128 {
    let mut ends: Vec<u128> = vec![0; job.phases.len()];
    // Phases of earlier stages have ended.
    for &phase in stage {
        let before = job.phases[phase].after.iter().filter(|earlier| stage.contains(earlier));
        ends[phase] = before.map(|&earlier| ends[earlier]).max().unwrap_or(0) + time(phase);
    }
    ends.into_iter().max().unwrap_or(0)
}
