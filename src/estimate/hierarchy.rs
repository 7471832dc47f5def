//! Collectives in two levels: groups of chips, and an outer fabric that links chips of the same place in
//! every group.
//!
//! An all-reduce is a reduce-scatter inside every group, an all-reduce of each shard across the groups, and
//! an all-gather inside. A shard is a vector divided by the chips of a group. The other collectives use those
//! phases of this sequence that they need.

use super::algorithms::{Algorithm, algorithms_by_axis};
use super::bounds::bounds_by_axis;
use super::cost::{Channel, Cost, Time};
use super::shape::FabricShape;
use fabc_model::Collective;

/// The channels that a phase uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetworkLevel {
    /// Channels of the fabric, or of the fabric inside a group.
    Inner,
    /// Channels between groups of chips.
    Outer,
    /// Channels through a switch that adds and copies.
    Switch,
}

impl NetworkLevel {
    /// Name of the level in JSON.
    pub fn name(self) -> &'static str {
        match self {
            NetworkLevel::Inner => "inner",
            NetworkLevel::Outer => "outer",
            NetworkLevel::Switch => "switch",
        }
    }
}

/// One collective of a row. The rows of a single fabric have one phase each.
#[derive(Clone, PartialEq, Debug)]
pub struct Phase {
    /// Collective that this phase performs.
    pub kind: Collective,
    /// Level of the channels that it uses.
    pub level: NetworkLevel,
    /// Algorithm or bound of the phase.
    pub algorithm: Algorithm,
    /// Fraction of a chip's vector that this phase works on.
    pub part: f64,
    /// Costs of the channels that it uses.
    pub channel: Channel,
}

impl Phase {
    /// Time of the phase, with vectors of `bytes` bytes.
    pub fn time(&self, bytes: f64) -> Time {
        self.cost().time(bytes, &self.channel)
    }

    /// Cost of the phase, relative to whole vectors.
    pub fn cost(&self) -> Cost {
        let cost = self.algorithm.cost;
        Cost { volume: cost.volume * self.part, ..cost }
    }
}

/// The fabric of one level, with its channels.
pub(super) struct LevelFabric<'a> {
    pub(super) shape: &'a FabricShape,
    /// Nanoseconds of a hop by axis, or empty where all take the latency of the channel.
    pub(super) latencies: &'a [f64],
    pub(super) channel: Channel,
    pub(super) level: NetworkLevel,
}

/// The algorithms, or the bounds, of a collective on a shape, with nanoseconds of a hop by axis.
type AlgorithmsByAxis = fn(Collective, &FabricShape, &[f64]) -> Vec<Algorithm>;

/// The rows of a collective across groups, then its bounds. A row pairs an algorithm inside the groups with
/// one across them. A bound has the same phases.
pub(super) fn two_level_rows(
    kind: Collective,
    inner: &LevelFabric,
    outer: &LevelFabric,
) -> (Vec<Vec<Phase>>, Vec<Vec<Phase>>) {
    let shard = 1.0 / inner.shape.chips() as f64;
    let phase = |kind, side: &LevelFabric, algorithm: &Algorithm, part| {
        let LevelFabric { channel, level, .. } = *side;
        Phase { kind, level, algorithm: algorithm.clone(), part, channel }
    };
    // The collectives inside a group before and after the one across groups; `None` if there is none.
    let (before, part, after) = match kind {
        Collective::AllReduce => (Some(Collective::ReduceScatter), shard, Some(Collective::AllGather)),
        Collective::ReduceScatter => (Some(Collective::ReduceScatter), shard, None),
        Collective::AllGather => (None, shard, Some(Collective::AllGather)),
        Collective::Reduce => (Some(Collective::Reduce), 1.0, None),
        Collective::Broadcast => (None, 1.0, Some(Collective::Broadcast)),
        Collective::AllToAll | Collective::Send => (Some(kind), 1.0, None),
    };
    let combined = |algorithms_of: AlgorithmsByAxis| {
        let inside = |kind: Option<Collective>| {
            kind.map_or_else(Vec::new, |kind| algorithms_of(kind, inner.shape, inner.latencies))
        };
        let (first, last) = (inside(before), inside(after));
        let mut rows = Vec::new();
        for row in 0..first.len().max(last.len()) {
            for between in algorithms_of(kind, outer.shape, outer.latencies) {
                let first =
                    before.zip(first.get(row)).map(|(kind, algorithm)| phase(kind, inner, algorithm, 1.0));
                let last =
                    after.zip(last.get(row)).map(|(kind, algorithm)| phase(kind, inner, algorithm, 1.0));
                rows.push(
                    first.into_iter().chain([phase(kind, outer, &between, part)]).chain(last).collect(),
                );
            }
        }
        rows
    };
    (combined(algorithms_by_axis), combined(bounds_by_axis))
}
