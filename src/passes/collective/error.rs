//! Why a scene has no schedule.

use fabc_base::ids::NodeId;
use thiserror::Error;

/// Why no collective can be planned on the surviving part of a topology. Routers are given by name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CollectiveError {
    /// The scene has fewer than two chips.
    #[error("a collective is between two chips or more, and there {}", if *chips == 1 { "is 1" } else { "are none" })]
    TooFew {
        /// Number of surviving chips in the scene.
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
    /// A router without hosts, in which chunks cannot rest.
    #[error(
        "{router} only forwards, so it can neither store nor add data: only `direct`, along the tables, is possible"
    )]
    Forwards {
        /// Name of the router that only forwards.
        router: String,
    },
    /// A link that runs one way only.
    #[error(
        "{link} runs one way only, but a reduction needs the reverse channel: only `direct`, along the tables, is possible"
    )]
    Simplex {
        /// Name of the channel of the link.
        link: String,
    },
    /// A link with more lanes than the planner handles.
    #[error("{link} carries {lanes} times the common unit of all bandwidths, at most {most} can be planned")]
    Lanes {
        /// Name of the channel of the link.
        link: String,
        /// Bandwidth of the link in units of all bandwidths.
        lanes: u64,
        /// Limit on the bandwidth of a link, in the same units.
        most: u64,
    },
    /// A root that is no surviving chip.
    #[error("the root is router {root}, which is not a surviving chip")]
    Root {
        /// The root that the caller named.
        root: NodeId,
    },
    /// More chunks than the planner handles.
    #[error("{chips} chips without symmetry would receive {chunks} chunks, at most {most} can be planned")]
    TooLarge {
        /// Number of chips that are planned for.
        chips: usize,
        /// Number of chunks that these chips receive together.
        chunks: u64,
        /// Limit on the number of chunks.
        most: u64,
    },
    /// More chips or routers than a forest is packed for.
    #[error(
        "`forest` packs trees over at most {most_chips} chips and {most_routers} routers unless they are images of each other, and there are {chips} and {routers}"
    )]
    ForestTooLarge {
        /// Number of surviving chips in the scene.
        chips: usize,
        /// Number of routers of any kind.
        routers: usize,
        /// Limit on the number of chips.
        most_chips: usize,
        /// Limit on the number of routers of any kind.
        most_routers: usize,
    },
    /// More chips than paths are balanced between.
    #[error("`paths` balances paths between at most {most} chips, and there are {chips}")]
    PathsTooLarge {
        /// Number of surviving chips in the scene.
        chips: usize,
        /// Limit on the number of chips.
        most: usize,
    },
    /// A group of more chips than trees are packed for.
    #[error("`within` packs trees in groups of at most {most} chips, and these have {chips}")]
    GroupTooLarge {
        /// Number of chips of a group.
        chips: usize,
        /// Limit on the chips of a group.
        most: usize,
    },
    /// A group that is disconnected without other chips.
    #[error(
        "`within` uses only links between chips of one group, and over these no path leads from {from} to {to}"
    )]
    ApartInGroup {
        /// Name of the chip without a path.
        from: String,
        /// Name of the chip that it does not reach.
        to: String,
    },
    /// A dead chip of a group.
    #[error("all groups do the collective at the same time, and {chip} of one of them is dead")]
    DeadInGroup {
        /// Name of the dead chip.
        chip: String,
    },
    /// A link that runs one way only, on a fabric with groups that gather or add up.
    #[error("{link} runs one way only, but trees in groups need links that run both ways")]
    SimplexInGroups {
        /// Name of the link, by its ends.
        link: String,
    },
    /// The scene has no forwarding tables for the messages to follow.
    #[error("messages follow forwarding tables, but there are none")]
    Untabled,
    /// The tables belong to another fabric.
    #[error("the tables are for {tables} routers, but there are {routers}")]
    OtherTables {
        /// Number of routers in the tables.
        tables: usize,
        /// Number of routers in the topology.
        routers: usize,
    },
    /// A message that the tables do not deliver.
    #[error("the tables have no route from {from} to {to}: packets are lost at {at}")]
    NoRoute {
        /// Name of the source of the message.
        from: String,
        /// Name of the destination of the message.
        to: String,
        /// Name of the router at which it is lost.
        at: String,
    },
}
