//! Bounds by channel lengths: exact sums for given lengths, and the lengths that give the tightest bound.

use super::quotient::FlowQuotient;
use fabc_ir::DualLengths;
use rayon::prelude::*;

/// Sources times channels from which on lengths are compared by distances from one in [`SAMPLED`] sources
/// only. Then the choice of lengths is a guess, but their bound is exact.
const LARGE: usize = 1 << 27;
const SAMPLED: usize = 16;

/// The exact upper bound by given lengths.
pub(super) fn bound(quotient: &FlowQuotient, lengths: &[u32]) -> DualLengths {
    from_distance(quotient, lengths, distance_sum(quotient, lengths, &quotient.sources))
}

/// The weighted sum of shortest lengths from some sources and from all of their images.
fn distance_sum(quotient: &FlowQuotient, lengths: &[u32], sources: &[u32]) -> u128 {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let from_source = |&source: &u32| {
        quotient.with_search(|search| {
            search.run(quotient, source as usize, lengths, longest);
            weighted(&search.distance, &quotient.weights_from(source))
        })
    };
    sources.par_iter().map(from_source).sum::<u128>() * quotient.order as u128
}

/// The sum of distances from a source, each as often as its weight.
pub(super) fn weighted(distance: &[u32], weights: &[u32]) -> u128 {
    // A product has less than 52 bits, so a thousand of them fit 64 bits.
    let part = |(distance, weights): (&[u32], &[u32])| -> u64 {
        distance.iter().zip(weights).map(|(&distance, &weight)| u64::from(distance) * u64::from(weight)).sum()
    };
    distance.chunks(1024).zip(weights.chunks(1024)).map(part).map(u128::from).sum()
}

/// The exact upper bound by given lengths whose weighted sum of shortest lengths over all ordered pairs is
/// known.
pub(super) fn from_distance(quotient: &FlowQuotient, lengths: &[u32], distance: u128) -> DualLengths {
    let lit = |class: usize| quotient.is_lit(class);
    let lengths: Vec<u64> =
        (0..quotient.classes).map(|class| if lit(class) { u64::from(lengths[class]) } else { 0 }).collect();
    let capacity = |(&length, &capacity): (&u64, &u64)| u128::from(length) * u128::from(capacity);
    let volume = lengths.iter().zip(&quotient.capacity).map(capacity).sum::<u128>() * quotient.order as u128;
    DualLengths { lengths, volume, distance }
}

/// Whether `a` proves a smaller upper bound than `b`.
pub(super) fn is_tighter(a: &DualLengths, b: &DualLengths) -> bool {
    a.distance > 0 && (b.distance == 0 || a.volume * b.distance < b.volume * a.distance)
}

/// The tightest bound with length 1 on the most loaded classes and 0 elsewhere. Where a cut decides, its
/// channels are those that a good flow saturates (complementary slackness). `rounds` are loads per class.
/// Those of the flattest round are tried at several depths.
pub(super) fn best_cut(quotient: &FlowQuotient, rounds: &[&[f64]]) -> Option<DualLengths> {
    const DEPTHS: [f64; 6] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2];
    let busiest = |loads: &[f64]| loads.iter().copied().fold(0.0, f64::max);
    let flattest = rounds.iter().min_by(|a, b| busiest(a).total_cmp(&busiest(b)))?;
    let above = |depth: f64| {
        let full = busiest(flattest) * (1.0 - depth);
        flattest.iter().map(|&load| u32::from(load >= full)).collect()
    };
    first_tightest(quotient, &DEPTHS.map(above))
}

/// The tightest bound of some lengths, or that of equal lengths if none of them gives a bound.
pub(super) fn tightest(quotient: &FlowQuotient, seeds: &[Vec<u32>]) -> DualLengths {
    first_tightest(quotient, seeds).unwrap_or_else(|| bound(quotient, &vec![1; quotient.classes]))
}

/// The tightest bound of some lengths, the first of equal ones. `None` if none gives a bound.
fn first_tightest(quotient: &FlowQuotient, seeds: &[Vec<u32>]) -> Option<DualLengths> {
    let large = quotient.sources.len() * quotient.incoming.len() > LARGE;
    let sources: Vec<u32> =
        quotient.sources.iter().copied().step_by(if large { SAMPLED } else { 1 }).collect();
    let bounds = seeds
        .iter()
        .map(|lengths| from_distance(quotient, lengths, distance_sum(quotient, lengths, &sources)));
    let better = |best: DualLengths, dual| if is_tighter(&dual, &best) { dual } else { best };
    let best = bounds.filter(|dual| dual.distance > 0).reduce(better)?;
    if !large {
        return Some(best);
    }
    let lengths: Vec<u32> = best.lengths.iter().map(|&length| length as u32).collect();
    Some(bound(quotient, &lengths))
}
