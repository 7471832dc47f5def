//! How long a schedule of rounds takes: the real critical path, or the sum of rounds with barriers.
//!
//! In: a scene, a schedule on it, what hops, messages and bytes take. Out: attoseconds. Without a barrier a
//! channel carries its chunks in the order of the plan, each as soon as the channel is free and the chunk is
//! there, and a chunk is there a hop after its last byte has left. What a channel carries in one round is one
//! message, and its overhead passes before the first byte. Additions take no time. With barriers a round
//! takes overhead, hop and as many chunk times as it is wide. Cost: one look at every transfer to a canonical
//! chip.

use super::CollectiveError;
use fabc_base::ids::{ChannelId, Id, LinkId, NodeId};
use fabc_ir::{
    CollectiveBound, CollectiveCost, CollectiveTime, End, Fraction, Order, Rounds, Scene, Schedule, Start,
    Topology,
};
use fabc_model::{Collective, CollectiveAlgorithm};

/// What a channel carries in one round.
struct Message {
    /// The channel of the plan.
    pull: ChannelId,
    /// The channel against it; itself where the link is simplex, so that nothing is reduced along it.
    against: ChannelId,
    link: LinkId,
    /// The channel, as an input of a canonical router: the one that it is an image of. Its reverse likewise.
    channel: u32,
    reverse: u32,
    /// Chunks that the channel carries while the slowest kind carries one.
    lanes: u128,
    /// (cell of the sender, cell of the receiver) of each chunk.
    chunks: Vec<(u32, u32)>,
}

/// A schedule that can be timed again and again.
pub struct Timetable {
    order: Vec<Order>,
    /// By round.
    rounds: Vec<(u64, Vec<Message>)>,
    cells: usize,
    channels: usize,
    /// Chunks of the full vector of a chip; of whole vectors, where everybody gathers those.
    parts: u64,
}

impl Timetable {
    /// Lays out a schedule and its rounds.
    ///
    /// # Errors
    /// More chunks than are planned one by one.
    pub fn new(scene: &Scene<'_>, schedule: &Schedule, plan: &Rounds) -> Result<Self, CollectiveError> {
        let (topology, chunks) = (scene.topology, schedule.chunks);
        let symmetry =
            if plan.canonical { topology.symmetry().clone() } else { topology.symmetry().without() };
        let base = schedule.root.map_or(0, |root| root.0 * chunks);
        let columns = if schedule.root.is_some() { 1 } else { topology.node_count() } * chunks as usize;
        let cells = columns * symmetry.class_count();
        if cells as u64 > super::MOST_CHUNKS {
            return Err(CollectiveError::TooLarge {
                chips: symmetry.class_count(),
                chunks: cells as u64,
                most: super::MOST_CHUNKS,
            });
        }
        let cell = |node: NodeId, chunk: u32| (symmetry.class(node) * columns) as u32 + chunk - base;
        let rounds = plan.rounds.iter().map(|round| {
            let messages = round.pulls.iter().map(|pull| {
                let (from, to) = (topology.source(pull.channel), topology.target(pull.channel));
                let back = symmetry.inverse(symmetry.element_to(from.node));
                let there =
                    |chunk: u32| symmetry.image(back, NodeId(chunk / chunks)).0 * chunks + chunk % chunks;
                let input =
                    |end: End| (symmetry.class(end.node) * topology.ports() + end.port.index()) as u32;
                let moved = |&chunk: &u32| (cell(from.node, there(chunk)), cell(to.node, chunk));
                Message {
                    pull: pull.channel,
                    channel: input(to),
                    reverse: input(from),
                    against: topology.reverse(pull.channel).unwrap_or(pull.channel),
                    link: topology.link_of(pull.channel),
                    lanes: u128::from(topology.channel_capacity(pull.channel)),
                    chunks: pull.chunks.iter().map(moved).collect(),
                }
            });
            (u64::from(round.width), messages.collect())
        });
        let chips = scene.endpoints().count() as u64;
        let whole = schedule.root.is_some() || schedule.algorithm == CollectiveAlgorithm::Local;
        let parts = u64::from(chunks) * if whole { 1 } else { chips };
        let channels = symmetry.class_count() * topology.ports();
        Ok(Self { order: plan.order.clone(), rounds: rounds.collect(), cells, channels, parts })
    }

    /// How long it takes for vectors of so many bytes, and on what that is spent.
    pub fn time(&self, cost: &CollectiveCost, bytes: u64) -> CollectiveTime {
        let all = self.whole(cost, bytes);
        let plain = CollectiveCost { overhead: 0, ..cost.clone() };
        let without_overhead = if cost.overhead == 0 { all } else { self.whole(&plain, bytes) };
        let volume = self.whole(&plain.without_hops(), bytes);
        CollectiveTime { volume, latency: without_overhead - volume, overhead: all - without_overhead }
    }

    /// How long it takes for vectors of so many bytes: all of [`Timetable::time`], for less.
    pub fn whole(&self, cost: &CollectiveCost, bytes: u64) -> u128 {
        self.run(cost, bytes, |_, _| ())
    }

    /// Chunks that go over a channel, of canonical chips.
    pub fn transfers(&self) -> u64 {
        let chunks = |message: &Message| message.chunks.len() as u64;
        self.rounds.iter().flat_map(|(_, messages)| messages).map(chunks).sum::<u64>()
            * self.order.len() as u64
    }

    /// Parts of the vector of a chip that chunks are.
    pub fn parts(&self) -> u64 {
        self.parts
    }

    /// When each chunk leaves over each channel, of canonical chips, as [`Timetable::time`] has it.
    pub fn starts(&self, topology: &Topology, cost: &CollectiveCost, bytes: u64) -> Vec<Start> {
        let mut found = Vec::with_capacity(self.transfers() as usize);
        self.run(cost, bytes, |channel, at| {
            found.push(Start { from: topology.source(channel).node, to: topology.target(channel).node, at });
        });
        found
    }

    /// Runs all of it, and tells of each chunk over which channel its first byte leaves when. With barriers
    /// every round waits for the slowest link.
    fn run(&self, cost: &CollectiveCost, bytes: u64, mut tell: impl FnMut(ChannelId, u128)) -> u128 {
        let CollectiveCost { barrier, overhead, .. } = *cost;
        let chunk = cost.carried(bytes, self.parts);
        // `[cell]`: since when it is there; as a reduction, since when the sum so far is.
        let mut there = vec![0u128; if barrier { 0 } else { self.cells }];
        let mut free = vec![0u128; if barrier { 0 } else { self.channels }];
        let mut end = 0;
        for order in &self.order {
            let reverse = *order == Order::Reverse;
            let mut together = |(width, messages): &(u64, Vec<Message>)| {
                let first = end + overhead;
                for message in messages {
                    let over = if reverse { message.against } else { message.pull };
                    let chunk = chunk.div_ceil(message.lanes);
                    (0..message.chunks.len() as u128).for_each(|at| tell(over, first + chunk * at));
                }
                end = first + chunk.saturating_mul(u128::from(*width)) + cost.hop;
            };
            match order {
                Order::Forward if barrier => self.rounds.iter().for_each(&mut together),
                Order::Reverse if barrier => self.rounds.iter().rev().for_each(&mut together),
                _ => {}
            }
            if barrier {
                continue;
            }
            let mut run = |message: &Message| {
                let (channel, over) = if reverse {
                    (message.reverse, message.against)
                } else {
                    (message.channel, message.pull)
                };
                let at = &mut free[channel as usize];
                let (chunk, hop) = (chunk.div_ceil(message.lanes), cost.hop_over(message.link));
                let mut first = true;
                let mut carry = |from: u32, to: u32| {
                    *at = (*at).max(there[from as usize]);
                    *at += if std::mem::take(&mut first) { overhead } else { 0 };
                    tell(over, *at);
                    *at += chunk;
                    let came = *at + hop;
                    let cell = &mut there[to as usize];
                    // A copy is the only one; a sum waits for the last of its contributions.
                    *cell = if reverse { (*cell).max(came) } else { came };
                    end = end.max(came);
                };
                match reverse {
                    false => message.chunks.iter().for_each(|&(from, to)| carry(from, to)),
                    true => message.chunks.iter().rev().for_each(|&(from, to)| carry(to, from)),
                }
            };
            match order {
                Order::Forward => self.rounds.iter().flat_map(|(_, messages)| messages).for_each(&mut run),
                Order::Reverse => {
                    self.rounds.iter().rev().flat_map(|(_, messages)| messages).for_each(&mut run)
                }
            }
        }
        end
    }
}

/// The tightest in time of those bounds that hold for every schedule, and which it is; what only schedules
/// along the same forwarding tables keep to does not count. `delays` are those of the bounds
/// ([`delays`](super::delays())).
pub fn tightest<'a>(
    (bounds, delays): (&'a [CollectiveBound], &[u128]),
    collective: Collective,
    cost: &CollectiveCost,
    bytes: u64,
    chips: u64,
) -> Option<(u128, &'a CollectiveBound)> {
    let time = |bound: &CollectiveBound, delay: u128| {
        let whole = collective.is_rooted() || matches!(bound, CollectiveBound::Partition { .. });
        let vector = if whole { Fraction::whole(1u8) } else { Fraction::new(1u8, chips.max(1)) };
        least_time(cost, bytes, bound.volume().times(vector), delay)
    };
    // Of equal ones the first.
    let universal = bounds.iter().zip(delays).filter(|(bound, _)| bound.is_universal());
    universal.map(|(bound, &delay)| (time(bound, delay), bound)).rev().max_by_key(|(time, _)| *time)
}

/// What a channel needs that carries so many times as many bytes, where the last of them were delayed by so
/// many attoseconds on their way.
pub fn least_time(cost: &CollectiveCost, bytes: u64, vectors: Fraction, delay: u128) -> u128 {
    cost.carried_at_least(bytes, vectors) + delay
}
