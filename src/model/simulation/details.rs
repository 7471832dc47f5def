//! What some traffics are told beyond their names, and how births come.

use super::rate::Rate;
use crate::word::words;
use std::sync::Arc;

/// Numbers and lists of a traffic. What is not given has a default; what does not belong to the traffic must
/// not be given.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Details {
    /// `group_shift`: by how many groups; 1 by default.
    pub by: Option<u32>,
    /// `hotspot`: which part of the packets goes to the spots, at most 1; 0.2 by default.
    pub share: Option<Rate>,
    /// `hotspot`: names of routers, which stand for all of their endpoints, and numbers of endpoints.
    pub spots: Vec<String>,
    /// Whether births come in bursts; of any traffic that goes on for ever.
    pub bursts: Option<Bursts>,
    /// `all_to_all`: bytes of the message of every pair.
    pub bytes: Option<u64>,
    /// `all_to_all`: in which order a source sends its messages; one after the other by default.
    pub order: Option<Order>,
    /// `trace`: what is sent.
    pub trace: Option<Trace>,
}

/// How births come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Births {
    /// With the same probability in every cycle.
    Steady,
    /// In bursts.
    Bursts,
}

words!(Births { Steady = "steady", Bursts = "bursts" });

/// In which order a source of `all_to_all` sends its messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// One after the other, the nearest destination by number first; it waits for nobody.
    Shift,
    /// The same, and all sources begin a message when all messages before it have arrived everywhere.
    Barrier,
    /// A packet of each in turn, round and round in an order that is drawn for every source.
    Turns,
}

words!(Order { Shift = "shift", Barrier = "barrier", Turns = "turns" });

/// Messages as a file lists them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// What messages call the file.
    pub path: String,
    /// What outputs call it: of a spec the place of its copy.
    pub name: String,
    /// What it says.
    pub text: Arc<str>,
    /// Its lines, in ascending order of cycles.
    pub lines: Arc<[TraceLine]>,
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceLine {
    /// Where it stands in the file, from 1 on.
    pub line: u32,
    /// The cycle in which all of it is at its source.
    pub cycle: u32,
    /// From where to where: names of routers, or numbers of endpoints.
    pub ends: [Box<str>; 2],
    /// Flits, at least one.
    pub flits: u32,
}

/// Births in bursts: every host is on or off; it goes off with probability 1 / `length` per cycle, and on so
/// often that on average it offers what it should.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bursts {
    /// Cycles of a burst on average.
    pub length: u32,
    /// Flits per cycle and endpoint while on, of endpoints that send at the stated rate.
    pub rate: Rate,
}
