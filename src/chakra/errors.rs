//! Why traces are no job.

use fabc_base::limits::{CHAKRA_CLASSES, CHAKRA_NODES, CHAKRA_RANKS};
use thiserror::Error;

/// The subject of an error, for its code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceErrorKind {
    /// A file that cannot be read.
    File,
    /// A message that cannot be decoded.
    Message,
    /// A node that makes no sense.
    Node,
    /// Communicator groups that do not fit.
    Groups,
    /// Ranks that do not agree.
    Counts,
    /// A trace with more than fabc reads.
    Size,
}

/// Why traces are no job. A message is a sentence without its subject, which is the file of a rank.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum TraceError {
    #[error("the trace of rank {rank} cannot be read: {reason}")]
    Missing { rank: u32, reason: String },

    #[error("the trace of rank {rank} is cut off at byte {offset}: {}", cut_off(*wanted, *left))]
    Truncated { rank: u32, offset: u64, wanted: Option<u64>, left: u64 },

    #[error("the trace of rank {rank} has no Chakra message at byte {offset}: {reason}")]
    Garbled { rank: u32, offset: u64, reason: String },

    #[error("the trace of rank {rank} is empty: a trace starts with its `GlobalMetadata`")]
    Empty { rank: u32 },

    #[error("node {node} of rank {rank} has the type {kind}, which Chakra does not define")]
    UnknownKind { rank: u32, node: u64, kind: i32 },

    #[error("node {node} of rank {rank} has no attribute `{attribute}`")]
    NoAttribute { rank: u32, node: u64, attribute: &'static str },

    #[error("the attribute `{attribute}` of node {node} of rank {rank} is no whole number from 0 on")]
    NoNumber { rank: u32, node: u64, attribute: &'static str },

    #[error("node {node} of rank {rank} has the comm_type {comm_type}, which Chakra does not define")]
    UnknownCollective { rank: u32, node: u64, comm_type: u64 },

    #[error("node {node} of rank {rank} is a {name}, which has a root: operations of jobs have none")]
    RootedCollective { rank: u32, node: u64, name: &'static str },

    #[error("node {node} of rank {rank} names the rank {other} of {ranks}")]
    NoSuchRank { rank: u32, node: u64, other: u64, ranks: u32 },

    #[error("node {node} of rank {rank} is the end of a message that rank {other} sends or receives")]
    ForeignEnd { rank: u32, node: u64, other: u64 },

    #[error("node {node} of rank {rank} sends to itself")]
    ToItself { rank: u32, node: u64 },

    #[error("two nodes of rank {rank} have the id {node}")]
    NodeTwice { rank: u32, node: u64 },

    #[error("node {node} of rank {rank} waits for node {dependency}, which the trace does not have")]
    NoDependency { rank: u32, node: u64, dependency: u64 },

    #[error("node {node} of rank {rank} waits for itself, through other nodes")]
    Circle { rank: u32, node: u64 },

    #[error("the communicator groups are no JSON object of lists of ranks: {reason}")]
    GroupsFile { reason: String },

    #[error("the metadata of rank {rank} (node {node}) has no list of process groups: {reason}")]
    GroupsNode { rank: u32, node: u64, reason: String },

    #[error("the group `{group}` has rank {rank} twice")]
    RankTwice { group: String, rank: u32 },

    #[error("the group `{group}` has rank {rank}, and there are {ranks} ranks")]
    GroupBeyond { group: String, rank: u32, ranks: u32 },

    #[error("node {node} of rank {rank} is a collective of the group `{group}`, which is not listed")]
    UnknownGroup { rank: u32, node: u64, group: String },

    #[error("node {node} of rank {rank} is a collective of the group `{group}`, which lacks this rank")]
    NotInGroup { rank: u32, node: u64, group: String },

    #[error("there is the trace of rank 0 of {ranks} alone, and no groups say what the others do")]
    OneRankWithoutGroups { ranks: u64 },

    #[error("there is the trace of rank 0 alone, and node {node} is a message to or from another rank")]
    OneRankSends { node: u64 },

    #[error(
        "there is the trace of rank 0 alone, and the groups {first} and {second} that are like its own share ranks"
    )]
    OneRankOverlap { first: String, second: String },

    #[error("{subject} runs {} on rank {first} and {} on rank {second}", times(*first_count), times(*second_count))]
    Counts { subject: String, first: u32, first_count: u64, second: u32, second_count: u64 },

    #[error("the step sends nothing: no rank has a collective or a message among two ranks or more")]
    Silent,

    #[error("there are {ranks} ranks or more, and a trace has at most {CHAKRA_RANKS}")]
    TooManyRanks { ranks: u64 },

    #[error(
        "the ranks to {rank} have {before} + {nodes} = {} nodes, and traces have at most 2^28 = {CHAKRA_NODES} together",
        before + nodes
    )]
    TooManyNodes { rank: u32, before: u64, nodes: u64 },

    #[error("its collectives and messages are of {classes} kinds, and at most {CHAKRA_CLASSES} are sorted")]
    TooManyClasses { classes: usize },

    #[error("{subject} moves {bytes} B x {times} in a step, which is too much for an operation of a job")]
    TooMuch { subject: String, bytes: u128, times: u64 },

    #[error("a rank computes {micros} us in a step, more than a job may")]
    TooLong { micros: u128 },
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

fn cut_off(wanted: Option<u64>, left: u64) -> String {
    match wanted {
        Some(wanted) => format!("a message of {wanted} bytes starts, and {left} are left"),
        None => format!("the length of a message starts, and {left} bytes are left"),
    }
}

impl TraceError {
    /// The subject of the error.
    pub fn kind(&self) -> TraceErrorKind {
        match self {
            TraceError::Missing { .. } => TraceErrorKind::File,
            TraceError::Truncated { .. } | TraceError::Garbled { .. } | TraceError::Empty { .. } => {
                TraceErrorKind::Message
            }
            TraceError::UnknownKind { .. }
            | TraceError::NoAttribute { .. }
            | TraceError::NoNumber { .. }
            | TraceError::UnknownCollective { .. }
            | TraceError::RootedCollective { .. }
            | TraceError::NoSuchRank { .. }
            | TraceError::ForeignEnd { .. }
            | TraceError::ToItself { .. }
            | TraceError::NodeTwice { .. }
            | TraceError::NoDependency { .. }
            | TraceError::Circle { .. }
            | TraceError::Silent => TraceErrorKind::Node,
            TraceError::GroupsFile { .. }
            | TraceError::GroupsNode { .. }
            | TraceError::RankTwice { .. }
            | TraceError::GroupBeyond { .. }
            | TraceError::UnknownGroup { .. }
            | TraceError::NotInGroup { .. }
            | TraceError::OneRankWithoutGroups { .. }
            | TraceError::OneRankSends { .. }
            | TraceError::OneRankOverlap { .. } => TraceErrorKind::Groups,
            TraceError::Counts { .. } => TraceErrorKind::Counts,
            TraceError::TooManyRanks { .. }
            | TraceError::TooManyNodes { .. }
            | TraceError::TooManyClasses { .. }
            | TraceError::TooMuch { .. }
            | TraceError::TooLong { .. } => TraceErrorKind::Size,
        }
    }
}
