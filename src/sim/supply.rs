//! Turns messages into packets: which packet is born next, and where.
//!
//! A lane is a queue of messages at a source. It belongs to a port of a host. Where hosts are not limited, it
//! belongs to one output. Its messages wait in the order in which they came. Only the first packet of each
//! lane is ever made, so a run takes memory for messages, not for packets. Where messages are there from the
//! start, a packet is born when the one before it begins to leave.

use super::dependencies::WaitingMessages;
use super::layout::NONE;
use super::traffic::{EndpointMessage, MessageExit, MessageList};
use fabc_model::MessageOrder;
use std::collections::BTreeMap;

/// A packet that is born.
#[derive(Clone, Copy)]
pub(super) struct Newborn {
    /// The port of a host behind which it is born. For unlimited hosts, the endpoint.
    pub(super) generator: u32,
    /// The endpoint that it goes to.
    pub(super) to: u32,
    /// The number of packets that its generator made before.
    pub(super) number: u32,
    /// The cycle from which its delay is counted.
    pub(super) birth: u32,
    /// The message that it belongs to. [`NONE`] where traffic has a rate.
    pub(super) message: u32,
}

/// The messages of one run, with the packets that are left to be born.
pub(super) struct Supply<'a> {
    messages: &'a MessageList,
    /// The ports of a host, or 1 where hosts are not limited.
    ports: u32,
    endpoints: u32,
    /// The number of messages that have come to their lanes.
    released: usize,
    /// The number of packets of these messages.
    packets: u64,
    /// The current phase, and the cycle in which it began.
    phase: u32,
    start: u32,
    lanes: Vec<MessageLane>,
    /// `[message]`: the next message in its lane.
    behind: Vec<u32>,
    /// `[message]`: its packets that are not born yet.
    unborn: Vec<u32>,
    /// `[generator]`: packets born so far.
    numbers: Vec<u32>,
    /// `[endpoint]`: cycles from birth to the first chance to leave.
    leads: Vec<u32>,
    /// The messages that wait for others, if any does.
    waiting: Option<WaitingMessages<'a>>,
    /// `[message]`: the cycle in which it came to its lane. Empty unless messages wait for others.
    came: Vec<u32>,
    /// `[place]`: the message of the packet there. Empty unless messages wait for others.
    placed: Vec<u32>,
    /// By lane and destination: the last message that is not done. Used only where messages wait for others.
    streams: BTreeMap<(u32, u32), u32>,
    /// `[message]`: the next one of its lane to the same destination. Empty unless messages wait for others.
    after_in_stream: Vec<u32>,
}

#[derive(Clone, Copy)]
struct MessageLane {
    first: u32,
    last: u32,
}

impl<'a> Supply<'a> {
    /// A supply from which nothing has been released. `leads` has for every endpoint the cycles from birth to
    /// the first chance to leave.
    pub(super) fn new(messages: &'a MessageList, lanes: usize, ports: u32, leads: Vec<u32>) -> Self {
        let endpoints = leads.len() as u32;
        let of_messages = |number: fn(&EndpointMessage) -> u32| messages.list.iter().map(number).collect();
        let packets = |message: &EndpointMessage| message.packets;
        let waiting = messages.dependencies.as_ref().map(|dependencies| {
            WaitingMessages::new(dependencies, of_messages(|message| message.when), of_messages(packets))
        });
        Self {
            messages,
            ports,
            endpoints,
            released: 0,
            packets: 0,
            phase: 0,
            start: 0,
            lanes: vec![MessageLane { first: NONE, last: NONE }; lanes],
            behind: vec![NONE; messages.list.len()],
            unborn: of_messages(packets),
            numbers: vec![0; (endpoints * ports) as usize],
            leads,
            came: vec![0; if waiting.is_some() { messages.list.len() } else { 0 }],
            placed: Vec::new(),
            streams: BTreeMap::new(),
            after_in_stream: vec![NONE; if waiting.is_some() { messages.list.len() } else { 0 }],
            waiting,
        }
    }

    /// The next message that comes to its lane now, if there is one. `delivered` packets have arrived so far.
    pub(super) fn due(&mut self, now: u32, delivered: u64) -> Option<(u32, EndpointMessage)> {
        if let Some(waiting) = &mut self.waiting {
            while let Some(number) = waiting.next_due(now) {
                let message = self.messages.list[number as usize];
                if message.packets > 0 {
                    self.came[number as usize] = now;
                    return Some((number, message));
                }
                waiting.message_arrived(number, now);
            }
            return None;
        }
        let message = *self.messages.list.get(self.released)?;
        let barrier = self.messages.order == MessageOrder::Barrier;
        if barrier && message.when != self.phase && delivered == self.packets {
            (self.phase, self.start) = (message.when, now);
        }
        let due = if barrier { message.when == self.phase } else { message.when <= now };
        due.then(|| {
            self.released += 1;
            self.packets += u64::from(message.packets);
            (self.released as u32 - 1, message)
        })
    }

    /// Whether every message has been delivered.
    pub(super) fn is_over(&self, delivered: u64) -> bool {
        if let Some(waiting) = &self.waiting {
            return waiting.is_over();
        }
        self.released == self.messages.list.len() && delivered == self.packets
    }

    /// Notes the place that a packet of a message has taken until it arrives.
    pub(super) fn place(&mut self, message: u32, place: u32) {
        if self.waiting.is_some() {
            let places = self.placed.len().max(place as usize + 1);
            self.placed.resize(places, NONE);
            self.placed[place as usize] = message;
        }
    }

    /// Counts the packet of a place, which has arrived.
    pub(super) fn arrived(&mut self, place: u32, now: u32) {
        if let Some(waiting) = &mut self.waiting {
            waiting.packet_arrived(self.placed[place as usize], now);
        }
    }

    /// The channel by which a message leaves, if it says so.
    pub(super) fn exit(&self, message: u32) -> Option<MessageExit> {
        self.messages.list.get(message as usize).and_then(|message| message.exit)
    }

    /// The channel by which the packet of a place leaves its source, if its message says so.
    pub(super) fn exit_of_place(&self, place: u32) -> Option<MessageExit> {
        self.placed.get(place as usize).and_then(|&message| self.exit(message))
    }

    /// Adds a message that has come to its lane. Where messages wait for others, it waits behind one to the
    /// same destination, if there is one. Otherwise it joins the turns of the lane.
    pub(super) fn join(&mut self, lane: u32, message: u32) {
        if self.waiting.is_some() {
            let to = self.messages.list[message as usize].to;
            if let Some(last) = self.streams.insert((lane, to), message) {
                self.after_in_stream[last as usize] = message;
                return;
            }
        }
        self.append(lane, message);
    }

    /// Appends a message to those of a lane.
    fn append(&mut self, lane: u32, message: u32) {
        let queue = &mut self.lanes[lane as usize];
        self.behind[message as usize] = NONE;
        if queue.first == NONE {
            queue.first = message;
        } else {
            self.behind[queue.last as usize] = message;
        }
        queue.last = message;
    }

    /// Makes the next packet of a lane.
    pub(super) fn next(&mut self, lane: u32, now: u32) -> Option<Newborn> {
        let first = self.lanes[lane as usize].first;
        let message = self.messages.list.get(first as usize)?;
        self.unborn[first as usize] -= 1;
        let done = self.unborn[first as usize] == 0;
        let by_turns = self.messages.order == MessageOrder::Turns || self.waiting.is_some();
        if done || by_turns {
            self.lanes[lane as usize].first = self.behind[first as usize];
        }
        if !done && by_turns {
            self.append(lane, first);
        }
        if done && self.waiting.is_some() {
            self.end_of_stream(lane, first, message.to);
        }
        let generator = self.generator(message);
        let number = self.numbers[generator as usize];
        self.numbers[generator as usize] += 1;
        // Early enough to leave now, if the message was there. A packet in flight goes before one that is
        // still to leave.
        let early = now.saturating_sub(self.leads[message.from as usize]);
        let birth = match self.came.get(first as usize) {
            Some(&came) => came.max(early),
            None if self.messages.timed => message.when,
            None => self.start.max(early),
        };
        Some(Newborn { generator, to: message.to, number, birth, message: first })
    }

    /// The next message to the same destination takes the place of one that has left.
    fn end_of_stream(&mut self, lane: u32, message: u32, to: u32) {
        match std::mem::replace(&mut self.after_in_stream[message as usize], NONE) {
            NONE => {
                self.streams.remove(&(lane, to));
            }
            next => self.append(lane, next),
        }
    }

    /// The port by which a message leaves its host. Messages take turns over the ports, by the distance to
    /// their destination.
    pub(super) fn generator(&self, message: &EndpointMessage) -> u32 {
        let ahead = (message.to + self.endpoints - message.from) % self.endpoints;
        message.from * self.ports + ahead % self.ports
    }
}
