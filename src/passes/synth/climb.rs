//! One descent by threshold accepting: a change is kept unless it makes the score worse by more than a
//! threshold that falls linearly to zero.
//!
//! In: a wiring, a goal, how many evaluations. Out: the best wiring on the way. Source: Dueck & Scheuer 1990.

use super::antipodal::Antipodal;
use super::evaluate::Evaluator;
use super::score::{self, Goal};
use super::shape::{Shape, Slot, Wiring};
use fabc_base::random::Stream;

pub(super) const RESTARTS: u64 = 4;
/// Evaluations of one restart at effort 1 on a pod whose canonical nodes fill one word or less per node.
pub(super) const EVALUATIONS: u64 = 12_000;

/// Evaluations of one restart; those of larger rows cost more, so there are fewer.
pub(super) fn evaluations(shape: &Shape, effort: u32) -> u64 {
    let words = shape.nodes.div_ceil(64) as u64;
    (EVALUATIONS * u64::from(effort) * 4 / words.max(4)).max(200)
}

/// The thresholds of a heat, in half units: 20 distance units at 256 chips, 40 at 1024, 110 at 8192 for 64
/// canonical nodes.
pub(super) fn thresholds(shape: &Shape, heat: [u64; 2]) -> [u64; 2] {
    let all = (shape.nodes * shape.order) as u64;
    let unit = (all.isqrt() * shape.nodes as u64 * 5 / 256).max(6);
    heat.map(|heat| unit * heat / 2)
}

/// One restart that has ended.
pub(super) struct Run {
    pub(super) score: u64,
    /// Its number among the shapes.
    pub(super) shape: usize,
    pub(super) wiring: Wiring,
    pub(super) evaluations: u64,
    pub(super) out_of_time: bool,
}

impl Run {
    /// A wiring of the first shape that took no search.
    pub(super) fn given(wiring: Wiring, shape: &Shape, goal: &Goal) -> Self {
        Self { score: goal.score_of(shape, &wiring), shape: 0, wiring, evaluations: 0, out_of_time: false }
    }
}

/// One descent by threshold accepting.
pub(super) struct Climb<'a> {
    pub(super) shape: &'a Shape,
    pub(super) goal: &'a Goal,
    /// The symmetry that every change keeps, and the start has.
    pub(super) antipodal: Option<&'a Antipodal>,
    /// The first and the last threshold, in distance units.
    pub(super) thresholds: [u64; 2],
    pub(super) expired: &'a (dyn Fn() -> bool + Sync),
}

impl Climb<'_> {
    pub(super) fn run(&self, mut wiring: Wiring, evaluations: u64, stream: &mut Stream) -> Run {
        let Climb { shape, goal, .. } = *self;
        let mut evaluator =
            if self.antipodal.is_some() { Evaluator::of_antipodal(shape) } else { Evaluator::new(shape) };
        let mut order: Vec<usize> = (0..shape.switches.len()).collect();
        let mut current = goal.score(&mut evaluator, shape, &wiring, &mut order, u64::MAX);
        let mut best = (current, wiring.clone());
        let free: Vec<usize> = (0..shape.switches.len()).filter(|&ocs| shape.is_free(ocs)).collect();
        let mut done = 0;
        let mut out_of_time = false;
        let [first, last] = self.thresholds.map(|units| score::in_units(units, shape, &wiring, goal));
        while done < evaluations && !free.is_empty() {
            // The clock is read rarely, and only if the spec has a time limit.
            if done.is_multiple_of(64) && (self.expired)() {
                out_of_time = true;
                break;
            }
            let limit = current + last + (first - last) * (evaluations - done) / evaluations;
            done += 1;
            let at = stream.below(free.len());
            let one = free[at];
            let mut undo: Vec<(usize, Vec<Slot>)> = vec![(one, wiring[one].clone())];
            if shape.order > 1 && free.len() > 1 && stream.below(4) == 0 {
                let other = free[(at + 1 + stream.below(free.len() - 1)) % free.len()];
                if self.antipodal.is_some_and(|antipodal| antipodal.mate(one) == other) {
                    continue;
                }
                undo.push((other, wiring[other].clone()));
                if !shape.swap_shifts(&mut wiring, one, other, stream) {
                    continue;
                }
            } else if !shape.mutate(one, &mut wiring[one], stream) {
                continue;
            }
            if let Some(antipodal) = self.antipodal {
                for at in 0..undo.len() {
                    let mate = antipodal.mate(undo[at].0);
                    undo.push((mate, wiring[mate].clone()));
                    antipodal.follow(shape, &mut wiring, undo[at].0);
                }
            }
            let candidate = goal.score(&mut evaluator, shape, &wiring, &mut order, limit);
            if candidate <= limit {
                current = candidate;
                if current < best.0 {
                    best = (current, wiring.clone());
                }
            } else {
                for (ocs, slots) in undo {
                    wiring[ocs] = slots;
                }
            }
        }
        Run { score: best.0, shape: 0, wiring: best.1, evaluations: done, out_of_time }
    }
}
