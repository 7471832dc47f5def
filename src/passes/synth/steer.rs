//! Faults in the search: wirings that stay connected, and carry the required flow, while any one OCS is
//! dark.
//!
//! Input: the restarts of the search for the healthy pod. Output: those that satisfy the fault goal. If the
//! best of them does not, the output is the result of descents from the best ones under a goal with faults.
//! Pairs of dark OCSes are not examined.

use super::climb::{Climb, ClimbRun, RESTARTS, evaluations, thresholds};
use super::evaluate::Evaluator;
use super::score::{self, FaultGoal, Goal};
use super::shape::PodShape;
use fabc_base::ids::{Id, OcsId};
use fabc_base::random::Stream;
use fabc_model::{Fabric, Pod, Synthesize};
use rayon::prelude::*;

/// The margin, in percent, by which the flow that tables reach stays below the bound that the search sees.
const MARGIN: f64 = 2.0;
/// The factor by which evaluations are fewer, because each costs one evaluation per OCS.
const FEWER: u64 = 4;

/// The search whose runs are steered.
pub(super) struct Steering<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) pod: &'a Pod,
    pub(super) shapes: &'a [PodShape],
    pub(super) settings: Synthesize,
    pub(super) expired: &'a (dyn Fn() -> bool + Sync),
}

/// The runs that steering leaves, and its record.
pub(super) struct SteeringResult {
    /// The remaining runs, best first.
    pub(super) runs: Vec<ClimbRun>,
    /// The note for the report.
    pub(super) note: Option<String>,
    pub(super) evaluations: u64,
    pub(super) out_of_time: bool,
}

/// A dark OCS and the state in which it leaves a wiring.
struct DarkOcs {
    ocs: OcsId,
    /// The number of parts into which it leaves the cubes.
    parts: usize,
    /// The distance bound of the rest.
    bound: f64,
}

impl Steering<'_> {
    /// Keeps the runs that satisfy the goal under every single dark OCS, or searches on.
    pub(super) fn steer(&self, goal: &Goal, mut runs: Vec<ClimbRun>) -> SteeringResult {
        let Steering { fabric, shapes, settings, expired, .. } = *self;
        if fabric.budget.faults.dark_ocses() == 0 {
            return SteeringResult { runs, note: None, evaluations: 0, out_of_time: false };
        }
        let required_flow = fabric.required_fault_flow();
        let max_score = if required_flow > 0.0 {
            score::score_from_bound(required_flow * (1.0 + MARGIN / 100.0))
        } else {
            u64::MAX
        };
        let (healthy, goal) = (goal, Goal { fault: Some(FaultGoal { max_score }), ..goal.clone() });
        // Faults add nothing to the score of wirings that satisfy their goal.
        let holds = |run: &ClimbRun| self.score_of_run(&goal, run) == self.score_of_run(healthy, run);
        if holds(&runs[0]) {
            runs.retain(holds);
            return SteeringResult { runs, note: None, evaluations: 0, out_of_time: false };
        }
        let before = self.worst_dark_ocs(&goal, &runs[0]);
        let budget = (evaluations(&shapes[0], settings.effort) / FEWER).max(100);
        let steered_runs: Vec<ClimbRun> = runs
            .par_iter()
            .take(RESTARTS as usize)
            .enumerate()
            .map(|(at, run)| {
                let mut stream = Stream::new(settings.seed, (1 << 32) + at as u64);
                let shape = &shapes[run.shape];
                let climb = Climb {
                    shape,
                    antipodal: None,
                    goal: &goal,
                    thresholds: thresholds(shape, [1, 0]),
                    expired,
                };
                ClimbRun { shape: run.shape, ..climb.run(run.wiring.clone(), budget, &mut stream) }
            })
            .collect();
        let (evaluations, out_of_time) = (
            steered_runs.iter().map(|run| run.evaluations).sum(),
            steered_runs.iter().any(|run| run.out_of_time),
        );
        runs.retain(holds);
        runs.extend(steered_runs);
        runs.sort_by_key(|run| run.score);
        // If none holds, the flow of the healthy pod must not decide.
        if runs.iter().any(holds) {
            runs.retain(holds);
        } else {
            runs.truncate(1);
        }
        let note = Some(self.note(before, self.worst_dark_ocs(&goal, &runs[0])));
        SteeringResult { runs, note, evaluations, out_of_time }
    }

    fn score_of_run(&self, goal: &Goal, run: &ClimbRun) -> u64 {
        goal.score_wiring(&self.shapes[run.shape], &run.wiring)
    }

    /// The dark OCS that hurts a wiring most.
    fn worst_dark_ocs(&self, goal: &Goal, run: &ClimbRun) -> DarkOcs {
        let shape = &self.shapes[run.shape];
        let mut evaluator = Evaluator::new(shape);
        let mut outcome = |dark: usize| {
            let score = score::score_with_dark(&mut evaluator, shape, &run.wiring, goal.lengths[0], dark);
            DarkOcs {
                ocs: OcsId::new(dark),
                parts: shape.parts(&run.wiring, dark),
                bound: score::bound(score),
            }
        };
        let outcomes = (0..shape.switches.len()).map(&mut outcome);
        outcomes
            .reduce(
                |worst, next| {
                    if (next.parts, worst.bound) > (worst.parts, next.bound) { next } else { worst }
                },
            )
            .expect("there are OCSes")
    }

    fn note(&self, before: DarkOcs, after: DarkOcs) -> String {
        if before.parts > 1 {
            let end = if after.parts > 1 { "; no wiring was found that stays connected" } else { "" };
            return format!(
                "steered by the fault budget: without {}, the best wiring would be disconnected{end}",
                self.pod.ocses[before.ocs].name
            );
        }
        let (from, to) = (before.bound, after.bound);
        format!(
            "steered by fault.concurrent_flow: the distance bound of the worst dark OCS went from {from:.6e} to {to:.6e}"
        )
    }
}
