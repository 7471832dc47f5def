//! Channel lengths known to be tight on whole families: two-valued by kind (copper 1, fibre w), by dimension, by cut.
//!
//! Multiplicative weights come close to the best lengths but never quite there where a cut decides (tori, two cubes); there these
//! bound exactly. Source: measured (algorithms of the project); the dimension lengths are the bisection argument for tori.

use super::quotient::{Distance, Quotient};
use crate::ir::{DualLengths, LinkKind};

/// Fibre lengths tried against copper length 1.
const FIBRE: [u32; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 24];

/// The exact bound of given lengths.
pub(super) fn bound(quotient: &Quotient, lengths: &[u32], scratch: &mut Distance) -> DualLengths {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut distance = 0u128;
    for &source in &quotient.sources {
        scratch.run(quotient, source as usize, lengths, longest);
        distance += scratch.distance.iter().map(|&d| u128::from(d)).sum::<u128>();
    }
    from_distance(quotient, lengths, distance * quotient.order as u128)
}

/// The same where the sum of shortest lengths over all ordered pairs is known.
pub(super) fn from_distance(quotient: &Quotient, lengths: &[u32], distance: u128) -> DualLengths {
    let lit = |class: usize| quotient.lit(class);
    let lengths: Vec<u64> = (0..quotient.classes).map(|class| if lit(class) { u64::from(lengths[class]) } else { 0 }).collect();
    let volume = lengths.iter().map(|&length| u128::from(length)).sum::<u128>() * quotient.order as u128;
    DualLengths { lengths, volume, distance }
}

/// Whether `a` proves a smaller upper bound than `b`.
pub(super) fn tighter(a: &DualLengths, b: &DualLengths) -> bool {
    a.distance > 0 && (b.distance == 0 || a.volume * b.distance < b.volume * a.distance)
}

/// The tightest of the known families for this topology.
pub(super) fn best_known(quotient: &Quotient) -> DualLengths {
    let mut scratch = Distance::default();
    let mut best: Option<DualLengths> = None;
    let mut consider = |lengths: &[u32]| {
        let dual = bound(quotient, lengths, &mut scratch);
        if dual.distance > 0 && best.as_ref().is_none_or(|best| tighter(&dual, best)) {
            best = Some(dual);
        }
    };
    let by = |f: &dyn Fn(usize) -> u32| (0..quotient.classes).map(f).collect::<Vec<u32>>();
    for fibre in FIBRE {
        consider(&by(&|class| if quotient.kinds[class] == Some(LinkKind::Fiber) { fibre } else { 1 }));
    }
    for dimensions in 1..8u32 {
        consider(&by(&|class| (dimensions >> ((class % quotient.ports) / 2)) & 1));
    }
    // Fibres that stay within a cube count like copper; the pure cut between cubes, and softer versions of it.
    for (inside, across) in [(0, 1), (1, 2), (1, 4), (1, 9)] {
        consider(&by(&|class| if quotient.crossing[class] { across } else { inside }));
    }
    best.expect("a connected topology has a positive distance")
}
