//! A gather as a flood: whenever a channel is free it takes the rarest of some vectors that its end lacks.
//!
//! In: chips up to symmetry, who starts with what. Out: which vector crosses which lane when, so that every
//! chip gets each exactly once. The vectors that are looked at are drawn by a seed; of equally rare ones the
//! first drawn goes. Cost: O(receptions x ports).

use super::ground::Ground;
use super::taken::Taken;
use fabc_base::ids::{Id, NodeId};
use fabc_base::random::Stream;
use fabc_model::SlotPace;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Who starts with which vectors.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held<'a> {
    /// Every router with so many of its own: `router * vectors + part`.
    Each(u64),
    /// `[vector]`: its chip. Without symmetry.
    By(&'a [NodeId]),
}

/// A vector that crosses a lane, by the number that it has for the canonical chip that sends it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    pub(super) cycle: u32,
    pub(super) lane: u32,
    pub(super) vector: u64,
}

impl Held<'_> {
    /// Numbers of vectors.
    pub(super) fn count(self, ground: &Ground<'_>) -> u64 {
        match self {
            Held::Each(vectors) => ground.nodes() as u64 * vectors,
            Held::By(owners) => owners.len() as u64,
        }
    }
    /// The number that a vector has at the other end of a lane.
    pub(super) fn across(self, ground: &Ground<'_>, lane: usize, vector: u64) -> u64 {
        match self {
            Held::Each(vectors) => ground.taken_home(ground.lanes[lane].element, vector, vectors),
            Held::By(_) => vector,
        }
    }
    /// Who starts with a vector.
    pub(super) fn owner(self, vector: u64) -> NodeId {
        match self {
            Held::Each(vectors) => NodeId((vector / vectors) as u32),
            Held::By(owners) => owners[vector as usize],
        }
    }
    /// `[router]`: how many start there.
    fn starting(self, ground: &Ground<'_>) -> Vec<u64> {
        let mut starting = vec![0u64; ground.nodes()];
        match self {
            Held::Each(vectors) => ground.living.iter().for_each(|node| starting[node.index()] = vectors),
            Held::By(owners) => owners.iter().for_each(|owner| starting[owner.index()] += 1),
        }
        starting
    }
    /// The cycles that pass at least until the last crossing starts: what is farther away than some hops
    /// comes later, and all of it by the channels into a chip.
    pub(super) fn least(self, ground: &Ground<'_>, pace: SlotPace) -> u32 {
        let starting = self.starting(ground);
        let mut most = 0;
        for &node in ground.chips.iter().filter(|&&node| ground.lives(node)) {
            let (hops, into) = (ground.hops_from(node), ground.scene.channels_into(node).count() as u64);
            let mut farther: Vec<u64> = Vec::new();
            for from in &ground.living {
                let hops = hops[from.index()] as usize;
                farther.resize(farther.len().max(hops), 0);
                farther[..hops].iter_mut().for_each(|count| *count += starting[from.index()]);
            }
            for (distance, count) in farther.into_iter().enumerate().filter(|(_, count)| *count > 0) {
                most = most.max(
                    distance as u64 * u64::from(pace.hop) + (count.div_ceil(into) - 1) * u64::from(pace.slot),
                );
            }
        }
        u32::try_from(most).unwrap_or(u32::MAX)
    }
    /// Vectors that are images of each other have one number.
    fn orbit(self, ground: &Ground<'_>, vector: u64) -> usize {
        match self {
            Held::Each(vectors) => {
                (ground.symmetry.class(self.owner(vector)) as u64 * vectors + vector % vectors) as usize
            }
            Held::By(_) => vector as usize,
        }
    }
}

/// The stream of the first chip.
const FIRST_STREAM: u64 = 1 << 32;

/// How much of a flood each lane takes.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    /// `[lane]`: cycles from one vector to the next at least, in parts of [`PARTS`]; empty: a slot.
    every: Vec<u64>,
}

/// Parts of a cycle.
const PARTS: f64 = 256.0;
/// Sweeps over the chips, after which shares change by less than a vector.
const SWEEPS: usize = 200;
/// Cycles that a flood by shares takes, as parts of 64 of what its busiest lane sends at least.
const STRETCH: f64 = 66.0;

impl Shares {
    /// Those of trees that run both ways: what crosses a lane in the flood comes back on the lane back, so
    /// that a pair of them carries as much as any other pair when chip v takes `c / 2 + x[v] - x[u]` vectors
    /// from u. Chips then get all they must when the differences of x around each of them say so (a
    /// Laplacian).
    pub(super) fn even(ground: &Ground<'_>, held: Held<'_>, slot: u32) -> Self {
        let missing: Vec<f64> =
            held.starting(ground).into_iter().map(|own| (held.count(ground) - own) as f64).collect();
        let classes = ground.chips.len();
        let ends: Vec<(usize, usize)> = ground.lanes.iter().map(|lane| (lane.from, lane.class)).collect();
        let mut degree = vec![0.0; classes];
        ends.iter().for_each(|&(_, to)| degree[to] += 1.0);
        let wanted =
            |class: usize| if degree[class] > 0.0 { missing[ground.chips[class].index()] } else { 0.0 };
        let half = (0..classes).map(wanted).sum::<f64>() / ends.len() as f64;
        let mut x = vec![0.0; classes];
        for _ in 0..SWEEPS {
            for class in (0..classes).filter(|&class| degree[class] > 0.0) {
                let around: f64 = ground.lanes_of(class).map(|lane| x[ends[lane].1]).sum();
                x[class] = (wanted(class) - degree[class] * half + around) / degree[class];
            }
        }
        let shares: Vec<f64> = ends.iter().map(|&(from, to)| (half + x[to] - x[from]).max(1.0)).collect();
        let whole = shares.iter().copied().fold(1.0, f64::max) * f64::from(slot) * STRETCH / 64.0;
        Self { every: shares.into_iter().map(|share| (PARTS * whole / share) as u64).collect() }
    }

    /// The cycle before which a lane does not send its next vector.
    fn next(&self, lane: usize, sent: u64, start: u32) -> u32 {
        let waited = self.every.get(lane).map_or(0, |every| sent * every / PARTS as u64);
        start.saturating_add(u32::try_from(waited).unwrap_or(u32::MAX))
    }
}

/// What a chip has, by when it came, and its number there.
type Came = (u32, u32);

/// A lane as its far end sees it.
struct Input {
    lane: usize,
    /// What the far end may lack, by the numbers there.
    pool: Vec<u32>,
    /// When it is free again.
    free: u32,
    sent: u64,
}

/// A chip that takes what comes by the lanes to it. What it takes in a window of time depends on what started
/// before it alone.
struct Chip {
    inputs: Vec<Input>,
    /// What it has, or is on its way to it.
    has: fixedbitset::FixedBitSet,
    draw: Stream,
    /// What it took in this window.
    taken: Vec<Crossing>,
}

/// What a flood knows beside its chips.
struct Clock<'a> {
    ground: &'a Ground<'a>,
    held: Held<'a>,
    pace: SlotPace,
    shares: &'a Shares,
    start: u32,
    taken: &'a Taken,
    drawn: usize,
    /// `[orbit]`: chips that have it, before this window.
    holders: Vec<u32>,
}

impl Chip {
    /// Takes what crosses its lanes in a window; `came` is what came to every chip in it. Gives back when a
    /// lane that has something for it may send next at the earliest.
    fn take(&mut self, clock: &Clock<'_>, came: &[Vec<Came>], window: Range<u32>) -> Option<u32> {
        let Clock { ground, held, pace, .. } = *clock;
        self.taken.clear();
        // What has come to the near end of each lane so far; the lanes by the cycle in which they send next.
        let mut seen = vec![0; self.inputs.len()];
        let mut turns: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
        let earliest = |input: &Input, there: u32| {
            let next = clock.shares.next(input.lane, input.sent, clock.start).max(input.free).max(there);
            clock.taken.free(input.lane, next, pace)
        };
        let of = |input: &Input| &came[ground.lanes[input.lane].from];
        for (at, input) in self.inputs.iter().enumerate() {
            let there = if input.pool.is_empty() {
                of(input).first().map(|&(cycle, _)| cycle)
            } else {
                Some(window.start)
            };
            turns.extend(there.map(|there| Reverse((earliest(input, there), at))));
        }
        let mut later = None;
        while let Some(Reverse((now, at))) = turns.pop() {
            let input = &mut self.inputs[at];
            if now >= window.end {
                later = Some(now);
                break;
            }
            let news = of(input)[seen[at]..].iter().take_while(|(cycle, _)| *cycle <= now);
            let across = |&(_, vector): &Came| held.across(ground, input.lane, u64::from(vector)) as u32;
            let before = input.pool.len();
            input.pool.extend(news.map(across));
            seen[at] += input.pool.len() - before;
            let mut best: Option<(u32, u32)> = None;
            let mut looked = 0;
            while looked < clock.drawn && !input.pool.is_empty() {
                let drawn = self.draw.below(input.pool.len());
                let there = input.pool[drawn];
                if self.has.contains(there as usize) {
                    input.pool.swap_remove(drawn);
                    continue;
                }
                let rare = clock.holders[held.orbit(ground, u64::from(there))];
                if best.is_none_or(|(least, _)| rare < least) {
                    best = Some((rare, there));
                }
                looked += 1;
            }
            let Some((_, there)) = best else {
                let there = of(input).get(seen[at]).map(|&(cycle, _)| cycle);
                turns.extend(there.map(|there| Reverse((earliest(input, there), at))));
                continue;
            };
            self.has.insert(there as usize);
            let vector = match held {
                Held::Each(vectors) => {
                    ground.image(ground.lanes[input.lane].element, u64::from(there), vectors)
                }
                Held::By(_) => u64::from(there),
            };
            self.taken.push(Crossing { cycle: now, lane: input.lane as u32, vector });
            input.sent += 1;
            input.free = now + pace.slot;
            turns.push(Reverse((earliest(input, now), at)));
        }
        for (input, seen) in self.inputs.iter_mut().zip(seen) {
            let news = &came[ground.lanes[input.lane].from][seen..];
            input.pool.extend(
                news.iter().map(|&(_, vector)| held.across(ground, input.lane, u64::from(vector)) as u32),
            );
        }
        later
    }
}

/// A flood from some cycle on, every crossing after the one by which its sender got the vector.
///
/// Time goes by in windows of a hop: what starts in one comes after it, so that chips do not wait for each
/// other within a window; how rare a vector is they know as of its begin.
pub(super) fn flood(
    ground: &Ground<'_>,
    held: Held<'_>,
    (pace, shares): (SlotPace, &Shares),
    (start, taken): (u32, &Taken),
    (drawn, seed): (usize, u64),
) -> Vec<Crossing> {
    let count = held.count(ground) as usize;
    let classes = ground.chips.len();
    let orbits = match held {
        Held::Each(vectors) => classes * vectors as usize,
        Held::By(owners) => owners.len(),
    };
    let mut clock = Clock { ground, held, pace, shares, start, taken, drawn, holders: vec![0; orbits] };
    let chip = |class: usize| Chip {
        inputs: Vec::new(),
        has: fixedbitset::FixedBitSet::with_capacity(count),
        draw: Stream::new(seed, FIRST_STREAM + class as u64),
        taken: Vec::new(),
    };
    let mut chips: Vec<Chip> = (0..classes).map(chip).collect();
    for (lane, ends) in ground.lanes.iter().enumerate() {
        chips[ends.class].inputs.push(Input { lane, pool: Vec::new(), free: start, sent: 0 });
    }
    // `[class]`: what came in this window.
    let mut came: Vec<Vec<Came>> = vec![Vec::new(); classes];
    for vector in 0..count as u64 {
        let owner = held.owner(vector);
        let class = ground.symmetry.class(owner);
        if ground.chips[class] == owner && ground.lives(owner) {
            chips[class].has.insert(vector as usize);
            clock.holders[held.orbit(ground, vector)] += 1;
            came[class].push((start, vector as u32));
        }
    }
    let mut crossings: Vec<Crossing> = Vec::new();
    let mut window = Some(start);
    while let Some(from) = window {
        let end = from.saturating_add(pace.hop);
        let later = chips.par_iter_mut().map(|chip| chip.take(&clock, &came, from..end)).collect::<Vec<_>>();
        let mut next = later.into_iter().flatten().min();
        for (came, chip) in came.iter_mut().zip(&chips) {
            came.clear();
            for &Crossing { cycle, lane, vector } in &chip.taken {
                let there = held.across(ground, lane as usize, vector);
                clock.holders[held.orbit(ground, there)] += 1;
                came.push((cycle + pace.hop, there as u32));
            }
            next = next.into_iter().chain(came.first().map(|&(cycle, _)| cycle)).min();
            crossings.extend_from_slice(&chip.taken);
        }
        window = next.map(|next| next.max(end));
    }
    crossings
}
