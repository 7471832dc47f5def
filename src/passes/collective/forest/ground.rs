//! The scene of a forest: its routers by number, and how many parts its channels may carry.

use fabc_base::divisors::greatest_common_divisor;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{CollectiveBound, ForestTree, Fraction, LaneLoad, Scene};

/// The parts of the data of a root, and how many of them every channel may carry.
pub(super) struct ForestRate {
    pub(super) parts: u64,
    /// `[channel]`: the most parts on it, 0 for a dark one.
    pub(super) capacities: Vec<u64>,
}

/// The routers of a scene by number, chips first.
pub(super) struct ForestGround<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) nodes: Vec<NodeId>,
    /// Number of chips, which come first.
    pub(super) chips: usize,
    /// `[router]`: its number, or `usize::MAX` for a dead one.
    numbers: Vec<usize>,
    /// `[chip]`: whether it has data.
    pub(super) is_root: Vec<bool>,
}

impl<'a> ForestGround<'a> {
    /// The surviving routers of a scene. With a root only that chip has data.
    pub(super) fn new(scene: &'a Scene<'a>, root: Option<NodeId>) -> Self {
        let topology = scene.topology;
        let mut nodes: Vec<NodeId> = scene.endpoints().collect();
        let chips = nodes.len();
        nodes.extend(topology.nodes().filter(|&node| scene.lives(node) && !scene.is_endpoint(node)));
        let mut numbers = vec![usize::MAX; topology.node_count()];
        nodes.iter().enumerate().for_each(|(number, node)| numbers[node.index()] = number);
        let is_root = nodes[..chips].iter().map(|&chip| root.is_none_or(|root| root == chip)).collect();
        Self { scene, nodes, chips, numbers, is_root }
    }

    /// Number of the routers at the ends of a channel.
    pub(super) fn ends(&self, channel: ChannelId) -> [usize; 2] {
        let topology = self.scene.topology;
        [topology.source(channel), topology.target(channel)].map(|end| self.numbers[end.node.index()])
    }

    /// The capacities under a factor that is `numerator / denominator` parts per lane, rounded down.
    pub(super) fn capacities(&self, numerator: u128, denominator: u128) -> Vec<u64> {
        let topology = self.scene.topology;
        let mut capacities = vec![0; topology.channel_count()];
        for channel in self.scene.channels() {
            let lanes = u128::from(topology.channel_capacity(channel));
            capacities[channel.index()] = (lanes * numerator / denominator) as u64;
        }
        capacities
    }

    /// The fewest parts with which the bound of a cut leaves whole numbers of them on all channels.
    pub(super) fn optimal_rate(&self, bound: &CollectiveBound) -> ForestRate {
        let volume = bound.volume();
        let lanes = self.scene.channels().map(|channel| self.scene.topology.channel_capacity(channel));
        let common = lanes
            .fold(volume.denominator(), |common, lanes| greatest_common_divisor(common, u128::from(lanes)));
        ForestRate {
            parts: (volume.denominator() / common) as u64,
            capacities: self.capacities(volume.numerator(), common),
        }
    }

    /// A path without the detours that lead back to a router on it.
    pub(super) fn without_loops(&self, channels: &[ChannelId]) -> Vec<ChannelId> {
        let topology = self.scene.topology;
        let mut path: Vec<ChannelId> = Vec::with_capacity(channels.len());
        for &channel in channels {
            let target = topology.target(channel).node;
            path.push(channel);
            if let Some(first) = path.iter().position(|&earlier| topology.source(earlier).node == target) {
                path.truncate(first);
            }
        }
        path
    }

    /// The most parts on a channel per lane.
    pub(super) fn load(&self, trees: &[ForestTree]) -> LaneLoad {
        let topology = self.scene.topology;
        let mut loads = vec![0u64; topology.channel_count()];
        for path in trees.iter().flat_map(|tree| &tree.sends).flat_map(|send| &send.paths) {
            path.channels.iter().for_each(|channel| loads[channel.index()] += u64::from(path.amount));
        }
        let load = |channel: ChannelId| {
            Fraction::new(loads[channel.index()], topology.channel_capacity(channel).max(1))
        };
        let most = self.scene.channels().map(load).max().unwrap_or(Fraction::ZERO);
        LaneLoad { parts: most.numerator() as u64, lanes: most.denominator() as u64 }
    }
}
