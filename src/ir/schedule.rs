//! Plans in time: which chunk crosses which channel when, for a collective operation.
//!
//! Chunks are numbered `source * chunks + part`: `source` is the router whose shard the chunk is part of, or
//! the root of a broadcast. Of an order in time only one is stored, that in which chunks are copied: a
//! reduction is the same plan from the last round to the first on the reversed channels, where every copy
//! becomes an addition.
//!
//! A plan may be *canonical*: then only the channels that lead to canonical routers are listed, and the
//! symmetry of the topology carries channels, chunks' sources and routers to all others.

use super::{Fraction, Symmetry, Timed, TimedMessage, Topology};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_model::{Collective, CollectiveAlgorithm};

/// A collective operation, planned on the lit channels of a scene.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// What it does.
    pub collective: Collective,
    /// How it was found.
    pub algorithm: CollectiveAlgorithm,
    /// Of the ties that were broken at random.
    pub seed: u64,
    /// Routers of the topology.
    pub nodes: u32,
    /// Parts of a shard (where there is a root: of its vector, but in messages of a shard of it); positive.
    /// Of a plan of vectors how many there are: of an all-to-all for each pair, of a gather or a
    /// reduce-scatter for each chip, otherwise in all.
    pub chunks: u32,
    /// The root, where there is one.
    pub root: Option<NodeId>,
    /// Who sends what when.
    pub transfers: Transfers,
    /// What no schedule can do better, each with what proves it.
    pub bounds: Vec<CollectiveBound>,
}

/// Who sends what when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Transfers {
    /// Copies (and, reversed, additions) of chunks, round by round.
    Rounds(Rounds),
    /// Reduction up spanning trees and broadcast down them, pipelined.
    Trees(SharedTrees),
    /// Messages hop by hop, on the routes of the forwarding tables: from every chip to every other one.
    Sends(Sends),
    /// Single vectors in cycles, on a fabric without forwarding tables.
    Timed(Timed),
}

/// Rounds of copies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rounds {
    /// Whether channels into canonical routers stand for all of their images.
    pub canonical: bool,
    /// In which direction the rounds are run, one run after the other: a gather is `[Forward]`, a
    /// reduce-scatter `[Reverse]`, an all-reduce `[Reverse, Forward]`.
    pub order: Vec<Order>,
    /// Rounds that a chunk is on its way beyond the one in which it is sent: what is sent in round t may be
    /// sent on in round `t + 1 + latency`.
    pub latency: u32,
    /// In the order of a gather.
    pub rounds: Vec<Round>,
}

/// In which direction rounds are run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Order {
    /// As stored: chunks are copied.
    Forward,
    /// From the last to the first, each channel's reverse instead of it: chunks are added up.
    Reverse,
}

/// What happens at the same time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The most chunks that a channel carries to each of its lanes.
    pub width: u32,
    /// What each channel carries; channels ascend, none occurs twice, none carries nothing.
    pub pulls: Vec<Pull>,
}

/// Chunks that a router takes in by a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pull {
    /// Which leads to the router.
    pub channel: ChannelId,
    /// What it brings, in order.
    pub chunks: Vec<u32>,
}

/// Spanning trees that share the links.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedTrees {
    /// The most trees that a link is in, to each of its lanes.
    pub capacity: u32,
    /// The trees; each moves the same share of the data.
    pub trees: Vec<SpanningTree>,
}

/// A spanning tree with a root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpanningTree {
    /// Where sums end and results start.
    pub root: NodeId,
    /// `[router]`: its channel towards the root; none at the root and at a dead router.
    pub up: Vec<Option<ChannelId>>,
}

/// Messages of all to all: parts of what is for the destination alone, of what the source has for all
/// (all-gather), or of what the destination adds up (reduce-scatter). With a root every chip has a shard of
/// its vector in its care: a broadcast is an all-gather of them to all but the root, a reduction a
/// reduce-scatter of what all but the root have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sends {
    /// Whether those of canonical routers, under the symmetry of the tables, stand for all of their images.
    pub canonical: bool,
    /// Slots that a chunk is on its way beyond the one in which it is sent: what is sent in slot t may be
    /// sent on in slot `t + 1 + latency`.
    pub latency: u32,
    /// By source, destination and part.
    pub messages: Vec<Message>,
    /// Before a broadcast gathers, what its root sends to those who shall have it in their care; after a
    /// reduction has scattered, what they send to the root. Their slots are counted from 0 again. Without a
    /// root none.
    pub rooted: Vec<Message>,
}

/// A part of what one router has for another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Whose it is.
    pub source: NodeId,
    /// Whom it is for.
    pub destination: NodeId,
    /// Which part, below the schedule's `chunks`.
    pub part: u32,
    /// The slot of every hop of its route; ascending.
    pub slots: Vec<u32>,
}

/// What bounds the time of a collective from below, as its witness. A *shard* is M / N bytes. A channel has
/// as many *lanes* as it carries times the common unit of all bandwidths, one where all links are alike, and
/// counts as often among `channels`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CollectiveBound {
    /// All that starts outside of a set of routers must come in by the channels into it: `shards / channels`
    /// times what a channel needs for a shard; in a broadcast, whose root is not in the set, the root's
    /// vector is the one shard.
    Cut {
        /// The routers of the set; ascending, neither none nor all. `all but these` send.
        all_but: Vec<NodeId>,
        /// Lit channels into it.
        channels: u32,
        /// Shards that start outside of it.
        shards: u32,
    },
    /// What starts farther than `distance` hops from a router is still to come when the first of it arrives,
    /// which is `distance` hops after it can have been sent: `(distance + 1)` latencies of a hop, and the
    /// time of `shards / channels`.
    Latency {
        /// The router.
        node: NodeId,
        /// Hops.
        distance: u32,
        /// Lit channels into the router.
        channels: u32,
        /// Shards that start farther away than that.
        shards: u32,
    },
    /// Along given tables all that crosses a channel crosses it one after the other: `shards / lanes` times
    /// what a channel of one lane needs for a shard. Other tables may do better.
    Channel {
        /// The channel.
        channel: ChannelId,
        /// Shards that the tables lead over it.
        shards: u32,
        /// How many times the common unit of all bandwidths it carries.
        lanes: u32,
    },
    /// In an all-to-all every shard makes at least the way between its ends, by whatever lengths of channels:
    /// `distance / volume` times what a channel needs for a shard.
    Flow {
        /// `[channel class]` under the topology's symmetry; dark channels do not count.
        lengths: Vec<u64>,
        /// Sum of the lengths of all lit channels.
        volume: u128,
        /// Sum of the shortest lengths between all ordered pairs.
        distance: u128,
    },
    /// What a message takes by itself. At its level times a hop a router begins to count as the source, one
    /// without a level never does: a vector on time crosses a channel from a router that counts to one that
    /// does not yet, and a channel starts only so many of them while that is so.
    Quickest {
        /// The message, by its place among all.
        message: u32,
        /// `[router]`: 0 at its source, none at its destination.
        levels: Vec<Option<u32>>,
        /// Cycles that follow, from the start of the plan on.
        cycles: u64,
    },
    /// In an all-reduce p parts take in 2p - 2 messages of every byte: p - 1 until the first of them has the
    /// sum, one for each of the others. So it takes `(2 parts - 2) / channels` times what a channel needs for
    /// the full vector. Routers that are no chips are in no part: they copy, and do not add.
    Partition {
        /// `[router]`: which part it is in, numbered from 0; none for what is no living chip. Empty: every
        /// chip by itself.
        part_of: Vec<Option<u32>>,
        /// Parts.
        parts: u32,
        /// Lit channels into parts from elsewhere.
        channels: u32,
    },
}

impl CollectiveBound {
    /// The part of it that is volume, in the time that a channel needs for a shard (cut and latency: of the
    /// root's vector in a broadcast) or for the full vector (partition).
    pub fn volume(&self) -> Fraction {
        match *self {
            CollectiveBound::Cut { channels, shards, .. }
            | CollectiveBound::Latency { channels, shards, .. } => Fraction::new(shards, channels),
            CollectiveBound::Channel { shards, lanes, .. } => Fraction::new(shards, lanes.max(1)),
            // In cycles, and of one message.
            CollectiveBound::Quickest { .. } => Fraction::whole(1u8),
            CollectiveBound::Flow { volume, distance, .. } => Fraction::new(distance, volume),
            CollectiveBound::Partition { parts, channels, .. } => {
                Fraction::new(2 * (u64::from(parts) - 1), channels)
            }
        }
    }
    /// Whether it holds for every schedule, not for those alone that follow the same forwarding tables.
    pub fn is_universal(&self) -> bool {
        !matches!(self, CollectiveBound::Channel { .. })
    }
    /// Latencies of a hop that come on top.
    pub fn hops(&self) -> u32 {
        if let CollectiveBound::Latency { distance, .. } = self { distance + 1 } else { 0 }
    }
}

impl Schedule {
    /// The vectors in cycles, where it is such a plan.
    pub fn timed(&self) -> Option<&Timed> {
        if let Transfers::Timed(timed) = &self.transfers { Some(timed) } else { None }
    }
    /// The number that a vector of a canonical plan has at the image of a chip.
    pub fn vector_image(&self, timed: &Timed, symmetry: &Symmetry, element: usize, number: u64) -> u64 {
        let nodes = u64::from(self.nodes);
        let vectors = u64::from(self.chunks);
        let image = |node: u64| u64::from(symmetry.image(element, NodeId(node as u32)).0);
        let of = |vector: u64, each: u64| image(vector / each) * each + vector % each;
        match self.collective {
            Collective::AllToAll => {
                let (pair, part) = (number / vectors, number % vectors);
                (image(pair / nodes) * nodes + image(pair % nodes)) * vectors + part
            }
            Collective::AllGather => of(number, vectors),
            Collective::ReduceScatter | Collective::AllReduce => {
                let each =
                    if self.collective == Collective::AllReduce { (vectors / nodes).max(1) } else { vectors };
                let (value, origin) = (number / nodes, number % nodes);
                let (vector, level) = (value / u64::from(timed.levels()), value % u64::from(timed.levels()));
                (of(vector, each) * u64::from(timed.levels()) + level) * nodes + image(origin)
            }
            Collective::Broadcast | Collective::Reduce => number,
            Collective::Send => {
                let image = |of: &TimedMessage| {
                    Some(of.image(&timed.messages, symmetry, element)?.first + (number - of.first))
                };
                TimedMessage::of(&timed.messages, number).and_then(image).unwrap_or(number)
            }
        }
    }
    /// What the number of a vector says, for people.
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
            Collective::Send => match TimedMessage::of(&timed.messages, number) {
                Some(of) => format!(
                    "{} to {}, part {}",
                    topology.name(of.from),
                    topology.name(of.to),
                    number - of.first
                ),
                None => number.to_string(),
            },
            Collective::ReduceScatter | Collective::AllReduce | Collective::Reduce => {
                let (value, origin) = (number / nodes, name(number));
                let (vector, level) = (value / u64::from(timed.levels()), value % u64::from(timed.levels()));
                let what =
                    if level == 0 { "as it is at".to_owned() } else { format!("summed {level} times, by") };
                match self.collective {
                    Collective::ReduceScatter => {
                        format!("for {}, part {}, {what} {origin}", name(vector / vectors), vector % vectors)
                    }
                    _ => format!("part {vector}, {what} {origin}"),
                }
            }
        }
    }
    /// How often everything that is listed as messages is sent: in an all-reduce once to those who add, and
    /// once from them.
    pub fn sent_times(&self) -> u64 {
        if self.collective == Collective::AllReduce { 2 } else { 1 }
    }
    /// The messages, list by list in the order in which they are sent, each when the one before has ended.
    pub fn legs<'a>(&self, sends: &'a Sends) -> Vec<&'a [Message]> {
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
    /// The rounds, where there are some.
    pub fn rounds(&self) -> Option<&Rounds> {
        if let Transfers::Rounds(rounds) = &self.transfers { Some(rounds) } else { None }
    }
}

impl Sends {
    /// Slots until the last chunk of each list has been sent, each list sent once.
    pub fn slots(&self) -> u32 {
        Message::slots_of(&self.messages).saturating_add(Message::slots_of(&self.rooted))
    }
}

impl Message {
    /// Slots until the last one of a list has been sent.
    pub fn slots_of(messages: &[Message]) -> u32 {
        messages
            .iter()
            .filter_map(|message| message.slots.last())
            .max()
            .map_or(0, |slot| slot.saturating_add(1))
    }
}

impl SharedTrees {
    /// Trees to each unit of a link: the inverse of how many times the full vector a link carries one way.
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
        // `[router]`: hops, once they are known.
        let mut hops = vec![u32::MAX; self.up.len()];
        let (mut way, mut highest) = (Vec::new(), 0);
        for start in 0..self.up.len() {
            let mut at = start;
            while let Some(channel) =
                self.up[at].filter(|_| hops[at] == u32::MAX && way.len() <= self.up.len())
            {
                way.push(at);
                at = topology.target(channel).node.index();
            }
            let mut above = if hops[at] == u32::MAX { 0 } else { hops[at] };
            hops[at] = above;
            while let Some(below) = way.pop() {
                above += 1;
                hops[below] = above;
            }
            highest = highest.max(hops[start]);
        }
        highest
    }
}

impl Rounds {
    /// Rounds one after the other, of all runs.
    pub fn steps(&self) -> usize {
        self.rounds.len() * self.order.len()
    }
    /// Chunk times one after the other, of all runs: a round takes as many as it is wide.
    pub fn volume(&self) -> u64 {
        self.width() * self.order.len() as u64
    }
    /// Chunk times of one run.
    pub fn width(&self) -> u64 {
        self.rounds.iter().map(|round| u64::from(round.width)).sum()
    }
}
