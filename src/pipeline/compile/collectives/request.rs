//! The request for schedules of collectives on a fabric.

use fabc_base::ids::NodeId;
use fabc_ir::{ChipGroups, CollectiveCost, CollectiveCrossover, CollectiveReport, CollectiveRow};
use fabc_model::{Collective, CollectiveAlgorithm};

/// A request for schedules of collectives, the same for every scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectivesRequest {
    /// The collectives that are to be planned.
    pub collectives: Vec<Collective>,
    /// Bytes per chip, ascending. There is at least one size.
    pub sizes: Vec<u64>,
    /// The only algorithm to use. `None` for all.
    pub algorithm: Option<CollectiveAlgorithm>,
    /// Parts of a shard. `None` for as many as fit.
    pub chunks: Option<u32>,
    /// The root of those collectives that have one.
    pub root: Option<NodeId>,
    /// The groups that do the collectives at the same time, each by itself. `None`: all chips do them
    /// together.
    pub groups: Option<RequestedGroups>,
    /// The overhead of a message, in picoseconds.
    pub overhead_ps: u64,
    /// Whether all chips wait for each other after every round.
    pub barrier: bool,
    /// The seed that breaks ties.
    pub seed: u64,
}

/// The groups of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestedGroups {
    /// Groups of so many consecutive chips.
    Consecutive(u32),
    /// Groups with these chips. Others are idle.
    Listed(ChipGroups),
}

impl RequestedGroups {
    /// Number of chips of a group.
    pub fn size(&self) -> u32 {
        match self {
            RequestedGroups::Consecutive(size) => *size,
            RequestedGroups::Listed(groups) => groups.size() as u32,
        }
    }
}

impl CollectivesRequest {
    /// A report of the rows that were found by scenario.
    pub fn report(
        &self,
        costs: Vec<(String, CollectiveCost)>,
        rows: Vec<CollectiveRow>,
        crossovers: Vec<CollectiveCrossover>,
    ) -> CollectiveReport {
        CollectiveReport {
            seed: self.seed,
            groups: self.groups.as_ref().map(RequestedGroups::size),
            costs,
            rows,
            crossovers,
            left_out: Vec::new(),
            has_switch_arithmetic: false,
        }
    }
}
