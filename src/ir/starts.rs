//! The timetable of a schedule: when each message leaves.

use fabc_base::ids::NodeId;

/// A message from one router to a neighbor, with its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageStart {
    /// The router that sends the message.
    pub from: NodeId,
    /// The router that receives the message.
    pub to: NodeId,
    /// The time at which its first byte leaves, attoseconds from the start.
    pub attoseconds: u128,
}

/// All messages of a schedule with their times.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MessageStarts {
    /// Whether the symmetry of the topology carries what is listed to all other routers.
    pub canonical: bool,
    /// Number of messages, over all routers.
    pub messages: u64,
    /// Number of equal parts of the vector of a chip. Each message is one part.
    pub parts: u64,
    /// The number of pieces of a pipelined schedule, which move one after the other. 1 for all others.
    pub pieces: u32,
    /// The time at which the last byte has arrived, attoseconds.
    pub end: u128,
    /// The messages. Empty where there are more than the caller asked for.
    pub listed: Vec<MessageStart>,
}
