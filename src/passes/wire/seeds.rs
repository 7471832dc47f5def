//! Channel lengths that the structure of a network suggests. Each proves an upper bound on the flow. Where a
//! cut, an axis or a class of links limits the flow, one of them proves it exactly.
//!
//! Input: a topology. Output: lengths by channel class, 0 for dark ones, without repetition. The first entry
//! has all lengths 1.

use fabc_base::ids::{ChannelId, Id, IdVec, NodeId};
use fabc_ir::{LinkClass, RouterNames, Topology};
use std::collections::BTreeSet;

/// (local, global) lengths of links to try.
const RATIOS: [[u32; 2]; 13] = [
    [1, 2],
    [1, 3],
    [1, 4],
    [1, 6],
    [1, 8],
    [1, 12],
    [1, 16],
    [1, 24],
    [0, 1],
    [2, 1],
    [3, 1],
    [4, 1],
    [1, 0],
];

/// Number of axes up to which every set of them is tried. With more axes, single ones are tried.
const JOINED_AXES: usize = 3;

/// Limit on levels between the hosts and the farthest router, and on kinds of links, that get lengths of
/// their own.
const PARTS_LIMIT: u32 = 16;

/// Suggested channel lengths, `[channel class]` under the topology's symmetry.
pub fn start_lengths(topology: &Topology) -> Vec<Vec<u32>> {
    let mut length_sets: Vec<Vec<u32>> = Vec::new();
    let mut consider = |length: &dyn Fn(ChannelId) -> u32| {
        let lengths = by_class(topology, length);
        if lengths.iter().any(|&length| length > 0) && !length_sets.contains(&lengths) {
            length_sets.push(lengths);
        }
    };
    consider(&|_| 1);
    by_kind(topology, &mut consider);
    by_depth(topology, &mut consider);
    if let RouterNames::Grid(sides) = topology.names() {
        by_axis(topology, sides, &mut consider);
    }
    length_sets
}

/// The lengths of canonical channels, by channel class.
fn by_class(topology: &Topology, length: &dyn Fn(ChannelId) -> u32) -> Vec<u32> {
    let symmetry = topology.symmetry();
    let mut lengths = vec![0; topology.class_count(symmetry)];
    for channel in symmetry.canonical_nodes().flat_map(|node| topology.channels_from(node)) {
        lengths[topology.channel_class(symmetry, channel).index()] = length(channel);
    }
    lengths
}

/// Lengths for local against global links, and for every link type alone.
fn by_kind(topology: &Topology, consider: &mut impl FnMut(&dyn Fn(ChannelId) -> u32)) {
    let link = |channel: ChannelId| topology.link(channel);
    if topology.links().iter().any(|link| link.class == LinkClass::Global) {
        for [local, global] in RATIOS {
            consider(&|channel| if link(channel).class == LinkClass::Global { global } else { local });
        }
    }
    let types: BTreeSet<_> = topology.links().iter().map(|link| link.link_type).collect();
    for link_type in types.into_iter().take(PARTS_LIMIT as usize) {
        consider(&|channel| u32::from(link(channel).link_type == link_type));
    }
}

/// Where some routers only forward: lengths for the links between two depths, in hops from the nearest host.
fn by_depth(topology: &Topology, consider: &mut impl FnMut(&dyn Fn(ChannelId) -> u32)) {
    let depth = depths(topology);
    let deepest = depth.iter().copied().max().unwrap_or(0);
    for level in (0..deepest).take(PARTS_LIMIT as usize) {
        consider(&|channel| {
            let end_depths =
                [topology.source(channel).node, topology.target(channel).node].map(|node| depth[node]);
            u32::from(end_depths[0] != end_depths[1] && end_depths[0].min(end_depths[1]) == level)
        });
    }
}

/// Hops to every router from the nearest one with hosts.
fn depths(topology: &Topology) -> IdVec<NodeId, u32> {
    let mut depth = IdVec::filled(u32::MAX, topology.node_count());
    let mut queue: Vec<NodeId> = topology.endpoints().collect();
    queue.iter().for_each(|&node| depth[node] = 0);
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for channel in topology.channels_from(node) {
            let to = topology.target(channel).node;
            if depth[to] == u32::MAX {
                depth[to] = depth[node] + 1;
                queue.push(to);
            }
        }
    }
    depth
}

/// Lengths for the links along an axis or several axes, and for those from one half of an axis to the other.
fn by_axis(topology: &Topology, sides: &[u32], consider: &mut impl FnMut(&dyn Fn(ChannelId) -> u32)) {
    // (stride, side) of the axes that have links. The last axis of the grid comes first.
    let mut axes = Vec::new();
    let mut stride = 1;
    for &side in sides.iter().rev() {
        if side > 1 {
            axes.push((stride, side));
        }
        stride *= side;
    }
    let coordinate = |node: NodeId, (stride, side): (u32, u32)| node.0 / stride % side;
    let ends = |channel| [topology.source(channel).node, topology.target(channel).node];
    let runs_along = |channel: ChannelId, axis| {
        let [from, to] = ends(channel).map(|node| coordinate(node, axis));
        from != to
    };
    let sets: Vec<u32> = match axes.len() {
        ..=JOINED_AXES => (1..1 << axes.len()).collect(),
        more => (0..more).map(|axis| 1 << axis).collect(),
    };
    for set in sets {
        consider(&|channel| {
            let of_set =
                |&(index, &axis): &(usize, &(u32, u32))| set >> index & 1 == 1 && runs_along(channel, axis);
            u32::from(axes.iter().enumerate().any(|axis| of_set(&axis)))
        });
    }
    for &axis in &axes {
        consider(&|channel| {
            let [from, to] = ends(channel).map(|node| coordinate(node, axis) < axis.1 / 2);
            u32::from(from != to)
        });
    }
}
