//! Paths of their own for the data of every ordered pair of chips. An all-to-all over them needs no
//! forwarding tables.
//!
//! The data of a pair is cut into equal parts. Every part takes one path. A path is made of legs: from a chip
//! to the next one through routers that only forward. A chip at the end of a leg stores what arrives, and
//! sends it on over the next leg.

use super::LaneLoad;
use fabc_base::ids::{ChannelId, NodeId};

/// The paths of all pairs of chips.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairPaths {
    /// Number of equal parts of the data of a pair. The amounts of its paths add up to it.
    pub parts: u32,
    /// The most that all paths together put on a channel.
    pub load: LaneLoad,
    /// The paths, by source and destination.
    pub paths: Vec<PairPath>,
}

/// A path from one chip to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairPath {
    /// The chip that has the data.
    pub source: NodeId,
    /// The chip that gets the data.
    pub destination: NodeId,
    /// Number of parts that take the path, positive.
    pub amount: u32,
    /// Its legs in order, at least one. A leg has at least one channel.
    pub legs: Vec<Vec<ChannelId>>,
}

impl PairPath {
    /// The channels of all legs, in order.
    pub fn channels(&self) -> impl Iterator<Item = ChannelId> {
        self.legs.iter().flatten().copied()
    }
}
