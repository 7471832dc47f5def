//! Bounds by channel lengths: exact sums for given lengths, and which of several lengths bound the tightest.

use super::quotient::{Distance, Quotient};
use fabc_ir::DualLengths;
use rayon::prelude::*;

/// Sources by channels from which on lengths are compared by the distances from some sources only, one of so
/// many: which of them is taken is a guess, what it bounds is exact.
const LARGE: usize = 1 << 27;
const SAMPLED: usize = 16;

/// The exact bound of given lengths.
pub(super) fn bound(quotient: &Quotient, lengths: &[u32]) -> DualLengths {
    from_distance(quotient, lengths, distance_from(quotient, lengths, &quotient.sources))
}

/// The weighted sum of shortest lengths from some sources, and from all of their images.
fn distance_from(quotient: &Quotient, lengths: &[u32], sources: &[u32]) -> u128 {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let of = |scratch: &mut Distance, &source: &u32| {
        scratch.run(quotient, source as usize, lengths, longest);
        weighted(&scratch.distance, &quotient.weights_from(source))
    };
    sources.par_iter().map_init(Distance::default, of).sum::<u128>() * quotient.order as u128
}

/// The sum of distances from a source, each as often as its weight.
pub(super) fn weighted(distance: &[u32], weights: &[u32]) -> u128 {
    // A product has less than 52 bits: a thousand of them are added before they take wider numbers.
    let part = |(distance, weights): (&[u32], &[u32])| -> u64 {
        distance.iter().zip(weights).map(|(&distance, &weight)| u64::from(distance) * u64::from(weight)).sum()
    };
    distance.chunks(1024).zip(weights.chunks(1024)).map(part).map(u128::from).sum()
}

/// The same where the weighted sum of shortest lengths over all ordered pairs is known.
pub(super) fn from_distance(quotient: &Quotient, lengths: &[u32], distance: u128) -> DualLengths {
    let lit = |class: usize| quotient.lit(class);
    let lengths: Vec<u64> =
        (0..quotient.classes).map(|class| if lit(class) { u64::from(lengths[class]) } else { 0 }).collect();
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
    let above = |depth: f64| {
        let full = busiest(flattest) * (1.0 - depth);
        flattest.iter().map(|&load| u32::from(load >= full)).collect()
    };
    tightest_of(quotient, &DEPTHS.map(above))
}

/// The tightest of some lengths, or of equal ones where none gives a bound.
pub(super) fn tightest(quotient: &Quotient, seeds: &[Vec<u32>]) -> DualLengths {
    tightest_of(quotient, seeds).unwrap_or_else(|| bound(quotient, &vec![1; quotient.classes]))
}

/// The tightest of some lengths, the first of equal ones; `None` where none gives a bound.
fn tightest_of(quotient: &Quotient, seeds: &[Vec<u32>]) -> Option<DualLengths> {
    let large = quotient.sources.len() * quotient.incoming.len() > LARGE;
    let sources: Vec<u32> =
        quotient.sources.iter().copied().step_by(if large { SAMPLED } else { 1 }).collect();
    let bounds = seeds
        .iter()
        .map(|lengths| from_distance(quotient, lengths, distance_from(quotient, lengths, &sources)));
    let better = |best: DualLengths, dual| if tighter(&dual, &best) { dual } else { best };
    let best = bounds.filter(|dual| dual.distance > 0).reduce(better)?;
    if !large {
        return Some(best);
    }
    let lengths: Vec<u32> = best.lengths.iter().map(|&length| length as u32).collect();
    Some(bound(quotient, &lengths))
}
