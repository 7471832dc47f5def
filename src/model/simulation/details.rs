//! Settings of traffics beyond their names, and the form of births.

use super::rate::Rate;
use crate::word::words;
use std::sync::Arc;

/// Numbers and lists of a traffic. Missing ones have defaults. A setting that does not belong to the traffic
/// must not be given.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TrafficDetails {
    /// For `group_shift`: number of groups to shift by, 1 by default.
    pub by: Option<u32>,
    /// For `hotspot`: the part of the packets that goes to the spots, at most 1, by default 0.2.
    pub share: Option<Rate>,
    /// For `hotspot`: names of routers, each for all of its endpoints, and numbers of endpoints.
    pub spots: Vec<String>,
    /// The bursts in which packets are born, for traffic that goes on for ever. `None`: births are steady.
    pub bursts: Option<Bursts>,
    /// For `all_to_all`: bytes of the message of every pair.
    pub bytes: Option<u64>,
    /// For `all_to_all`: the order in which a source sends its messages, by default one after the other.
    pub order: Option<MessageOrder>,
    /// For `trace`: the messages of the file.
    pub trace: Option<Trace>,
}

/// How the births of packets are distributed over time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Births {
    /// With the same probability in every cycle.
    Steady,
    /// In bursts of a host, with pauses between them.
    Bursts,
}

words!(Births { Steady = "steady", Bursts = "bursts" });

/// The order in which a source of `all_to_all` sends its messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageOrder {
    /// One message after the other, the nearest destination by number first. A source waits for nobody.
    Shift,
    /// The same order. All sources begin a message when all messages before it have arrived everywhere.
    Barrier,
    /// One packet of each message in turn, round and round, in a random order per source.
    Turns,
}

words!(MessageOrder { Shift = "shift", Barrier = "barrier", Turns = "turns" });

/// Messages as a file lists them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The name of the file in messages.
    pub path: String,
    /// The name of the file in outputs. For a spec, the place of its copy.
    pub name: String,
    /// The text of the file.
    pub text: Arc<str>,
    /// The messages. Those that wait for no other one are in ascending order of their cycles.
    pub lines: Arc<[TraceLine]>,
    /// Whether the file says what each message waits for: it has the column `after`.
    pub is_closed: bool,
}

/// One message of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceLine {
    /// The number of its line in the file, from 1 on.
    pub line: u32,
    /// The cycle in which the whole message is at its source. If it waits for others, cycles after the last
    /// one of them has arrived.
    pub cycle: u32,
    /// The source and the destination: names of routers, or numbers of endpoints.
    pub ends: MessageEnds,
    /// Number of flits. With 0 flits it is a wait: nothing is sent, and both ends are the same.
    pub flits: u32,
    /// The messages that must have arrived before: indexes of earlier lines, each once.
    pub after: Box<[u32]>,
    /// The port by which it leaves its router, whose link leads to the destination. `None`: as packets find
    /// their routes.
    pub port: Option<u16>,
}

/// The source and the destination of a message, in this order: names of routers, or numbers of endpoints.
pub type MessageEnds = [Box<str>; 2];

/// Births in bursts. Every host is on or off. It goes off with probability 1 / `length` per cycle. It goes on
/// with the probability that makes its mean rate the stated one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bursts {
    /// Mean length of a burst, cycles.
    pub length: u32,
    /// Flits per cycle and endpoint during a burst, for endpoints that send at the stated rate.
    pub rate: Rate,
}
