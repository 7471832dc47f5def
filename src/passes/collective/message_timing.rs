//! The time of schedules that send messages from all chips to all: the critical path without barriers, or the
//! sum of slots with them.
//!
//! Input: messages with the slots of their hops, the channels of their routes, and the costs of hops,
//! messages and bytes. Output: attoseconds. Without barriers a channel carries its chunks in the order of the
//! slots. Each chunk starts as soon as the channel is free and the chunk is there, which is one hop after its
//! last byte left the channel before. Every chunk on every channel is a message with an overhead of its own.
//! With barriers a slot takes overhead, chunk and its slowest hop. Cost: one visit to every hop of every
//! canonical chunk.

use super::error::CollectiveError;
use super::message_paths::{MessagePairs, MessagePaths};
use super::time_split::split_time;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{
    CollectiveCost, CollectiveTime, ForwardingTables, MessageStart, RoutedMessage, Scene, Schedule, Sends,
};
use fabc_model::Collective;
use fixedbitset::FixedBitSet;

/// Limit on the hops of chunks.
const MOST_HOPS: u64 = 1 << 27;

/// A schedule of messages, laid out so that many costs and sizes can be timed.
pub struct MessageTimetable {
    phases: Vec<SendPhase>,
    /// The phases in the order in which they run, as indexes of `phases`. Each starts when the one before has
    /// ended.
    order: Vec<usize>,
    /// `[channel class]`: source and target of one of its channels. `None` where all are dark.
    classes: Vec<Option<[NodeId; 2]>>,
    /// `[channel class]`: the channel that these are the ends of.
    channels: Vec<Option<ChannelId>>,
    /// Whether a channel of a class stands for the others.
    canonical: bool,
    /// `[channel class]`: chunks that one of its channels carries while the slowest kind carries one.
    lanes: Vec<u32>,
    /// Chunks that the full vector of a chip is cut into.
    vector_parts: u64,
}

/// Messages that are all ready when the phase starts.
struct SendPhase {
    /// In the order of slots: (channel class, chunk).
    hops: Vec<(u32, u32)>,
    /// `[slot]`: end of its hops in `hops`.
    slot_ends: Vec<u32>,
    messages: usize,
}

impl MessageTimetable {
    /// Lays out a schedule that [`direct`](super::direct()) or [`rooted`](super::rooted) made with the same
    /// tables.
    ///
    /// # Errors
    /// Refuses tables that lose a message, and schedules with too many hops.
    pub fn new(
        scene: &Scene<'_>,
        tables: &ForwardingTables,
        schedule: &Schedule,
        sends: &Sends,
    ) -> Result<Self, CollectiveError> {
        let hop_limit = MOST_HOPS / u64::from(schedule.chunks.max(1));
        let (pairs, root_pairs) = match (schedule.collective, schedule.root) {
            (Collective::Reduce, Some(root)) => (MessagePairs::ButFrom(root), Some(MessagePairs::To(root))),
            (_, Some(root)) => (MessagePairs::AllBut(root), Some(MessagePairs::From(root))),
            (_, None) => (MessagePairs::All, None),
        };
        let message_paths = MessagePaths::walk_all(scene, tables, pairs, hop_limit)?;
        let mut legs = vec![SendPhase::new(&message_paths, schedule.chunks, &sends.messages)];
        if let Some(pairs) = root_pairs {
            legs.push(SendPhase::new(
                &MessagePaths::walk_all(scene, tables, pairs, hop_limit)?,
                schedule.chunks,
                &sends.rooted,
            ));
        }
        let order = match schedule.collective {
            Collective::AllReduce => vec![0, 0],
            Collective::Broadcast => vec![1, 0],
            Collective::Reduce => vec![0, 1],
            Collective::AllGather | Collective::ReduceScatter | Collective::AllToAll | Collective::Send => {
                vec![0]
            }
        };
        let topology = scene.topology;
        let symmetry = if message_paths.canonical {
            topology.symmetry().clone()
        } else {
            topology.symmetry().to_trivial()
        };
        let mut classes = vec![None; message_paths.loads.len()];
        let mut channels = vec![None; classes.len()];
        for channel in scene.channels() {
            let routers = [topology.source(channel).node, topology.target(channel).node];
            let class = topology.channel_class(&symmetry, channel).index();
            classes[class].get_or_insert(routers);
            channels[class].get_or_insert(channel);
        }
        let parts = scene.endpoints().count() as u64 * u64::from(schedule.chunks);
        Ok(Self {
            phases: legs,
            order,
            classes,
            channels,
            canonical: message_paths.canonical,
            lanes: message_paths.lanes,
            vector_parts: parts,
        })
    }

    /// The time for vectors of `bytes` bytes, split by what it is spent on.
    pub fn time(&self, cost: &CollectiveCost, bytes: u64) -> CollectiveTime {
        split_time(cost, |cost| self.total_time(cost, bytes))
    }

    /// The total of [`MessageTimetable::time`], computed faster.
    pub fn total_time(&self, cost: &CollectiveCost, bytes: u64) -> u128 {
        let durations: Vec<u128> =
            self.phases.iter().map(|phase| self.run(phase, cost, bytes, |_, _, _| ())).collect();
        self.order.iter().map(|&leg| durations[leg]).sum()
    }

    fn phases_in_order(&self) -> impl Iterator<Item = &SendPhase> {
        self.order.iter().map(|&phase| &self.phases[phase])
    }

    /// Number of slots. In each slot a channel carries one chunk per lane.
    pub fn slots(&self) -> u64 {
        self.phases_in_order().map(|phase| phase.slot_ends.len() as u64).sum()
    }

    /// Number of chunks that canonical chips send. With `by_hop` every hop counts.
    pub fn messages(&self, by_hop: bool) -> u64 {
        self.phases_in_order()
            .map(|phase| if by_hop { phase.hops.len() } else { phase.messages } as u64)
            .sum()
    }

    /// Number of chunks in the full vector of a chip.
    pub fn parts(&self) -> u64 {
        self.vector_parts
    }

    /// When each chunk leaves each router on its path, in the timing of [`MessageTimetable::time`]. One
    /// channel stands for all channels that are its images. With `whole_messages`, the messages of each
    /// phase, a message appears once: when it leaves its source for its destination.
    pub fn starts(
        &self,
        cost: &CollectiveCost,
        bytes: u64,
        whole_messages: Option<&[&[RoutedMessage]]>,
    ) -> Vec<MessageStart> {
        let mut starts = Vec::with_capacity(self.messages(whole_messages.is_none()) as usize);
        let mut begin = 0;
        for (index, phase) in self.phases_in_order().enumerate() {
            let mut departed = FixedBitSet::with_capacity(phase.messages);
            begin += self.run(phase, cost, bytes, |class, chunk, start| {
                let routers = match whole_messages.map(|legs| &legs[index][chunk as usize]) {
                    None => self.classes[class as usize],
                    Some(message) => {
                        (!departed.put(chunk as usize)).then_some([message.source, message.destination])
                    }
                };
                starts.extend(routers.map(|[from, to]| MessageStart {
                    from,
                    to,
                    attoseconds: begin + start + cost.overhead,
                }));
            });
        }
        starts
    }

    /// Runs one phase and returns its time in attoseconds. A chunk keeps a channel busy for its own time and
    /// the overhead of its message. It arrives one hop later. `on_hop` receives the channel class, the chunk
    /// and the start of its message for every hop, in the order of slots. With barriers a slot lasts until
    /// the widest channel has passed one message per lane.
    fn run(
        &self,
        phase: &SendPhase,
        cost: &CollectiveCost,
        bytes: u64,
        mut on_hop: impl FnMut(u32, u32, u128),
    ) -> u128 {
        let chunk = cost.transfer_time(bytes, self.vector_parts);
        let hop_over = |channel| match self.canonical {
            true => cost.hop_over_images(channel),
            false => cost.hop_over(channel),
        };
        let hop_times: Vec<u128> = self.channels.iter().map(|channel| channel.map_or(0, hop_over)).collect();
        if cost.barrier {
            let widest = self.lanes.iter().copied().max().unwrap_or(1);
            let message = chunk + cost.overhead * u128::from(widest);
            let mut begin = 0;
            for (from, &to) in [0].into_iter().chain(phase.slot_ends.iter().copied()).zip(&phase.slot_ends) {
                let hops = &phase.hops[from as usize..to as usize];
                hops.iter().for_each(|&(class, chunk)| on_hop(class, chunk, begin));
                // A slot without messages lasts as long as one over the fastest channel.
                let hop = hops.iter().map(|&(class, _)| hop_times[class as usize]).max();
                begin += message + hop.unwrap_or_else(|| cost.least_hop());
            }
            return begin;
        }
        let messages: Vec<u128> =
            self.lanes.iter().map(|&lanes| chunk.div_ceil(u128::from(lanes)) + cost.overhead).collect();
        let mut free = vec![0u128; self.classes.len()];
        let mut ready = vec![0u128; phase.messages];
        let mut end = 0;
        for &(class, chunk) in &phase.hops {
            let (free, ready) = (&mut free[class as usize], &mut ready[chunk as usize]);
            let start = (*free).max(*ready);
            on_hop(class, chunk, start);
            *free = start + messages[class as usize];
            *ready = *free + hop_times[class as usize];
            end = end.max(*ready);
        }
        end
    }
}

impl SendPhase {
    fn new(message_paths: &MessagePaths, chunks: u32, messages: &[RoutedMessage]) -> Self {
        // `[slot]`: where its hops start.
        let mut starts = vec![0u32; RoutedMessage::slots_of(messages) as usize + 1];
        let all_slots = || messages.iter().flat_map(|message| &message.slots);
        all_slots().for_each(|&slot| starts[slot as usize + 1] += 1);
        for slot in 1..starts.len() {
            starts[slot] += starts[slot - 1];
        }
        let mut hops = vec![(0, 0); all_slots().count()];
        for (index, message) in messages.iter().enumerate() {
            // Messages are sorted by source, destination and part, as the paths are.
            let first = message_paths.starts[index / chunks as usize] as usize;
            for (hop, &slot) in message.slots.iter().enumerate() {
                let next_hop = &mut starts[slot as usize];
                hops[*next_hop as usize] = (message_paths.hops[first + hop], index as u32);
                *next_hop += 1;
            }
        }
        // Each entry of `starts` has now advanced to the end of its slot.
        starts.pop();
        Self { hops, slot_ends: starts, messages: messages.len() }
    }
}
