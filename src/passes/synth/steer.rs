//! Faults in the search: wirings that hold together, and carry what the spec asks for, while any one OCS is
//! dark.
//!
//! In: the restarts of the search for the healthy pod. Out: those that faults leave good enough; where the
//! best of them is not, what descents from the best ones under a goal with faults come to. Pairs of dark
//! OCSes are not looked at.

use super::climb::{Climb, RESTARTS, Run, evaluations, thresholds};
use super::evaluate::Evaluator;
use super::score::{self, FaultGoal, Goal};
use super::shape::Shape;
use fabc_base::ids::{Id, OcsId};
use fabc_base::random::Stream;
use fabc_model::{Fabric, Pod, Synthesize};
use rayon::prelude::*;

/// The flow that tables reach stays this far below the bound that the search sees: per cent.
const MARGIN: f64 = 2.0;
/// An evaluation with faults costs one per OCS, so there are fewer.
const FEWER: u64 = 4;

/// The search as faults see it.
pub(super) struct Steering<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) pod: &'a Pod,
    pub(super) shapes: &'a [Shape],
    pub(super) settings: Synthesize,
    pub(super) expired: &'a (dyn Fn() -> bool + Sync),
}

/// What came of it.
pub(super) struct Steered {
    /// Best first.
    pub(super) runs: Vec<Run>,
    /// What the report should say.
    pub(super) note: Option<String>,
    pub(super) evaluations: u64,
    pub(super) out_of_time: bool,
}

impl Steering<'_> {
    /// Keeps the runs that every single dark OCS leaves good enough, or searches on.
    pub(super) fn steer(&self, goal: &Goal, mut runs: Vec<Run>) -> Steered {
        let Steering { fabric, shapes, settings, expired, .. } = *self;
        if fabric.budget.faults.dark_ocses() == 0 {
            return Steered { runs, note: None, evaluations: 0, out_of_time: false };
        }
        let wanted = fabric.required_fault_flow();
        let enough = if wanted > 0.0 { score::of_bound(wanted * (1.0 + MARGIN / 100.0)) } else { u64::MAX };
        let (healthy, goal) = (goal, Goal { fault: Some(FaultGoal { enough }), ..goal.clone() });
        // Faults add nothing to the score of what they leave good enough.
        let holds = |run: &Run| self.scored(&goal, run) == self.scored(healthy, run);
        if holds(&runs[0]) {
            runs.retain(holds);
            return Steered { runs, note: None, evaluations: 0, out_of_time: false };
        }
        let before = self.worst(&goal, &runs[0]);
        let budget = (evaluations(&shapes[0], settings.effort) / FEWER).max(100);
        let more: Vec<Run> = runs
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
                Run { shape: run.shape, ..climb.run(run.wiring.clone(), budget, &mut stream) }
            })
            .collect();
        let (evaluations, out_of_time) =
            (more.iter().map(|run| run.evaluations).sum(), more.iter().any(|run| run.out_of_time));
        runs.retain(holds);
        runs.extend(more);
        runs.sort_by_key(|run| run.score);
        // Where none holds, the flow of the healthy pod must not decide.
        if runs.iter().any(holds) {
            runs.retain(holds);
        } else {
            runs.truncate(1);
        }
        let note = Some(self.note(before, self.worst(&goal, &runs[0])));
        Steered { runs, note, evaluations, out_of_time }
    }

    fn scored(&self, goal: &Goal, run: &Run) -> u64 {
        goal.score_of(&self.shapes[run.shape], &run.wiring)
    }

    /// The dark OCS that hurts most: in how many parts it leaves the cubes, and the distance bound there.
    fn worst(&self, goal: &Goal, run: &Run) -> (usize, f64, OcsId) {
        let shape = &self.shapes[run.shape];
        let mut evaluator = Evaluator::new(shape);
        let mut of_dark = |dark: usize| {
            let score = score::of_dark(&mut evaluator, shape, &run.wiring, goal.lengths[0], dark);
            (shape.parts(&run.wiring, dark), score::bound(score), OcsId::new(dark))
        };
        let all = (0..shape.switches.len()).map(&mut of_dark);
        all.reduce(|one, other| if (other.0, one.1) > (one.0, other.1) { other } else { one })
            .expect("there are OCSes")
    }

    fn note(&self, before: (usize, f64, OcsId), after: (usize, f64, OcsId)) -> String {
        if before.0 > 1 {
            let end = if after.0 > 1 { "; no wiring was found that holds together" } else { "" };
            return format!(
                "steered by the fault budget: without {}, the best wiring would fall apart{end}",
                self.pod.ocses[before.2].name
            );
        }
        let (from, to) = (before.1, after.1);
        format!(
            "steered by fault.concurrent_flow: the distance bound of the worst dark OCS went from {from:.6e} to {to:.6e}"
        )
    }
}
