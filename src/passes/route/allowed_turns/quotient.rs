//! The topology as flat arrays, and the quotient of its channels under a symmetry.
//!
//! Input: a scene, prices, the number of VCs in use. Output: a [`TurnQuotient`]. Invariant: a value per
//! class holds for every channel of the class. That includes dark channels: a class is lit or dark as a
//! whole.
//!
//! A *state* is a (channel, VC) of the topology, numbered `(source node * ports + output port) * vcs + vc`.
//! A *symbol* is its class, numbered `channel class * vcs + vc`. A translation-invariant set of turns has
//! no cycle of states if and only if it has no cycle of symbols, because the group acts freely and is
//! finite. A cycle of states maps onto a closed walk of symbols. A closed walk of symbols, followed often
//! enough, closes in the topology.

use fabc_base::ids::{ChannelId, Id, PortId};
use fabc_ir::{DualLengths, Scene, Symmetry};

/// Marks a port without a lit link.
pub(super) const DARK: u32 = u32::MAX;

/// The mean length of a lit channel after scaling.
pub(super) const MEAN_LENGTH: u32 = 1024;

/// Most parts of a unit of load that selections count exactly.
const MAX_PARTS: u64 = 64;

/// A topology in one scenario, under one symmetry.
#[derive(Clone)]
pub(super) struct TurnQuotient {
    pub(super) symmetry: Symmetry,
    /// The number of routers, canonical or not.
    pub(super) nodes: usize,
    /// The number of ports per router.
    pub(super) ports: usize,
    /// Number of virtual channels in use.
    pub(super) vcs: usize,
    /// `[node * ports + port]`: the router that the channel leads to, or [`DARK`].
    pub(super) head: Vec<u32>,
    /// `[node * ports + port]`: the port by which the channel arrives and its reverse leaves. All links are
    /// duplex here.
    pub(super) in_port: Vec<u16>,
    /// `[node]`: its class under the symmetry.
    pub(super) class: Vec<u32>,
    /// `[channel class]`: load of a route of weight 1, as selections count it, in [`TurnQuotient::parts`]
    /// of a unit of capacity.
    pub(super) slowness: Vec<u32>,
    /// Parts of a unit of load, rounded where a unit has more than [`MAX_PARTS`].
    pub(super) parts: f64,
    /// Whether `parts` is not rounded, so that loads are exact.
    pub(super) exact: bool,
    /// `[channel class]`: price of a channel, scaled to a mean of [`MEAN_LENGTH`] and at least an eighth of
    /// it. Dark classes have 0.
    pub(super) length: Vec<u32>,
}

impl TurnQuotient {
    /// The quotient of a scene under the symmetry of its topology. It takes the trivial symmetry if the
    /// scene does not keep that one, or if `trivial` is set.
    pub(super) fn new(scene: &Scene<'_>, prices: &DualLengths, vcs: usize, trivial: bool) -> Self {
        let (topology, full_symmetry) = (scene.topology, scene.topology.symmetry());
        let symmetry = if trivial || !scene.keeps_symmetry() {
            full_symmetry.to_trivial()
        } else {
            full_symmetry.clone()
        };
        let (nodes, ports) = (topology.node_count(), topology.ports());
        let mut head = vec![DARK; nodes * ports];
        let mut in_port = vec![u16::MAX; nodes * ports];
        for node in topology.nodes() {
            for port in 0..ports {
                if let Some(channel) = scene.outgoing(node, PortId::new(port)) {
                    let end = topology.target(channel);
                    head[node.index() * ports + port] = end.node.0;
                    in_port[node.index() * ports + port] = end.port.0;
                }
            }
        }
        let class: Vec<u32> = topology.nodes().map(|node| symmetry.class(node) as u32).collect();
        let raw: Vec<u64> = symmetry
            .canonical_nodes()
            .flat_map(|node| (0..ports).map(move |port| (node, port)))
            .map(|(node, port)| {
                prices.lengths.get(full_symmetry.class(node) * ports + port).copied().unwrap_or(0)
            })
            .collect();
        let lit: Vec<bool> = symmetry
            .canonical_nodes()
            .flat_map(|node| (0..ports).map(move |port| node.index() * ports + port))
            .map(|channel| head[channel] != DARK)
            .collect();
        let count = lit.iter().filter(|&&lit| lit).count().max(1) as u128;
        let total: u128 =
            raw.iter().zip(&lit).filter(|&(_, &lit)| lit).map(|(&length, _)| u128::from(length)).sum();
        let scaled = |length: u64| {
            (u128::from(length) * count * u128::from(MEAN_LENGTH))
                .checked_div(total)
                .map_or(MEAN_LENGTH, |scaled| scaled.min(64 * u128::from(MEAN_LENGTH)) as u32)
        };
        let length = raw
            .iter()
            .zip(&lit)
            .map(|(&raw, &lit)| if lit { scaled(raw).max(MEAN_LENGTH / 8) } else { 0 })
            .collect();
        let (unit_parts, slow) = (topology.capacities().parts(), |channel: Option<ChannelId>| {
            channel.map(|channel| topology.slowness(channel))
        });
        let raw: Vec<u64> = symmetry
            .canonical_nodes()
            .flat_map(|node| (0..ports).map(move |port| topology.outgoing(node, PortId::new(port))))
            .map(|channel| slow(channel).unwrap_or(1))
            .collect();
        let exact = unit_parts <= MAX_PARTS;
        // Potentials are tables by load. Fine parts would make them long, and a search does not need them.
        let slowest = raw.iter().copied().max().unwrap_or(1);
        let coarse =
            |slow: u64| if exact { slow } else { (slow * MAX_PARTS + slowest / 2) / slowest }.max(1) as u32;
        let slowness = raw.into_iter().map(coarse).collect();
        let parts =
            if exact { unit_parts as f64 } else { unit_parts as f64 * MAX_PARTS as f64 / slowest as f64 };
        Self { symmetry, nodes, ports, vcs, head, in_port, class, slowness, parts, exact, length }
    }

    /// The mean load of a route of weight 1 over a channel.
    pub(super) fn mean_slowness(&self) -> f64 {
        self.slowness.iter().map(|&slowness| f64::from(slowness)).sum::<f64>()
            / self.slowness.len().max(1) as f64
    }
    /// Number of channel classes, dark ones included.
    pub(super) fn classes(&self) -> usize {
        self.length.len()
    }
    /// The number of symbols, dark ones included.
    pub(super) fn symbols(&self) -> usize {
        self.classes() * self.vcs
    }
    /// The number of states, dark ones included.
    pub(super) fn states(&self) -> usize {
        self.head.len() * self.vcs
    }
    /// The class of a channel that is given as `node * ports + port`.
    pub(super) fn channel_class(&self, channel: usize) -> usize {
        self.class[channel / self.ports] as usize * self.ports + channel % self.ports
    }
    /// The canonical channel of a class, as `node * ports + port`.
    pub(super) fn canonical_channel(&self, class: usize) -> usize {
        self.symmetry.canonical_node(class / self.ports).index() * self.ports + class % self.ports
    }
    /// Moves the price of every lit class half way to a price by its load. That price is half flat and half
    /// in proportion to the load.
    pub(super) fn reprice(&mut self, loads: &[u32]) {
        let lit = self.length.iter().filter(|&&length| length > 0).count().max(1) as u64;
        let mean = (loads.iter().map(|&load| u64::from(load)).sum::<u64>() / lit).max(1);
        for (length, &load) in self.length.iter_mut().zip(loads).filter(|(length, _)| **length > 0) {
            let part = u64::from(load).min(8 * mean) * u64::from(MEAN_LENGTH) / mean;
            *length = ((u64::from(*length) + u64::from(MEAN_LENGTH) / 2 + part / 2) / 2) as u32;
        }
    }
}
