//! The lit topology as flat arrays with one entry per incoming channel, and channel classes under the
//! symmetry.

use super::circulant::Circulant;
use fabc_base::ids::{ChannelId, NodeId};
use fabc_ir::Scene;
use fabc_model::Demand;
use std::sync::{Mutex, PoisonError};

/// A lit channel as seen from its target.
#[derive(Clone, Copy, Debug)]
pub(super) struct IncomingChannel {
    /// The node where the channel starts.
    pub(super) from: u32,
    /// The channel class under the topology's symmetry.
    pub(super) class: u32,
    /// The id of the channel.
    pub(super) channel: u32,
}

/// The lit channels of a topology.
#[derive(Debug)]
pub(super) struct FlowQuotient {
    /// The number of nodes, dark ones included.
    pub(super) nodes: usize,
    /// Number of channel classes, dark ones included.
    pub(super) classes: usize,
    /// Number of channels, dark ones included.
    pub(super) channels: usize,
    /// The number of elements of the symmetry: channels per class, and nodes per canonical node.
    pub(super) order: usize,
    /// Canonical nodes that send: the sources.
    pub(super) sources: Vec<u32>,
    /// `incoming[starts[v]..starts[v + 1]]`: lit channels into node v, by port.
    pub(super) starts: Vec<u32>,
    /// The lit channels by target, indexed by `starts`.
    pub(super) incoming: Vec<IncomingChannel>,
    /// `outgoing[out_starts[v]..out_starts[v + 1]]`: the target node and class of each lit channel out of
    /// node v, by port.
    out_starts: Vec<u32>,
    /// Target node and class of the lit channels by source, indexed by `out_starts`.
    outgoing: Vec<(u32, u32)>,
    /// Channels out of the nodes and into them as steps in a circulant form, if the symmetry has one.
    circulants: Option<[Circulant; 2]>,
    /// `[class]`: whether its channels are lit.
    lit: Vec<bool>,
    /// `[class]`: the class of the reverse channels. That of a simplex link is its own.
    pub(super) reverse: Vec<u32>,
    /// `[class]`: capacity of a channel, in units.
    pub(super) capacity: Vec<u64>,
    /// `[class]`: the load of a unit of flow, in parts.
    pub(super) slowness: Vec<u64>,
    /// The number of parts of a unit of load.
    pub(super) parts: u64,
    /// The weights of all pairs.
    pub(super) demand: Demand,
    /// Whether the demand is symmetric and every link is duplex. Then a flow and its reverse serve the
    /// demand alike.
    pub(super) mirrored: bool,
    /// The memory of searches, which later searches use again.
    searches: Mutex<Vec<DistanceSearch>>,
}

impl FlowQuotient {
    pub(super) fn new(scene: &Scene<'_>, demand: &Demand) -> Self {
        let (topology, symmetry) = (scene.topology, scene.topology.symmetry());
        let classes = topology.class_count(symmetry);
        let class_of = |channel: ChannelId| topology.channel_class(symmetry, channel).0;
        let mut lit = vec![false; classes];
        // A dark class has class 0 for its reverse. Nobody reads its load, except as one more row of the
        // game that mixes rounds.
        let mut reverse = vec![0; classes];
        let (mut capacity, mut slowness) = (vec![1; classes], vec![1; classes]);
        let (mut starts, mut out_starts) = (vec![0], vec![0]);
        let mut incoming = Vec::with_capacity(topology.channel_count());
        let mut outgoing = Vec::with_capacity(topology.channel_count());
        for node in topology.nodes() {
            for channel in scene.channels_into(node) {
                incoming.push(IncomingChannel {
                    from: topology.source(channel).node.0,
                    class: class_of(channel),
                    channel: channel.0,
                });
            }
            for channel in scene.channels_from(node) {
                let class = class_of(channel);
                outgoing.push((topology.target(channel).node.0, class));
                lit[class as usize] = true;
                capacity[class as usize] = topology.channel_capacity(channel);
                slowness[class as usize] = topology.slowness(channel);
                reverse[class as usize] = topology.reverse(channel).map_or(class, class_of);
            }
            starts.push(incoming.len() as u32);
            out_starts.push(outgoing.len() as u32);
        }
        let period = symmetry.class_count();
        let into = Circulant::new(
            &starts,
            period,
            incoming.iter().map(|channel: &IncomingChannel| (channel.from, channel.class)),
        );
        let circulants = Circulant::new(&out_starts, period, outgoing.iter().copied())
            .zip(into)
            .map(|(out, into)| [out, into]);
        Self {
            circulants,
            nodes: topology.node_count(),
            classes,
            channels: topology.channel_count(),
            order: symmetry.order(),
            sources: symmetry
                .canonical_nodes()
                .filter(|&node| scene.is_endpoint(node))
                .map(|node| node.0)
                .collect(),
            starts,
            incoming,
            out_starts,
            outgoing,
            lit,
            reverse,
            capacity,
            slowness,
            parts: topology.capacities().parts(),
            demand: demand.clone(),
            mirrored: demand.is_symmetric() && !topology.has_simplex(),
            searches: Mutex::default(),
        }
    }

    /// Lends the memory of a search. Where lengths are long, it is large, so a task takes what another one
    /// has returned.
    pub(super) fn with_search<R>(&self, search_with: impl FnOnce(&mut DistanceSearch) -> R) -> R {
        let free = || self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let mut search = free().pop().unwrap_or_default();
        let result = search_with(&mut search);
        free().push(search);
        result
    }

    /// The weights from a source, by destination.
    pub(super) fn weights_from(&self, source: u32) -> Vec<u32> {
        self.demand.row(NodeId(source))
    }

    /// The lit channels into a node.
    pub(super) fn channels_into(&self, node: usize) -> &[IncomingChannel] {
        &self.incoming[self.incoming_range(node)]
    }

    /// The source node and class of each lit channel into a node.
    pub(super) fn feeding(&self, node: u32) -> impl Iterator<Item = (u32, u32)> {
        self.channels_into(node as usize).iter().map(|channel| (channel.from, channel.class))
    }

    /// The target node and class of each lit channel out of a node.
    fn leaving(&self, node: u32) -> impl Iterator<Item = (u32, u32)> {
        self.outgoing[self.out_starts[node as usize] as usize..self.out_starts[node as usize + 1] as usize]
            .iter()
            .copied()
    }

    /// The channels into the nodes as steps around a ring, equivalent to [`FlowQuotient::feeding`].
    pub(super) fn circulant_into(&self) -> Option<&Circulant> {
        self.circulants.as_ref().map(|[_, into]| into)
    }

    /// The range of the lit channels into a node in [`FlowQuotient::incoming`].
    pub(super) fn incoming_range(&self, node: usize) -> std::ops::Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }

    /// Whether the channels of a class are lit.
    pub(super) fn is_lit(&self, class: usize) -> bool {
        self.lit[class]
    }
}

/// Shortest distances from one source under integer class lengths, by Dial's buckets. `order` lists nodes
/// by distance.
///
/// A bucket is a stack. A node whose distance falls is inserted again, and its old entry is skipped. In
/// large pods the memory that a search touches is its cost.
#[derive(Debug, Default)]
pub(super) struct DistanceSearch {
    /// `[node]`: its distance, or `u32::MAX` if it is unreachable.
    pub(super) distance: Vec<u32>,
    /// Reached nodes by rising distance.
    pub(super) order: Vec<u32>,
    /// `[distance modulo the number of buckets]`: the entry inserted last.
    buckets: Vec<u32>,
    /// All entries: a node, and the entry below it in the bucket.
    entries: Vec<(u32, u32)>,
    /// A bit per bucket: whether it holds an entry.
    filled: Vec<u64>,
}

const NONE: u32 = u32::MAX;

impl DistanceSearch {
    /// Fills `distance` and `order`. `longest` is the largest length of a lit class.
    pub(super) fn run(&mut self, quotient: &FlowQuotient, source: usize, lengths: &[u32], longest: u32) {
        self.distance.clear();
        self.distance.resize(quotient.nodes, NONE);
        match &quotient.circulants {
            Some([out, _]) => self.search(source as u32, lengths, longest, |node| out.neighbors_of(node)),
            None => self.search(source as u32, lengths, longest, |node| quotient.leaving(node)),
        }
    }

    fn search<I: Iterator<Item = (u32, u32)>>(
        &mut self,
        source: u32,
        lengths: &[u32],
        longest: u32,
        leaving: impl Fn(u32) -> I,
    ) {
        self.order.clear();
        self.entries.clear();
        let size = (longest as usize + 1).next_power_of_two().max(64);
        let mask = size - 1;
        // A search leaves all buckets empty.
        self.buckets.resize(size, NONE);
        self.filled.resize(size / 64, 0);
        self.insert(source, 0, mask);
        let (mut position, mut taken) = (0usize, 0);
        while taken < self.entries.len() {
            // The next non-empty bucket, cyclically from `at`.
            let slot = self.next_filled(position & mask);
            position += (slot.wrapping_sub(position)) & mask;
            let node = self.take(slot);
            taken += 1;
            let node_distance = self.distance[node as usize];
            if node_distance as usize != position {
                continue;
            }
            self.order.push(node);
            for (to, class) in leaving(node) {
                let through = node_distance + lengths[class as usize];
                if through < self.distance[to as usize] {
                    self.insert(to, through, mask);
                }
            }
        }
    }

    fn insert(&mut self, node: u32, distance: u32, mask: usize) {
        let slot = distance as usize & mask;
        self.distance[node as usize] = distance;
        let below = std::mem::replace(&mut self.buckets[slot], self.entries.len() as u32);
        self.entries.push((node, below));
        self.filled[slot / 64] |= 1 << (slot % 64);
    }

    fn take(&mut self, slot: usize) -> u32 {
        let (node, below) = self.entries[self.buckets[slot] as usize];
        self.buckets[slot] = below;
        if below == NONE {
            self.filled[slot / 64] &= !(1 << (slot % 64));
        }
        node
    }

    fn next_filled(&self, from: usize) -> usize {
        let words = self.filled.len();
        let mut word = from / 64;
        let mut bits = self.filled[word] & (u64::MAX << (from % 64));
        loop {
            if bits != 0 {
                return word * 64 + bits.trailing_zeros() as usize;
            }
            word = (word + 1) % words;
            bits = self.filled[word];
        }
    }
}
