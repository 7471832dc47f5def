//! Turns messages into packets: which packet is born next, and where.
//!
//! A lane is a queue of messages at a source. It belongs to a port of a host. Where hosts are not limited, it
//! belongs to one output. Its messages wait in the order in which they came. Only the first packet of each
//! lane is ever made, so a run takes memory for messages, not for packets. Where messages are there from the
//! start, a packet is born when the one before it begins to leave.

use super::closed_messages::ClosedMessages;
use super::layout::NONE;
use super::traffic::{EndpointMessage, MessageExit, MessageList};
use fabc_model::MessageOrder;

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
    /// What messages that wait for others need, if any does.
    closed: Option<ClosedMessages<'a>>,
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
        let closed = messages.dependencies.as_ref().map(|dependencies| {
            ClosedMessages::new(dependencies, of_messages(|message| message.when), of_messages(packets))
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
            closed,
        }
    }

    /// The next message that comes to its lane now, if there is one. `delivered` packets have arrived so far.
    pub(super) fn due(&mut self, now: u32, delivered: u64) -> Option<(u32, EndpointMessage)> {
        let list = &self.messages.list;
        if let Some(closed) = &mut self.closed {
            let number = closed.due(now, |message| list[message as usize].packets > 0)?;
            return Some((number, list[number as usize]));
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
        if let Some(closed) = &self.closed {
            return closed.is_over();
        }
        self.released == self.messages.list.len() && delivered == self.packets
    }

    /// Notes the place that a packet of a message has taken until it arrives.
    pub(super) fn place(&mut self, message: u32, place: u32) {
        if let Some(closed) = &mut self.closed {
            closed.place(message, place);
        }
    }

    /// Counts the packet of a place, which has arrived.
    pub(super) fn arrived(&mut self, place: u32, now: u32) {
        if let Some(closed) = &mut self.closed {
            closed.arrived(place, now);
        }
    }

    /// The channel by which a message leaves, if it says so.
    pub(super) fn exit(&self, message: u32) -> Option<MessageExit> {
        self.messages.list.get(message as usize).and_then(|message| message.exit)
    }

    /// The channel by which the packet of a place leaves its source, if its message says so.
    pub(super) fn exit_of_place(&self, place: u32) -> Option<MessageExit> {
        self.exit(self.closed.as_ref()?.message_at(place)?)
    }

    /// Adds a message that has come to its lane. Where messages wait for others, it waits behind one to the
    /// same destination, if there is one. Otherwise it joins the turns of the lane.
    pub(super) fn join(&mut self, lane: u32, message: u32) {
        let to = self.messages.list[message as usize].to;
        let joins = self.closed.as_mut().is_none_or(|closed| closed.join_stream(lane, to, message));
        if joins {
            self.append(lane, message);
        }
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
        let by_turns = self.messages.order == MessageOrder::Turns || self.closed.is_some();
        if done || by_turns {
            self.lanes[lane as usize].first = self.behind[first as usize];
        }
        if !done && by_turns {
            self.append(lane, first);
        }
        if done
            && let Some(next) =
                self.closed.as_mut().and_then(|closed| closed.next_of_stream(lane, message.to, first))
        {
            self.append(lane, next);
        }
        let generator = self.generator(message);
        let number = self.numbers[generator as usize];
        self.numbers[generator as usize] += 1;
        // Early enough to leave now, if the message was there. A packet in flight goes before one that is
        // still to leave.
        let early = now.saturating_sub(self.leads[message.from as usize]);
        let birth = match &self.closed {
            Some(closed) => closed.came(first).max(early),
            None if self.messages.timed => message.when,
            None => self.start.max(early),
        };
        Some(Newborn { generator, to: message.to, number, birth, message: first })
    }

    /// The port by which a message leaves its host. Messages take turns over the ports, by the distance to
    /// their destination.
    pub(super) fn generator(&self, message: &EndpointMessage) -> u32 {
        let ahead = (message.to + self.endpoints - message.from) % self.endpoints;
        message.from * self.ports + ahead % self.ports
    }
}
