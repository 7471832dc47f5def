//! When what a schedule sends leaves, as its own timetable has it.

use fabc_base::ids::NodeId;

/// A message that goes from router to router at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    /// Who sends.
    pub from: NodeId,
    /// Who receives.
    pub to: NodeId,
    /// When its first byte leaves, attoseconds after all begins.
    pub at: u128,
}

/// All messages of a schedule with their times.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Starts {
    /// Whether the symmetry of the topology carries what is listed to all other routers.
    pub canonical: bool,
    /// How many there are, of all routers.
    pub messages: u64,
    /// Equal parts of the vector of a chip, of which each message is one.
    pub parts: u64,
    /// When the last byte is there, attoseconds.
    pub end: u128,
    /// Each of them; none where `messages` are more than was asked for.
    pub listed: Vec<Start>,
}
