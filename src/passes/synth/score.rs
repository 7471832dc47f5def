//! What a search minimises: 1 / (dual bound of the concurrent flow), the largest over a few choices of
//! channel lengths.
//!
//! Any channel lengths bound the flow by total length / sum of shortest lengths. The lengths that are tight
//! are nearly two-valued, 1 on copper and w on fibers: w decides whether distances or the fibers limit the
//! flow. Average hops alone (w = 1) would overload the fibers from 512 chips on. Which w are tight depends on
//! the shape of the cubes and on how good the wiring is, so they are chosen on wirings of a short search.
//! Everything is an integer. Source: LP duality (Leighton & Rao 1999); the choice of lengths is our own.

use super::evaluate::{Evaluator, FiberLengths, volume};
use super::shape::{Cut, Shape, Slot};
use fabc_model::Objective;

/// Scores are multiples of 1 / SCALE.
pub(super) const SCALE: u64 = 1 << 20;
/// Fiber lengths that may be tight.
const FIBERS: [usize; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
/// With few cubes many fibers may lead back into their own cube, and the cut between the cubes decides.
const FEW_CUBES: usize = 4;
const ACROSS: [usize; 5] = [1, 2, 4, 9, 16];
/// Lengths of fibers that stay inside, tried with each of `ACROSS`.
const INSIDE: [usize; 3] = [1, 2, 4];
/// Lengths inside and across that differ, tried where the demand is not uniform.
const UNEQUAL: [(usize, usize); 6] = [(1, 2), (1, 4), (1, 8), (2, 1), (4, 1), (8, 1)];
/// Lengths whose score is within this many per mille of the largest may decide.
const NEAR: u64 = 30;
/// Lengths that a search looks at, at most.
const LENGTHS: usize = 3;

/// What a wiring must hold out while any one OCS is dark, besides staying in one part.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaultGoal {
    /// The score that every fault must stay within; `u64::MAX` if being in one part is enough.
    pub(super) enough: u64,
}

/// What a fault exceeds its goal by counts so many times.
const PENALTY: u64 = 4;

/// What is minimised.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    /// Tightest first.
    pub(super) lengths: Vec<FiberLengths>,
    /// Whether cuts count: not where average hops are all that is asked for.
    pub(super) flow_counts: bool,
    /// Set where dark OCSes count.
    pub(super) fault: Option<FaultGoal>,
}

/// 1 / bound in fixed point: smaller is better. Where nothing is lit, the volume is 0.
pub(super) fn score(distance_sum: u64, volume: u64) -> u64 {
    (u128::from(distance_sum) * u128::from(SCALE) / u128::from(volume.max(1))) as u64
}

/// The bound that a score stands for.
pub(super) fn bound(score: u64) -> f64 {
    SCALE as f64 / score as f64
}

/// The score that stands for a bound.
pub(super) fn of_bound(bound: f64) -> u64 {
    (SCALE as f64 / bound) as u64
}

/// A number of distance units as a difference of scores.
pub(super) fn in_units(units: u64, shape: &Shape, wiring: &[Vec<Slot>], goal: &Goal) -> u64 {
    let (weight, pairs) = shape.demand();
    score(
        (u128::from(units) * u128::from(weight) / u128::from(pairs)) as u64,
        volume(shape, wiring, goal.lengths[0], None),
    )
}

/// The score for one choice of lengths, or anything above `limit`.
fn of_lengths(
    evaluator: &mut Evaluator<'_>,
    shape: &Shape,
    wiring: &[Vec<Slot>],
    lengths: FiberLengths,
    dark: Option<usize>,
    limit: u64,
) -> u64 {
    let volume = volume(shape, wiring, lengths, dark);
    let enough =
        (u128::from(limit) * u128::from(volume) / u128::from(SCALE)).min(u128::from(u64::MAX - 1)) as u64 + 1;
    score(evaluator.distance_sum(wiring, lengths, dark, enough), volume)
}

/// The score of the tightest of the cuts through all cubes at once.
fn of_cuts(shape: &Shape, wiring: &[Vec<Slot>]) -> u64 {
    let cut_score = |cut: &Cut| {
        let crossing = |ocs: usize, slot: Slot| {
            let ends = &shape.switches[ocs].ends;
            let apart = |[a, b]: [usize; 2]| cut.below[ends[a].node] != cut.below[ends[b].node];
            shape.joined(ocs, slot).is_some_and(apart)
        };
        let fibers = wiring
            .iter()
            .enumerate()
            .map(|(ocs, slots)| slots.iter().filter(|slot| crossing(ocs, **slot)).count());
        let channels = cut.copper + 2 * fibers.sum::<usize>() as u64;
        if channels == 0 { u64::MAX / 2 } else { score(cut.demand, channels) }
    };
    shape.cuts.iter().map(cut_score).max().unwrap_or(0)
}

impl Goal {
    /// The score of a wiring, or anything above `limit`. `order` is the order in which dark OCSes are tried;
    /// the one that decided comes first next time.
    pub(super) fn score(
        &self,
        evaluator: &mut Evaluator<'_>,
        shape: &Shape,
        wiring: &[Vec<Slot>],
        order: &mut [usize],
        limit: u64,
    ) -> u64 {
        let mut worst = if self.flow_counts { of_cuts(shape, wiring) } else { 0 };
        if worst > limit {
            return worst;
        }
        for &lengths in &self.lengths {
            worst = worst.max(of_lengths(evaluator, shape, wiring, lengths, None, limit));
            if worst > limit {
                return worst;
            }
        }
        let Some(fault) = self.fault else { return worst };
        // The penalty may grow to `limit`: what is left of that is what a fault may exceed its goal by.
        let mut scored = worst;
        for at in 0..order.len() {
            let dark = order[at];
            let excess = match shape.parts(wiring, dark) {
                1 if fault.enough == u64::MAX => 0,
                1 => {
                    let most = fault.enough.saturating_add((limit - scored) / PENALTY);
                    of_lengths(evaluator, shape, wiring, self.lengths[0], Some(dark), most)
                        .saturating_sub(fault.enough)
                }
                parts => (parts as u64 - 1).saturating_mul(worst),
            };
            scored = scored.saturating_add(excess.saturating_mul(PENALTY));
            if scored > limit {
                order[..=at].rotate_right(1);
                return scored;
            }
        }
        scored
    }

    /// The score of one wiring alone.
    pub(super) fn score_of(&self, shape: &Shape, wiring: &[Vec<Slot>]) -> u64 {
        let mut order: Vec<usize> = (0..shape.switches.len()).collect();
        self.score(&mut Evaluator::new(shape), shape, wiring, &mut order, u64::MAX)
    }
}

/// The score of the wiring without one OCS, for these lengths.
pub(super) fn of_dark(
    evaluator: &mut Evaluator<'_>,
    shape: &Shape,
    wiring: &[Vec<Slot>],
    lengths: FiberLengths,
    dark: usize,
) -> u64 {
    of_lengths(evaluator, shape, wiring, lengths, Some(dark), u64::MAX)
}

/// The lengths that may be tight for this shape, all of them.
pub(super) fn candidates(shape: &Shape, cubes: usize, objective: Objective) -> Vec<FiberLengths> {
    match objective {
        Objective::Hops => vec![FiberLengths { inside: 1, across: 1 }],
        Objective::Flow if cubes < FEW_CUBES => INSIDE
            .iter()
            .flat_map(|&inside| ACROSS.map(|across| FiberLengths { inside, across: inside * across }))
            .collect(),
        Objective::Flow => {
            let mut lengths = FIBERS.map(|length| FiberLengths { inside: length, across: length }).to_vec();
            if !shape.planes.is_empty() {
                // Traffic within cubes and between them may differ much: so may the worth of their fibers.
                lengths.extend(UNEQUAL.map(|(inside, across)| FiberLengths { inside, across }));
            }
            lengths
        }
    }
}

/// Those of the candidates that are tight, or nearly, on these wirings; the tightest first.
pub(super) fn tight(
    shape: &Shape,
    candidates: &[FiberLengths],
    wirings: &[Vec<Vec<Slot>>],
) -> Vec<FiberLengths> {
    let mut evaluator = Evaluator::new(shape);
    let mut totals: Vec<(u64, usize)> = candidates
        .iter()
        .enumerate()
        .map(|(at, &lengths)| {
            let total = wirings
                .iter()
                .map(|wiring| of_lengths(&mut evaluator, shape, wiring, lengths, None, u64::MAX))
                .sum();
            (total, at)
        })
        .collect();
    totals.sort_by_key(|&(total, at)| (std::cmp::Reverse(total), at));
    let least = totals[0].0 / 1000 * (1000 - NEAR);
    totals.iter().take(LENGTHS).filter(|(total, _)| *total >= least).map(|&(_, at)| candidates[at]).collect()
}
