//! Exchanges of two ends on one OCS: threshold accepting, then descent.

use super::area::{Neighborhood, PortSlot, PortSlots};
use crate::synth::evaluate::Evaluator;
use fabc_base::ids::{Id, OcsId};
use fabc_base::random::Stream;
use fabc_model::{CoupleRule, FacePort};

/// A port of an OCS: the slot that holds it, and its side there.
#[derive(Clone, Copy)]
struct SlotEnd {
    slot: usize,
    side: usize,
}

/// Two ends of one OCS that change places. Doing it twice undoes it.
#[derive(Clone, Copy)]
struct Exchange {
    ocs: usize,
    a: SlotEnd,
    b: SlotEnd,
}

impl Exchange {
    fn make(self, slots: &mut PortSlots) {
        let Self { ocs, a, b } = self;
        let kept = slots[ocs][a.slot][a.side];
        slots[ocs][a.slot][a.side] = slots[ocs][b.slot][b.side];
        slots[ocs][b.slot][b.side] = kept;
    }
}

impl Neighborhood<'_> {
    /// The slots with free ports joined in order, as far as the moves reach.
    pub(super) fn join_free_ports(&self, slots: &PortSlots) -> PortSlots {
        let mut slots = slots.clone();
        let mut remaining = self.moves.saturating_sub(self.moves(&slots));
        for ocs in 0..slots.len() {
            while remaining > 0 {
                let any = self.pod.ocses[OcsId::new(ocs)].rule == CoupleRule::Any;
                let half =
                    |side: usize| move |slot: &&PortSlot| slot[side].is_some() && slot[1 - side].is_none();
                let joins = |face: FacePort, slot: &PortSlot, side: usize| {
                    slot[side].is_some_and(|partner| partner.node != face.node)
                };
                let side = if any { 0 } else { 1 };
                let free_pair = slots[ocs].iter().filter(half(0)).find_map(|slot| {
                    let face = slot[0]?;
                    let fits = |index: &usize| {
                        let slot = &slots[ocs][*index];
                        half(side)(&slot) && joins(face, slot, side)
                    };
                    let from = slots[ocs].iter().position(|slot| slot[0] == Some(face))?;
                    let to = (0..slots[ocs].len()).find(fits)?;
                    Some((from, to))
                });
                let Some((from, to)) = free_pair else { break };
                let (a, b) = (SlotEnd { slot: from, side: 1 }, SlotEnd { slot: to, side });
                Exchange { ocs, a, b }.make(&mut slots);
                if self.is_move(slots[ocs][from]) {
                    remaining -= 1;
                }
            }
        }
        slots
    }

    /// Threshold accepting over exchanges of two ends, then descent. If there are too many moves, other
    /// moves are taken back.
    pub(super) fn exchange(
        &self,
        start: PortSlots,
        evaluations: u64,
        stream: &mut Stream,
    ) -> (u64, PortSlots) {
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
        // A third of the work remains for the descent.
        let tries = evaluations - evaluations / 3;
        for evaluation in 0..tries {
            if evaluation.is_multiple_of(64) && (self.expired)() {
                return best;
            }
            let limit = current.saturating_add(threshold * (tries - evaluation) / tries);
            let (exchanges, moves) = self.propose(&mut slots, used, &busy, stream);
            let fits = moves <= self.moves && !exchanges.is_empty();
            let candidate = if fits { self.score(&slots, limit, &mut evaluator) } else { u64::MAX };
            if fits && candidate <= limit {
                (current, used) = (candidate, moves);
                if current < best.0 {
                    best = (current, slots.clone());
                }
            } else {
                exchanges.iter().rev().for_each(|exchange| exchange.make(&mut slots));
            }
        }
        self.descend(best.0, best.1, evaluations / 3, &mut evaluator)
    }

    /// Makes a random exchange, and takes random moves back as long as there are too many. Returns the
    /// exchanges made and the number of moves after them.
    fn propose(
        &self,
        slots: &mut PortSlots,
        used: u64,
        busy: &[usize],
        stream: &mut Stream,
    ) -> (Vec<Exchange>, u64) {
        let ocs = busy[stream.below(busy.len())];
        let count = slots[ocs].len();
        let a = SlotEnd { slot: stream.below(count), side: stream.below(2) };
        let second_slot = (a.slot + 1 + stream.below(count - 1)) % count;
        let any = self.pod.ocses[OcsId::new(ocs)].rule == CoupleRule::Any;
        let b = SlotEnd { slot: second_slot, side: if any { stream.below(2) } else { a.side } };
        let first = Exchange { ocs, a, b };
        let mut used = self.apply(slots, used, first);
        let mut exchanges = vec![first];
        while used > self.moves && exchanges.len() < 4 {
            let is_of_first = |index: usize, slot: usize| index == ocs && (slot == a.slot || slot == b.slot);
            let moved = |index: usize| {
                let slots = slots[index].iter().enumerate();
                slots.filter(move |&(slot, &ports)| !is_of_first(index, slot) && self.is_move(ports))
            };
            let candidates: Vec<(usize, usize)> =
                (0..slots.len()).flat_map(|index| moved(index).map(move |(slot, _)| (index, slot))).collect();
            if candidates.is_empty() {
                break;
            }
            let (index, slot) = candidates[stream.below(candidates.len())];
            let reversal = self.revert_move(slots, index, slot);
            used = self.apply(slots, used, reversal);
            exchanges.push(reversal);
        }
        (exchanges, used)
    }

    /// Makes an exchange. Returns the number of moves after it.
    fn apply(&self, slots: &mut PortSlots, used: u64, exchange: Exchange) -> u64 {
        let Exchange { ocs, a, b } = exchange;
        let count = |slots: &PortSlots| {
            [a.slot, b.slot].iter().filter(|&&slot| self.is_move(slots[ocs][slot])).count() as u64
        };
        let before = count(slots);
        exchange.make(slots);
        used + count(slots) - before
    }

    /// The exchange that takes one move back: an end gets its live partner, or an empty port if it was
    /// dark.
    fn revert_move(&self, slots: &PortSlots, ocs: usize, slot: usize) -> Exchange {
        let find = |face: FacePort| {
            let mut places =
                (0..slots[ocs].len()).flat_map(|slot| (0..2).map(move |side| SlotEnd { slot, side }));
            places.find(|end| slots[ocs][end.slot][end.side] == Some(face))
        };
        for (side, end) in slots[ocs][slot].into_iter().enumerate() {
            let partner = end.and_then(|face| self.live.get(&face)).and_then(|&face| find(face));
            if let Some(partner) = partner {
                return Exchange { ocs, a: SlotEnd { slot, side: 1 - side }, b: partner };
            }
        }
        // Both ends were dark, so one goes to an empty port.
        let empty = slots[ocs].iter().position(|ports| ports[0].is_none()).unwrap_or(slot);
        Exchange { ocs, a: SlotEnd { slot, side: 1 }, b: SlotEnd { slot: empty, side: 1 } }
    }

    /// Makes the first exchange that helps, repeatedly, until none does or the evaluations are used up.
    fn descend(
        &self,
        mut current: u64,
        mut slots: PortSlots,
        mut evaluations: u64,
        evaluator: &mut Evaluator<'_>,
    ) -> (u64, PortSlots) {
        let mut used = self.moves(&slots);
        loop {
            let before = current;
            for ocs in 0..slots.len() {
                let sides: &[usize] =
                    if self.pod.ocses[OcsId::new(ocs)].rule == CoupleRule::Any { &[1, 0] } else { &[1] };
                for first in 0..slots[ocs].len() {
                    let partners = (first + 1..slots[ocs].len())
                        .flat_map(|slot| sides.iter().map(move |&side| SlotEnd { slot, side }));
                    for b in partners {
                        let exchange = Exchange { ocs, a: SlotEnd { slot: first, side: 1 }, b };
                        let moves = self.apply(&mut slots, used, exchange);
                        let fits = moves <= self.moves;
                        evaluations = evaluations.saturating_sub(u64::from(fits));
                        let candidate =
                            if fits { self.score(&slots, current - 1, evaluator) } else { u64::MAX };
                        if candidate < current {
                            (current, used) = (candidate, moves);
                        } else {
                            exchange.make(&mut slots);
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
