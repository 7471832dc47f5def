//! How long messages take that go from all to all: their real critical path, or the sum of slots with
//! barriers.
//!
//! In: messages with the slots of their hops, the channels that the tables lead them over, what hops,
//! messages and bytes take. Out: attoseconds. Without barriers a channel carries its chunks in the order of
//! the slots, each as soon as the channel is free and the chunk is there, which is a hop after its last byte
//! has left the channel before. Every chunk on every channel is a message with an overhead of its own. With
//! barriers a slot takes overhead, chunk and hop. Cost: one look at every hop of every canonical chunk.

use super::error::CollectiveError;
use super::tabled::Tabled;
use crate::ids::{Id, NodeId};
use crate::ir::{CollectiveCost, CollectiveTime, ForwardingTables, Message, Scene, Schedule, Sends, Start};
use fixedbitset::FixedBitSet;

/// Hops of chunks that are laid out.
const MOST_HOPS: u64 = 1 << 27;

/// Messages that can be timed again and again.
pub struct Sent {
    /// In the order of slots: (channel class, chunk).
    hops: Vec<(u32, u32)>,
    /// `[slot]`: where its hops end.
    ends: Vec<u32>,
    /// `[channel class]`: one of its channels, from router to router; none where all are dark.
    classes: Vec<Option<[NodeId; 2]>>,
    messages: usize,
    /// Chunks that the full vector of a chip is cut into.
    parts: u64,
    /// How often everything is sent, from the beginning when all is there.
    times: u64,
}

impl Sent {
    /// Lays out a schedule that [`direct`](super::direct) made along these tables.
    ///
    /// # Errors
    /// Tables that lose a message; too many hops.
    pub fn new(scene: &Scene<'_>, tables: &ForwardingTables, schedule: &Schedule, sends: &Sends) -> Result<Self, CollectiveError> {
        let chunks = schedule.chunks as usize;
        let tabled = Tabled::walked(scene, tables, MOST_HOPS / u64::from(schedule.chunks.max(1)))?;
        let slots = sends.slots();
        // `[slot]`: where its hops start.
        let mut starts = vec![0u32; slots as usize + 1];
        let all = || sends.messages.iter().flat_map(|message| &message.slots);
        all().for_each(|&slot| starts[slot as usize + 1] += 1);
        for slot in 1..starts.len() {
            starts[slot] += starts[slot - 1];
        }
        let mut hops = vec![(0, 0); all().count()];
        for (at, message) in sends.messages.iter().enumerate() {
            // Messages stand by source, destination and part, as the ways do.
            let first = tabled.starts[at / chunks] as usize;
            for (hop, &slot) in message.slots.iter().enumerate() {
                let place = &mut starts[slot as usize];
                hops[*place as usize] = (tabled.hops[first + hop], at as u32);
                *place += 1;
            }
        }
        let topology = scene.topology;
        let symmetry = if tabled.canonical { topology.symmetry().clone() } else { topology.symmetry().without() };
        let mut classes = vec![None; tabled.loads.len()];
        for channel in scene.channels() {
            let ends = [topology.source(channel).node, topology.target(channel).node];
            classes[topology.channel_class(&symmetry, channel).index()].get_or_insert(ends);
        }
        let parts = scene.endpoints().count() as u64 * u64::from(schedule.chunks);
        // By now each of them stands where its hops end.
        starts.truncate(slots as usize);
        Ok(Self { hops, ends: starts, classes, messages: sends.messages.len(), parts, times: schedule.sent_times() })
    }

    /// How long it takes for vectors of so many bytes, and on what that is spent.
    pub fn time(&self, cost: &CollectiveCost, bytes: u64) -> CollectiveTime {
        let chunk = cost.carried(bytes, self.parts);
        let all = self.whole(cost, bytes);
        let without_overhead = if cost.overhead == 0 { all } else { self.runs(cost.barrier, chunk, cost.hop) };
        let volume = self.runs(cost.barrier, chunk, 0);
        CollectiveTime { volume, latency: without_overhead - volume, overhead: all - without_overhead }
    }

    /// How long it takes for vectors of so many bytes: all of [`Sent::time`], for less.
    pub fn whole(&self, cost: &CollectiveCost, bytes: u64) -> u128 {
        self.runs(cost.barrier, cost.carried(bytes, self.parts) + cost.overhead, cost.hop)
    }

    fn runs(&self, barrier: bool, message: u128, hop: u128) -> u128 {
        self.run(barrier, message, hop, |_, _, _| ()) * u128::from(self.times)
    }

    /// Slots one after the other; in each a channel carries a chunk.
    pub fn slots(&self) -> u64 {
        self.ends.len() as u64 * self.times
    }

    /// Chunks of canonical chips; hop by hop, each hop counts.
    pub fn messages(&self, by_hop: bool) -> u64 {
        (if by_hop { self.hops.len() } else { self.messages }) as u64 * self.times
    }

    /// Parts of the vector of a chip that chunks are.
    pub fn parts(&self) -> u64 {
        self.parts
    }

    /// When each chunk leaves each router on its way, as [`Sent::time`] has it: one channel stands for all
    /// that are images of it. With `whole` messages, those of the schedule, each is told once, when it leaves
    /// its source for its destination.
    pub fn starts(&self, cost: &CollectiveCost, bytes: u64, whole: Option<&[Message]>) -> Vec<Start> {
        let sent = cost.carried(bytes, self.parts) + cost.overhead;
        let mut starts = Vec::with_capacity(self.messages(whole.is_none()) as usize);
        let mut begin = 0;
        for _ in 0..self.times {
            let mut left = FixedBitSet::with_capacity(self.messages);
            begin += self.run(cost.barrier, sent, cost.hop, |class, chunk, at| {
                let ends = match whole.map(|messages| &messages[chunk as usize]) {
                    None => self.classes[class as usize],
                    Some(message) => (!left.put(chunk as usize)).then_some([message.source, message.destination]),
                };
                starts.extend(ends.map(|[from, to]| Start { from, to, at: begin + at + cost.overhead }));
            });
        }
        starts
    }

    /// A chunk keeps a channel busy for `message`, and is there a hop later; tells of each hop, in the order
    /// of slots, of which class its channel is, which chunk it is, and when its message starts.
    fn run(&self, barrier: bool, message: u128, hop: u128, mut tell: impl FnMut(u32, u32, u128)) -> u128 {
        if barrier {
            let slots = [0].into_iter().chain(self.ends.iter().copied()).zip(&self.ends).zip(0u128..);
            for ((from, &to), slot) in slots {
                let hops = &self.hops[from as usize..to as usize];
                hops.iter().for_each(|&(class, chunk)| tell(class, chunk, (message + hop) * slot));
            }
            return (message + hop) * self.ends.len() as u128;
        }
        let mut free = vec![0u128; self.classes.len()];
        let mut there = vec![0u128; self.messages];
        let mut end = 0;
        for &(class, chunk) in &self.hops {
            let (free, there) = (&mut free[class as usize], &mut there[chunk as usize]);
            let start = (*free).max(*there);
            tell(class, chunk, start);
            *free = start + message;
            *there = *free + hop;
            end = end.max(*there);
        }
        end
    }
}
