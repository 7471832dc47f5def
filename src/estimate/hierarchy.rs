//! Collectives in two levels: groups of chips, and a fabric that joins chips of the same place in every
//! group.
//!
//! An all-reduce is a reduce-scatter inside every group, an all-reduce of each shard across the groups, and
//! an all-gather inside; a shard is a vector over the chips of a group. The other collectives are the parts
//! that this leaves of them.

use super::algorithms::{Algorithm, algorithms};
use super::bounds::bounds;
use super::cost::{Channel, Cost, Time};
use super::shape::Shape;
use fabc_model::Collective;

/// Which channels a phase uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Those of the fabric, or of the fabric inside a group.
    Inner,
    /// Those between groups.
    Outer,
    /// Those through a switch that adds and copies.
    Switch,
}

impl Level {
    /// As in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Level::Inner => "inner",
            Level::Outer => "outer",
            Level::Switch => "switch",
        }
    }
}

/// One collective of a row: the rows of a single fabric have one.
#[derive(Clone, PartialEq, Debug)]
pub struct Phase {
    /// Which one.
    pub kind: Collective,
    /// Where.
    pub level: Level,
    /// By which algorithm, or bound.
    pub algorithm: Algorithm,
    /// Of which part of the vector of a chip.
    pub part: f64,
    /// Over which channels.
    pub channel: Channel,
}

impl Phase {
    /// Its time with vectors of so many bytes.
    pub fn time(&self, bytes: f64) -> Time {
        self.cost().time(bytes, &self.channel)
    }

    /// What it takes, in whole vectors.
    pub fn cost(&self) -> Cost {
        let cost = self.algorithm.cost;
        Cost { volume: cost.volume * self.part, ..cost }
    }
}

/// A fabric and its channels.
pub(super) struct Side<'a> {
    pub(super) shape: &'a Shape,
    pub(super) channel: Channel,
    pub(super) level: Level,
}

/// The rows of a collective across groups: every algorithm inside with every one across; then the bounds of
/// these phases.
pub(super) fn across(kind: Collective, inner: &Side, outer: &Side) -> (Vec<Vec<Phase>>, Vec<Vec<Phase>>) {
    let shard = 1.0 / inner.shape.chips() as f64;
    let phase = |kind, side: &Side, algorithm: &Algorithm, part| {
        let Side { channel, level, .. } = *side;
        Phase { kind, level, algorithm: algorithm.clone(), part, channel }
    };
    // What is done inside, before and after; `None` for nothing.
    let (before, part, after) = match kind {
        Collective::AllReduce => (Some(Collective::ReduceScatter), shard, Some(Collective::AllGather)),
        Collective::ReduceScatter => (Some(Collective::ReduceScatter), shard, None),
        Collective::AllGather => (None, shard, Some(Collective::AllGather)),
        Collective::Reduce => (Some(Collective::Reduce), 1.0, None),
        Collective::Broadcast => (None, 1.0, Some(Collective::Broadcast)),
        Collective::AllToAll | Collective::Send => (Some(kind), 1.0, None),
    };
    let combined = |of: &dyn Fn(Collective, &Shape) -> Vec<Algorithm>| {
        let inside = |kind: Option<Collective>| kind.map_or_else(Vec::new, |kind| of(kind, inner.shape));
        let (first, last) = (inside(before), inside(after));
        let mut rows = Vec::new();
        for at in 0..first.len().max(last.len()) {
            for between in of(kind, outer.shape) {
                let first =
                    before.zip(first.get(at)).map(|(kind, algorithm)| phase(kind, inner, algorithm, 1.0));
                let last =
                    after.zip(last.get(at)).map(|(kind, algorithm)| phase(kind, inner, algorithm, 1.0));
                rows.push(
                    first.into_iter().chain([phase(kind, outer, &between, part)]).chain(last).collect(),
                );
            }
        }
        rows
    };
    (combined(&algorithms), combined(&bounds))
}
