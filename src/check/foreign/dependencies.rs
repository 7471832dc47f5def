//! Which (channel, virtual channel) was seen to wait for which: a bit for every pair that a router can join.
//!
//! Channels are numbered densely, so that a router with a thousand ports costs what it has and not what all could have.

use super::network::{NOWHERE, Network};
use petgraph::graph::{DiGraph, NodeIndex};
use std::sync::atomic::{AtomicU64, Ordering};

/// More bits than these are not kept: 8 GiB.
const MOST_BITS: u64 = 1 << 36;

/// The dependencies of one walk, which all its parts write together.
pub(super) struct Dependencies {
    vcs: usize,
    /// `[router]`: the number of its first channel; one more at the end.
    first: Vec<u32>,
    /// `[router * ports + port]`: the number of the channel; meaningless where there is none.
    number: Vec<u32>,
    /// `[channel]`: (its slot, the router that it leads to, the first bit of what it waits for).
    channels: Vec<(usize, u32, u64)>,
    bits: Vec<AtomicU64>,
}

impl Dependencies {
    /// None yet; `None` if they would not fit in memory.
    pub(super) fn new(network: &Network, vcs: usize) -> Option<Self> {
        let (mut first, mut number, mut channels) = (Vec::with_capacity(network.routers() + 1), Vec::new(), Vec::new());
        for (slot, &(to, _)) in network.next.iter().enumerate() {
            if slot % network.ports == 0 {
                first.push(channels.len() as u32);
            }
            number.push(channels.len() as u32);
            if to != NOWHERE {
                channels.push((slot, to, 0));
            }
        }
        first.push(channels.len() as u32);
        let mut bits = 0u64;
        for (_, to, start) in &mut channels {
            *start = bits;
            bits += u64::from(first[*to as usize + 1] - first[*to as usize]) * (vcs * vcs) as u64;
        }
        let words = if bits <= MOST_BITS { bits.div_ceil(64) as usize } else { return None };
        Some(Self { vcs, first, number, channels, bits: std::iter::repeat_with(AtomicU64::default).take(words).collect() })
    }

    /// The number of the dependency of a held (slot, VC) on the next one.
    pub(super) fn number(&self, (held, held_vc): (usize, usize), (next, next_vc): (usize, usize)) -> u64 {
        let (_, to, start) = self.channels[self.number[held] as usize];
        let (begin, end) = (self.first[to as usize], self.first[to as usize + 1]);
        let (outputs, output) = ((end - begin) as usize * self.vcs, (self.number[next] - begin) as usize * self.vcs + next_vc);
        start + (held_vc * outputs + output) as u64
    }

    /// Notes one.
    pub(super) fn insert(&self, number: u64) {
        let (word, bit) = (&self.bits[(number / 64) as usize], 1 << (number % 64));
        // Most are seen many times, and to look takes less than to write.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    fn contains(&self, number: u64) -> bool {
        self.bits[(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
    }

    /// What a vertex of [`Self::graph`] stands for: (slot, VC).
    pub(super) fn held(&self, vertex: usize) -> (usize, usize) {
        (self.channels[vertex / self.vcs].0, vertex % self.vcs)
    }

    /// One vertex per channel and virtual channel, one edge per dependency.
    pub(super) fn graph(&self) -> DiGraph<(), (), u32> {
        let vertices = self.channels.len() * self.vcs;
        let mut graph: DiGraph<(), (), u32> = DiGraph::with_capacity(vertices, self.count() as usize);
        for _ in 0..vertices {
            graph.add_node(());
        }
        for (channel, &(_, to, start)) in self.channels.iter().enumerate() {
            let outputs = self.first[to as usize] as usize * self.vcs..self.first[to as usize + 1] as usize * self.vcs;
            for (vc, output) in (0..self.vcs).flat_map(|vc| outputs.clone().map(move |output| (vc, output))) {
                if self.contains(start + (vc * outputs.len() + output - outputs.start) as u64) {
                    graph.add_edge(NodeIndex::new(channel * self.vcs + vc), NodeIndex::new(output), ());
                }
            }
        }
        graph
    }
}
