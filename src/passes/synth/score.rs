//! The score that a search minimises: 1 / (dual bound of the concurrent flow), the largest over a few
//! choices of channel lengths.
//!
//! Any channel lengths bound the flow by total length / sum of shortest lengths. The tight lengths are
//! nearly two-valued, 1 on copper and w on fibers. The number w decides whether distances or the fibers
//! limit the flow. Average hops alone (w = 1) would overload the fibers from 512 chips on. The tight w
//! depend on the shape of the cubes and on how good the wiring is, so they are chosen on wirings of a short
//! search. Everything is an integer. Source: LP duality (Leighton & Rao 1999). The choice of lengths is our
//! own.

use super::evaluate::{Evaluator, FiberLengths, volume};
use super::shape::{PlaneCut, PodShape, WiringSlot};
use fabc_model::Objective;

/// Scores are multiples of 1 / SCALE.
pub(super) const SCALE: u64 = 1 << 20;
/// Fiber lengths that may be tight.
const FIBERS: [usize; 10] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
/// The cubes below which many fibers may lead back into their own cube. There the cut between the cubes
/// decides.
const FEW_CUBES: usize = 4;
const ACROSS: [usize; 5] = [1, 2, 4, 9, 16];
/// Lengths of fibers that stay inside, each tried with all of `ACROSS`.
const INSIDE: [usize; 3] = [1, 2, 4];
/// Lengths inside and across that differ, tried if the demand is not uniform.
const UNEQUAL: [(usize, usize); 6] = [(1, 2), (1, 4), (1, 8), (2, 1), (4, 1), (8, 1)];
/// Lengths may decide if their score is within this many per mille of the largest.
const NEAR: u64 = 30;
/// The most lengths that a search uses.
const LENGTHS: usize = 3;

/// The goal for a wiring while any one OCS is dark, beside staying connected.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaultGoal {
    /// The largest score that every fault may have. It is `u64::MAX` if connection is enough.
    pub(super) max_score: u64,
}

/// The factor by which the excess of a fault over its goal counts.
const PENALTY: u64 = 4;

/// The goal of a search, whose score is minimised.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    /// The lengths to score by, tightest first.
    pub(super) lengths: Vec<FiberLengths>,
    /// Whether cuts count. They do not if the objective is average hops alone.
    pub(super) flow_counts: bool,
    /// The goal for dark OCSes, if they count.
    pub(super) fault: Option<FaultGoal>,
}

/// The score, 1 / bound in fixed point. Smaller is better. If nothing is lit, the volume is 0.
pub(super) fn score(distance_sum: u64, volume: u64) -> u64 {
    (u128::from(distance_sum) * u128::from(SCALE) / u128::from(volume.max(1))) as u64
}

/// The bound of a score.
pub(super) fn bound(score: u64) -> f64 {
    SCALE as f64 / score as f64
}

/// The score of a bound.
pub(super) fn score_from_bound(bound: f64) -> u64 {
    (SCALE as f64 / bound) as u64
}

/// Converts a number of distance units to a difference of scores.
pub(super) fn in_units(units: u64, shape: &PodShape, wiring: &[Vec<WiringSlot>], goal: &Goal) -> u64 {
    let (weight, pairs) = shape.demand();
    score(
        (u128::from(units) * u128::from(weight) / u128::from(pairs)) as u64,
        volume(shape, wiring, goal.lengths[0], None),
    )
}

/// The score for one choice of lengths, or anything above `limit`.
fn score_at_lengths(
    evaluator: &mut Evaluator<'_>,
    shape: &PodShape,
    wiring: &[Vec<WiringSlot>],
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
fn worst_cut_score(shape: &PodShape, wiring: &[Vec<WiringSlot>]) -> u64 {
    let cut_score = |cut: &PlaneCut| {
        let crossing = |ocs: usize, slot: WiringSlot| {
            let face_ends = &shape.switches[ocs].ends;
            let is_crossing =
                |[a, b]: [usize; 2]| cut.below[face_ends[a].node] != cut.below[face_ends[b].node];
            shape.joined(ocs, slot).is_some_and(is_crossing)
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
    /// The score of a wiring, or anything above `limit`. `order` is the order in which dark OCSes are
    /// tried. The one that decided comes first next time.
    pub(super) fn score(
        &self,
        evaluator: &mut Evaluator<'_>,
        shape: &PodShape,
        wiring: &[Vec<WiringSlot>],
        order: &mut [usize],
        limit: u64,
    ) -> u64 {
        let mut worst = if self.flow_counts { worst_cut_score(shape, wiring) } else { 0 };
        if worst > limit {
            return worst;
        }
        for &lengths in &self.lengths {
            worst = worst.max(score_at_lengths(evaluator, shape, wiring, lengths, None, limit));
            if worst > limit {
                return worst;
            }
        }
        let Some(fault) = self.fault else { return worst };
        // The penalty may grow to `limit`. The rest up to it is the allowed excess of a fault.
        let mut total = worst;
        for index in 0..order.len() {
            let dark = order[index];
            let excess = match shape.parts(wiring, dark) {
                1 if fault.max_score == u64::MAX => 0,
                1 => {
                    let allowed = fault.max_score.saturating_add((limit - total) / PENALTY);
                    score_at_lengths(evaluator, shape, wiring, self.lengths[0], Some(dark), allowed)
                        .saturating_sub(fault.max_score)
                }
                parts => (parts as u64 - 1).saturating_mul(worst),
            };
            total = total.saturating_add(excess.saturating_mul(PENALTY));
            if total > limit {
                order[..=index].rotate_right(1);
                return total;
            }
        }
        total
    }

    /// The score of one wiring alone.
    pub(super) fn score_wiring(&self, shape: &PodShape, wiring: &[Vec<WiringSlot>]) -> u64 {
        let mut order: Vec<usize> = (0..shape.switches.len()).collect();
        self.score(&mut Evaluator::new(shape), shape, wiring, &mut order, u64::MAX)
    }
}

/// The score of the wiring without one OCS, for these lengths.
pub(super) fn score_with_dark(
    evaluator: &mut Evaluator<'_>,
    shape: &PodShape,
    wiring: &[Vec<WiringSlot>],
    lengths: FiberLengths,
    dark: usize,
) -> u64 {
    score_at_lengths(evaluator, shape, wiring, lengths, Some(dark), u64::MAX)
}

/// All lengths that may be tight for this shape.
pub(super) fn candidates(shape: &PodShape, cubes: usize, objective: Objective) -> Vec<FiberLengths> {
    match objective {
        Objective::Hops => vec![FiberLengths { inside: 1, across: 1 }],
        Objective::Flow if cubes < FEW_CUBES => INSIDE
            .iter()
            .flat_map(|&inside| ACROSS.map(|across| FiberLengths { inside, across: inside * across }))
            .collect(),
        Objective::Flow => {
            let mut lengths = FIBERS.map(|length| FiberLengths { inside: length, across: length }).to_vec();
            if !shape.planes.is_empty() {
                // Traffic within cubes and between them may differ much, and so may the worth of their
                // fibers.
                lengths.extend(UNEQUAL.map(|(inside, across)| FiberLengths { inside, across }));
            }
            lengths
        }
    }
}

/// The candidates that are tight, or nearly so, on these wirings, the tightest first.
pub(super) fn tight_lengths(
    shape: &PodShape,
    candidates: &[FiberLengths],
    wirings: &[Vec<Vec<WiringSlot>>],
) -> Vec<FiberLengths> {
    let mut evaluator = Evaluator::new(shape);
    let mut totals: Vec<(u64, usize)> = candidates
        .iter()
        .enumerate()
        .map(|(index, &lengths)| {
            let total = wirings
                .iter()
                .map(|wiring| score_at_lengths(&mut evaluator, shape, wiring, lengths, None, u64::MAX))
                .sum();
            (total, index)
        })
        .collect();
    totals.sort_by_key(|&(total, index)| (std::cmp::Reverse(total), index));
    let least_total = totals[0].0 / 1000 * (1000 - NEAR);
    totals
        .iter()
        .take(LENGTHS)
        .filter(|(total, _)| *total >= least_total)
        .map(|&(_, index)| candidates[index])
        .collect()
}
