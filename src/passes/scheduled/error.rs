//! Why no vectors are scheduled on a scene.

use fabc_base::ids::NodeId;
use fabc_model::DESKEW_CYCLES;
use thiserror::Error;

/// Why no vectors can be scheduled on a topology. Routers are given by name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ScheduledError {
    /// Fewer than two chips take part.
    #[error("a collective is between two chips or more, and there {}", if *chips == 1 { "is 1" } else { "are none" })]
    TooFew {
        /// Number of chips that take part.
        chips: usize,
    },
    /// The surviving network is disconnected.
    #[error("no path leads from {from} to {to}")]
    Disconnected {
        /// Name of the chip without a path.
        from: String,
        /// Name of the chip that it does not reach.
        to: String,
    },
    /// A router without hosts that is no spare. Vectors cannot rest in it.
    #[error("{router} only forwards, but vectors need a network whose routers are all chips or spare chips")]
    Forwards {
        /// Name of the router in question.
        router: String,
    },
    /// A link that runs one way only.
    #[error("{link} runs one way only, but a reduction needs the reverse channel")]
    Simplex {
        /// Name of the channel of the link.
        link: String,
    },
    /// Two links with different bandwidths.
    #[error("{one} and {other} carry different bandwidths, but all channels must have slots of one length")]
    Uneven {
        /// Name of a channel of one link.
        one: String,
        /// Name of a channel with another bandwidth.
        other: String,
    },
    /// A root that takes no part.
    #[error("the root is router {root}, which is not a chip that takes part")]
    Root {
        /// The root that the caller named.
        root: NodeId,
    },
    /// A message from or to a router that takes no part.
    #[error("{router} is not a chip that takes part")]
    NoChip {
        /// Name of the router in question.
        router: String,
    },
    /// Two messages from one chip to another in the same cycle.
    #[error("{from} has two messages for {to} in the same cycle: add them up")]
    Twice {
        /// Name of the sender of both.
        from: String,
        /// Name of the receiver of both.
        to: String,
    },
    /// A message whose sender is its receiver.
    #[error("{router} sends to itself")]
    Itself {
        /// Name of the router in question.
        router: String,
    },
    /// The chips cannot be divided into groups of this size.
    #[error("{chips} chips do not divide into groups of {size} chips")]
    Groups {
        /// Number of chips in a group.
        size: usize,
        /// Number of chips that take part.
        chips: usize,
    },
    /// More sends of vectors than are planned.
    #[error("it takes {sends} sends of vectors, at most {most} can be planned")]
    TooLarge {
        /// A lower bound on the number of sends.
        sends: u128,
        /// Limit on the number of sends.
        most: u64,
    },
    /// The algorithm needs groups that are complete graphs, with a link between any two groups.
    #[error("`{algorithm}` needs groups whose chips are all joined, and a cable between any two groups")]
    NoGroups {
        /// Name of the algorithm that needs groups.
        algorithm: &'static str,
    },
    /// No slot fits between two rests of the channels.
    #[error("channels rest for {DESKEW_CYCLES} cycles every {deskew}, which leaves no slot of {slot} cycles")]
    Restless {
        /// Cycles from one rest to the next.
        deskew: u32,
        /// Number of cycles in a slot.
        slot: u32,
    },
    /// The schedule needs more cycles than can be counted.
    #[error("it takes more cycles than a schedule can have")]
    TooLong,
}
