//! The packets that wait at their sources under a control, and those that are in flight.
//!
//! A source has a window: so many of its packets are in flight at a time, from their admission until the
//! source knows that they have arrived. It may have a window per pair as well, for its packets to each
//! destination. The oldest packet goes first, unless the window of its pair is full. Such a packet stands
//! aside, and keeps its place for when its pair has room again. So the packets in flight are those that came
//! first, whatever their outputs, and the network serves the traffic that is offered.

use super::mark_laws::MarkedSource;
use super::setting::SourceControl;
use super::supply::Newborn;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

/// The windows of all sources, and what waits for them.
pub(super) struct Backlogs {
    /// The most packets of a source in flight.
    window: u32,
    /// The most packets of a pair in flight. `None`: as many as the source has.
    per_pair: Option<u32>,
    /// `[endpoint]`: what it has in flight and what waits there.
    sources: Vec<Source>,
}

/// What a source has in flight, and what waits there.
#[derive(Clone, Default)]
struct Source {
    in_flight: u32,
    /// How it answers marks, if it does.
    marks: Option<MarkedSource>,
    /// Whether it will look again for a packet that may leave.
    looks_again: bool,
    /// Packets that have been offered so far.
    offered: u32,
    /// What waits, the oldest first. Empty where pairs have windows.
    waiting: VecDeque<Newborn>,
    /// By destination: what is in flight and what waits. A pair without any of both has no entry. Used only
    /// where pairs have windows.
    pairs: BTreeMap<u32, Pair>,
    /// The oldest waiting packet of every pair whose window has room: how many were offered before it, and
    /// its destination.
    next: BinaryHeap<Reverse<(u32, u32)>>,
}

#[derive(Clone, Default)]
struct Pair {
    in_flight: u32,
    /// Each with the number of packets that were offered before it.
    waiting: VecDeque<(u32, Newborn)>,
}

impl Backlogs {
    /// Sources `0..sources` of which nothing is in flight.
    pub(super) fn new(sources: usize, control: &SourceControl, packet: u32) -> Self {
        let SourceControl { window, per_pair, marks, .. } = *control;
        let marks = marks.map(|marks| MarkedSource::new(marks, window, packet));
        Self { window, per_pair, sources: vec![Source { marks, ..Source::default() }; sources] }
    }

    /// Offers a new packet of a source. Returns it if it is admitted. Otherwise it waits.
    pub(super) fn offer(&mut self, source: u32, packet: Newborn, now: u32) -> Option<Newborn> {
        let Self { window, per_pair, sources } = self;
        let source = &mut sources[source as usize];
        let may_leave = source.has_room(*window, now) && source.waiting.is_empty() && source.next.is_empty();
        let Some(per_pair) = *per_pair else {
            if may_leave {
                source.leaves(now);
                return Some(packet);
            }
            source.waiting.push_back(packet);
            return None;
        };
        let number = source.offered;
        source.offered += 1;
        let pair = source.pairs.entry(packet.to).or_default();
        let is_next = pair.in_flight < per_pair && pair.waiting.is_empty();
        if may_leave && is_next {
            pair.in_flight += 1;
            source.leaves(now);
            return Some(packet);
        }
        pair.waiting.push_back((number, packet));
        if is_next {
            source.next.push(Reverse((number, packet.to)));
        }
        None
    }

    /// Notes a packet of a source that has arrived with or without a mark.
    pub(super) fn answer(&mut self, source: u32, marked: bool, now: u32) {
        if let Some(marks) = &mut self.sources[source as usize].marks {
            marks.arrived(marked, now);
        }
    }

    /// Notes that packets of a source to a destination are no longer in flight.
    pub(super) fn release(&mut self, source: u32, to: u32, packets: u32) {
        let source = &mut self.sources[source as usize];
        source.in_flight -= packets;
        let Some(per_pair) = self.per_pair.filter(|_| packets > 0) else { return };
        let Some(pair) = source.pairs.get_mut(&to) else { return };
        let was_full = pair.in_flight == per_pair;
        pair.in_flight -= packets;
        match pair.waiting.front() {
            Some(&(number, _)) if was_full => source.next.push(Reverse((number, to))),
            None if pair.in_flight == 0 => {
                source.pairs.remove(&to);
            }
            _ => {}
        }
    }

    /// Admits the oldest waiting packet of a source for which both windows have room.
    pub(super) fn admit(&mut self, source: u32, now: u32) -> Option<Newborn> {
        let Self { window, per_pair, sources } = self;
        let source = &mut sources[source as usize];
        if !source.has_room(*window, now) {
            return None;
        }
        let packet = match *per_pair {
            None => source.waiting.pop_front()?,
            Some(per_pair) => source.oldest(per_pair)?,
        };
        source.leaves(now);
        Some(packet)
    }

    /// The cycles after which a source looks again, if only its rate keeps a packet back and it will not look
    /// anyway.
    pub(super) fn looks_again_in(&mut self, source: u32, now: u32) -> Option<u32> {
        let source = &mut self.sources[source as usize];
        let waits = !source.waiting.is_empty() || !source.next.is_empty();
        let pause = source.marks.as_ref().map_or(0, |marks| marks.pause(now));
        if !waits || pause == 0 || source.looks_again {
            return None;
        }
        source.looks_again = true;
        Some(pause)
    }

    /// Notes that a source looks again.
    pub(super) fn looks(&mut self, source: u32) {
        self.sources[source as usize].looks_again = false;
    }

    /// The packets that wait at all sources.
    pub(super) fn waiting(&self) -> u64 {
        let of_pairs = |source: &Source| source.pairs.values().map(|pair| pair.waiting.len()).sum::<usize>();
        self.sources.iter().map(|source| (source.waiting.len() + of_pairs(source)) as u64).sum()
    }
}

impl Source {
    /// Whether a packet may leave, as far as the source as a whole goes.
    fn has_room(&self, window: u32, now: u32) -> bool {
        match &self.marks {
            None => self.in_flight < window,
            Some(marks) => self.in_flight < marks.window() && marks.pause(now) == 0,
        }
    }

    /// Notes that a packet leaves.
    fn leaves(&mut self, now: u32) {
        self.in_flight += 1;
        if let Some(marks) = &mut self.marks {
            marks.sends(now);
        }
    }

    /// Takes the oldest waiting packet whose pair has room. It counts as in flight in its pair.
    fn oldest(&mut self, per_pair: u32) -> Option<Newborn> {
        let Reverse((_, to)) = self.next.pop()?;
        let pair = self.pairs.get_mut(&to)?;
        let (_, packet) = pair.waiting.pop_front()?;
        pair.in_flight += 1;
        if let Some(&(number, _)) = pair.waiting.front().filter(|_| pair.in_flight < per_pair) {
            self.next.push(Reverse((number, to)));
        }
        Some(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::NONE;
    use super::*;

    fn one_source(window: u32, per_pair: Option<u32>) -> Backlogs {
        let ack = fabc_model::Ack::Free;
        let (is_derived, marks) = (false, None);
        let control = SourceControl { marks, window, per_pair, is_derived, pipe: 1, room: 1, ack, wait: 0 };
        Backlogs::new(1, &control, 6)
    }

    fn packet(number: u32, to: u32) -> Newborn {
        Newborn { generator: 0, to, number, birth: number, message: NONE }
    }

    fn admitted(backlogs: &mut Backlogs) -> Vec<u32> {
        std::iter::from_fn(|| backlogs.admit(0, 0)).map(|packet| packet.number).collect()
    }

    #[test]
    fn the_oldest_packets_are_in_flight() {
        let mut backlogs = one_source(2, None);
        let taken =
            (0..5).filter(|&number| backlogs.offer(0, packet(number, number % 2), 0).is_some()).count();
        assert_eq!((taken, backlogs.waiting()), (2, 3));
        backlogs.release(0, 1, 1);
        assert_eq!(admitted(&mut backlogs), [2]);
        backlogs.release(0, 0, 2);
        assert_eq!((admitted(&mut backlogs), backlogs.waiting()), (vec![3, 4], 0));
    }

    /// Destination 9 has room for one packet at a time. Those for others pass, and none of them passes an
    /// older one to its own destination.
    #[test]
    fn packets_of_a_full_pair_stand_aside_and_keep_their_order() {
        let mut backlogs = one_source(3, Some(1));
        let destinations = [9, 9, 9, 7, 9, 8, 7];
        let taken: Vec<_> = (0u32..)
            .zip(destinations)
            .filter(|&(number, to)| backlogs.offer(0, packet(number, to), 0).is_some())
            .collect();
        assert_eq!((taken, backlogs.waiting()), (vec![(0, 9), (3, 7), (5, 8)], 4));
        backlogs.release(0, 8, 1);
        assert!(admitted(&mut backlogs).is_empty(), "both pairs with waiting packets are full");
        backlogs.release(0, 7, 1);
        assert_eq!(admitted(&mut backlogs), [6]);
        backlogs.release(0, 9, 1);
        assert_eq!(admitted(&mut backlogs), [1]);
        assert_eq!((backlogs.waiting(), backlogs.sources[0].pairs.len()), (2, 2));
    }

    /// Against the plain rule: of all that waits, the first one whose pair has room.
    #[test]
    fn the_windows_admit_what_the_plain_rule_admits() {
        let (window, per_pair) = (5, 2);
        let (mut backlogs, mut waiting, mut in_flight) =
            (one_source(window, Some(per_pair)), Vec::<Newborn>::new(), Vec::<u32>::new());
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for number in 0..2000 {
            let mut ours = Vec::new();
            if random(5) < 3 {
                let packet = packet(number, random(4));
                waiting.push(packet);
                ours.extend(backlogs.offer(0, packet, 0).map(|packet| packet.number));
            } else if !in_flight.is_empty() {
                let to = in_flight.swap_remove(random(in_flight.len() as u32) as usize);
                backlogs.release(0, to, 1);
                ours = admitted(&mut backlogs);
            }
            let mut plain = Vec::new();
            while (in_flight.len() as u32) < window
                && let Some(first) = waiting.iter().position(|packet| {
                    in_flight.iter().filter(|&&to| to == packet.to).count() < per_pair as usize
                })
            {
                let packet = waiting.remove(first);
                in_flight.push(packet.to);
                plain.push(packet.number);
            }
            assert_eq!((ours, backlogs.waiting()), (plain, waiting.len() as u64), "step {number}");
        }
    }
}
