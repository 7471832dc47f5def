//! The set of chips with the most data to send for each channel out of it.
//!
//! A rate x per chip is possible if and only if a source that gives x to each chip can send all of it to any
//! single chip, with channels of capacity 1. Where this fails, a least cut gives a set S with fewer than x
//! |S| channels out of it, and x falls to their ratio. This is Newton's method, as Dinkelbach used it in
//! 1967. A cut of as many channels as the least degree, or more, never gives less than the rate that this
//! degree allows. Groups that only such cuts separate are contracted first, and mostly a single group
//! remains. The flows are blocking flows (Dinic 1970) in integers.

use super::canonical::CanonicalScene;
use super::cut::CutGroups;
use fabc_base::ids::{Id, NodeId};
use std::collections::VecDeque;

/// A set of `chips` chips with `channels` channels out of it. The chips are those of some groups.
pub(super) struct TightestSet {
    pub(super) channels: u64,
    pub(super) chips: u64,
    /// `[group]`: whether its chips are in the set.
    pub(super) inside: Vec<bool>,
}

/// The set with the fewest channels per chip, if it has fewer than `channels / chips`.
pub(super) fn tightest_set(groups: &CutGroups, channels: u64, chips: u64) -> Option<TightestSet> {
    let mut best: Option<TightestSet> = None;
    'falls: loop {
        let (channels, chips) = best.as_ref().map_or((channels, chips), |best| (best.channels, best.chips));
        // Only chips have data to receive.
        for target in (0..groups.len()).filter(|&group| groups.sizes[group] > 0) {
            let mut network = FlowNetwork::new(groups, channels, chips);
            let wanted: u64 = groups.sizes.iter().sum::<u64>() * channels;
            if groups.len() > 1 && network.flow(groups.len(), target) < wanted {
                let inside: Vec<bool> = network.level[..groups.len()].iter().map(Option::is_some).collect();
                let links_out = |group: usize| {
                    groups.joined[group]
                        .iter()
                        .filter(|(other, _)| !inside[*other as usize])
                        .map(|&(_, links)| links)
                };
                let members = || (0..groups.len()).filter(|&group| inside[group]);
                let (channels, chips) =
                    (members().flat_map(links_out).sum(), members().map(|group| groups.sizes[group]).sum());
                best = Some(TightestSet { channels, chips, inside });
                continue 'falls;
            }
        }
        return best;
    }
}

/// The least cut between a chip and the root: its channels, and the routers on the side of the chip. The
/// channels lead towards the chip, or away from it for a reduction (`reduced`).
pub(super) fn least_root_cut(
    canonical: &CanonicalScene<'_>,
    root: NodeId,
    reduced: bool,
) -> (u64, Vec<NodeId>) {
    let scene = canonical.scene;
    let mut network = FlowNetwork::empty(canonical.nodes());
    for channel in scene.channels() {
        let [source, target] =
            [scene.topology.source(channel), scene.topology.target(channel)].map(|end| end.node.index());
        network.add_arc(
            if reduced { [target, source] } else { [source, target] },
            [scene.topology.channel_capacity(channel), 0],
        );
    }
    let capacities = network.residual.clone();
    let mut best = (u64::MAX, Vec::new());
    for chip in scene.endpoints().filter(|&chip| chip != root) {
        network.residual.clone_from(&capacities);
        let flow = network.flow(root.index(), chip.index());
        if flow < best.0 {
            // Failed routers are never reached.
            let is_cut_off = |node: &NodeId| scene.lives(*node) && network.level[node.index()].is_none();
            best = (flow, scene.topology.nodes().filter(is_cut_off).collect());
        }
    }
    best
}

/// A residual network. Arcs come in pairs: `arc ^ 1` is the reverse of `arc`.
struct FlowNetwork {
    arcs: Vec<Vec<u32>>,
    head: Vec<u32>,
    residual: Vec<u64>,
    level: Vec<Option<u32>>,
}

impl FlowNetwork {
    fn empty(nodes: usize) -> Self {
        Self { arcs: vec![Vec::new(); nodes], head: Vec::new(), residual: Vec::new(), level: Vec::new() }
    }

    /// The groups, with a source that gives each chip `channels` units. A channel carries `chips` units.
    fn new(groups: &CutGroups, channels: u64, chips: u64) -> Self {
        let count = groups.len();
        let mut network = Self::empty(count + 1);
        for group in 0..count {
            network.add_arc([count, group], [groups.sizes[group] * channels, 0]);
            for &(other, links) in groups.joined[group].iter().filter(|(other, _)| group < *other as usize) {
                network.add_arc([group, other as usize], [links * chips; 2]);
            }
        }
        network
    }

    fn add_arc(&mut self, nodes: [usize; 2], capacities: [u64; 2]) {
        for side in 0..2 {
            self.arcs[nodes[side]].push(self.head.len() as u32);
            self.head.push(nodes[1 - side] as u32);
            self.residual.push(capacities[side]);
        }
    }

    /// The largest flow. Afterwards `level` tells which nodes the source still reaches.
    fn flow(&mut self, source: usize, target: usize) -> u64 {
        let mut sum = 0;
        loop {
            self.label_levels(source);
            if self.level[target].is_none() {
                return sum;
            }
            let mut next = vec![0; self.arcs.len()];
            while let Some(more) = self.augment_path(source, target, &mut next) {
                sum += more;
            }
        }
    }

    fn label_levels(&mut self, source: usize) {
        self.level = vec![None; self.arcs.len()];
        self.level[source] = Some(0);
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            let deeper = self.level[node].map(|level| level + 1);
            for &arc in &self.arcs[node] {
                let head = self.head[arc as usize] as usize;
                if self.residual[arc as usize] > 0 && self.level[head].is_none() {
                    self.level[head] = deeper;
                    queue.push_back(head);
                }
            }
        }
    }

    /// Fills one path down the levels and returns its flow. `next` skips arcs that lead nowhere.
    fn augment_path(&mut self, source: usize, target: usize, next: &mut [usize]) -> Option<u64> {
        let mut path: Vec<u32> = Vec::new();
        let mut node = source;
        while node != target {
            let deeper = self.level[node].map(|level| level + 1);
            match self.arcs[node].get(next[node]) {
                Some(&arc)
                    if self.residual[arc as usize] > 0
                        && self.level[self.head[arc as usize] as usize] == deeper =>
                {
                    path.push(arc);
                    node = self.head[arc as usize] as usize;
                }
                Some(_) => next[node] += 1,
                None => {
                    let arc = path.pop()?;
                    node = self.head[arc as usize ^ 1] as usize;
                    next[node] += 1;
                }
            }
        }
        let bottleneck = path.iter().map(|&arc| self.residual[arc as usize]).min().unwrap_or(0);
        for &arc in &path {
            self.residual[arc as usize] -= bottleneck;
            self.residual[arc as usize ^ 1] += bottleneck;
        }
        Some(bottleneck)
    }
}
