//! What is asked of the collectives of a fabric.

use fabc_base::ids::NodeId;
use fabc_ir::{CollectiveCost, CollectiveCrossover, CollectiveReport, CollectiveRow};
use fabc_model::{Collective, CollectiveAlgorithm};

/// What is asked of every scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectivesAsked {
    /// Which collectives.
    pub collectives: Vec<Collective>,
    /// Bytes per chip, ascending; at least one.
    pub sizes: Vec<u64>,
    /// Only this algorithm.
    pub algorithm: Option<CollectiveAlgorithm>,
    /// Parts of a shard; without, as many as fit.
    pub chunks: Option<u32>,
    /// The root, where the collectives have one.
    pub root: Option<NodeId>,
    /// Picoseconds of a message.
    pub overhead_ps: u64,
    /// Whether all wait for each other after every round.
    pub barrier: bool,
    /// For ties.
    pub seed: u64,
}

impl CollectivesAsked {
    /// A report of what was found by scenario.
    pub fn report(
        &self,
        costs: Vec<(String, CollectiveCost)>,
        rows: Vec<CollectiveRow>,
        crossovers: Vec<CollectiveCrossover>,
    ) -> CollectiveReport {
        CollectiveReport { seed: self.seed, costs, rows, crossovers, left_out: Vec::new() }
    }
}
