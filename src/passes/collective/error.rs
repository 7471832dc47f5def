//! Why a scene has no schedule.

use fabc_base::ids::NodeId;
use thiserror::Error;

/// Why no collective can be planned on what is left of a topology. Routers by their names.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CollectiveError {
    /// A collective of one.
    #[error("a collective is between two chips or more, and there {}", if *chips == 1 { "is 1" } else { "are none" })]
    TooFew {
        /// Living chips.
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
    /// A router without hosts: chunks would have to rest where nothing can keep them.
    #[error(
        "{router} only forwards, so that nothing can rest or be added up there: only `direct` plans along the tables"
    )]
    Forwards {
        /// Its name.
        router: String,
    },
    /// A link that is one channel alone.
    #[error(
        "{link} runs one way only, and what is gathered along a link is reduced against it: only `direct` plans along the tables"
    )]
    Simplex {
        /// Its channel, by name.
        link: String,
    },
    /// A link that carries so much that its chunks cannot be planned one by one.
    #[error(
        "{link} carries {lanes} times the common unit of all bandwidths, more than the {most} that are planned one by one"
    )]
    Lanes {
        /// Its channel, by name.
        link: String,
        /// Times the unit.
        lanes: u64,
        /// The most.
        most: u64,
    },
    /// A root that is none of the chips.
    #[error("the root is router {root}, which is no living chip")]
    Root {
        /// As asked for.
        root: NodeId,
    },
    /// More chunks than are planned.
    #[error(
        "{chips} chips without symmetry would take in {chunks} chunks, more than the {most} that are planned one by one"
    )]
    TooLarge {
        /// Chips that are planned for.
        chips: usize,
        /// What they take in together.
        chunks: u64,
        /// The most.
        most: u64,
    },
    /// Messages without a way.
    #[error("messages follow forwarding tables, and there are none")]
    Untabled,
    /// Tables of another fabric.
    #[error("the tables are of {tables} routers, and there are {routers}")]
    OtherTables {
        /// Routers that they are of.
        tables: usize,
        /// Routers that there are.
        routers: usize,
    },
    /// A message that the tables do not deliver.
    #[error("the tables lead nothing from {from} to {to}: it is lost at {at}")]
    NoRoute {
        /// Its source.
        from: String,
        /// Its destination.
        to: String,
        /// Where it goes no further.
        at: String,
    },
}
