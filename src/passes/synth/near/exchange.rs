//! Exchanges of two ends on one OCS: threshold accepting, then descent.

use super::area::{Area, Slot, Slots};
use crate::synth::evaluate::Evaluator;
use fabc_base::ids::{Id, OcsId};
use fabc_base::random::Stream;
use fabc_model::{CoupleRule, FacePort};

/// Two ends of one OCS that change places: (ocs, (slot, side), (slot, side)). Doing it twice undoes it.
type Exchange = (usize, (usize, usize), (usize, usize));

fn exchange(slots: &mut Slots, &(ocs, (one, side), (other, other_side)): &Exchange) {
    let kept = slots[ocs][one][side];
    slots[ocs][one][side] = slots[ocs][other][other_side];
    slots[ocs][other][other_side] = kept;
}

impl Area<'_> {
    /// The slots with free ports joined as far as the moves reach, in order.
    pub(super) fn completed(&self, slots: &Slots) -> Slots {
        let mut slots = slots.clone();
        let mut left = self.moves.saturating_sub(self.moves(&slots));
        for ocs in 0..slots.len() {
            while left > 0 {
                let any = self.pod.ocses[OcsId::new(ocs)].rule == CoupleRule::Any;
                let half = |side: usize| move |slot: &&Slot| slot[side].is_some() && slot[1 - side].is_none();
                let joins = |one: FacePort, slot: &Slot, side: usize| {
                    slot[side].is_some_and(|other| other.node != one.node)
                };
                let ends = slots[ocs].iter().filter(half(0)).find_map(|slot| {
                    let one = slot[0]?;
                    let other_side = if any { 0 } else { 1 };
                    let fits = |at: &usize| {
                        let slot = &slots[ocs][*at];
                        half(other_side)(&slot) && joins(one, slot, other_side)
                    };
                    let from = slots[ocs].iter().position(|slot| slot[0] == Some(one))?;
                    let to = (0..slots[ocs].len()).find(fits)?;
                    Some((from, (to, other_side)))
                });
                let Some((from, to)) = ends else { break };
                exchange(&mut slots, &(ocs, (from, 1), to));
                if self.is_move(slots[ocs][from]) {
                    left -= 1;
                }
            }
        }
        slots
    }

    /// Threshold accepting over exchanges of two ends; what exceeds the moves is paid for by taking other
    /// moves back. Then descent.
    pub(super) fn exchange(&self, start: Slots, evaluations: u64, stream: &mut Stream) -> (u64, Slots) {
        let mut evaluator = Evaluator::new(&self.shape);
        let mut slots = start;
        let mut current = self.score(&slots, u64::MAX, &mut evaluator);
        let mut best = (current, slots.clone());
        let busy: Vec<usize> = (0..slots.len()).filter(|&ocs| slots[ocs].len() > 1).collect();
        if busy.is_empty() {
            return best;
        }
        let mut used = self.moves(&slots);
        let threshold = self.threshold(&slots);
        // A third of the work is left for the descent.
        let tries = evaluations - evaluations / 3;
        for evaluation in 0..tries {
            if evaluation.is_multiple_of(64) && (self.expired)() {
                return best;
            }
            let limit = current.saturating_add(threshold * (tries - evaluation) / tries);
            let (done, after) = self.propose(&mut slots, used, &busy, stream);
            let fits = after <= self.moves && !done.is_empty();
            let candidate = if fits { self.score(&slots, limit, &mut evaluator) } else { u64::MAX };
            if fits && candidate <= limit {
                (current, used) = (candidate, after);
                if current < best.0 {
                    best = (current, slots.clone());
                }
            } else {
                done.iter().rev().for_each(|one| exchange(&mut slots, one));
            }
        }
        self.descend(best, evaluations / 3, &mut evaluator)
    }

    /// Makes a random exchange, and takes random moves back as long as there are too many; returns what was
    /// done and the moves after it.
    fn propose(
        &self,
        slots: &mut Slots,
        used: u64,
        busy: &[usize],
        stream: &mut Stream,
    ) -> (Vec<Exchange>, u64) {
        let ocs = busy[stream.below(busy.len())];
        let count = slots[ocs].len();
        let (one, side) = (stream.below(count), stream.below(2));
        let other = (one + 1 + stream.below(count - 1)) % count;
        let any = self.pod.ocses[OcsId::new(ocs)].rule == CoupleRule::Any;
        let other_side = if any { stream.below(2) } else { side };
        let first = (ocs, (one, side), (other, other_side));
        let mut used = self.after(slots, used, &first);
        let mut done = vec![first];
        while used > self.moves && done.len() < 4 {
            let own = |at: usize, slot: usize| at == ocs && (slot == one || slot == other);
            let moved = |at: usize| {
                slots[at].iter().enumerate().filter(move |&(slot, &set)| !own(at, slot) && self.is_move(set))
            };
            let candidates: Vec<(usize, usize)> =
                (0..slots.len()).flat_map(|at| moved(at).map(move |(slot, _)| (at, slot))).collect();
            if candidates.is_empty() {
                break;
            }
            let (at, slot) = candidates[stream.below(candidates.len())];
            let back = self.back(slots, at, slot);
            used = self.after(slots, used, &back);
            done.push(back);
        }
        (done, used)
    }

    /// Makes an exchange; the moves after it.
    fn after(&self, slots: &mut Slots, used: u64, one: &Exchange) -> u64 {
        let &(ocs, (a, _), (b, _)) = one;
        let count =
            |slots: &Slots| [a, b].iter().filter(|&&slot| self.is_move(slots[ocs][slot])).count() as u64;
        let before = count(slots);
        exchange(slots, one);
        used + count(slots) - before
    }

    /// The exchange that takes one move back: an end gets its live partner, or what it had of live darkness.
    fn back(&self, slots: &Slots, ocs: usize, slot: usize) -> Exchange {
        let find = |face: FacePort| {
            let places = slots[ocs].iter().enumerate().flat_map(|(at, _)| (0..2).map(move |side| (at, side)));
            places.into_iter().find(|&(at, side)| slots[ocs][at][side] == Some(face))
        };
        let ends = slots[ocs][slot];
        for (side, end) in ends.into_iter().enumerate() {
            let partner = end.and_then(|face| self.live.get(&face)).and_then(|&face| find(face));
            if let Some(partner) = partner {
                return (ocs, (slot, 1 - side), partner);
            }
        }
        // Both ends were dark: one goes where nothing is.
        let empty = slots[ocs].iter().position(|set| set[0].is_none()).unwrap_or(slot);
        (ocs, (slot, 1), (empty, 1))
    }

    /// The first exchange that helps, again and again, until none does or the evaluations are used up.
    fn descend(
        &self,
        (mut current, mut slots): (u64, Slots),
        mut evaluations: u64,
        evaluator: &mut Evaluator<'_>,
    ) -> (u64, Slots) {
        let mut used = self.moves(&slots);
        loop {
            let before = current;
            for ocs in 0..slots.len() {
                let sides: &[usize] =
                    if self.pod.ocses[OcsId::new(ocs)].rule == CoupleRule::Any { &[1, 0] } else { &[1] };
                for one in 0..slots[ocs].len() {
                    for (other, &side) in (one + 1..slots[ocs].len())
                        .flat_map(|other| sides.iter().map(move |side| (other, side)))
                    {
                        let change = (ocs, (one, 1), (other, side));
                        let after = self.after(&mut slots, used, &change);
                        let fits = after <= self.moves;
                        evaluations = evaluations.saturating_sub(u64::from(fits));
                        let candidate =
                            if fits { self.score(&slots, current - 1, evaluator) } else { u64::MAX };
                        if candidate < current {
                            (current, used) = (candidate, after);
                        } else {
                            exchange(&mut slots, &change);
                        }
                        if evaluations == 0 {
                            return (current, slots);
                        }
                    }
                }
            }
            if current == before {
                return (current, slots);
            }
        }
    }
}
