//! What waits at the inputs: per lane a queue of packets, of each as many flits as are there.
//!
//! The flits of a lane come packet after packet, since a packet holds a virtual channel from its head to its
//! tail. So only the last packet of a queue can still be on its way in, and only the first one on its way
//! out.

use super::super::layout::NONE;
use super::super::slab::Slab;

/// An input's virtual channel: 32 bytes.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    /// The first packet; [`NONE`] if none is here.
    pub(super) packet: u32,
    /// The lane of its output that it holds; [`NONE`] before it has one.
    pub(super) output: u32,
    /// Flits of it that are here.
    pub(super) present: u32,
    /// Flits of it that have not left.
    pub(super) left: u32,
    /// Flits here, of all packets.
    pub(super) filled: u32,
    /// Flits of the last packet that have not come.
    missing: u32,
    /// The parts behind the first packet.
    next: u32,
    last: u32,
}

/// A packet that is not the first of its lane.
#[derive(Clone, Copy)]
struct Part {
    packet: u32,
    flits: u32,
    next: u32,
}

/// What a flit that came in changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Came {
    /// It is the head of the packet that is first now.
    First,
    /// It goes on with the first packet, of which nothing was here.
    On,
    /// It waits behind others.
    Behind,
}

/// All lanes.
pub(super) struct Lanes {
    lanes: Vec<Lane>,
    parts: Slab<Part>,
    /// Flits of a packet.
    length: u32,
}

impl Lanes {
    /// So many empty lanes.
    pub(super) fn new(count: usize, length: u32) -> Self {
        let lane = Lane {
            packet: NONE,
            output: NONE,
            present: 0,
            left: 0,
            filled: 0,
            missing: 0,
            next: NONE,
            last: NONE,
        };
        Self { lanes: vec![lane; count], parts: Slab::new(), length }
    }

    /// One of them.
    pub(super) fn at(&self, lane: u32) -> &Lane {
        &self.lanes[lane as usize]
    }

    /// Its first packet holds a lane of its output.
    pub(super) fn hold(&mut self, lane: u32, output: u32) {
        self.lanes[lane as usize].output = output;
    }

    /// A flit of a packet comes in.
    pub(super) fn store(&mut self, lane: u32, packet: u32) -> Came {
        let length = self.length;
        let of = &mut self.lanes[lane as usize];
        of.filled += 1;
        if of.missing > 0 {
            of.missing -= 1;
            if of.next != NONE {
                self.parts[of.last].flits += 1;
                return Came::Behind;
            }
            of.present += 1;
            return if of.present == 1 { Came::On } else { Came::Behind };
        }
        of.missing = length - 1;
        if of.packet == NONE {
            (of.packet, of.present, of.left) = (packet, 1, length);
            return Came::First;
        }
        let part = Part { packet, flits: 1, next: NONE };
        let place = self.parts.insert(part);
        if of.next == NONE {
            of.next = place;
        } else {
            self.parts[of.last].next = place;
        }
        of.last = place;
        Came::Behind
    }

    /// The first flit of a lane leaves.
    pub(super) fn leave(&mut self, lane: u32) {
        let of = &mut self.lanes[lane as usize];
        of.present -= 1;
        of.left -= 1;
        of.filled -= 1;
    }

    /// The first packet has left whole; whether another one is first now.
    pub(super) fn advance(&mut self, lane: u32) -> bool {
        let length = self.length;
        let of = &mut self.lanes[lane as usize];
        debug_assert!(of.left == 0 && of.present == 0, "a tail is the last flit");
        (of.packet, of.output) = (NONE, NONE);
        let place = of.next;
        if place == NONE {
            return false;
        }
        let part = self.parts[place];
        (of.packet, of.present, of.left, of.next) = (part.packet, part.flits, length, part.next);
        self.parts.remove(place);
        true
    }

    /// Flits in all of them.
    pub(super) fn flits(&self) -> u64 {
        self.lanes.iter().map(|lane| u64::from(lane.filled)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flits_queue_packet_by_packet() {
        let mut lanes = Lanes::new(2, 2);
        let came: Vec<Came> = [7, 7, 8, 8, 9].map(|packet| lanes.store(1, packet)).into();
        assert_eq!(came, [Came::First, Came::Behind, Came::Behind, Came::Behind, Came::Behind]);
        assert_eq!((lanes.at(1).filled, lanes.at(1).present, lanes.flits()), (5, 2, 5));
        let mut first = Vec::new();
        loop {
            first.push((lanes.at(1).packet, lanes.at(1).present));
            for _ in 0..lanes.at(1).present {
                lanes.leave(1);
            }
            if lanes.at(1).left > 0 {
                break;
            }
            assert!(lanes.advance(1));
        }
        // Of the third packet the tail is still to come.
        assert_eq!(first, [(7, 2), (8, 2), (9, 1)]);
        assert_eq!(lanes.store(1, 9), Came::On);
        lanes.leave(1);
        assert!(!lanes.advance(1));
        assert_eq!((lanes.store(1, 5), lanes.at(1).left, lanes.flits()), (Came::First, 2, 1));
    }
}
