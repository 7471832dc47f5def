//! The ways in which a schedule can fail. Rounds count from 0, in the order of a gather.

use thiserror::Error;

/// The first place at which a schedule fails.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ScheduleError {
    /// Numbers that do not fit the scene or each other.
    #[error("{violation}")]
    Shape {
        /// The rule that is violated.
        violation: String,
    },
    /// A channel that does not exist, that is dark, or that leads to a router whose images are listed.
    #[error("round {round}: channel {channel} {violation}")]
    Channel {
        /// The round of the transfer.
        round: usize,
        /// The number of the channel.
        channel: u32,
        /// The rule that the channel violates.
        violation: &'static str,
    },
    /// More chunks than the round is wide.
    #[error("round {round}: {channel} carries {chunks} chunks in a round of width {width}")]
    Width {
        /// The round of the transfer.
        round: usize,
        /// The name of the channel.
        channel: String,
        /// Number of chunks that it carries.
        chunks: usize,
        /// Number of chunks that it may carry.
        width: u32,
    },
    /// A chunk that does not exist.
    #[error("round {round}: {channel} carries chunk {chunk}, which no chip has")]
    Chunk {
        /// The round of the transfer.
        round: usize,
        /// The name of the channel.
        channel: String,
        /// The number of the chunk.
        chunk: u32,
    },
    /// A chunk that arrives at a chip that has it. In a reduction: one that is sent twice.
    #[error("round {round}: {channel} carries chunk {chunk} to a chip that {possession}")]
    Twice {
        /// The round of the transfer.
        round: usize,
        /// The name of the channel.
        channel: String,
        /// The number of the chunk.
        chunk: u32,
        /// How the chip came to have it.
        possession: &'static str,
    },
    /// A chunk that its sender does not have yet. In a reduction: one that is added after it was sent on.
    #[error("round {round}: {channel} carries chunk {chunk}, which its sender has {since}")]
    Early {
        /// The round of the transfer.
        round: usize,
        /// The name of the channel.
        channel: String,
        /// The number of the chunk.
        chunk: u32,
        /// The round from which it has it, or never.
        since: String,
    },
    /// A chunk that a chip never receives.
    #[error("{chip} never receives chunk {chunk}")]
    Missing {
        /// The name of the chip.
        chip: String,
        /// The number of the chunk.
        chunk: u32,
    },
    /// A sum that lacks contributions.
    #[error("the sum of chunk {chunk} at {chip} has {contributions} contributions of {chips}")]
    Sum {
        /// The name of the chip.
        chip: String,
        /// The number of the chunk.
        chunk: u32,
        /// Number of contributions in the sum.
        contributions: u64,
        /// Number of contributions that it needs.
        chips: u64,
    },
    /// A tree that does not span, or that shares links with too many others.
    #[error("tree {tree}: {violation}")]
    Tree {
        /// The number of the tree.
        tree: usize,
        /// The rule that it violates.
        violation: String,
    },
    /// A path that breaks off, or does not lead from its source to its destination.
    #[error("path {path}: {violation}")]
    Path {
        /// The number of the path.
        path: usize,
        /// The rule that it violates.
        violation: String,
    },
    /// A part of a message that leaves the route of the tables, or arrives too late.
    #[error("part {part} of the message from {source_name} to {destination} {violation}")]
    Message {
        /// The name of the source.
        source_name: String,
        /// The name of the destination.
        destination: String,
        /// The number of the part within the message.
        part: u32,
        /// The rule that it violates.
        violation: String,
    },
    /// Two chunks in the same slot.
    #[error("slot {slot}: {channel} carries two chunks")]
    Busy {
        /// The slot that is taken twice.
        slot: u32,
        /// The name of the channel, or of one that represents it.
        channel: String,
    },
    /// A channel that violates a rule in a schedule of vectors.
    #[error("cycle {cycle}: {violation}")]
    Cycle {
        /// The cycle of the send.
        cycle: u32,
        /// The channel and the rule that it violates.
        violation: String,
    },
    /// A vector that violates a rule in such a schedule.
    #[error("vector {vector}, sent in cycle {cycle}, {violation}")]
    Vector {
        /// The number of the vector.
        vector: u64,
        /// The cycle of the send.
        cycle: u32,
        /// The rule that it violates.
        violation: String,
    },
    /// A bound that does not follow from its witness.
    #[error("bound {bound} says {claimed}, but its witness gives {counted}")]
    Bound {
        /// The number of the bound.
        bound: usize,
        /// The bound that is claimed.
        claimed: String,
        /// The bound that its witness proves.
        counted: String,
    },
    /// A schedule that beats its own lower bound. One of the two is invalid.
    #[error("{volume} chunk times are less than bound {bound} allows")]
    Beaten {
        /// The number of the bound.
        bound: usize,
        /// The chunk times of the schedule.
        volume: u64,
    },
}

impl ScheduleError {
    pub(super) fn shape(violation: impl Into<String>) -> Self {
        ScheduleError::Shape { violation: violation.into() }
    }
}
