//! The set of dependencies that a walk saw: a bit for each pair of (channel, virtual channel) that a router
//! can join.
//!
//! A *dependency* is a pair of a held channel and the next channel that its packet asks for. Under a symmetry
//! the channels of a class share their bits. Bits are numbered densely, so that a router pays for the
//! channels that it has, not for the ports that it could have.

use crate::network::{NOWHERE, PortGraph};
use fabc_topology::Symmetry;
use fabc_topology::ids::{Id, NodeId};
use std::sync::atomic::{AtomicU64, Ordering};

/// The most bits that are kept: 8 GiB.
const MOST_BITS: u64 = 1 << 36;

/// A channel, as the slot that it leaves by, and a virtual channel of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HeldChannel {
    /// The slot that the channel leaves by: `router * ports + port`.
    pub slot: usize,
    /// The virtual channel, below the number of the tables.
    pub vc: usize,
}

/// The dependencies of one walk. All threads of the walk write to them.
pub struct Dependencies {
    vcs: usize,
    ports: usize,
    /// `[slot]`: the first bit of its class. Meaningless where there is no channel.
    first_bit: Vec<u64>,
    /// `[slot]`: the number of channels that leave the router at its end, times `vcs`. 0 where there is no
    /// channel.
    width: Vec<u32>,
    /// `[slot]`: its number among the channels of its router, times `vcs`.
    ordinal: Vec<u32>,
    /// `[slot]`: the router at its end.
    target: Vec<u32>,
    bits: Vec<AtomicU64>,
}

impl Dependencies {
    /// An empty set. `None` if it would not fit in memory.
    pub fn new(network: &PortGraph, symmetry: &Symmetry, vcs: usize) -> Option<Self> {
        let ports = network.ports;
        let has_channel = |slot: usize| network.next[slot].0 != NOWHERE;
        let (mut ordinal, mut degree) = (vec![0; network.next.len()], vec![0u32; network.routers()]);
        for slot in (0..network.next.len()).filter(|&slot| has_channel(slot)) {
            ordinal[slot] = degree[slot / ports] * vcs as u32;
            degree[slot / ports] += 1;
        }
        let target: Vec<u32> = network.next.iter().map(|&(router, _)| router).collect();
        let width: Vec<u32> = target
            .iter()
            .map(|&router| if router == NOWHERE { 0 } else { degree[router as usize] * vcs as u32 })
            .collect();
        let (mut bits, mut first_bit) = (0u64, vec![0; width.len()]);
        for node in symmetry.canonical_nodes() {
            for slot in node.index() * ports..(node.index() + 1) * ports {
                first_bit[slot] = bits;
                bits += u64::from(width[slot]) * vcs as u64;
            }
        }
        for router in 0..network.routers() {
            let canonical = symmetry.canonical_node(symmetry.class(NodeId::new(router))).index();
            for port in 0..ports {
                first_bit[router * ports + port] = first_bit[canonical * ports + port];
            }
        }
        let words = if bits <= MOST_BITS { bits.div_ceil(64) as usize } else { return None };
        let bits = std::iter::repeat_with(AtomicU64::default).take(words).collect();
        Some(Self { vcs, ports, first_bit, width, ordinal, target, bits })
    }

    /// The bit of a dependency. Images under the symmetry have the same bit.
    #[inline]
    pub fn bit_of(&self, held: HeldChannel, next: HeldChannel) -> u64 {
        self.first_bit_of(held) + u64::from(self.ordinal[next.slot]) + next.vc as u64
    }

    /// The first bit of a held channel. [`Self::bit_of`] adds to it.
    #[inline]
    fn first_bit_of(&self, held: HeldChannel) -> u64 {
        self.first_bit[held.slot] + held.vc as u64 * u64::from(self.width[held.slot])
    }

    /// Adds the dependency with this bit.
    #[inline]
    pub fn insert(&self, number: u64) {
        let (word, bit) = (&self.bits[(number / 64) as usize], 1 << (number % 64));
        // Most dependencies are seen many times, and reading costs less than writing.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    fn contains(&self, number: u64) -> bool {
        self.bits[(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
    }

    /// The number of dependencies. Images under the symmetry count once.
    pub fn count(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
    }

    /// The channels that packets asked for while they held `held`, in the order of their slots.
    pub(crate) fn next_channels(&self, held: HeldChannel) -> impl Iterator<Item = HeldChannel> {
        let first = self.first_bit_of(held);
        let router = self.target[held.slot] as usize;
        let outputs = if self.target[held.slot] == NOWHERE {
            0..0
        } else {
            router * self.ports..(router + 1) * self.ports
        };
        outputs
            .filter(|&slot| self.target[slot] != NOWHERE)
            .flat_map(|slot| (0..self.vcs).map(move |vc| HeldChannel { slot, vc }))
            .filter(move |next| self.contains(first + u64::from(self.ordinal[next.slot]) + next.vc as u64))
    }

    /// The number of slots, those without a channel included.
    pub(crate) fn slots(&self) -> usize {
        self.width.len()
    }

    /// The number of virtual channels.
    pub(crate) fn vcs(&self) -> usize {
        self.vcs
    }
}
