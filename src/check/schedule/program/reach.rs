//! Finds the channels by which a chip reaches another one: a lit link, or lit links through routers that only
//! forward.
//!
//! Of several ways only those with the fewest links between blocks count, and of these those with the fewest
//! hops, as runtimes choose them. What two connections share is the channel by which they leave the sender.

use super::ProgramFault;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{LinkClass, Scene};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The distance of a chip that is not reached.
const UNREACHED: u32 = u32::MAX;
/// The length of a link between blocks, in links inside a block. No way has as many of these.
const BETWEEN_BLOCKS: u32 = 1 << 16;

/// What chips reach without passing another chip.
pub(super) struct Reach<'a> {
    scene: &'a Scene<'a>,
    /// By router that only forwards: `[router]` the length of the way from it to every chip.
    distances: BTreeMap<NodeId, Vec<u32>>,
}

/// The channels that a set of connections needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct UsedChannels {
    /// The fewest channels that all connections need.
    pub(super) channels: u64,
    /// The most connections on a channel, if they are spread evenly over parallel ones.
    pub(super) sharing: u64,
}

/// `[gpu]`: its chip. A program and an execution plan are for as many GPUs as the network has chips.
pub(super) fn chips_of_gpus(scene: &Scene<'_>, gpus: usize) -> Result<Vec<NodeId>, ProgramFault> {
    let chips: Vec<NodeId> = scene.endpoints().collect();
    if chips.len() == gpus {
        return Ok(chips);
    }
    let count = chips.len();
    Err(ProgramFault::shape(format!("it is for {gpus} gpus, but the network has {count} chips")))
}

impl<'a> Reach<'a> {
    pub(super) fn new(scene: &'a Scene<'a>) -> Self {
        Self { scene, distances: BTreeMap::new() }
    }

    /// The channels by which the shortest ways from a chip to another one leave. Empty if there are none.
    pub(super) fn leaving_channels(&mut self, from: NodeId, to: NodeId) -> Vec<ChannelId> {
        let channels: Vec<ChannelId> = self.scene.channels_from(from).collect();
        let lengths: Vec<u32> = channels.iter().map(|&channel| self.way_length(channel, to)).collect();
        let shortest = lengths.iter().copied().min().unwrap_or(UNREACHED);
        let is_shortest = |&(_, length): &(ChannelId, u32)| length == shortest && length != UNREACHED;
        channels.into_iter().zip(lengths).filter(is_shortest).map(|(channel, _)| channel).collect()
    }

    /// The most that leaves by one channel, given what goes between each pair of chips. Parallel channels
    /// share evenly.
    pub(super) fn busiest(&mut self, moved: &BTreeMap<(NodeId, NodeId), u64>) -> u64 {
        let mut loads: BTreeMap<Vec<ChannelId>, u64> = BTreeMap::new();
        for (&(from, to), &count) in moved {
            *loads.entry(self.leaving_channels(from, to)).or_default() += count;
        }
        let load = |(channels, count): (Vec<ChannelId>, u64)| count.div_ceil(channels.len().max(1) as u64);
        loads.into_iter().map(load).max().unwrap_or(0)
    }

    /// The length of the shortest way to a chip that begins with a channel.
    fn way_length(&mut self, channel: ChannelId, to: NodeId) -> u32 {
        let (next, first) = (self.scene.topology.target(channel).node, link_length(self.scene, channel));
        if next == to {
            return first;
        }
        if self.scene.is_endpoint(next) || !self.scene.lives(next) {
            return UNREACHED;
        }
        let scene = self.scene;
        self.distances.entry(next).or_insert_with(|| distances(scene, next))[to.index()].saturating_add(first)
    }

    /// Counts the channels of connections, given for each pair of chips as often as it is connected.
    ///
    /// # Errors
    /// The first pair that no channel joins.
    pub(super) fn used_channels(
        &mut self,
        connected: &BTreeMap<(NodeId, NodeId), u64>,
    ) -> Result<UsedChannels, (NodeId, NodeId)> {
        // By the channels that lead to a peer: number of connections that use them.
        let mut used: BTreeMap<Vec<ChannelId>, u64> = BTreeMap::new();
        for (&(from, to), &count) in connected {
            let channels = self.leaving_channels(from, to);
            if channels.is_empty() {
                return Err((from, to));
            }
            *used.entry(channels).or_default() += count;
        }
        let channels = used.iter().map(|(channels, &count)| count.min(channels.len() as u64)).sum();
        let sharing = used.iter().map(|(channels, &count)| count.div_ceil(channels.len() as u64)).max();
        Ok(UsedChannels { channels, sharing: sharing.unwrap_or(0) })
    }
}

/// The length of a link, in links inside a block.
fn link_length(scene: &Scene<'_>, channel: ChannelId) -> u32 {
    if scene.topology.link(channel).class == LinkClass::Global { BETWEEN_BLOCKS } else { 1 }
}

/// `[router]`: the length of the way from a router that only forwards to every chip, through such routers
/// alone.
fn distances(scene: &Scene<'_>, start: NodeId) -> Vec<u32> {
    let mut lengths = vec![UNREACHED; scene.topology.node_count()];
    let mut open = BinaryHeap::from([Reverse((0, start))]);
    lengths[start.index()] = 0;
    while let Some(Reverse((length, router))) = open.pop() {
        if length > lengths[router.index()] || scene.is_endpoint(router) {
            continue;
        }
        for channel in scene.channels_from(router) {
            let next = scene.topology.target(channel).node;
            let through = length.saturating_add(link_length(scene, channel));
            if through < lengths[next.index()] && scene.lives(next) {
                lengths[next.index()] = through;
                open.push(Reverse((through, next)));
            }
        }
    }
    lengths
}
