//! One descent by threshold accepting. A change is kept unless it makes the score worse by more than a
//! threshold that falls linearly to zero.
//!
//! Input: a wiring, a goal, and a number of evaluations. Output: the best wiring found. Source: Dueck &
//! Scheuer 1990.

use super::antipodal::Antipodal;
use super::evaluate::Evaluator;
use super::score::{self, Goal};
use super::shape::{CandidateWiring, PodShape, WiringSlot};
use fabc_base::random::Stream;

pub(super) const RESTARTS: u64 = 4;
/// The evaluations of one restart at effort 1, on a pod whose canonical nodes fill one word or less per
/// node.
pub(super) const EVALUATIONS: u64 = 12_000;

/// The evaluations of one restart. Larger rows cost more, so they get fewer.
pub(super) fn evaluations(shape: &PodShape, effort: u32) -> u64 {
    let words = shape.nodes.div_ceil(64) as u64;
    (EVALUATIONS * u64::from(effort) * 4 / words.max(4)).max(200)
}

/// The thresholds of a heat, in half units. A unit is 20 distance units at 256 chips, 40 at 1024, 110 at
/// 8192 for 64 canonical nodes.
pub(super) fn thresholds(shape: &PodShape, heat: [u64; 2]) -> Thresholds {
    let chips = (shape.nodes * shape.order) as u64;
    let unit = (chips.isqrt() * shape.nodes as u64 * 5 / 256).max(6);
    let [first, last] = heat.map(|heat| unit * heat / 2);
    Thresholds { first, last }
}

/// How much worse than the current score a change may be, in distance units. It falls linearly from the
/// first value to the last one.
#[derive(Clone, Copy)]
pub(super) struct Thresholds {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// The result of one restart.
pub(super) struct ClimbRun {
    pub(super) score: u64,
    /// The index of its shape.
    pub(super) shape: usize,
    pub(super) wiring: CandidateWiring,
    pub(super) evaluations: u64,
    pub(super) out_of_time: bool,
}

impl ClimbRun {
    /// The result for a wiring of the first shape that took no search.
    pub(super) fn given(wiring: CandidateWiring, shape: &PodShape, goal: &Goal) -> Self {
        Self {
            score: goal.score_wiring(shape, &wiring),
            shape: 0,
            wiring,
            evaluations: 0,
            out_of_time: false,
        }
    }
}

/// The settings of one descent.
pub(super) struct Climb<'a> {
    pub(super) shape: &'a PodShape,
    pub(super) goal: &'a Goal,
    /// The symmetry that the start has and every change keeps.
    pub(super) antipodal: Option<&'a Antipodal>,
    /// The first and the last threshold of the descent, in distance units.
    pub(super) thresholds: Thresholds,
    pub(super) expired: &'a (dyn Fn() -> bool + Sync),
}

impl Climb<'_> {
    pub(super) fn run(&self, mut wiring: CandidateWiring, evaluations: u64, stream: &mut Stream) -> ClimbRun {
        let Climb { shape, goal, .. } = *self;
        let mut evaluator =
            if self.antipodal.is_some() { Evaluator::for_antipodal(shape) } else { Evaluator::new(shape) };
        let mut order: Vec<usize> = (0..shape.switches.len()).collect();
        let mut current = goal.score(&mut evaluator, shape, &wiring, &mut order, u64::MAX);
        let mut best = (current, wiring.clone());
        let free: Vec<usize> = (0..shape.switches.len()).filter(|&ocs| shape.is_free(ocs)).collect();
        let mut done = 0;
        let mut out_of_time = false;
        let in_scores = |units: u64| score::in_units(units, shape, &wiring, goal);
        let (first, last) = (in_scores(self.thresholds.first), in_scores(self.thresholds.last));
        while done < evaluations && !free.is_empty() {
            // The clock is read rarely, and only if the spec has a time limit.
            if done.is_multiple_of(64) && (self.expired)() {
                out_of_time = true;
                break;
            }
            let limit = current + last + (first - last) * (evaluations - done) / evaluations;
            done += 1;
            let index = stream.below(free.len());
            let ocs_a = free[index];
            let mut saved: Vec<(usize, Vec<WiringSlot>)> = vec![(ocs_a, wiring[ocs_a].clone())];
            if shape.order > 1 && free.len() > 1 && stream.below(4) == 0 {
                let ocs_b = free[(index + 1 + stream.below(free.len() - 1)) % free.len()];
                if self.antipodal.is_some_and(|antipodal| antipodal.mate(ocs_a) == ocs_b) {
                    continue;
                }
                saved.push((ocs_b, wiring[ocs_b].clone()));
                if !shape.swap_shifts(&mut wiring, ocs_a, ocs_b, stream) {
                    continue;
                }
            } else if !shape.mutate(ocs_a, &mut wiring[ocs_a], stream) {
                continue;
            }
            if let Some(antipodal) = self.antipodal {
                for index in 0..saved.len() {
                    let mate = antipodal.mate(saved[index].0);
                    saved.push((mate, wiring[mate].clone()));
                    antipodal.follow(shape, &mut wiring, saved[index].0);
                }
            }
            let candidate = goal.score(&mut evaluator, shape, &wiring, &mut order, limit);
            if candidate <= limit {
                current = candidate;
                if current < best.0 {
                    best = (current, wiring.clone());
                }
            } else {
                for (ocs, slots) in saved {
                    wiring[ocs] = slots;
                }
            }
        }
        ClimbRun { score: best.0, shape: 0, wiring: best.1, evaluations: done, out_of_time }
    }
}
