//! The time of a schedule of rounds: the real critical path, or the sum of rounds with barriers.
//!
//! Input: a scene, a schedule on it, and the costs of hops, messages and bytes. Output: attoseconds. Without
//! a barrier a channel carries its chunks in the order of the schedule. Each chunk starts as soon as the
//! channel is free and the chunk is there. It is there one hop after its last byte has left. The chunks that
//! a channel carries in one round are one message, whose overhead passes before the first byte. Additions
//! take no time. With barriers a round takes overhead, the slowest hop in it, and as many chunk times as it
//! is wide. Cost: one visit to every transfer to a canonical chip.

use super::CollectiveError;
use super::time_split::split_time;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{
    CollectiveBound, CollectiveCost, CollectiveTime, End, Fraction, MessageStart, Rounds, RunDirection,
    Scene, Schedule, Topology,
};
use fabc_model::{Collective, CollectiveAlgorithm};

/// The chunks that a channel carries in one round.
struct RoundMessage {
    /// The channel as the schedule names it.
    pull: ChannelId,
    /// The reverse channel. On a simplex link it is the channel itself, because nothing is reduced along it.
    against: ChannelId,
    /// The canonical input that the channel is an image of, and the same for its reverse.
    channel: u32,
    reverse: u32,
    /// Chunks that the channel carries while the slowest kind carries one.
    lanes: u128,
    /// (cell of the sender, cell of the receiver) of each chunk.
    chunks: Vec<(u32, u32)>,
}

/// A schedule of rounds, laid out so that many costs and sizes can be timed.
pub struct Timetable {
    /// Whether every message stands for its images, too.
    canonical: bool,
    order: Vec<RunDirection>,
    /// Width and messages of each round.
    rounds: Vec<(u64, Vec<RoundMessage>)>,
    cells: usize,
    channels: usize,
    /// Chunks of the full vector of a chip, or of its shard where all chips gather whole vectors.
    vector_parts: u64,
}

impl Timetable {
    /// Lays out a schedule and its rounds.
    ///
    /// # Errors
    /// Refuses more chunks than are planned one by one.
    pub fn new(scene: &Scene<'_>, schedule: &Schedule, plan: &Rounds) -> Result<Self, CollectiveError> {
        let (topology, chunks) = (scene.topology, schedule.chunks);
        let symmetry =
            if plan.canonical { topology.symmetry().clone() } else { topology.symmetry().to_trivial() };
        let base = schedule.root.map_or(0, |root| root.0 * chunks);
        let columns = if schedule.root.is_some() { 1 } else { topology.node_count() } * chunks as usize;
        let cells = columns * symmetry.class_count();
        if cells as u64 > super::CHUNK_LIMIT {
            return Err(CollectiveError::TooLarge {
                chips: symmetry.class_count(),
                chunks: cells as u64,
                most: super::CHUNK_LIMIT,
            });
        }
        let cell = |node: NodeId, chunk: u32| (symmetry.class(node) * columns) as u32 + chunk - base;
        let rounds = plan.rounds.iter().map(|round| {
            let messages = round.pulls.iter().map(|pull| {
                let (from, to) = (topology.source(pull.channel), topology.target(pull.channel));
                let to_canonical = symmetry.inverse(symmetry.element_to(from.node));
                let at_sender = |chunk: u32| {
                    symmetry.image(to_canonical, NodeId(chunk / chunks)).0 * chunks + chunk % chunks
                };
                let input =
                    |end: End| (symmetry.class(end.node) * topology.ports() + end.port.index()) as u32;
                let moved = |&chunk: &u32| (cell(from.node, at_sender(chunk)), cell(to.node, chunk));
                RoundMessage {
                    pull: pull.channel,
                    channel: input(to),
                    reverse: input(from),
                    against: topology.reverse(pull.channel).unwrap_or(pull.channel),
                    lanes: u128::from(topology.channel_capacity(pull.channel)),
                    chunks: pull.chunks.iter().map(moved).collect(),
                }
            });
            (u64::from(round.width), messages.collect())
        });
        let chips = scene.endpoints().count() as u64;
        let whole_vectors = schedule.root.is_some() || schedule.algorithm == CollectiveAlgorithm::Local;
        let vector_parts = u64::from(chunks) * if whole_vectors { 1 } else { chips };
        let channels = symmetry.class_count() * topology.ports();
        Ok(Self {
            canonical: plan.canonical,
            order: plan.order.clone(),
            rounds: rounds.collect(),
            cells,
            channels,
            vector_parts,
        })
    }

    /// The time for vectors of `bytes` bytes, split by what it is spent on.
    pub fn time(&self, cost: &CollectiveCost, bytes: u64) -> CollectiveTime {
        split_time(cost, |cost| self.total_time(cost, bytes))
    }

    /// The total of [`Timetable::time`], computed faster.
    pub fn total_time(&self, cost: &CollectiveCost, bytes: u64) -> u128 {
        self.run(cost, bytes, |_, _| ())
    }

    /// Number of chunks that go over a channel into a canonical chip.
    pub fn transfers(&self) -> u64 {
        let chunks = |message: &RoundMessage| message.chunks.len() as u64;
        self.rounds.iter().flat_map(|(_, messages)| messages).map(chunks).sum::<u64>()
            * self.order.len() as u64
    }

    /// Number of chunks in the vector of a chip.
    pub fn vector_parts(&self) -> u64 {
        self.vector_parts
    }

    /// When each chunk leaves over each channel into a canonical chip, in the timing of [`Timetable::time`].
    pub fn starts(&self, topology: &Topology, cost: &CollectiveCost, bytes: u64) -> Vec<MessageStart> {
        let mut starts = Vec::with_capacity(self.transfers() as usize);
        self.run(cost, bytes, |channel, attoseconds| {
            starts.push(MessageStart {
                from: topology.source(channel).node,
                to: topology.target(channel).node,
                attoseconds,
            });
        });
        starts
    }

    /// Attoseconds of a hop over a channel and its images.
    fn hop_time(&self, cost: &CollectiveCost, channel: ChannelId) -> u128 {
        if self.canonical { cost.hop_over_images(channel) } else { cost.hop_over(channel) }
    }

    /// Runs the schedule and returns its time. `on_chunk` receives, for each chunk, its channel and when its
    /// first byte leaves. With barriers every round waits for its slowest hop.
    fn run(&self, cost: &CollectiveCost, bytes: u64, mut on_chunk: impl FnMut(ChannelId, u128)) -> u128 {
        let CollectiveCost { barrier, overhead, .. } = *cost;
        let chunk = cost.transfer_time(bytes, self.vector_parts);
        // `[cell]`: when its chunk is there. In a reduction, when its partial sum is there.
        let mut ready = vec![0u128; if barrier { 0 } else { self.cells }];
        let mut free = vec![0u128; if barrier { 0 } else { self.channels }];
        let mut end = 0;
        for order in &self.order {
            let reverse = *order == RunDirection::Reverse;
            let mut run_round = |(width, messages): &(u64, Vec<RoundMessage>)| {
                let first = end + overhead;
                let mut hop = if cost.channel_hops.is_none() { cost.hop } else { 0 };
                for message in messages {
                    let channel_used = if reverse { message.against } else { message.pull };
                    // All images of the message are in the same round.
                    hop = hop.max(cost.hop_over_images(channel_used));
                    let chunk = chunk.div_ceil(message.lanes);
                    (0..message.chunks.len() as u128)
                        .for_each(|cursor| on_chunk(channel_used, first + chunk * cursor));
                }
                end = first + chunk.saturating_mul(u128::from(*width)) + hop;
            };
            match order {
                RunDirection::Forward if barrier => self.rounds.iter().for_each(&mut run_round),
                RunDirection::Reverse if barrier => self.rounds.iter().rev().for_each(&mut run_round),
                _ => {}
            }
            if barrier {
                continue;
            }
            let mut run = |message: &RoundMessage| {
                let (channel, channel_used) = if reverse {
                    (message.reverse, message.against)
                } else {
                    (message.channel, message.pull)
                };
                let cursor = &mut free[channel as usize];
                let (chunk, hop) = (chunk.div_ceil(message.lanes), self.hop_time(cost, channel_used));
                let mut first = true;
                let mut carry = |from: u32, to: u32| {
                    *cursor = (*cursor).max(ready[from as usize]);
                    *cursor += if std::mem::take(&mut first) { overhead } else { 0 };
                    on_chunk(channel_used, *cursor);
                    *cursor += chunk;
                    let arrival = *cursor + hop;
                    let cell = &mut ready[to as usize];
                    // A copy arrives once. A sum waits for the last of its contributions.
                    *cell = if reverse { (*cell).max(arrival) } else { arrival };
                    end = end.max(arrival);
                };
                match reverse {
                    false => message.chunks.iter().for_each(|&(from, to)| carry(from, to)),
                    true => message.chunks.iter().rev().for_each(|&(from, to)| carry(to, from)),
                }
            };
            match order {
                RunDirection::Forward => {
                    self.rounds.iter().flat_map(|(_, messages)| messages).for_each(&mut run)
                }
                RunDirection::Reverse => {
                    self.rounds.iter().rev().flat_map(|(_, messages)| messages).for_each(&mut run)
                }
            }
        }
        end
    }
}

/// The largest lower bound in time of those that hold for every schedule, with its time. Bounds that hold
/// only along the same forwarding tables do not count. `delays` are those of the bounds
/// ([`bound_delays`](super::bound_delays())).
pub fn tightest_bound<'a>(
    bounds: &'a [CollectiveBound],
    delays: &[u128],
    collective: Collective,
    cost: &CollectiveCost,
    bytes: u64,
    chips: u64,
) -> Option<(u128, &'a CollectiveBound)> {
    let time = |bound: &CollectiveBound, delay: u128| {
        let whole_vector = collective.is_rooted() || matches!(bound, CollectiveBound::Partition { .. });
        let vector = if whole_vector { Fraction::integer(1u8) } else { Fraction::new(1u8, chips.max(1)) };
        least_time(cost, bytes, bound.volume().times(vector), delay)
    };
    // Of equal bounds the first one counts.
    let universal = bounds.iter().zip(delays).filter(|(bound, _)| bound.is_universal());
    universal.map(|(bound, &delay)| (time(bound, delay), bound)).rev().max_by_key(|(time, _)| *time)
}

/// The time of a channel that carries `vectors` times `bytes` bytes, with a delay in attoseconds for the last
/// of them.
pub fn least_time(cost: &CollectiveCost, bytes: u64, vectors: Fraction, delay: u128) -> u128 {
    cost.least_transfer_time(bytes, vectors) + delay
}
