//! How long messages take that go from all to all: their real critical path, or the sum of slots with
//! barriers.
//!
//! In: messages with the slots of their hops, the channels that the tables lead them over, what hops,
//! messages and bytes take. Out: attoseconds. Without barriers a channel carries its chunks in the order of
//! the slots, each as soon as the channel is free and the chunk is there, which is a hop after its last byte
//! has left the channel before. Every chunk on every channel is a message with an overhead of its own. With
//! barriers a slot takes overhead, chunk and hop. Cost: one look at every hop of every canonical chunk.

use super::error::CollectiveError;
use super::tabled::{Between, Tabled};
use fabc_base::ids::{Id, LinkId, NodeId};
use fabc_ir::{CollectiveCost, CollectiveTime, ForwardingTables, Message, Scene, Schedule, Sends, Start};
use fabc_model::Collective;
use fixedbitset::FixedBitSet;

/// Hops of chunks that are laid out.
const MOST_HOPS: u64 = 1 << 27;

/// Messages that can be timed again and again.
pub struct Sent {
    legs: Vec<Leg>,
    /// Which of them are sent, one when the one before has ended.
    order: Vec<usize>,
    /// `[channel class]`: one of its channels, from router to router; none where all are dark.
    classes: Vec<Option<[NodeId; 2]>>,
    /// `[channel class]`: the link of that channel.
    links: Vec<Option<LinkId>>,
    /// `[channel class]`: chunks that one of its channels carries while the slowest kind carries one.
    lanes: Vec<u32>,
    /// Chunks that the full vector of a chip is cut into.
    parts: u64,
}

/// Messages that are all there from the beginning.
struct Leg {
    /// In the order of slots: (channel class, chunk).
    hops: Vec<(u32, u32)>,
    /// `[slot]`: where its hops end.
    ends: Vec<u32>,
    messages: usize,
}

impl Sent {
    /// Lays out a schedule that [`direct`](super::direct()) or [`rooted`](super::rooted) made along these
    /// tables.
    ///
    /// # Errors
    /// Tables that lose a message; too many hops.
    pub fn new(
        scene: &Scene<'_>,
        tables: &ForwardingTables,
        schedule: &Schedule,
        sends: &Sends,
    ) -> Result<Self, CollectiveError> {
        let most = MOST_HOPS / u64::from(schedule.chunks.max(1));
        let (between, alone) = match (schedule.collective, schedule.root) {
            (Collective::Reduce, Some(root)) => (Between::ButFrom(root), Some(Between::To(root))),
            (_, Some(root)) => (Between::AllBut(root), Some(Between::From(root))),
            (_, None) => (Between::All, None),
        };
        let tabled = Tabled::walked(scene, tables, between, most)?;
        let mut legs = vec![Leg::new(&tabled, schedule.chunks, &sends.messages)];
        if let Some(between) = alone {
            legs.push(Leg::new(
                &Tabled::walked(scene, tables, between, most)?,
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
        let symmetry =
            if tabled.canonical { topology.symmetry().clone() } else { topology.symmetry().without() };
        let mut classes = vec![None; tabled.loads.len()];
        let mut links = vec![None; classes.len()];
        for channel in scene.channels() {
            let ends = [topology.source(channel).node, topology.target(channel).node];
            let class = topology.channel_class(&symmetry, channel).index();
            classes[class].get_or_insert(ends);
            links[class].get_or_insert(topology.link_of(channel));
        }
        let parts = scene.endpoints().count() as u64 * u64::from(schedule.chunks);
        Ok(Self { legs, order, classes, links, lanes: tabled.lanes, parts })
    }

    /// How long it takes for vectors of so many bytes, and on what that is spent.
    pub fn time(&self, cost: &CollectiveCost, bytes: u64) -> CollectiveTime {
        let all = self.whole(cost, bytes);
        let plain = CollectiveCost { overhead: 0, ..cost.clone() };
        let without_overhead = if cost.overhead == 0 { all } else { self.whole(&plain, bytes) };
        let volume = self.whole(&plain.without_hops(), bytes);
        CollectiveTime { volume, latency: without_overhead - volume, overhead: all - without_overhead }
    }

    /// How long it takes for vectors of so many bytes: all of [`Sent::time`], for less.
    pub fn whole(&self, cost: &CollectiveCost, bytes: u64) -> u128 {
        let takes: Vec<u128> = self.legs.iter().map(|leg| self.run(leg, cost, bytes, |_, _, _| ())).collect();
        self.order.iter().map(|&leg| takes[leg]).sum()
    }

    fn in_order(&self) -> impl Iterator<Item = &Leg> {
        self.order.iter().map(|&leg| &self.legs[leg])
    }

    /// Slots one after the other; in each a channel carries a chunk.
    pub fn slots(&self) -> u64 {
        self.in_order().map(|leg| leg.ends.len() as u64).sum()
    }

    /// Chunks of canonical chips; hop by hop, each hop counts.
    pub fn messages(&self, by_hop: bool) -> u64 {
        self.in_order().map(|leg| if by_hop { leg.hops.len() } else { leg.messages } as u64).sum()
    }

    /// Parts of the vector of a chip that chunks are.
    pub fn parts(&self) -> u64 {
        self.parts
    }

    /// When each chunk leaves each router on its way, as [`Sent::time`] has it: one channel stands for all
    /// that are images of it. With whole messages, those of the legs of the schedule, each is told once, when
    /// it leaves its source for its destination.
    pub fn starts(&self, cost: &CollectiveCost, bytes: u64, whole: Option<&[&[Message]]>) -> Vec<Start> {
        let mut starts = Vec::with_capacity(self.messages(whole.is_none()) as usize);
        let mut begin = 0;
        for (at, leg) in self.in_order().enumerate() {
            let mut left = FixedBitSet::with_capacity(leg.messages);
            begin += self.run(leg, cost, bytes, |class, chunk, since| {
                let ends = match whole.map(|legs| &legs[at][chunk as usize]) {
                    None => self.classes[class as usize],
                    Some(message) => {
                        (!left.put(chunk as usize)).then_some([message.source, message.destination])
                    }
                };
                starts.extend(ends.map(|[from, to]| Start { from, to, at: begin + since + cost.overhead }));
            });
        }
        starts
    }

    /// A chunk keeps a channel busy while it and the overhead of its message pass, and is there a hop later;
    /// tells of each hop, in the order of slots, of which class its channel is, which chunk it is, and when
    /// its message starts. With barriers a slot lasts until the widest channel has passed a message for each
    /// of its lanes.
    fn run(
        &self,
        leg: &Leg,
        cost: &CollectiveCost,
        bytes: u64,
        mut tell: impl FnMut(u32, u32, u128),
    ) -> u128 {
        let chunk = cost.carried(bytes, self.parts);
        if cost.barrier {
            let widest = self.lanes.iter().copied().max().unwrap_or(1);
            let slot = chunk + cost.overhead * u128::from(widest) + cost.hop;
            let slots = [0].into_iter().chain(leg.ends.iter().copied()).zip(&leg.ends).zip(0u128..);
            for ((from, &to), at) in slots {
                let hops = &leg.hops[from as usize..to as usize];
                hops.iter().for_each(|&(class, chunk)| tell(class, chunk, slot * at));
            }
            return slot * leg.ends.len() as u128;
        }
        let messages: Vec<u128> =
            self.lanes.iter().map(|&lanes| chunk.div_ceil(u128::from(lanes)) + cost.overhead).collect();
        let hops: Vec<u128> =
            self.links.iter().map(|link| link.map_or(0, |link| cost.hop_over(link))).collect();
        let mut free = vec![0u128; self.classes.len()];
        let mut there = vec![0u128; leg.messages];
        let mut end = 0;
        for &(class, chunk) in &leg.hops {
            let (free, there) = (&mut free[class as usize], &mut there[chunk as usize]);
            let start = (*free).max(*there);
            tell(class, chunk, start);
            *free = start + messages[class as usize];
            *there = *free + hops[class as usize];
            end = end.max(*there);
        }
        end
    }
}

impl Leg {
    fn new(tabled: &Tabled, chunks: u32, messages: &[Message]) -> Self {
        // `[slot]`: where its hops start.
        let mut starts = vec![0u32; Message::slots_of(messages) as usize + 1];
        let all = || messages.iter().flat_map(|message| &message.slots);
        all().for_each(|&slot| starts[slot as usize + 1] += 1);
        for slot in 1..starts.len() {
            starts[slot] += starts[slot - 1];
        }
        let mut hops = vec![(0, 0); all().count()];
        for (at, message) in messages.iter().enumerate() {
            // Messages stand by source, destination and part, as the ways do.
            let first = tabled.starts[at / chunks as usize] as usize;
            for (hop, &slot) in message.slots.iter().enumerate() {
                let place = &mut starts[slot as usize];
                hops[*place as usize] = (tabled.hops[first + hop], at as u32);
                *place += 1;
            }
        }
        // By now each of them stands where its hops end.
        starts.pop();
        Self { hops, ends: starts, messages: messages.len() }
    }
}
