//! Exact hop distances by breadth-first search from the canonical nodes.

use crate::ids::{Id, NodeId};
use crate::ir::{Distances, Scene};
use crate::model::Demand;

/// Hop distances over all ordered pairs of routers that send and receive, or `None` where the lit links do
/// not connect them.
///
/// The scene must keep the symmetry of its topology.
pub fn distances(scene: &Scene<'_>) -> Option<Distances> {
    let symmetry = scene.topology.symmetry();
    let mut histogram = vec![0u64];
    let endpoints = scene.endpoints().count();
    for source in symmetry.canonical_nodes().filter(|&source| scene.is_endpoint(source)) {
        let mut reached = 1;
        each_distance(scene, source, |node, distance| {
            if !scene.is_endpoint(node) {
                return;
            }
            histogram.resize(histogram.len().max(distance as usize + 1), 0);
            histogram[distance as usize] += symmetry.order() as u64;
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
/// The scene and `demand` must keep the symmetry of the topology.
pub fn demand_hops(scene: &Scene<'_>, demand: &Demand) -> u64 {
    let symmetry = scene.topology.symmetry();
    let mut sum = 0;
    for source in symmetry.canonical_nodes().filter(|&source| scene.is_endpoint(source)) {
        each_distance(scene, source, |node, distance| sum += u64::from(demand.weight(source, node)) * u64::from(distance));
    }
    sum * symmetry.order() as u64
}

/// Visits every other node that can be reached from a source, with its distance, nearest first.
fn each_distance(scene: &Scene<'_>, source: NodeId, mut visit: impl FnMut(NodeId, u32)) {
    let topology = scene.topology;
    let mut hops = vec![u32::MAX; topology.node_count()];
    let mut queue = Vec::with_capacity(topology.node_count());
    hops[source.index()] = 0;
    queue.push(source);
    let mut head = 0;
    while head < queue.len() {
        let node = queue[head];
        head += 1;
        for channel in scene.channels_from(node) {
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
