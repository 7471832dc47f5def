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
use super::flow_network::FlowNetwork;
use fabc_base::ids::{Id, NodeId};

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
            let mut network = group_network(groups, channels, chips);
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

/// The groups, with a source that gives each chip `channels` units. A channel carries `chips` units.
fn group_network(groups: &CutGroups, channels: u64, chips: u64) -> FlowNetwork {
    let count = groups.len();
    let mut network = FlowNetwork::empty(count + 1);
    for group in 0..count {
        network.add_arc([count, group], [groups.sizes[group] * channels, 0]);
        for &(other, links) in groups.joined[group].iter().filter(|(other, _)| group < *other as usize) {
            network.add_arc([group, other as usize], [links * chips; 2]);
        }
    }
    network
}
