//! Edge connectivity: the fewest links without which some router with hosts no longer reaches another one.
//!
//! In: a connected topology. Out: that number. By Menger's theorem it is the least maximum flow between two
//! of these routers where every channel carries one unit, and one of them may be fixed: whatever cut parts
//! two routers parts one of them from the fixed one. Where links run one way, flows are taken to the fixed
//! router as well. Augmenting paths by breadth-first search (Ford & Fulkerson 1956), at most as many as the
//! least degree. Where every router has hosts and no two links join the same two routers, flows between
//! routers of a dominating set are enough: on both sides of a cut of fewer links than the least degree some
//! router has no link across, and so has one of the set (Matula 1987). Cost: routers (of the set) by links by
//! degree; targets run in parallel.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::Topology;
use rayon::prelude::*;

/// The fewest channels out of, or into, a router with hosts: without them it is apart from the others.
pub fn least_degree(topology: &Topology) -> usize {
    let degree =
        |node: NodeId| topology.channels_from(node).count().min(topology.channels_into(node).count());
    topology.endpoints().map(degree).min().unwrap_or(0)
}

/// The edge connectivity, at most the least degree; there must be two routers with hosts.
pub(super) fn edge_connectivity(topology: &Topology, most: usize) -> u64 {
    let endpoints = dominating(topology).unwrap_or_else(|| topology.endpoints().collect());
    let ways = |&to: &NodeId| {
        let there = flow(topology, endpoints[0], to, most);
        if topology.has_simplex() { there.min(flow(topology, to, endpoints[0], there)) } else { there }
    };
    endpoints[1..].par_iter().map(ways).min().unwrap_or(most) as u64
}

/// Routers such that every other one is next to one of them; `None` unless all routers have hosts, links run
/// both ways and no two join the same two routers.
fn dominating(topology: &Topology) -> Option<Vec<NodeId>> {
    if topology.has_simplex() || topology.endpoints().count() < topology.node_count() {
        return None;
    }
    let mut next_to: Vec<Option<NodeId>> = vec![None; topology.node_count()];
    let mut covered = vec![false; topology.node_count()];
    let mut chosen = Vec::new();
    for node in topology.nodes() {
        for to in topology.channels_from(node).map(|channel| topology.target(channel).node) {
            if next_to[to.index()].replace(node) == Some(node) {
                return None;
            }
        }
        if !covered[node.index()] {
            covered[node.index()] = true;
            topology
                .channels_from(node)
                .for_each(|channel| covered[topology.target(channel).node.index()] = true);
            chosen.push(node);
        }
    }
    Some(chosen)
}

/// The maximum flow between two routers, or `most` where it is at least that.
fn flow(topology: &Topology, from: NodeId, to: NodeId, most: usize) -> usize {
    let mut used = vec![false; topology.channel_count()];
    let mut by: Vec<Option<ChannelId>> = vec![None; topology.node_count()];
    (0..most).find(|_| !augment(topology, [from, to], &mut used, &mut by)).unwrap_or(most)
}

/// Adds a unit of flow; `false` if there is no way for it. `by` is scratch: the channel that a router was
/// reached by, against its direction where a unit is taken back.
fn augment(
    topology: &Topology,
    [from, to]: [NodeId; 2],
    used: &mut [bool],
    by: &mut [Option<ChannelId>],
) -> bool {
    by.fill(None);
    let mut queue = vec![from];
    let mut next = 0;
    'search: while let Some(&node) = queue.get(next) {
        next += 1;
        let on = topology
            .channels_from(node)
            .filter(|channel| !used[channel.index()])
            .map(|channel| (channel, topology.target(channel).node));
        let back = topology
            .channels_into(node)
            .filter(|channel| used[channel.index()])
            .map(|channel| (channel, topology.source(channel).node));
        for (channel, reached) in on.chain(back) {
            if reached != from && by[reached.index()].is_none() {
                by[reached.index()] = Some(channel);
                if reached == to {
                    break 'search;
                }
                queue.push(reached);
            }
        }
    }
    let mut node = to;
    while node != from {
        let Some(channel) = by[node.index()] else { return false };
        // A channel in use was gone against its direction: its unit is taken back.
        let forward = !used[channel.index()];
        used[channel.index()] = forward;
        node = if forward { topology.source(channel).node } else { topology.target(channel).node };
    }
    true
}
