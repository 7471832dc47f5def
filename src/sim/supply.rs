//! Messages that are under way to their packets: which packet is born next where.
//!
//! A lane is a queue of messages at a source: a port of a host, or where hosts are not limited a queue for
//! one output. Its messages wait in the order in which they came, and only the first packets of all of them
//! are ever made: so a run takes memory for messages, not for packets. A packet of messages that are there
//! from the start is born when the one before it begins to leave.

use super::layout::NONE;
use super::traffic::{Message, Messages};
use fabc_model::Order;

/// A packet that is born.
#[derive(Clone, Copy)]
pub(super) struct Newborn {
    /// The port of a host that it is born behind; of unlimited hosts, the endpoint.
    pub(super) generator: u32,
    /// Its destination, an endpoint.
    pub(super) to: u32,
    /// How many its generator gave birth to before.
    pub(super) number: u32,
    /// The cycle that it is told from.
    pub(super) birth: u32,
}

/// The messages of one run.
pub(super) struct Supply<'a> {
    of: &'a Messages,
    /// Ports of a host, or 1; and all endpoints.
    ports: u32,
    endpoints: u32,
    /// Messages that wait in lanes, or have.
    released: usize,
    /// Packets of these.
    packets: u64,
    /// The phase that is on, and the cycle in which it began.
    phase: u32,
    start: u32,
    lanes: Vec<Lane>,
    /// `[message]`: the one behind it in its lane.
    behind: Vec<u32>,
    /// `[message]`: its packets that have not been born.
    left: Vec<u32>,
    /// `[generator]`: packets born so far.
    numbers: Vec<u32>,
    /// Cycles from birth to the first chance to leave.
    lead: u32,
}

#[derive(Clone, Copy)]
struct Lane {
    first: u32,
    last: u32,
}

impl<'a> Supply<'a> {
    /// Nothing has been released. A packet can leave `lead` cycles after it was born.
    pub(super) fn new(of: &'a Messages, lanes: usize, ports: u32, endpoints: u32, lead: u32) -> Self {
        Self {
            of,
            ports,
            endpoints,
            released: 0,
            packets: 0,
            phase: 0,
            start: 0,
            lanes: vec![Lane { first: NONE, last: NONE }; lanes],
            behind: vec![NONE; of.list.len()],
            left: of.list.iter().map(|message| message.packets).collect(),
            numbers: vec![0; (endpoints * ports) as usize],
            lead,
        }
    }

    /// The next message that comes to its lane now, if there is one; so many packets have arrived.
    pub(super) fn due(&mut self, now: u32, delivered: u64) -> Option<(u32, Message)> {
        let message = *self.of.list.get(self.released)?;
        let barrier = self.of.order == Order::Barrier;
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

    /// Whether everything has arrived.
    pub(super) fn is_over(&self, delivered: u64) -> bool {
        self.released == self.of.list.len() && delivered == self.packets
    }

    /// A message goes to the end of a lane.
    pub(super) fn join(&mut self, lane: u32, message: u32) {
        let of = &mut self.lanes[lane as usize];
        self.behind[message as usize] = NONE;
        if of.first == NONE {
            of.first = message;
        } else {
            self.behind[of.last as usize] = message;
        }
        of.last = message;
    }

    /// The next packet of a lane.
    pub(super) fn next(&mut self, lane: u32, now: u32) -> Option<Newborn> {
        let first = self.lanes[lane as usize].first;
        let message = self.of.list.get(first as usize)?;
        self.left[first as usize] -= 1;
        let done = self.left[first as usize] == 0;
        if done || self.of.order == Order::Turns {
            self.lanes[lane as usize].first = self.behind[first as usize];
        }
        if !done && self.of.order == Order::Turns {
            self.join(lane, first);
        }
        let generator = self.generator(message);
        let number = self.numbers[generator as usize];
        self.numbers[generator as usize] += 1;
        // Early enough to leave now, if it was there: who is under way goes before who would like to be.
        let birth = if self.of.timed { message.when } else { self.start.max(now.saturating_sub(self.lead)) };
        Some(Newborn { generator, to: message.to, number, birth })
    }

    /// The port by which a message leaves its host: they take turns, by how far on the destination is.
    pub(super) fn generator(&self, message: &Message) -> u32 {
        let ahead = (message.to + self.endpoints - message.from) % self.endpoints;
        message.from * self.ports + ahead % self.ports
    }
}
