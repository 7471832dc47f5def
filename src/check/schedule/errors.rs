//! What is wrong with a schedule. Rounds are counted from 0, in the order of a gather.

use thiserror::Error;

/// A place of a plan in time at which it fails.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ScheduleError {
    /// Numbers that do not fit the scene or each other.
    #[error("{what}")]
    Shape {
        /// What is wrong.
        what: String,
    },
    /// A channel that the topology lacks, that is dark, or that leads to a router whose images are listed.
    #[error("round {round}: channel {channel} {what}")]
    Channel {
        /// The round.
        round: usize,
        /// Its number.
        channel: u32,
        /// What is wrong with it.
        what: &'static str,
    },
    /// More chunks than the round is wide.
    #[error("round {round}: {channel} carries {chunks} chunks in a round of width {width}")]
    Width {
        /// The round.
        round: usize,
        /// By name.
        channel: String,
        /// What it carries.
        chunks: usize,
        /// What it may carry.
        width: u32,
    },
    /// A chunk that does not exist.
    #[error("round {round}: {channel} carries chunk {chunk}, which nobody has")]
    Chunk {
        /// The round.
        round: usize,
        /// By name.
        channel: String,
        /// Its number.
        chunk: u32,
    },
    /// A chunk that comes to a chip that has it: as a reduction, one that is sent twice.
    #[error("round {round}: {channel} carries chunk {chunk} to a chip that {has}")]
    Twice {
        /// The round.
        round: usize,
        /// By name.
        channel: String,
        /// Its number.
        chunk: u32,
        /// Since when.
        has: &'static str,
    },
    /// A chunk that its sender does not have yet: as a reduction, one that is added after it was sent on.
    #[error("round {round}: {channel} carries chunk {chunk}, which its sender has {since}")]
    Early {
        /// The round.
        round: usize,
        /// By name.
        channel: String,
        /// Its number.
        chunk: u32,
        /// Since which round, or never.
        since: String,
    },
    /// A chunk that a chip never gets.
    #[error("{chip} never gets chunk {chunk}")]
    Missing {
        /// By name.
        chip: String,
        /// Its number.
        chunk: u32,
    },
    /// A sum that lacks contributions.
    #[error("the sum of chunk {chunk} at {chip} has {contributions} contributions of {chips}")]
    Sum {
        /// By name.
        chip: String,
        /// Its number.
        chunk: u32,
        /// What was added up.
        contributions: u64,
        /// Of so many.
        chips: u64,
    },
    /// A tree that does not span, or shares links with too many others.
    #[error("tree {tree}: {what}")]
    Tree {
        /// Its number.
        tree: usize,
        /// What is wrong.
        what: String,
    },
    /// A part of a message that does not go as the tables lead it, or not in time.
    #[error("part {part} of the message from {source_name} to {destination} {what}")]
    Message {
        /// By name.
        source_name: String,
        /// By name.
        destination: String,
        /// Of the message.
        part: u32,
        /// What is wrong.
        what: String,
    },
    /// Two chunks in the same slot.
    #[error("slot {slot}: {channel} carries two chunks")]
    Busy {
        /// The slot.
        slot: u32,
        /// By name, or one that stands for it.
        channel: String,
    },
    /// A channel, in a plan of single vectors.
    #[error("cycle {cycle}: {what}")]
    Cycle {
        /// When.
        cycle: u32,
        /// What is wrong.
        what: String,
    },
    /// A vector of such a plan.
    #[error("vector {vector}, sent in cycle {cycle}, {what}")]
    Vector {
        /// Its number.
        vector: u64,
        /// When.
        cycle: u32,
        /// What is wrong.
        what: String,
    },
    /// A bound that does not follow from its witness.
    #[error("bound {bound} says {claimed}, but its witness gives {counted}")]
    Bound {
        /// Its number.
        bound: usize,
        /// As claimed.
        claimed: String,
        /// As counted.
        counted: String,
    },
    /// A schedule that does better than a bound of it: one of the two is wrong.
    #[error("{volume} chunk times are less than bound {bound} allows")]
    Beaten {
        /// Number of the bound.
        bound: usize,
        /// Of the schedule.
        volume: u64,
    },
}

impl ScheduleError {
    pub(super) fn shape(what: impl Into<String>) -> Self {
        ScheduleError::Shape { what: what.into() }
    }
}
