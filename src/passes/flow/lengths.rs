//! Bounds by channel lengths: exact sums for given lengths, and which of several lengths bound the tightest.

use super::quotient::{Distance, Quotient};
use crate::ir::DualLengths;
use rayon::prelude::*;

/// The exact bound of given lengths.
pub(super) fn bound(quotient: &Quotient, lengths: &[u32]) -> DualLengths {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let of = |scratch: &mut Distance, &source: &u32| {
        scratch.run(quotient, source as usize, lengths, longest);
        weighted(&scratch.distance, &quotient.weights_from(source))
    };
    let distance: u128 = quotient.sources.par_iter().map_init(Distance::default, of).sum();
    from_distance(quotient, lengths, distance * quotient.order as u128)
}

/// The sum of distances from a source, each as often as its weight.
pub(super) fn weighted(distance: &[u32], weights: &[u32]) -> u128 {
    distance.iter().zip(weights).map(|(&distance, &weight)| u128::from(u64::from(distance) * u64::from(weight))).sum()
}

/// The same where the weighted sum of shortest lengths over all ordered pairs is known.
pub(super) fn from_distance(quotient: &Quotient, lengths: &[u32], distance: u128) -> DualLengths {
    let lit = |class: usize| quotient.lit(class);
    let lengths: Vec<u64> = (0..quotient.classes).map(|class| if lit(class) { u64::from(lengths[class]) } else { 0 }).collect();
    let capacity = |(&length, &capacity): (&u64, &u64)| u128::from(length) * u128::from(capacity);
    let volume = lengths.iter().zip(&quotient.capacity).map(capacity).sum::<u128>() * quotient.order as u128;
    DualLengths { lengths, volume, distance }
}

/// Whether `a` proves a smaller upper bound than `b`.
pub(super) fn tighter(a: &DualLengths, b: &DualLengths) -> bool {
    a.distance > 0 && (b.distance == 0 || a.volume * b.distance < b.volume * a.distance)
}

/// The tightest bound with length 1 on the most loaded classes and 0 elsewhere: where a cut decides, its
/// channels are those that a good flow saturates (complementary slackness). `rounds` are loads per class;
/// those of the flattest rounds are tried at several depths.
pub(super) fn best_cut(quotient: &Quotient, rounds: &[&[f64]]) -> Option<DualLengths> {
    const DEPTHS: [f64; 6] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2];
    let busiest = |loads: &[f64]| loads.iter().copied().fold(0.0, f64::max);
    let flattest = rounds.iter().min_by(|a, b| busiest(a).total_cmp(&busiest(b)))?;
    let mut best: Option<DualLengths> = None;
    for depth in DEPTHS {
        let full = busiest(flattest) * (1.0 - depth);
        let lengths: Vec<u32> = flattest.iter().map(|&load| u32::from(load >= full)).collect();
        let dual = bound(quotient, &lengths);
        if dual.distance > 0 && best.as_ref().is_none_or(|best| tighter(&dual, best)) {
            best = Some(dual);
        }
    }
    best
}

/// The tightest of some lengths, or of equal ones where none gives a bound.
pub(super) fn tightest(quotient: &Quotient, seeds: &[Vec<u32>]) -> DualLengths {
    let mut best: Option<DualLengths> = None;
    for lengths in seeds {
        let dual = bound(quotient, lengths);
        if dual.distance > 0 && best.as_ref().is_none_or(|best| tighter(&dual, best)) {
            best = Some(dual);
        }
    }
    best.unwrap_or_else(|| bound(quotient, &vec![1; quotient.classes]))
}
