//! Exact hop distances by breadth-first search from the canonical nodes.

use crate::ids::{Id, IdVec, LinkId, NodeId};
use crate::ir::{Distances, Topology};
use crate::model::Demand;

/// Hop distances over all ordered pairs of routers that send and receive, or `None` where the lit links do not connect them.
///
/// `alive` must be invariant under the symmetry of the topology.
pub fn distances(topology: &Topology, alive: &IdVec<LinkId, bool>) -> Option<Distances> {
    let mut histogram = vec![0u64];
    let endpoints = topology.endpoints().count();
    for source in topology.symmetry().canonical_nodes().filter(|&source| topology.is_endpoint(source)) {
        let mut reached = 1;
        each_distance(topology, alive, source, |node, distance| {
            if !topology.is_endpoint(node) {
                return;
            }
            histogram.resize(histogram.len().max(distance as usize + 1), 0);
            histogram[distance as usize] += topology.symmetry().order() as u64;
            reached += 1;
        });
        if reached < endpoints {
            return None;
        }
    }
    let total = histogram.iter().enumerate().map(|(hops, pairs)| hops as u64 * pairs).sum();
    Some(Distances { diameter: histogram.len() as u32 - 1, total, histogram })
}

/// The sum of weight x hop distance over all ordered pairs; the lit links must connect all nodes.
///
/// `alive` and `demand` must be invariant under the symmetry of the topology.
pub fn demand_hops(topology: &Topology, demand: &Demand, alive: &IdVec<LinkId, bool>) -> u64 {
    let mut sum = 0;
    for source in topology.symmetry().canonical_nodes().filter(|&source| topology.is_endpoint(source)) {
        each_distance(topology, alive, source, |node, distance| sum += u64::from(demand.weight(source, node)) * u64::from(distance));
    }
    sum * topology.symmetry().order() as u64
}

/// Visits every other node that can be reached from a source, with its distance, nearest first.
fn each_distance(topology: &Topology, alive: &IdVec<LinkId, bool>, source: NodeId, mut visit: impl FnMut(NodeId, u32)) {
    let mut hops = vec![u32::MAX; topology.node_count()];
    let mut queue = Vec::with_capacity(topology.node_count());
    hops[source.index()] = 0;
    queue.push(source);
    let mut head = 0;
    while head < queue.len() {
        let node = queue[head];
        head += 1;
        for channel in topology.channels_from(node).filter(|channel| alive[channel.link()]) {
            let to = topology.target(channel).node;
            if hops[to.index()] == u32::MAX {
                let distance = hops[node.index()] + 1;
                hops[to.index()] = distance;
                visit(to, distance);
                queue.push(to);
            }
        }
    }
}
