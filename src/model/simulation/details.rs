//! What some traffics are told beyond their names, and how births come.

use super::rate::Rate;

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
    /// Whether births come in bursts; of any traffic.
    pub bursts: Option<Bursts>,
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
