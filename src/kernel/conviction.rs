//! Everything that the kernel convicts of.
//!
//! Faults of tables name routers and channels by number. The caller has their names and writes the message.
//! The other convictions carry their text.

use crate::dependencies::HeldChannel;
use fabc_topology::ids::NodeId;

/// A claim that the kernel refutes.
#[derive(Clone, PartialEq, Debug)]
pub enum Conviction {
    /// A list of the wrong length, or a number outside its range.
    Shape {
        /// What the list belongs to.
        subject: String,
        /// The length or number that was given, and the one that it must be.
        what: String,
    },
    /// A claimed symmetry that does not hold.
    Symmetry(String),
    /// Two routers that cannot reach each other.
    Disconnected {
        /// The router where the search starts.
        from: NodeId,
        /// A router that it does not reach.
        to: NodeId,
    },
    /// Claimed hop distances that a breadth-first search refutes.
    Distances {
        /// The name of the number, such as `the diameter`.
        what: &'static str,
        /// The value that was claimed.
        claimed: String,
        /// The value that the kernel computed.
        measured: String,
    },
    /// Channel lengths that do not prove the claimed bound.
    Lengths(String),
    /// A flow that does not balance, or that exceeds its claimed load.
    Flow(String),
}

/// The reason why the kernel refuses tables.
#[derive(Clone, PartialEq, Debug)]
pub enum TableConviction {
    /// A table entry that no router can follow.
    Entry {
        /// The router that has the entry.
        router: NodeId,
        /// The entry, and why no router can follow it.
        what: String,
    },
    /// Tables whose packets do not arrive or can deadlock, or that have an unused entry.
    Fault(TableFault),
    /// An input of the verdict is refuted: a list of the wrong length, a symmetry that does not hold, or
    /// routes that are not shortest.
    Other(Conviction),
}

impl From<Conviction> for TableConviction {
    fn from(conviction: Conviction) -> Self {
        TableConviction::Other(conviction)
    }
}

/// A place where a packet can be: a router, and the input by which it came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// The index of the router.
    pub router: u32,
    /// The input of the router, as [`crate::Lookup`] numbers it.
    pub input: u32,
}

/// Why a router can do nothing with a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// The router has no entry for it.
    NoEntry,
    /// The packet has counted past the last virtual channel.
    NoCount,
    /// The entry discards the packet.
    Discarded,
    /// The entry names an output, but no virtual channel is known for its two ports.
    NoLane,
    /// The output leads to no router, and not to the destination either.
    NoChannel,
}

/// A fault of forwarding tables. Endpoints and routers are numbered as in the [`crate::PortGraph`].
#[derive(Clone, PartialEq, Debug)]
pub enum TableFault {
    /// Packets of a pair reach a router that can do nothing with them.
    Lost {
        /// The endpoint that sends the packets.
        source: usize,
        /// The endpoint that does not receive.
        destination: usize,
        /// The positions of the packets, in order. Empty if the source discards them.
        positions: Vec<Position>,
        /// Why the packets are lost at the last position.
        loss: Loss,
    },
    /// Packets of a pair loop.
    Looping {
        /// The endpoint that sends the packets.
        source: usize,
        /// The endpoint that does not receive.
        destination: usize,
        /// The channels that repeat, from where the packets enter the cycle.
        cycle: Vec<HeldChannel>,
    },
    /// An entry that no packet uses.
    Unused {
        /// The destination that the entry is for.
        destination: usize,
        /// The router and the input that the entry serves.
        position: Position,
        /// The port that the entry leaves by.
        port: usize,
        /// The virtual channel that the entry leaves on.
        vc: usize,
    },
    /// Channels that can wait for each other in a cycle.
    Deadlock(Vec<WaitingPacket>),
    /// A claimed rank that does not rise, although the tables have no cycle.
    Rank {
        /// The channel that packets hold.
        held: HeldChannel,
        /// The channel that these packets ask for.
        next: HeldChannel,
        /// The claimed rank of `held`.
        rank: u32,
        /// The claimed rank of `next`, which is not larger.
        next_rank: u32,
    },
}

/// A channel of a cycle, with a packet that holds it and waits for the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaitingPacket {
    /// The channel, with its virtual channel.
    pub held: HeldChannel,
    /// The source and the destination of the packet. `None` if no such packet was found.
    pub pair: Option<(usize, usize)>,
}

impl Conviction {
    pub(crate) fn symmetry(what: impl Into<String>) -> Self {
        Conviction::Symmetry(what.into())
    }
}
