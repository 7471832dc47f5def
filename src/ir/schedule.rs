//! Schedules of collective operations: which chunk crosses which channel when.
//!
//! A chunk has the number `source * chunks + part`. `source` is the router whose shard the chunk is part of,
//! or the root of a broadcast. Only one order in time is stored, the one in which chunks are copied. A
//! reduction is the same schedule from the last round to the first on the reversed channels, where every copy
//! becomes an addition.
//!
//! A schedule may be *canonical*. Then it lists only the channels that lead to canonical routers. The
//! symmetry of the topology carries channels, sources of chunks and routers to all others.

use super::{ChipGroups, Forest, Fraction, PairPaths, Symmetry, Timed, TimedMessage, Topology};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_model::{Collective, CollectiveAlgorithm};

/// The schedule of a collective operation on the lit channels of a scene.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The operation that the schedule does.
    pub collective: Collective,
    /// The algorithm that found it.
    pub algorithm: CollectiveAlgorithm,
    /// The seed for ties that were broken at random.
    pub seed: u64,
    /// Number of routers of the topology.
    pub nodes: u32,
    /// Number of parts of a shard, positive. With a root, of its vector, but in messages of a shard of it. In
    /// a schedule of vectors, the number of vectors: per pair in an all-to-all, per chip in a gather or a
    /// reduce-scatter, otherwise in all.
    pub chunks: u32,
    /// The root, where there is one.
    pub root: Option<NodeId>,
    /// The groups that do it at the same time, each among its own chips. Then a shard is M / n bytes of a
    /// group of n chips. `None`: all chips do it together, or vectors are scheduled.
    pub groups: Option<ChipGroups>,
    /// The transfers: who sends what when.
    pub transfers: Transfers,
    /// Lower bounds for every schedule, each with what proves it.
    pub bounds: Vec<CollectiveBound>,
}

/// The transfers of a schedule: who sends what when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Transfers {
    /// Copies (and, reversed, additions) of chunks, round by round.
    Rounds(Rounds),
    /// Reduction up spanning trees and broadcast down them, pipelined.
    Trees(SharedTrees),
    /// Messages hop by hop, on the routes of the forwarding tables: from every chip to every other one.
    Sends(Sends),
    /// Trees over the chips, whose edges are paths through routers that only forward, pipelined.
    Forest(Forest),
    /// Paths between all pairs of chips, whose legs lead through routers that only forward, pipelined.
    Paths(PairPaths),
    /// Single vectors in cycles, on a fabric without forwarding tables.
    Timed(Timed),
}

/// Rounds of copies, one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rounds {
    /// Whether channels into canonical routers stand for all of their images.
    pub canonical: bool,
    /// The directions in which the rounds run, one run after the other. A gather is `[Forward]`, a
    /// reduce-scatter `[Reverse]`, an all-reduce `[Reverse, Forward]`.
    pub order: Vec<RunDirection>,
    /// Rounds that a chunk is in flight after the one in which it is sent. A chunk that is sent in round t
    /// may be sent on in round `t + 1 + latency`.
    pub latency: u32,
    /// The rounds, in the order of a gather.
    pub rounds: Vec<GatherRound>,
}

/// The direction in which rounds run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RunDirection {
    /// As stored: chunks are copied.
    Forward,
    /// From the last round to the first, over the reverse of each channel: chunks are added up.
    Reverse,
}

/// The transfers of one round, all at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GatherRound {
    /// The most chunks that a channel carries per lane.
    pub width: u32,
    /// The chunks of each channel. Channels ascend, none occurs twice, and none is empty.
    pub pulls: Vec<Pull>,
}

/// Chunks that a router takes in by a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pull {
    /// The channel, which leads to the router.
    pub channel: ChannelId,
    /// The numbers of its chunks, in order.
    pub chunks: Vec<u32>,
}

/// Spanning trees that share the links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedTrees {
    /// The most trees that share a link, per lane.
    pub capacity: u32,
    /// The trees. Each moves the same share of the data.
    pub trees: Vec<SpanningTree>,
}

/// A spanning tree with a root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpanningTree {
    /// The router where sums end and results start.
    pub root: NodeId,
    /// `[router]`: its channel towards the root. `None` at the root and at a dead router.
    pub up: Vec<Option<ChannelId>>,
}

/// Messages between all pairs. A message has a part of what is for the destination alone. In an all-gather it
/// has a part of what the source has for all, in a reduce-scatter of what the destination adds up. With a
/// root, every chip takes care of a shard of its vector. A broadcast then is an all-gather of the shards to
/// all but the root. A reduction is a reduce-scatter of what all but the root have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sends {
    /// Whether the messages of canonical routers, under the symmetry of the tables, stand for all of their
    /// images.
    pub canonical: bool,
    /// Slots that a chunk is in flight after the one in which it is sent. A chunk that is sent in slot t may
    /// be sent on in slot `t + 1 + latency`.
    pub latency: u32,
    /// The messages, by source, destination and part.
    pub messages: Vec<RoutedMessage>,
    /// The messages between the root and the other chips. A broadcast sends them first, to spread the shards.
    /// A reduction sends them last, to collect the sums. Their slots count from 0 again. Empty without a
    /// root.
    pub rooted: Vec<RoutedMessage>,
}

/// One part of what a router has for another one, with its route in time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoutedMessage {
    /// The router that has the part.
    pub source: NodeId,
    /// The router that gets the part.
    pub destination: NodeId,
    /// The index of the part, below the schedule's `chunks`.
    pub part: u32,
    /// `[hop]`: the slot of that hop of its route, ascending.
    pub slots: Vec<u32>,
}

/// A lower bound on the time of a collective, with its witness. A *shard* is M / N bytes. The number of
/// *lanes* of a channel is its bandwidth over the common unit of all bandwidths, 1 where all links are alike.
/// A channel counts once per lane in `channels`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CollectiveBound {
    /// A set of routers: everything that starts outside must come in by the channels into it. The bound is
    /// `shards / channels` times what a channel needs for a shard. In a broadcast, whose root is outside, the
    /// root's vector is the one shard.
    Cut {
        /// The routers outside of the set, which send. Ascending, neither none nor all.
        all_but: Vec<NodeId>,
        /// Number of lit channels into the set, by lanes.
        channels: u32,
        /// Number of shards that start outside of it.
        shards: u32,
    },
    /// A router: shards that start farther than `distance` hops are still to come when the first of them
    /// arrives, `distance` hops after it can have been sent. The bound is `(distance + 1)` latencies of a
    /// hop, and the time of `shards / channels`.
    Latency {
        /// The router that receives the shards.
        node: NodeId,
        /// A distance from the router, in hops.
        distance: u32,
        /// Number of lit channels into the router, by lanes.
        channels: u32,
        /// Number of shards that start farther away than that.
        shards: u32,
    },
    /// Chips from which data is long on its way, where channels differ in latency. The first of it reaches
    /// the router no sooner than over the quickest path from any of them, and then comes in by all channels.
    /// The bound is the latency of that path, and the time of `shards / channels`. In a reduce-scatter the
    /// router sends, and the data goes to these chips.
    Arrival {
        /// The router that receives the shards. In a reduce-scatter, the one that sends them.
        node: NodeId,
        /// The chips at the other end, ascending. Not empty.
        far: Vec<NodeId>,
        /// Number of lit channels into the router by lanes. In a reduce-scatter, out of it.
        channels: u32,
        /// Number of shards between these chips and the router.
        shards: u32,
    },
    /// A channel under given tables: everything that crosses it does so one after the other. The bound is
    /// `shards / lanes` times what a channel of one lane needs for a shard. Other tables may do better.
    Channel {
        /// The channel that all of it crosses.
        channel: ChannelId,
        /// Number of shards that the tables lead over it.
        shards: u32,
        /// Number of lanes of the channel.
        lanes: u32,
    },
    /// Channel lengths for an all-to-all: every shard travels at least the shortest length between its ends.
    /// The bound is `distance / volume` times what a channel needs for a shard.
    Flow {
        /// `[channel class]` under the topology's symmetry: the length. Dark channels do not count.
        lengths: Vec<u64>,
        /// Sum of the lengths of all lit channels.
        volume: u128,
        /// Sum of the shortest lengths between all ordered pairs.
        distance: u128,
    },
    /// A message by itself. At time `level` times a hop, a router begins to count as the source. A router
    /// without a level never does. A vector on time crosses a channel from a router that counts to one that
    /// does not count yet. A channel starts only a limited number of vectors while that is so.
    Quickest {
        /// The index of the message among all messages.
        message: u32,
        /// `[router]`: its level, 0 at the source, `None` at the destination.
        levels: Vec<Option<u32>>,
        /// The bound in cycles, from the start of the plan.
        cycles: u64,
    },
    /// A partition for an all-reduce: p parts take in 2p - 2 messages of every byte. The first of them needs
    /// p - 1 to have the sum, and each of the others needs one. So the bound is `(2 parts - 2) / channels`
    /// times what a channel needs for the full vector. A router that is no chip may copy, and does not add.
    /// It is in no part, or in one with chips.
    ///
    /// In groups every chip is a part of its own, and `parts` is one more than the sum of all n - 1.
    Partition {
        /// `[router]`: its part, numbered from 0. Every living chip has one. An empty list means that every
        /// chip is a part of its own.
        part_of: Vec<Option<u32>>,
        /// Number of parts of the partition.
        parts: u32,
        /// Number of lit channels into parts from elsewhere, by lanes.
        channels: u32,
    },
    /// In groups, chips that pass on data of others. A byte that does not come from a chip of the same group
    /// comes from a relay, which took it in by another channel and sends it to at most `fan` chips. So
    /// `received` shards take `received + (received - inside x t) / fan` places on `channels` in a time t.
    /// The bound is `received x (fan + 1) / (channels x fan + inside)` times what a channel needs for a
    /// shard.
    Relays {
        /// Shards that all chips receive together.
        received: u64,
        /// Number of lit channels, by lanes.
        channels: u64,
        /// Number of lit channels between two chips of one group, by lanes.
        inside: u64,
        /// The most channels of a router, less the one by which data comes to it. Positive.
        fan: u64,
    },
    /// In groups, chips of one group that hear the rest of it by few channels of the group. The bound is
    /// `shards / channels` times what a channel needs for a shard. It holds for schedules within the groups
    /// alone.
    Inside {
        /// These chips, ascending. Neither none nor all of the group.
        all_but: Vec<NodeId>,
        /// Number of lit channels from the rest of the group to them, by lanes.
        channels: u32,
        /// Number of shards that start at the rest of the group.
        shards: u32,
    },
}

impl CollectiveBound {
    /// The volume of the bound, without latencies. Its unit is the time that a channel needs for a shard, or
    /// for the full vector (partition, and cut and latency in a broadcast).
    pub fn volume(&self) -> Fraction {
        match *self {
            CollectiveBound::Cut { channels, shards, .. }
            | CollectiveBound::Inside { channels, shards, .. }
            | CollectiveBound::Latency { channels, shards, .. }
            | CollectiveBound::Arrival { channels, shards, .. } => Fraction::new(shards, channels.max(1)),
            CollectiveBound::Relays { received, channels, inside, fan } => {
                let places = u128::from(channels) * u128::from(fan) + u128::from(inside);
                Fraction::new(u128::from(received) * (u128::from(fan) + 1), places.max(1))
            }
            CollectiveBound::Channel { shards, lanes, .. } => Fraction::new(shards, lanes.max(1)),
            // This bound is in cycles, and for one message.
            CollectiveBound::Quickest { .. } => Fraction::integer(1u8),
            CollectiveBound::Flow { volume, distance, .. } => Fraction::new(distance, volume),
            CollectiveBound::Partition { parts, channels, .. } => {
                Fraction::new(2 * (u64::from(parts) - 1), channels)
            }
        }
    }
    /// Whether it holds for every schedule. Otherwise it holds only for schedules that follow the same
    /// forwarding tables, or that stay within their groups.
    pub fn is_universal(&self) -> bool {
        !matches!(self, CollectiveBound::Channel { .. } | CollectiveBound::Inside { .. })
    }
    /// Number of latencies of a hop that the bound adds.
    pub fn hops(&self) -> u32 {
        if let CollectiveBound::Latency { distance, .. } = self { distance + 1 } else { 0 }
    }
}

impl Schedule {
    /// The schedule of vectors in cycles, if it is one.
    pub fn timed(&self) -> Option<&Timed> {
        if let Transfers::Timed(timed) = &self.transfers { Some(timed) } else { None }
    }
    /// The number of the image of a vector of a canonical schedule, under an element of the symmetry. In
    /// other schedules every vector is its own image, and chips may hold unlike numbers of them.
    pub fn vector_image(&self, timed: &Timed, symmetry: &Symmetry, element: usize, number: u64) -> u64 {
        if !timed.canonical {
            return number;
        }
        let nodes = u64::from(self.nodes);
        let vectors = u64::from(self.chunks);
        let image = |node: u64| u64::from(symmetry.image(element, NodeId(node as u32)).0);
        let shifted = |vector: u64, per_chip: u64| image(vector / per_chip) * per_chip + vector % per_chip;
        match self.collective {
            Collective::AllToAll => {
                let (pair, part) = (number / vectors, number % vectors);
                (image(pair / nodes) * nodes + image(pair % nodes)) * vectors + part
            }
            Collective::AllGather => shifted(number, vectors),
            Collective::ReduceScatter | Collective::AllReduce => {
                let per_chip =
                    if self.collective == Collective::AllReduce { (vectors / nodes).max(1) } else { vectors };
                let (value, origin) = (number / nodes, number % nodes);
                let (vector, level) = (value / u64::from(timed.levels()), value % u64::from(timed.levels()));
                (shifted(vector, per_chip) * u64::from(timed.levels()) + level) * nodes + image(origin)
            }
            Collective::Broadcast | Collective::Reduce => number,
            Collective::Send => {
                let image = |message: &TimedMessage| {
                    Some(message.image(&timed.messages, symmetry, element)?.first + (number - message.first))
                };
                TimedMessage::containing(&timed.messages, number).and_then(image).unwrap_or(number)
            }
        }
    }
    /// The meaning of the number of a vector, in words.
    pub fn vector_text(&self, timed: &Timed, topology: &Topology, number: u64) -> String {
        let (nodes, vectors) = (u64::from(self.nodes), u64::from(self.chunks).max(1));
        let name = |node: u64| topology.name(NodeId((node % nodes) as u32));
        match self.collective {
            Collective::AllToAll => {
                let pair = number / vectors;
                format!("{} to {}, part {}", name(pair / nodes), name(pair), number % vectors)
            }
            Collective::AllGather => format!("of {}, part {}", name(number / vectors), number % vectors),
            Collective::Broadcast => format!("part {number}"),
            Collective::Send => match TimedMessage::containing(&timed.messages, number) {
                Some(message) => format!(
                    "{} to {}, part {}",
                    topology.name(message.from),
                    topology.name(message.to),
                    number - message.first
                ),
                None => number.to_string(),
            },
            Collective::ReduceScatter | Collective::AllReduce | Collective::Reduce => {
                let (value, origin) = (number / nodes, name(number));
                let (vector, level) = (value / u64::from(timed.levels()), value % u64::from(timed.levels()));
                let how_summed =
                    if level == 0 { "as it is at".to_owned() } else { format!("summed {level} times, by") };
                match self.collective {
                    Collective::ReduceScatter => {
                        format!(
                            "for {}, part {}, {how_summed} {origin}",
                            name(vector / vectors),
                            vector % vectors
                        )
                    }
                    _ => format!("part {vector}, {how_summed} {origin}"),
                }
            }
        }
    }
    /// How often the listed messages are sent. In an all-reduce it is twice: once to the chips that add, and
    /// once from them.
    pub fn sent_times(&self) -> u64 {
        if self.collective == Collective::AllReduce { 2 } else { 1 }
    }
    /// The lists of messages in the order in which they are sent. Each starts when the one before has ended.
    pub fn message_lists<'a>(&self, sends: &'a Sends) -> Vec<&'a [RoutedMessage]> {
        let (messages, rooted) = (&sends.messages[..], &sends.rooted[..]);
        match self.collective {
            Collective::AllReduce => vec![messages, messages],
            Collective::Broadcast => vec![rooted, messages],
            Collective::Reduce => vec![messages, rooted],
            Collective::AllGather | Collective::ReduceScatter | Collective::AllToAll | Collective::Send => {
                vec![messages]
            }
        }
    }
    /// Whether its transfers follow forwarding tables, so that only these prove it.
    pub fn follows_tables(&self) -> bool {
        matches!(self.transfers, Transfers::Sends(_))
            || self.groups.is_some() && self.algorithm.follows_tables()
    }
    /// Number of chips among which a full vector is divided into shards: those of a group, or all of `chips`.
    pub fn sharers(&self, chips: u64) -> u64 {
        self.groups.as_ref().map_or(chips, ChipGroups::size)
    }
    /// Whether it moves data in pieces, one after the other over the same channels.
    pub fn is_pipelined(&self) -> bool {
        matches!(self.transfers, Transfers::Trees(_) | Transfers::Forest(_) | Transfers::Paths(_))
    }
    /// The rounds, if it has rounds.
    pub fn rounds(&self) -> Option<&Rounds> {
        if let Transfers::Rounds(rounds) = &self.transfers { Some(rounds) } else { None }
    }
}

impl Sends {
    /// Number of slots until the last chunk of each list has been sent, each list sent once.
    pub fn slots(&self) -> u32 {
        RoutedMessage::slots_of(&self.messages).saturating_add(RoutedMessage::slots_of(&self.rooted))
    }
}

impl RoutedMessage {
    /// Number of slots until the last message of a list has been sent.
    pub fn slots_of(messages: &[RoutedMessage]) -> u32 {
        messages
            .iter()
            .filter_map(|message| message.slots.last())
            .max()
            .map_or(0, |slot| slot.saturating_add(1))
    }
}

impl SharedTrees {
    /// Number of trees over the capacity of a link. Its inverse is how many times a link carries the full
    /// vector one way.
    pub fn rate(&self) -> Fraction {
        Fraction::new(self.trees.len() as u64, self.capacity.max(1))
    }
    /// Hops from the farthest router to the root of its tree, over all trees.
    pub fn height(&self, topology: &Topology) -> u32 {
        self.trees.iter().map(|tree| tree.height(topology)).max().unwrap_or(0)
    }
}

impl SpanningTree {
    /// Hops from the farthest router to the root.
    pub fn height(&self, topology: &Topology) -> u32 {
        // `[router]`: hops to the root, once they are known.
        let mut hops = vec![u32::MAX; self.up.len()];
        let (mut path, mut highest) = (Vec::new(), 0);
        for start in 0..self.up.len() {
            let mut node = start;
            while let Some(channel) =
                self.up[node].filter(|_| hops[node] == u32::MAX && path.len() <= self.up.len())
            {
                path.push(node);
                node = topology.target(channel).node.index();
            }
            let mut above = if hops[node] == u32::MAX { 0 } else { hops[node] };
            hops[node] = above;
            while let Some(below) = path.pop() {
                above += 1;
                hops[below] = above;
            }
            highest = highest.max(hops[start]);
        }
        highest
    }
}

impl Rounds {
    /// Number of rounds one after the other, over all runs.
    pub fn steps(&self) -> usize {
        self.rounds.len() * self.order.len()
    }
    /// Number of chunk times one after the other, over all runs. A round takes as many as its width.
    pub fn volume(&self) -> u64 {
        self.width() * self.order.len() as u64
    }
    /// Number of chunk times of one run.
    pub fn width(&self) -> u64 {
        self.rounds.iter().map(|round| u64::from(round.width)).sum()
    }
}
