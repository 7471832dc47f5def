//! A gather as a flood: whenever a channel is free it takes the rarest of some vectors that its end lacks.
//!
//! In: chips up to symmetry, who starts with what. Out: which vector crosses which lane when, so that every
//! chip gets each exactly once. The vectors that are looked at are drawn by a seed; of equally rare ones the
//! first drawn goes. Cost: O(receptions x ports).

use super::ground::Ground;
use super::list::Taken;
use crate::ids::NodeId;
use crate::model::SlotPace;
use crate::random::Stream;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
    /// Vectors that are images of each other have one number.
    fn orbit(self, ground: &Ground<'_>, vector: u64) -> usize {
        match self {
            Held::Each(vectors) => (ground.symmetry.class(self.owner(vector)) as u64 * vectors + vector % vectors) as usize,
            Held::By(_) => vector as usize,
        }
    }
}

/// A flood from some cycle on, in the order of time.
pub(super) fn flood(
    ground: &Ground<'_>,
    held: Held<'_>,
    pace: SlotPace,
    (start, taken): (u32, &Taken),
    (drawn, seed): (usize, u64),
) -> Vec<Crossing> {
    const CAME: u8 = 0;
    const FREE: u8 = 1;
    let count = held.count(ground) as usize;
    let classes = ground.chips.len();
    let mut draw = Stream::new(seed, 1);
    // `[class * count + vector]`: whether the chip has it, or it is on its way.
    let mut has = fixedbitset::FixedBitSet::with_capacity(classes * count);
    let mut holders = vec![
        0u32;
        match held {
            Held::Each(vectors) => classes * vectors as usize,
            Held::By(owners) => owners.len(),
        }
    ];
    // `[lane]`: what its end may lack, by the numbers there.
    let mut pools: Vec<Vec<u32>> = vec![Vec::new(); ground.lanes.len()];
    let mut lane_free = vec![(start, false); ground.lanes.len()];
    let mut events: BinaryHeap<Reverse<(u32, u8, u32, u32)>> = BinaryHeap::new();
    for vector in 0..count as u64 {
        let owner = held.owner(vector);
        let class = ground.symmetry.class(owner);
        if ground.chips[class] == owner && ground.lives(owner) {
            has.insert(class * count + vector as usize);
            holders[held.orbit(ground, vector)] += 1;
            events.push(Reverse((start, CAME, class as u32, vector as u32)));
        }
    }
    let mut crossings = Vec::new();
    while let Some(Reverse((now, what, which, vector))) = events.pop() {
        if what == CAME {
            for lane in ground.lanes_of(which as usize) {
                let there = held.across(ground, lane, u64::from(vector)) as usize;
                if has.contains(ground.lanes[lane].class * count + there) {
                    continue;
                }
                pools[lane].push(there as u32);
                if !lane_free[lane].1 {
                    lane_free[lane].1 = true;
                    events.push(Reverse((now.max(lane_free[lane].0), FREE, lane as u32, 0)));
                }
            }
            continue;
        }
        let lane = which as usize;
        let free = taken.free(lane, now, pace);
        if free > now {
            events.push(Reverse((free, FREE, which, 0)));
            continue;
        }
        let (class, pool) = (ground.lanes[lane].class, &mut pools[lane]);
        let mut best: Option<(u32, u32)> = None;
        let mut looked = 0;
        while looked < drawn && !pool.is_empty() {
            let at = draw.below(pool.len());
            let there = pool[at];
            if has.contains(class * count + there as usize) {
                pool.swap_remove(at);
                continue;
            }
            let rare = holders[held.orbit(ground, u64::from(there))];
            if best.is_none_or(|(least, _)| rare < least) {
                best = Some((rare, there));
            }
            looked += 1;
        }
        let Some((_, there)) = best else {
            lane_free[lane].1 = false;
            continue;
        };
        has.insert(class * count + there as usize);
        holders[held.orbit(ground, u64::from(there))] += 1;
        let sent = match held {
            Held::Each(vectors) => ground.image(ground.lanes[lane].element, u64::from(there), vectors),
            Held::By(_) => u64::from(there),
        };
        crossings.push(Crossing { cycle: now, lane: which, vector: sent });
        events.push(Reverse((now + pace.hop, CAME, class as u32, there)));
        lane_free[lane].0 = now + pace.slot;
        events.push(Reverse((now + pace.slot, FREE, which, 0)));
    }
    crossings
}
