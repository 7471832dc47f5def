//! Channel lengths that the structure of a network makes plausible: each proves an upper bound on the flow,
//! and where a cut, an axis or a class of links decides, one of them proves it exactly.
//!
//! In: a topology. Out: lengths by channel class, 0 for dark ones, without repetition; the first are all
//! ones.

use fabc_base::ids::{ChannelId, Id, IdVec, NodeId};
use fabc_ir::{LinkClass, Names, Topology};
use std::collections::BTreeSet;

/// Lengths of global links tried against local ones of length 1, and of local ones against global ones.
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

/// Axes up to which every set of them is tried; beyond that single ones.
const JOINED_AXES: usize = 3;

/// The most levels between the hosts and the farthest router, or kinds of links, that have lengths of their
/// own.
const MOST_PARTS: u32 = 16;

/// Plausible channel lengths, `[channel class]` under the topology's symmetry.
pub fn start_lengths(topology: &Topology) -> Vec<Vec<u32>> {
    let mut seeds: Vec<Vec<u32>> = Vec::new();
    let mut consider = |length: &dyn Fn(ChannelId) -> u32| {
        let lengths = by_class(topology, length);
        if lengths.iter().any(|&length| length > 0) && !seeds.contains(&lengths) {
            seeds.push(lengths);
        }
    };
    consider(&|_| 1);
    by_kind(topology, &mut consider);
    by_depth(topology, &mut consider);
    if let Names::Grid(sides) = topology.names() {
        by_axis(topology, sides, &mut consider);
    }
    seeds
}

/// Lengths of the canonical channels.
fn by_class(topology: &Topology, length: &dyn Fn(ChannelId) -> u32) -> Vec<u32> {
    let symmetry = topology.symmetry();
    let mut lengths = vec![0; topology.class_count(symmetry)];
    for channel in symmetry.canonical_nodes().flat_map(|node| topology.channels_from(node)) {
        lengths[topology.channel_class(symmetry, channel).index()] = length(channel);
    }
    lengths
}

/// Local against global links, and every declared kind of links alone.
fn by_kind(topology: &Topology, consider: &mut impl FnMut(&dyn Fn(ChannelId) -> u32)) {
    let link = |channel: ChannelId| topology.link(channel);
    if topology.links().iter().any(|link| link.class == LinkClass::Global) {
        for [local, global] in RATIOS {
            consider(&|channel| if link(channel).class == LinkClass::Global { global } else { local });
        }
    }
    let types: BTreeSet<_> = topology.links().iter().map(|link| link.link_type).collect();
    for only in types.into_iter().take(MOST_PARTS as usize) {
        consider(&|channel| u32::from(link(channel).link_type == only));
    }
}

/// Where some routers only forward: the links between two depths, counted in hops from the nearest host.
fn by_depth(topology: &Topology, consider: &mut impl FnMut(&dyn Fn(ChannelId) -> u32)) {
    let depth = depths(topology);
    let deepest = depth.iter().copied().max().unwrap_or(0);
    for level in (0..deepest).take(MOST_PARTS as usize) {
        consider(&|channel| {
            let ends = [topology.source(channel).node, topology.target(channel).node].map(|node| depth[node]);
            u32::from(ends[0] != ends[1] && ends[0].min(ends[1]) == level)
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

/// The links along an axis or several of them, and those from one half of an axis to the other.
fn by_axis(topology: &Topology, sides: &[u32], consider: &mut impl FnMut(&dyn Fn(ChannelId) -> u32)) {
    // (stride, side) of the axes that have links; the last one is fastest.
    let mut axes = Vec::new();
    let mut stride = 1;
    for &side in sides.iter().rev() {
        if side > 1 {
            axes.push((stride, side));
        }
        stride *= side;
    }
    let at = |node: NodeId, (stride, side): (u32, u32)| node.0 / stride % side;
    let ends = |channel| [topology.source(channel).node, topology.target(channel).node];
    let runs_along = |channel: ChannelId, axis| {
        let [from, to] = ends(channel).map(|node| at(node, axis));
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
            let [from, to] = ends(channel).map(|node| at(node, axis) < axis.1 / 2);
            u32::from(from != to)
        });
    }
}
