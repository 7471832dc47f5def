//! The lit topology as flat arrays, one entry per incoming channel, with channel classes under the symmetry.

use crate::ids::{ChannelId, Id, IdVec, LinkId, NodeId};
use crate::ir::{LinkClass, Topology};
use crate::model::Demand;

/// A lit channel as seen from its target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Incoming {
    /// Node that the channel starts at.
    pub(super) from: u32,
    /// Channel class under the topology's symmetry.
    pub(super) class: u32,
    /// The channel.
    pub(super) channel: u32,
}

/// The lit channels of a topology.
#[derive(Debug)]
pub(super) struct Quotient {
    /// Number of nodes.
    pub(super) nodes: usize,
    /// Number of channel classes, dark ones included.
    pub(super) classes: usize,
    /// Number of channels, dark ones included.
    pub(super) channels: usize,
    /// Elements of the symmetry: channels per class, canonical nodes per node.
    pub(super) order: usize,
    /// Canonical nodes: the sources.
    pub(super) sources: Vec<u32>,
    /// `incoming[starts[v]..starts[v + 1]]`: lit channels into node v, by port.
    pub(super) starts: Vec<u32>,
    /// See `starts`.
    pub(super) incoming: Vec<Incoming>,
    /// `[class]`: the kind of a lit class, `None` for a dark one.
    pub(super) kinds: Vec<Option<LinkClass>>,
    /// `[class]`: the class of the reverse channels.
    pub(super) reverse: Vec<u32>,
    /// `[node]`: its class; classes of the chips of a cube follow each other.
    pub(super) node_class: Vec<u32>,
    /// Chips per cube.
    pub(super) chips_per_cube: usize,
    /// Ports per node: a class is `node class * ports + output port`.
    pub(super) ports: usize,
    /// `[class]`: copper steps that can be taken against the direction of the class's port before it: the position along its dimension.
    pub(super) depth: Vec<u32>,
    /// `[class]`: whether the channels join different cubes.
    pub(super) crossing: Vec<bool>,
    /// What is sent.
    pub(super) demand: Demand,
    /// Whether the demand is symmetric, so that a flow and its reverse serve it alike.
    pub(super) mirrored: bool,
}

impl Quotient {
    pub(super) fn new(topology: &Topology, demand: &Demand, alive: &IdVec<LinkId, bool>) -> Self {
        let symmetry = topology.symmetry();
        let classes = topology.class_count(symmetry);
        let mut kinds = vec![None; classes];
        let mut reverse = vec![0; classes];
        let mut crossing = vec![false; classes];
        let mut depth = vec![0; classes];
        let mut starts = vec![0];
        let mut incoming = Vec::with_capacity(topology.channel_count());
        for node in topology.nodes() {
            for out in topology.channels_from(node).filter(|channel| alive[channel.link()]) {
                let channel: ChannelId = out.reverse();
                let class = topology.channel_class(symmetry, channel).index();
                let from: NodeId = topology.source(channel).node;
                incoming.push(Incoming { from: from.0, class: class as u32, channel: channel.0 });
                kinds[class] = Some(topology.links()[channel.link()].class);
                reverse[class] = topology.channel_class(symmetry, out).0;
                depth[class] = copper_behind(topology, channel);
                crossing[class] = from.index() / symmetry.chips_per_cube() != node.index() / symmetry.chips_per_cube();
            }
            starts.push(incoming.len() as u32);
        }
        Self {
            nodes: topology.node_count(),
            classes,
            channels: topology.channel_count(),
            order: symmetry.order(),
            sources: symmetry.canonical_nodes().map(|node| node.0).collect(),
            node_class: topology.nodes().map(|node| symmetry.class(node) as u32).collect(),
            chips_per_cube: symmetry.chips_per_cube(),
            starts,
            incoming,
            kinds,
            reverse,
            ports: topology.ports(),
            crossing,
            depth,
            demand: demand.clone(),
            mirrored: demand.is_symmetric(),
        }
    }

    /// The weights from a source, by destination.
    pub(super) fn weights_from(&self, source: u32) -> Vec<u32> {
        self.demand.row(NodeId(source))
    }

    /// Lit channels into a node.
    pub(super) fn incoming_of(&self, node: usize) -> &[Incoming] {
        &self.incoming[self.range_of(node)]
    }

    /// Where the lit channels into a node stand in [`Quotient::incoming`].
    pub(super) fn range_of(&self, node: usize) -> std::ops::Range<usize> {
        self.starts[node] as usize..self.starts[node + 1] as usize
    }

    /// Number of lit channels of a class per pod (0 or the order of the symmetry).
    pub(super) fn lit(&self, class: usize) -> bool {
        self.kinds[class].is_some()
    }
}

/// How many copper links in a row lead up to a channel in its own direction.
fn copper_behind(topology: &Topology, channel: ChannelId) -> u32 {
    let mut at = topology.source(channel);
    let mut steps = 0;
    loop {
        let back = crate::ids::PortId(at.port.0 ^ 1);
        let Some(behind) = topology.outgoing(at.node, back).filter(|behind| topology.links()[behind.link()].class == LinkClass::Local)
        else {
            return steps;
        };
        at.node = topology.target(behind).node;
        steps += 1;
    }
}

/// Shortest distances from one source under integer class lengths, by Dial's bucket queue; `order` lists nodes by distance.
#[derive(Debug, Default)]
pub(super) struct Distance {
    /// `[node]`; `u32::MAX` where unreachable.
    pub(super) distance: Vec<u32>,
    /// Reached nodes in non-decreasing distance.
    pub(super) order: Vec<u32>,
    buckets: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    filled: Vec<u64>,
}

const NONE: u32 = u32::MAX;

impl Distance {
    /// Fills `distance` and `order`. `longest` is the largest length of a lit class.
    ///
    /// Links are undirected and lit in both directions, so the channels out of a node are the reverses of the channels into it.
    pub(super) fn run(&mut self, quotient: &Quotient, source: usize, lengths: &[u32], longest: u32) {
        let nodes = quotient.nodes;
        self.distance.clear();
        self.distance.resize(nodes, NONE);
        self.next.resize(nodes, NONE);
        self.previous.resize(nodes, NONE);
        self.order.clear();
        let size = (longest as usize + 1).next_power_of_two().max(64);
        let mask = size - 1;
        self.buckets.clear();
        self.buckets.resize(size, NONE);
        self.filled.clear();
        self.filled.resize(size / 64, 0);
        self.distance[source] = 0;
        self.insert(source, 0);
        let mut at = 0usize;
        let mut waiting = 1usize;
        while waiting > 0 {
            // The next non-empty bucket, cyclically from `at`.
            let slot = self.next_filled(at & mask);
            at += (slot.wrapping_sub(at)) & mask;
            let node = self.buckets[slot] as usize;
            self.remove(node, slot);
            waiting -= 1;
            self.order.push(node as u32);
            let here = self.distance[node];
            debug_assert_eq!(here as usize, at);
            for channel in quotient.incoming_of(node) {
                let length = lengths[quotient.reverse[channel.class as usize] as usize];
                let to = channel.from as usize;
                let through = here + length;
                if through < self.distance[to] {
                    if self.distance[to] == NONE {
                        waiting += 1;
                    } else {
                        let old = self.distance[to] as usize & mask;
                        self.remove(to, old);
                    }
                    self.distance[to] = through;
                    self.insert(to, through as usize & mask);
                }
            }
        }
    }

    fn insert(&mut self, node: usize, slot: usize) {
        let head = self.buckets[slot];
        self.next[node] = head;
        self.previous[node] = NONE;
        if head != NONE {
            self.previous[head as usize] = node as u32;
        }
        self.buckets[slot] = node as u32;
        self.filled[slot / 64] |= 1 << (slot % 64);
    }

    fn remove(&mut self, node: usize, slot: usize) {
        let (previous, next) = (self.previous[node], self.next[node]);
        if next != NONE {
            self.previous[next as usize] = previous;
        }
        if previous != NONE {
            self.next[previous as usize] = next;
        } else {
            self.buckets[slot] = next;
            if next == NONE {
                self.filled[slot / 64] &= !(1 << (slot % 64));
            }
        }
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
