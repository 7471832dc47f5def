//! Channel lengths known to be tight on whole families: two-valued by kind (copper 1, fibre w), by dimension, by cut; where chips send
//! unequal amounts, also around the chips and cubes with the most to send or receive per channel.
//!
//! Multiplicative weights come close to the best lengths but never quite there where a cut decides (tori, two cubes); there these
//! bound exactly. Source: measured (algorithms of the project); the dimension lengths are the bisection argument for tori.

use super::quotient::{Distance, Quotient};
use crate::ir::{DualLengths, LinkClass};

/// Fibre lengths tried against copper length 1.
const FIBRE: [u32; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 24];

/// The exact bound of given lengths.
pub(super) fn bound(quotient: &Quotient, lengths: &[u32], scratch: &mut Distance) -> DualLengths {
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut distance = 0u128;
    for &source in &quotient.sources {
        scratch.run(quotient, source as usize, lengths, longest);
        distance += weighted(&scratch.distance, &quotient.weights_from(source));
    }
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
    let volume = lengths.iter().map(|&length| u128::from(length)).sum::<u128>() * quotient.order as u128;
    DualLengths { lengths, volume, distance }
}

/// Whether `a` proves a smaller upper bound than `b`.
pub(super) fn tighter(a: &DualLengths, b: &DualLengths) -> bool {
    a.distance > 0 && (b.distance == 0 || a.volume * b.distance < b.volume * a.distance)
}

/// The tightest bound with length 1 on the most loaded classes and 0 elsewhere: where a cut decides, its channels are those that a good
/// flow saturates (complementary slackness). `rounds` are loads per class; those of the flattest rounds are tried at several depths.
pub(super) fn best_cut(quotient: &Quotient, rounds: &[&[f64]]) -> Option<DualLengths> {
    const DEPTHS: [f64; 6] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.2];
    let busiest = |loads: &[f64]| loads.iter().copied().fold(0.0, f64::max);
    let flattest = rounds.iter().min_by(|a, b| busiest(a).total_cmp(&busiest(b)))?;
    let mut scratch = Distance::default();
    let mut best: Option<DualLengths> = None;
    for depth in DEPTHS {
        let full = busiest(flattest) * (1.0 - depth);
        let lengths: Vec<u32> = flattest.iter().map(|&load| u32::from(load >= full)).collect();
        let dual = bound(quotient, &lengths, &mut scratch);
        if dual.distance > 0 && best.as_ref().is_none_or(|best| tighter(&dual, best)) {
            best = Some(dual);
        }
    }
    best
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
        consider(&by(&|class| if quotient.kinds[class] == Some(LinkClass::Global) { fibre } else { 1 }));
    }
    for dimensions in 1..8u32 {
        consider(&by(&|class| (dimensions >> ((class % quotient.ports) / 2)) & 1));
    }
    // The copper across one plane inside the cubes: decides where a dimension has no switches.
    let copper = |class: usize| quotient.kinds[class] == Some(LinkClass::Local);
    let deepest = (0..quotient.classes).filter(|&class| copper(class)).map(|class| quotient.depth[class]).max().unwrap_or(0);
    for dimension in 0..quotient.ports / 2 {
        for plane in 0..=deepest {
            let on_plane = |class: usize, port: usize| copper(class) && class % quotient.ports == port && quotient.depth[class] == plane;
            consider(&by(&|class| u32::from(on_plane(class, 2 * dimension) || on_plane(quotient.reverse[class] as usize, 2 * dimension))));
        }
    }
    // Fibres that stay within a cube count like copper; the pure cut between cubes, and softer versions of it.
    for (inside, across) in [(0, 1), (1, 2), (1, 4), (1, 9)] {
        consider(&by(&|class| if quotient.crossing[class] { across } else { inside }));
    }
    if !quotient.demand.is_uniform() {
        around_the_busiest(quotient).iter().for_each(|lengths| consider(lengths));
    }
    best.expect("a connected topology has a positive distance")
}

/// Cuts of each sort that are evaluated exactly.
const AROUND: usize = 4;

/// Length 1 on the channels out of, or into, a class of chips or cubes, 0 elsewhere: those classes whose members have the most to send, or
/// to receive, per channel. Where a chip or a cube decides, its own channels are the cut.
fn around_the_busiest(quotient: &Quotient) -> Vec<Vec<u32>> {
    let (classes, cube_of) = (quotient.classes, |node: usize| node / quotient.chips_per_cube);
    // By chip, then by cube: what the canonical members of each class send and receive beyond themselves.
    let chip_classes = classes / quotient.ports;
    let cubes = chip_classes / quotient.chips_per_cube;
    let mut chips = vec![[0u64; 2]; chip_classes];
    let mut whole = vec![[0u64; 2]; cubes];
    for &source in &quotient.sources {
        let from = quotient.node_class[source as usize] as usize;
        for (node, &weight) in quotient.weights_from(source).iter().enumerate() {
            let to = quotient.node_class[node] as usize;
            let across = u64::from(weight) * u64::from(cube_of(node) != cube_of(source as usize));
            chips[from][0] += u64::from(weight);
            chips[to][1] += u64::from(weight);
            whole[from / quotient.chips_per_cube][0] += across;
            whole[to / quotient.chips_per_cube][1] += across;
        }
    }
    let mut found = Vec::new();
    for (amounts, chips_each, by_cube) in [(&chips, 1, false), (&whole, quotient.chips_per_cube, true)] {
        let counts = |class: usize| quotient.lit(class) && (!by_cube || quotient.crossing[class]);
        let channels: Vec<u64> = (0..amounts.len())
            .map(|member| {
                let width = chips_each * quotient.ports;
                (member * width..(member + 1) * width).filter(|&class| counts(class)).count() as u64
            })
            .collect();
        for direction in [0, 1] {
            let mut members: Vec<usize> = (0..amounts.len()).filter(|&member| channels[member] > 0).collect();
            // Most per channel first, compared as fractions; ties by id.
            members.sort_by(|&a, &b| {
                let side = |one: usize, other: usize| u128::from(amounts[one][direction]) * u128::from(channels[other]);
                side(b, a).cmp(&side(a, b)).then(a.cmp(&b))
            });
            for &member in members.iter().take(AROUND) {
                let within = |class: usize| counts(class) && class / (chips_each * quotient.ports) == member;
                let length = |class: usize| within(if direction == 0 { class } else { quotient.reverse[class] as usize });
                found.push((0..classes).map(|class| u32::from(quotient.lit(class) && length(class))).collect());
            }
        }
    }
    found
}
