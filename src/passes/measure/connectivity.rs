//! Edge connectivity: the fewest links whose loss disconnects two routers with hosts.
//!
//! Input: a connected topology. Output: that number. By Menger's theorem it is the least maximum flow
//! between two of these routers where every channel carries one unit. One of the two may be fixed: a cut
//! that separates two routers separates one of them from the fixed one. With simplex links, flows are taken
//! to the fixed router as well. Augmenting paths come from breadth-first search (Ford & Fulkerson 1956), at
//! most as many as the least degree.
//!
//! If every router has hosts and no two links join the same two routers, flows between routers of a
//! dominating set are enough. On both sides of a cut of fewer links than the least degree some router has
//! no link across, and so has one of the set (Matula 1987). Cost: routers (of the set) by links by degree.
//! Targets run in parallel.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::Topology;
use rayon::prelude::*;

/// The fewest channels out of, or into, a router with hosts. Losing them separates that router from the
/// others.
pub fn least_degree(topology: &Topology) -> usize {
    let degree =
        |node: NodeId| topology.channels_from(node).count().min(topology.channels_into(node).count());
    topology.endpoints().map(degree).min().unwrap_or(0)
}

/// The edge connectivity, at most `max_flow`. There must be two routers with hosts.
pub(super) fn edge_connectivity(topology: &Topology, max_flow: usize) -> u64 {
    let endpoints = dominating_set(topology).unwrap_or_else(|| topology.endpoints().collect());
    let flow_to = |&to: &NodeId| {
        let forward_flow = maximum_flow(topology, endpoints[0], to, max_flow);
        if topology.has_simplex() {
            forward_flow.min(maximum_flow(topology, to, endpoints[0], forward_flow))
        } else {
            forward_flow
        }
    };
    endpoints[1..].par_iter().map(flow_to).min().unwrap_or(max_flow) as u64
}

/// Routers such that every other one is next to one of them. `None` unless all routers have hosts, links
/// are duplex and no two join the same two routers.
fn dominating_set(topology: &Topology) -> Option<Vec<NodeId>> {
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

/// The maximum flow between two routers, or `max_flow` if it is at least that.
fn maximum_flow(topology: &Topology, from: NodeId, to: NodeId, max_flow: usize) -> usize {
    let mut used = vec![false; topology.channel_count()];
    let mut reached_by: Vec<Option<ChannelId>> = vec![None; topology.node_count()];
    (0..max_flow).find(|_| !augment(topology, from, to, &mut used, &mut reached_by)).unwrap_or(max_flow)
}

/// Adds a unit of flow, or returns `false` if no path is left for it. `reached_by` is scratch space: the
/// channel by which a router was reached, against its direction if a unit is taken back.
fn augment(
    topology: &Topology,
    from: NodeId,
    to: NodeId,
    used: &mut [bool],
    reached_by: &mut [Option<ChannelId>],
) -> bool {
    reached_by.fill(None);
    let mut queue = vec![from];
    let mut next = 0;
    'search: while let Some(&node) = queue.get(next) {
        next += 1;
        let forward = topology
            .channels_from(node)
            .filter(|channel| !used[channel.index()])
            .map(|channel| (channel, topology.target(channel).node));
        let back = topology
            .channels_into(node)
            .filter(|channel| used[channel.index()])
            .map(|channel| (channel, topology.source(channel).node));
        for (channel, reached) in forward.chain(back) {
            if reached != from && reached_by[reached.index()].is_none() {
                reached_by[reached.index()] = Some(channel);
                if reached == to {
                    break 'search;
                }
                queue.push(reached);
            }
        }
    }
    let mut node = to;
    while node != from {
        let Some(channel) = reached_by[node.index()] else { return false };
        // The path used this channel against its direction, so its unit is taken back.
        let forward = !used[channel.index()];
        used[channel.index()] = forward;
        node = if forward { topology.source(channel).node } else { topology.target(channel).node };
    }
    true
}
