//! What the kernel convicts of.
//!
//! Faults of tables are values that name routers and channels by number: who has names for them writes the
//! message. The other convictions carry their text.

use crate::dependencies::Held;
use fabc_topology::ids::NodeId;

/// One conviction.
#[derive(Clone, PartialEq, Debug)]
pub enum Conviction {
    /// A list of the wrong length, or a number outside its range.
    Shape {
        /// What the list belongs to.
        subject: String,
        /// What is there, and what must be.
        what: String,
    },
    /// A claimed symmetry that does not hold.
    Symmetry(String),
    /// Two routers that cannot reach each other.
    Disconnected {
        /// A router.
        from: NodeId,
        /// A router that it does not reach.
        to: NodeId,
    },
    /// Hop distances that a breadth-first search refutes.
    Distances {
        /// Which number.
        what: &'static str,
        /// As claimed.
        claimed: String,
        /// As recomputed.
        measured: String,
    },
    /// Channel lengths that do not prove the bound.
    Lengths(String),
    /// A flow that does not balance, or not within its claimed load.
    Flow(String),
}

/// Why tables are refused.
#[derive(Clone, PartialEq, Debug)]
pub enum TableConviction {
    /// A table entry that no router can follow.
    Entry {
        /// The router.
        router: NodeId,
        /// The entry and what is wrong with it.
        what: String,
    },
    /// Tables that do not work.
    Fault(TableFault),
    /// What the tables are judged with is wrong: a list of the wrong length, a symmetry that does not hold,
    /// or routes that are not the shortest ones.
    Other(Conviction),
}

impl From<Conviction> for TableConviction {
    fn from(conviction: Conviction) -> Self {
        TableConviction::Other(conviction)
    }
}

/// A place where a packet can be: a router, and the input that it came by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The router.
    pub router: u32,
    /// The input; see [`crate::Lookup`].
    pub input: u32,
}

/// Why a router can do nothing with a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// It has no entry.
    NoEntry,
    /// The packet has counted as far as there are virtual channels.
    NoCount,
    /// The entry discards it.
    Discarded,
    /// No virtual channel is known for its two ports.
    NoLane,
    /// The output leads to no router, and not to the destination.
    NoChannel,
}

/// What is wrong with tables. Endpoints and routers are numbered as in the [`crate::Network`].
#[derive(Clone, PartialEq, Debug)]
pub enum TableFault {
    /// Packets that do not arrive.
    Lost {
        /// The source.
        source: usize,
        /// The destination.
        destination: usize,
        /// Where they come, in order; empty if the source discards them.
        positions: Vec<Position>,
        /// What happens at the last position.
        loss: Loss,
    },
    /// Packets that never end.
    Circling {
        /// The source.
        source: usize,
        /// The destination.
        destination: usize,
        /// The channels that repeat, from where the packets enter the circle.
        circle: Vec<Held>,
    },
    /// An entry that no packet uses.
    Unused {
        /// The destination.
        destination: usize,
        /// The router and the input.
        position: Position,
        /// The port that the entry leaves by.
        port: usize,
        /// Its virtual channel.
        vc: usize,
    },
    /// Channels that can wait for each other in a circle.
    Deadlock(Vec<Waiting>),
    /// A rank that does not rise. The tables themselves have no circle.
    Rank {
        /// The channel that is held.
        held: Held,
        /// The channel that its packets ask for.
        next: Held,
        /// The claimed rank of `held`.
        rank: u32,
        /// The claimed rank of `next`, which is not larger.
        next_rank: u32,
    },
}

/// A channel of a circle, with a packet that holds it and waits for the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The channel.
    pub held: Held,
    /// The source and the destination of the packet.
    pub pair: Option<(usize, usize)>,
}

impl Conviction {
    pub(crate) fn symmetry(what: impl Into<String>) -> Self {
        Conviction::Symmetry(what.into())
    }
}
