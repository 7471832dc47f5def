//! `fabc.collective/1`: the schedule of a collective, with bounds and what proves them.

use super::json::formats;
use crate::ids::{ChannelId, NodeId};
use crate::ir::{CollectiveBound, Order, Pull, Round, Rounds, Schedule, Transfers};
use crate::model::{Collective, CollectiveAlgorithm};
use serde::Deserialize;

formats! { CollectiveFile = "fabc.collective/1"; }

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CollectiveFile {
    format: String,
    pub(crate) fabric: String,
    pub(crate) scenario: String,
    collective: String,
    algorithm: String,
    seed: u64,
    nodes: u32,
    chunks: u32,
    canonical: bool,
    root: Option<u32>,
    #[serde(default)]
    order: OrderLine,
    #[serde(default)]
    latency: u32,
    steps: Vec<StepLine>,
    bounds: Vec<BoundLine>,
}

/// Forwards where nothing is said.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum OrderLine {
    #[default]
    Unsaid,
    One(OrderWord),
    Several(Vec<OrderWord>),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OrderWord {
    Forward,
    Reverse,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepLine {
    width: u32,
    pulls: Vec<(u32, Vec<u32>)>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
enum BoundLine {
    Cut {
        all_but: SetLine,
        channels: u32,
        shards: u32,
    },
    Latency {
        node: u32,
        distance: u32,
        channels: u32,
        shards: u32,
    },
    Partition {
        parts: u32,
        links: u32,
        #[serde(default)]
        part_of: Vec<Option<u32>>,
    },
}

/// A router, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum SetLine {
    One(u32),
    Several(Vec<u32>),
}

impl CollectiveFile {
    /// What it says, whether or not it is true.
    ///
    /// # Errors
    /// A word that is none.
    pub(crate) fn schedule(self) -> Result<Schedule, String> {
        let collective = Collective::ALL.into_iter().find(|known| known.name() == self.collective);
        let algorithm = CollectiveAlgorithm::ALL.into_iter().find(|known| known.name() == self.algorithm);
        let order = |word: OrderWord| match word {
            OrderWord::Forward => Order::Forward,
            OrderWord::Reverse => Order::Reverse,
        };
        let pull = |(channel, chunks)| Pull { channel: ChannelId(channel), chunks };
        let round = |StepLine { width, pulls }| Round { width, pulls: pulls.into_iter().map(pull).collect() };
        let rounds = Rounds {
            canonical: self.canonical,
            order: match self.order {
                OrderLine::Unsaid => vec![Order::Forward],
                OrderLine::One(word) => vec![order(word)],
                OrderLine::Several(words) => words.into_iter().map(order).collect(),
            },
            latency: self.latency,
            rounds: self.steps.into_iter().map(round).collect(),
        };
        Ok(Schedule {
            collective: collective.ok_or_else(|| format!("there is no collective `{}`", self.collective))?,
            algorithm: algorithm.ok_or_else(|| format!("there is no algorithm `{}`", self.algorithm))?,
            seed: self.seed,
            nodes: self.nodes,
            chunks: self.chunks,
            root: self.root.map(NodeId),
            transfers: Transfers::Rounds(rounds),
            bounds: self.bounds.into_iter().map(BoundLine::bound).collect(),
        })
    }
}

impl BoundLine {
    fn bound(self) -> CollectiveBound {
        match self {
            BoundLine::Cut { all_but, channels, shards } => {
                let all_but = match all_but {
                    SetLine::One(node) => vec![NodeId(node)],
                    SetLine::Several(nodes) => nodes.into_iter().map(NodeId).collect(),
                };
                CollectiveBound::Cut { all_but, channels, shards }
            }
            BoundLine::Latency { node, distance, channels, shards } => {
                CollectiveBound::Latency { node: NodeId(node), distance, channels, shards }
            }
            BoundLine::Partition { parts, links, part_of } => CollectiveBound::Partition { part_of, parts, links },
        }
    }
}
