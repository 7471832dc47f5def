//! The queues at the inputs: per lane a queue of packets, with the flits of each that are there.
//!
//! The flits of a lane come packet after packet, since a packet holds a virtual channel from its head to its
//! tail. So only the last packet of a queue can still be coming in, and only the first one can be leaving.

use super::super::layout::NONE;
use super::super::slab::Slab;

/// The virtual channel of an input: 32 bytes.
#[derive(Clone, Copy)]
pub(super) struct InputLane {
    /// The first packet, or [`NONE`] if no packet is here.
    pub(super) packet: u32,
    /// The lane of its output that it holds, or [`NONE`] before it has one.
    pub(super) output: u32,
    /// Flits of the first packet that are here.
    pub(super) present: u32,
    /// Flits of the first packet that have not left.
    pub(super) left: u32,
    /// Flits of all packets that are here.
    pub(super) filled: u32,
    /// Flits of the last packet that have not come.
    missing: u32,
    /// The first and the last of the packets after the first one.
    next: u32,
    last: u32,
}

/// A packet that is not the first of its lane.
#[derive(Clone, Copy)]
struct LanePacket {
    packet: u32,
    flits: u32,
    next: u32,
}

/// What a flit that came in changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StoredFlit {
    /// It is the head of a packet that is now the first one.
    First,
    /// It continues the first packet, of which no flit was here.
    On,
    /// It waits after other flits.
    Behind,
}

/// All lanes of all routers.
pub(super) struct InputLanes {
    lanes: Vec<InputLane>,
    parts: Slab<LanePacket>,
    /// The flits of a packet.
    length: u32,
}

impl InputLanes {
    /// `count` empty lanes, for packets of `length` flits.
    pub(super) fn new(count: usize, length: u32) -> Self {
        let lane = InputLane {
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

    /// The lane of this number.
    pub(super) fn lane(&self, lane: u32) -> &InputLane {
        &self.lanes[lane as usize]
    }

    /// Notes that the first packet of a lane holds a lane of its output.
    pub(super) fn hold(&mut self, lane: u32, output: u32) {
        self.lanes[lane as usize].output = output;
    }

    /// Stores a flit of a packet that comes in.
    pub(super) fn store(&mut self, lane: u32, packet: u32) -> StoredFlit {
        let length = self.length;
        let queue = &mut self.lanes[lane as usize];
        queue.filled += 1;
        if queue.missing > 0 {
            queue.missing -= 1;
            if queue.next != NONE {
                self.parts[queue.last].flits += 1;
                return StoredFlit::Behind;
            }
            queue.present += 1;
            return if queue.present == 1 { StoredFlit::On } else { StoredFlit::Behind };
        }
        queue.missing = length - 1;
        if queue.packet == NONE {
            (queue.packet, queue.present, queue.left) = (packet, 1, length);
            return StoredFlit::First;
        }
        let part = LanePacket { packet, flits: 1, next: NONE };
        let place = self.parts.insert(part);
        if queue.next == NONE {
            queue.next = place;
        } else {
            self.parts[queue.last].next = place;
        }
        queue.last = place;
        StoredFlit::Behind
    }

    /// Removes the first flit of a lane, which leaves.
    pub(super) fn leave(&mut self, lane: u32) {
        let queue = &mut self.lanes[lane as usize];
        queue.present -= 1;
        queue.left -= 1;
        queue.filled -= 1;
    }

    /// Removes the first packet, all of which has left. Returns whether another one is first now.
    pub(super) fn advance(&mut self, lane: u32) -> bool {
        let length = self.length;
        let queue = &mut self.lanes[lane as usize];
        debug_assert!(queue.left == 0 && queue.present == 0, "a tail is the last flit");
        (queue.packet, queue.output) = (NONE, NONE);
        let place = queue.next;
        if place == NONE {
            return false;
        }
        let part = self.parts[place];
        (queue.packet, queue.present, queue.left, queue.next) = (part.packet, part.flits, length, part.next);
        self.parts.remove(place);
        true
    }

    /// The number of flits in all lanes.
    pub(super) fn flits(&self) -> u64 {
        self.lanes.iter().map(|lane| u64::from(lane.filled)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flits_queue_packet_by_packet() {
        let mut lanes = InputLanes::new(2, 2);
        let came: Vec<StoredFlit> = [7, 7, 8, 8, 9].map(|packet| lanes.store(1, packet)).into();
        assert_eq!(
            came,
            [
                StoredFlit::First,
                StoredFlit::Behind,
                StoredFlit::Behind,
                StoredFlit::Behind,
                StoredFlit::Behind
            ]
        );
        assert_eq!((lanes.lane(1).filled, lanes.lane(1).present, lanes.flits()), (5, 2, 5));
        let mut first = Vec::new();
        loop {
            first.push((lanes.lane(1).packet, lanes.lane(1).present));
            for _ in 0..lanes.lane(1).present {
                lanes.leave(1);
            }
            if lanes.lane(1).left > 0 {
                break;
            }
            assert!(lanes.advance(1));
        }
        // Of the third packet the tail is still to come.
        assert_eq!(first, [(7, 2), (8, 2), (9, 1)]);
        assert_eq!(lanes.store(1, 9), StoredFlit::On);
        lanes.leave(1);
        assert!(!lanes.advance(1));
        assert_eq!((lanes.store(1, 5), lanes.lane(1).left, lanes.flits()), (StoredFlit::First, 2, 1));
    }
}
