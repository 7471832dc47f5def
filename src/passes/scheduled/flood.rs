//! A gather as a flood: whenever a channel is free it takes the rarest of some vectors that its end lacks.
//!
//! In: chips up to symmetry, who starts with what. Out: which vector crosses which lane when, so that every
//! chip gets each exactly once. The vectors that are looked at are drawn by a seed; of equally rare ones the
//! first drawn goes. Cost: O(receptions x ports).

use super::ground::Ground;
use super::list::{Calendar, Taken};
use crate::ids::{Id, NodeId};
use crate::model::SlotPace;
use crate::random::Stream;

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
    /// The cycles that pass at least until the last crossing starts: what is farther away than some hops
    /// comes later, and all of it by the channels into a chip.
    pub(super) fn least(self, ground: &Ground<'_>, pace: SlotPace) -> u32 {
        // `[router]`: how many start there.
        let mut starting = vec![0u64; ground.nodes()];
        match self {
            Held::Each(vectors) => ground.living.iter().for_each(|node| starting[node.index()] = vectors),
            Held::By(owners) => owners.iter().for_each(|owner| starting[owner.index()] += 1),
        }
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
                most = most.max(distance as u64 * u64::from(pace.hop) + (count.div_ceil(into) - 1) * u64::from(pace.slot));
            }
        }
        u32::try_from(most).unwrap_or(u32::MAX)
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
    let mut calendar: Calendar<(u32, u32)> = Calendar::new();
    for vector in 0..count as u64 {
        let owner = held.owner(vector);
        let class = ground.symmetry.class(owner);
        if ground.chips[class] == owner && ground.lives(owner) {
            has.insert(class * count + vector as usize);
            holders[held.orbit(ground, vector)] += 1;
            calendar.come(start, [(class as u32, vector as u32)]);
        }
    }
    let (mut freed, mut next) = (Vec::new(), Vec::new());
    let mut crossings = Vec::new();
    while let Some((now, mut day)) = calendar.next() {
        day.came.sort_unstable();
        // Lane by lane: what comes to a chip together goes to the same pools.
        for came in day.came.chunk_by(|one, other| one.0 == other.0) {
            for lane in ground.lanes_of(came[0].0 as usize) {
                let (class, before) = (ground.lanes[lane].class, pools[lane].len());
                let there = came.iter().map(|&(_, vector)| held.across(ground, lane, u64::from(vector)) as u32);
                pools[lane].extend(there.filter(|&there| !has.contains(class * count + there as usize)));
                let (free, known) = &mut lane_free[lane];
                if pools[lane].len() > before && !*known {
                    *known = true;
                    match now.max(*free) {
                        at if at == now => day.free.push(lane as u32),
                        at => calendar.free(at, [lane as u32]),
                    }
                }
            }
        }
        day.free.sort_unstable();
        for &which in &day.free {
            let lane = which as usize;
            let free = taken.free(lane, now, pace);
            if free > now {
                calendar.free(free, [which]);
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
            next.push((class as u32, there));
            lane_free[lane].0 = now + pace.slot;
            freed.push(which);
        }
        calendar.done(day);
        calendar.free(now + pace.slot, freed.drain(..));
        calendar.come(now + pace.hop, next.drain(..));
    }
    crossings
}
