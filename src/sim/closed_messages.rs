//! The state of messages that wait for others, at their sources and on their way, in one run.

use super::dependencies::{Dependencies, WaitingMessages};
use super::layout::NONE;
use std::collections::BTreeMap;

/// Messages that wait for others.
pub(super) struct ClosedMessages<'a> {
    waiting: WaitingMessages<'a>,
    /// `[message]`: the cycle in which it came to its lane.
    came: Vec<u32>,
    /// `[place]`: the message of the packet there.
    placed: Vec<u32>,
    /// By lane and destination: the last message that is not done.
    streams: BTreeMap<(u32, u32), u32>,
    /// `[message]`: the next one of its lane to the same destination.
    after_in_stream: Vec<u32>,
}

impl<'a> ClosedMessages<'a> {
    /// The state before the first cycle. `delays` and `packets` are of every message.
    pub(super) fn new(dependencies: &'a Dependencies, delays: Vec<u32>, packets: Vec<u32>) -> Self {
        let messages = packets.len();
        Self {
            waiting: WaitingMessages::new(dependencies, delays, packets),
            came: vec![0; messages],
            placed: Vec::new(),
            streams: BTreeMap::new(),
            after_in_stream: vec![NONE; messages],
        }
    }

    /// The next message that comes to its lane now, of those for which `has_packets` holds. One without
    /// packets arrives as it comes.
    pub(super) fn due(&mut self, now: u32, has_packets: impl Fn(u32) -> bool) -> Option<u32> {
        while let Some(message) = self.waiting.next_due(now) {
            if has_packets(message) {
                self.came[message as usize] = now;
                return Some(message);
            }
            self.waiting.message_arrived(message, now);
        }
        None
    }

    /// Whether every message has arrived.
    pub(super) fn is_over(&self) -> bool {
        self.waiting.is_over()
    }

    /// The cycle in which a message came to its lane.
    pub(super) fn came(&self, message: u32) -> u32 {
        self.came[message as usize]
    }

    /// Notes the place that a packet of a message has taken until it arrives.
    pub(super) fn place(&mut self, message: u32, place: u32) {
        let places = self.placed.len().max(place as usize + 1);
        self.placed.resize(places, NONE);
        self.placed[place as usize] = message;
    }

    /// The message of the packet at a place.
    pub(super) fn message_at(&self, place: u32) -> Option<u32> {
        self.placed.get(place as usize).copied()
    }

    /// Counts the packet of a place, which has arrived.
    pub(super) fn arrived(&mut self, place: u32, now: u32) {
        self.waiting.packet_arrived(self.placed[place as usize], now);
    }

    /// Adds a message to the stream of its lane and destination. Returns whether it is the first there. It
    /// waits behind the others otherwise.
    pub(super) fn join_stream(&mut self, lane: u32, to: u32, message: u32) -> bool {
        match self.streams.insert((lane, to), message) {
            Some(last) => {
                self.after_in_stream[last as usize] = message;
                false
            }
            None => true,
        }
    }

    /// The message of a stream that takes the place of one that has left, if there is one.
    pub(super) fn next_of_stream(&mut self, lane: u32, to: u32, message: u32) -> Option<u32> {
        let next = std::mem::replace(&mut self.after_in_stream[message as usize], NONE);
        if next == NONE {
            self.streams.remove(&(lane, to));
            return None;
        }
        Some(next)
    }
}
