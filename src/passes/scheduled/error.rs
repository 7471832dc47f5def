//! Why no vectors are scheduled on a scene.

use fabc_base::ids::NodeId;
use fabc_model::DESKEW_CYCLES;
use thiserror::Error;

/// Why nothing can be scheduled on what there is of a topology. Routers by their names.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ScheduledError {
    /// A collective of one.
    #[error("a collective is between two chips or more, and there {}", if *chips == 1 { "is 1" } else { "are none" })]
    TooFew {
        /// Chips that take part.
        chips: usize,
    },
    /// The scene falls apart.
    #[error("no way leads from {from} to {to}")]
    Disconnected {
        /// A chip.
        from: String,
        /// One that it does not reach.
        to: String,
    },
    /// A router without hosts that is no spare: vectors would have to rest where nothing can keep them.
    #[error("{router} only forwards: vectors are scheduled where every router is a chip, or a spare one")]
    Forwards {
        /// Its name.
        router: String,
    },
    /// A link that is one channel alone.
    #[error("{link} runs one way only, and what is gathered along a link is reduced against it")]
    Simplex {
        /// Its channel, by name.
        link: String,
    },
    /// Links of different bandwidths.
    #[error("{one} and {other} carry different bandwidths, and a slot is as long on every channel")]
    Uneven {
        /// A channel, by name.
        one: String,
        /// Another one.
        other: String,
    },
    /// A root that is none of the chips.
    #[error("the root is router {root}, which is no chip that takes part")]
    Root {
        /// As asked for.
        root: NodeId,
    },
    /// An end of a message that is none of the chips.
    #[error("{router} is no chip that takes part")]
    NoChip {
        /// Its name.
        router: String,
    },
    /// Two messages of one cycle between the same two.
    #[error("{from} has two messages for {to} in the same cycle: add them up")]
    Twice {
        /// Its name.
        from: String,
        /// The other one's.
        to: String,
    },
    /// A message that goes nowhere.
    #[error("{router} sends to itself")]
    Itself {
        /// Its name.
        router: String,
    },
    /// Chips that are not so many groups.
    #[error("{chips} chips are no groups of {size} chips")]
    Groups {
        /// Chips of a group.
        size: usize,
        /// Chips that take part.
        chips: usize,
    },
    /// More vectors than are planned one by one.
    #[error("it takes {sends} sends of vectors, more than the {most} that are planned one by one")]
    TooLarge {
        /// Sends, at least.
        sends: u128,
        /// The most.
        most: u64,
    },
    /// An algorithm that needs groups, each a complete graph, any two of them joined.
    #[error("`{algorithm}` needs groups whose chips are all joined, and a cable between any two of them")]
    NoGroups {
        /// Its name.
        algorithm: &'static str,
    },
    /// No slot between two rests of the channels.
    #[error("channels rest for {DESKEW_CYCLES} cycles every {deskew}, which leaves no slot of {slot} cycles")]
    Restless {
        /// From rest to rest, in cycles.
        deskew: u32,
        /// Cycles.
        slot: u32,
    },
    /// A plan that runs into cycles that are not counted.
    #[error("it takes more cycles than are counted")]
    TooLong,
}
