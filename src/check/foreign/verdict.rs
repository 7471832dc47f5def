//! Inputs and outputs of a judgment: files with names, counts, and the reasons for a rejection.

use crate::CheckError;
use fabc_ir::Permutation;

/// A file: its name for messages, and its content.
#[derive(Clone, Copy, Debug)]
pub struct NamedFile<'a> {
    /// The path as the user gave it.
    pub name: &'a str,
    /// The content of the file.
    pub bytes: &'a [u8],
}

/// The counts of a walk over valid tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignTables {
    /// Number of routers or switches.
    pub routers: u64,
    /// Number of sources and destinations: routers, or ports of channel adapters.
    pub endpoints: u64,
    /// Number of channels between routers.
    pub channels: u64,
    /// Ordered pairs of endpoints, all of which arrive.
    pub pairs: u64,
    /// Number of equal shares of a route, in which hops and loads are counted. 1 where every pair has one
    /// route.
    pub shares: u64,
    /// Hops between routers, over all pairs, in shares.
    pub hops: u64,
    /// Hops of the longest route.
    pub longest: u64,
    /// Routes over the busiest channel. If routers have unequal numbers of hosts, a route counts once per
    /// pair of hosts, divided by the square of the common divisor. In shares.
    pub max_channel_load: u64,
    /// The name of the busiest channel.
    pub busiest: String,
    /// `[vc]`: number of hops on this virtual channel, in shares.
    pub vc_hops: Vec<u64>,
    /// Dependencies between pairs of (channel, VC). They form no cycle.
    pub dependencies: u64,
    /// The verdict on next-hop groups. `None` where every pair has one route.
    pub next_hops: Option<NextHopVerdict>,
}

/// What is special about tables in which packets choose among next hops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NextHopVerdict {
    /// How routers choose, as the file says: `spray` or `ecmp`.
    pub kind: String,
    /// Which paths the choices make.
    pub order: PathOrder,
    /// Number of pairs of a router and a destination whose packets pass the router.
    pub groups: u64,
    /// The groups among them that are not exactly the ports on shortest paths. Where there are tiers these
    /// are the shortest paths up and then down.
    pub unlike: u64,
    /// The first of these groups, in words.
    pub first_unlike: Option<String>,
    /// Whether some group divides packets unequally.
    pub has_weights: bool,
    /// Number of pairs whose packets other endpoints take in and send on.
    pub relayed: u64,
    /// The worst permutation of hosts. `None` if it was not searched, or not found.
    pub permutation: Option<Permutation>,
}

/// The paths that all choices of next hops make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathOrder {
    /// A link joins two routers of one tier, or runs one way.
    NoTiers,
    /// All paths go up and then down.
    UpThenDown {
        /// Number of tiers of the network.
        tiers: u64,
    },
    /// At a router of this name, packets that came down go up again.
    Climbs(String),
}

/// The reason why tables are rejected.
#[derive(Clone, PartialEq, Debug)]
pub enum Rejected {
    /// A file violates its format, or does not fit the other one.
    Unreadable(Box<CheckError>),
    /// The tables do not work.
    Convicted(Vec<CheckError>),
}

/// A conviction of a line that violates its format.
pub(super) fn malformed(file: &str, line: usize, violation: impl Into<String>) -> CheckError {
    CheckError::Malformed { file: file.to_owned(), line, violation: violation.into() }
}

/// The text of a file, or a conviction of bytes that are no UTF-8.
pub(super) fn text(file: NamedFile<'_>) -> Result<&str, CheckError> {
    std::str::from_utf8(file.bytes).map_err(|error| {
        let line = 1 + file.bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        malformed(file.name, line, "it is no UTF-8 text")
    })
}
