//! `fabc.collective/1`: the schedule of a collective, with bounds and what proves them.

use super::json::formats;
use crate::{
    ChipGroups, CollectiveBound, Forest, ForestPath, ForestSend, ForestTree, GatherRound, LaneLoad, PairPath,
    PairPaths, Pull, Rounds, RoutedMessage, RunDirection, Schedule, Sends, SharedTrees, SpanningTree,
    Transfers,
};
use fabc_base::ids::{ChannelId, NodeId};
use fabc_model::{Collective, CollectiveAlgorithm};
use serde::Deserialize;

formats! { CollectiveFile = "fabc.collective/1"; }

/// The whole file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectiveFile {
    format: String,
    pub fabric: String,
    pub scenario: String,
    collective: String,
    algorithm: String,
    seed: u64,
    nodes: u32,
    chunks: u32,
    canonical: bool,
    root: Option<u32>,
    /// Only with `forest` or `paths`: the chips of every group.
    groups: Option<Vec<Vec<u32>>>,
    /// Only with `steps`. Forward where it is missing.
    order: Option<OrderLine>,
    /// Only with `steps` or `sends`. 0 where it is missing.
    latency: Option<u32>,
    steps: Option<Vec<RoundLine>>,
    /// Only with `trees`, which need it.
    capacity: Option<u32>,
    trees: Option<Vec<TreeLine>>,
    sends: Option<Vec<SendLine>>,
    /// Only with `sends`, where there is a root.
    rooted: Option<Vec<SendLine>>,
    forest: Option<ForestLine>,
    paths: Option<PathsLine>,
    bounds: Vec<BoundLine>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OrderLine {
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
#[serde(rename = "StepLine", deny_unknown_fields)]
struct RoundLine {
    width: u32,
    pulls: Vec<(u32, Vec<u32>)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeLine {
    root: u32,
    /// `[router]`: a channel, -1 where there is none.
    up: Vec<i64>,
}

/// One message: (source, destination, part, slots).
#[derive(Deserialize)]
struct SendLine(u32, u32, u32, Vec<u32>);

/// Trees over the chips, whose edges are paths.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForestLine {
    k: u32,
    /// The most parts on a channel per lane: (numerator, denominator).
    load: (u32, u32),
    trees: Vec<ForestTreeLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ForestTreeLine {
    root: u32,
    multiplicity: u32,
    sends: Vec<ForestSendLine>,
}

/// An edge of a tree: (from, to, paths).
#[derive(Deserialize)]
struct ForestSendLine(u32, u32, Vec<ForestPathLine>);

/// A path between two chips: (amount, channels).
#[derive(Deserialize)]
struct ForestPathLine(u32, Vec<u32>);

/// Paths of all ordered pairs of chips, with what they load on a channel.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PathsLine {
    k: u32,
    /// The most parts on a channel per lane: (numerator, denominator).
    load: (u32, u32),
    pairs: Vec<PairLine>,
}

/// The paths of a pair: (source, destination, paths).
#[derive(Deserialize)]
struct PairLine(u32, u32, Vec<PairPathLine>);

/// A path of a pair: (amount, channels of each leg).
#[derive(Deserialize)]
struct PairPathLine(u32, Vec<Vec<u32>>);

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum BoundLine {
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
    Arrival {
        node: u32,
        far: SetLine,
        channels: u32,
        shards: u32,
    },
    Partition {
        parts: u32,
        channels: u32,
        #[serde(default)]
        part_of: Vec<Option<u32>>,
    },
    Channel {
        channel: u32,
        shards: u32,
        #[serde(default = "one_lane")]
        lanes: u32,
    },
    Flow {
        lengths: Vec<u64>,
        volume: u64,
        distance: u64,
    },
    Relays {
        received: u64,
        channels: u64,
        inside: u64,
        fan: u64,
    },
    Inside {
        all_but: SetLine,
        channels: u32,
        shards: u32,
    },
    Quickest {
        message: u32,
        cycles: u64,
        /// `[router]`: its level, -1 for none.
        levels: Vec<i64>,
    },
}

/// A router by number, or a list of routers.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum SetLine {
    One(u32),
    Several(Vec<u32>),
}

impl CollectiveFile {
    /// Checks that no key is without effect beside the list of the file.
    fn check_keys(&self) -> Result<(), String> {
        let alone = |key: &str, with: &str| Err(format!("`{key}` has no effect here: it needs {with}"));
        if self.order.is_some() && self.steps.is_none() {
            return alone("order", "`steps`");
        }
        if self.capacity.is_some() && self.trees.is_none() {
            return alone("capacity", "`trees`");
        }
        if self.rooted.is_some() && self.sends.is_none() {
            return alone("rooted", "`sends`");
        }
        if self.groups.is_some() && self.forest.is_none() && self.paths.is_none() {
            return alone("groups", "`forest` or `paths`");
        }
        let listed_for_all = [
            (self.forest.is_some(), "a forest is listed"),
            (self.paths.is_some(), "paths are listed"),
            (self.trees.is_some(), "trees are listed"),
        ];
        let listed = listed_for_all.into_iter().find(|(is_some, _)| *is_some);
        if let Some((_, listed)) = listed.filter(|_| self.latency.is_some() || self.canonical) {
            let key = if self.canonical { "canonical" } else { "latency" };
            return alone(key, &format!("`steps` or `sends`: {listed} for all chips"));
        }
        Ok(())
    }

    /// The schedule that it lists, whether or not it is true.
    ///
    /// # Errors
    /// An unknown word, none or several of `steps`, `trees`, `sends`, `forest` and `paths`, or a key that
    /// goes with another one of them.
    pub fn schedule(self) -> Result<Schedule, String> {
        let collective = Collective::OF_ALL.into_iter().find(|known| known.name() == self.collective);
        let algorithm = CollectiveAlgorithm::ALL.into_iter().find(|known| known.name() == self.algorithm);
        let collective = collective.ok_or_else(|| format!("there is no collective `{}`", self.collective))?;
        let algorithm = algorithm.ok_or_else(|| format!("there is no algorithm `{}`", self.algorithm))?;
        self.check_keys()?;
        let (canonical, latency) = (self.canonical, self.latency.unwrap_or(0));
        let transfers = match (self.steps, self.trees, self.sends, self.forest, self.paths) {
            (Some(steps), None, None, None, None) => {
                Transfers::Rounds(rounds(steps, self.order, canonical, latency))
            }
            (None, Some(trees), None, None, None) => {
                let capacity =
                    self.capacity.ok_or("`trees` need their `capacity`: how many may share a link")?;
                let trees = trees
                    .into_iter()
                    .enumerate()
                    .map(|(index, tree)| tree.tree(index))
                    .collect::<Result<_, _>>()?;
                Transfers::Trees(SharedTrees { capacity, trees })
            }
            (None, None, Some(sends), None, None) => {
                let [messages, rooted] = [sends, self.rooted.unwrap_or_default()]
                    .map(|listed| listed.into_iter().map(SendLine::message).collect());
                Transfers::Sends(Sends { canonical, latency, messages, rooted })
            }
            (None, None, None, Some(forest), None) => Transfers::Forest(forest.forest()?),
            (None, None, None, None, Some(paths)) => Transfers::Paths(paths.pair_paths()?),
            _ => return Err("it must have one of `steps`, `trees`, `sends`, `forest` and `paths`".to_owned()),
        };
        let groups = self.groups.map(|lists| {
            let chips = |list: Vec<u32>| list.into_iter().map(NodeId).collect();
            ChipGroups::new(lists.into_iter().map(chips).collect())
        });
        let fits = match (&transfers, algorithm) {
            (Transfers::Forest(_) | Transfers::Paths(_), algorithm) if groups.is_some() => {
                let has_paths = matches!(transfers, Transfers::Paths(_));
                CollectiveAlgorithm::for_groups(collective).contains(&algorithm)
                    && has_paths == (collective == Collective::AllToAll)
            }
            (Transfers::Trees(_), algorithm) => algorithm == CollectiveAlgorithm::Trees,
            (Transfers::Sends(_), algorithm) => algorithm == CollectiveAlgorithm::Direct,
            (Transfers::Forest(_), algorithm) => algorithm == CollectiveAlgorithm::Forest,
            (Transfers::Paths(_), algorithm) => algorithm == CollectiveAlgorithm::Paths,
            (Transfers::Timed(_), _) => false,
            (Transfers::Rounds(_), algorithm) => !matches!(
                algorithm,
                CollectiveAlgorithm::Trees
                    | CollectiveAlgorithm::Direct
                    | CollectiveAlgorithm::Forest
                    | CollectiveAlgorithm::Paths
                    | CollectiveAlgorithm::Within
                    | CollectiveAlgorithm::Ring
            ),
        };
        if !fits {
            return Err(format!(
                "its lists do not fit `{}`, which lists {}",
                algorithm.name(),
                listed(algorithm, collective, groups.is_some())
            ));
        }
        Ok(Schedule {
            collective,
            algorithm,
            seed: self.seed,
            nodes: self.nodes,
            chunks: self.chunks,
            root: self.root.map(NodeId),
            groups,
            transfers,
            bounds: self.bounds.into_iter().map(BoundLine::bound).collect(),
        })
    }
}

fn one_lane() -> u32 {
    1
}

fn listed(algorithm: CollectiveAlgorithm, collective: Collective, in_groups: bool) -> &'static str {
    match algorithm {
        _ if in_groups && collective == Collective::AllToAll => "`paths` in groups",
        _ if in_groups => "a `forest` in groups",
        CollectiveAlgorithm::Within | CollectiveAlgorithm::Ring => "a `forest`, with `groups`",
        CollectiveAlgorithm::Trees => "`trees`",
        CollectiveAlgorithm::Direct => "`sends`",
        CollectiveAlgorithm::Forest => "`forest`",
        CollectiveAlgorithm::Paths => "`paths`",
        _ => "`steps`",
    }
}

fn rounds(steps: Vec<RoundLine>, order: Option<OrderLine>, canonical: bool, latency: u32) -> Rounds {
    let word = |word: OrderWord| match word {
        OrderWord::Forward => RunDirection::Forward,
        OrderWord::Reverse => RunDirection::Reverse,
    };
    let pull = |(channel, chunks)| Pull { channel: ChannelId(channel), chunks };
    let round =
        |RoundLine { width, pulls }| GatherRound { width, pulls: pulls.into_iter().map(pull).collect() };
    let order = match order {
        None => vec![RunDirection::Forward],
        Some(OrderLine::One(single)) => vec![word(single)],
        Some(OrderLine::Several(words)) => words.into_iter().map(word).collect(),
    };
    Rounds { canonical, order, latency, rounds: steps.into_iter().map(round).collect() }
}

impl TreeLine {
    fn tree(self, index: usize) -> Result<SpanningTree, String> {
        let channel = |(node, number): (usize, i64)| match (number, u32::try_from(number)) {
            (-1, _) => Ok(None),
            (_, Ok(channel)) => Ok(Some(ChannelId(channel))),
            (_, Err(_)) => Err(format!("`trees[{index}].up[{node}]` is {number}, which is not a channel")),
        };
        Ok(SpanningTree {
            root: NodeId(self.root),
            up: self.up.into_iter().enumerate().map(channel).collect::<Result<_, _>>()?,
        })
    }
}

impl ForestLine {
    fn forest(self) -> Result<Forest, String> {
        let path = |ForestPathLine(amount, channels)| ForestPath {
            amount,
            channels: channels.into_iter().map(ChannelId).collect(),
        };
        let send = |ForestSendLine(from, to, paths)| ForestSend {
            from: NodeId(from),
            to: NodeId(to),
            paths: paths.into_iter().map(path).collect(),
        };
        let tree = |line: ForestTreeLine| ForestTree {
            root: NodeId(line.root),
            multiplicity: line.multiplicity,
            sends: line.sends.into_iter().map(send).collect(),
        };
        let (parts, lanes) = self.load;
        if lanes == 0 {
            return Err("`forest.load` is a fraction, and its denominator is 0".to_owned());
        }
        let load = LaneLoad { parts: parts.into(), lanes: lanes.into() };
        Ok(Forest { parts: self.k, load, trees: self.trees.into_iter().map(tree).collect() })
    }
}

impl PathsLine {
    fn pair_paths(self) -> Result<PairPaths, String> {
        let leg = |channels: Vec<u32>| channels.into_iter().map(ChannelId).collect();
        let paths_of_pair = |PairLine(source, destination, paths)| {
            paths.into_iter().map(move |PairPathLine(amount, legs)| PairPath {
                source: NodeId(source),
                destination: NodeId(destination),
                amount,
                legs: legs.into_iter().map(leg).collect(),
            })
        };
        let (parts, lanes) = self.load;
        if lanes == 0 {
            return Err("`paths.load` is a fraction, and its denominator is 0".to_owned());
        }
        let load = LaneLoad { parts: parts.into(), lanes: lanes.into() };
        Ok(PairPaths { parts: self.k, load, paths: self.pairs.into_iter().flat_map(paths_of_pair).collect() })
    }
}

impl SendLine {
    fn message(self) -> RoutedMessage {
        let SendLine(source, destination, part, slots) = self;
        RoutedMessage { source: NodeId(source), destination: NodeId(destination), part, slots }
    }
}

impl BoundLine {
    /// The bound that it claims.
    pub(super) fn bound(self) -> CollectiveBound {
        let nodes = |set: SetLine| match set {
            SetLine::One(node) => vec![NodeId(node)],
            SetLine::Several(nodes) => nodes.into_iter().map(NodeId).collect(),
        };
        match self {
            BoundLine::Cut { all_but, channels, shards } => {
                CollectiveBound::Cut { all_but: nodes(all_but), channels, shards }
            }
            BoundLine::Inside { all_but, channels, shards } => {
                CollectiveBound::Inside { all_but: nodes(all_but), channels, shards }
            }
            BoundLine::Relays { received, channels, inside, fan } => {
                CollectiveBound::Relays { received, channels, inside, fan }
            }
            BoundLine::Latency { node, distance, channels, shards } => {
                CollectiveBound::Latency { node: NodeId(node), distance, channels, shards }
            }
            BoundLine::Arrival { node, far, channels, shards } => {
                CollectiveBound::Arrival { node: NodeId(node), far: nodes(far), channels, shards }
            }
            BoundLine::Channel { channel, shards, lanes } => {
                CollectiveBound::Channel { channel: ChannelId(channel), shards, lanes }
            }
            BoundLine::Flow { lengths, volume, distance } => {
                CollectiveBound::Flow { lengths, volume: volume.into(), distance: distance.into() }
            }
            BoundLine::Quickest { message, cycles, levels } => {
                let levels = levels.into_iter().map(|level| u32::try_from(level).ok()).collect();
                CollectiveBound::Quickest { message, levels, cycles }
            }
            BoundLine::Partition { parts, channels, part_of } => {
                CollectiveBound::Partition { part_of, parts, channels }
            }
        }
    }
}
