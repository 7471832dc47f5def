//! Exact hop distances by breadth-first search from the canonical nodes.

use crate::ids::{Id, IdVec, LinkId};
use crate::ir::{Distances, Topology};

/// Hop distances over all ordered pairs, or `None` where the lit links do not connect all nodes.
///
/// `alive` must be invariant under the symmetry of the topology.
pub fn distances(topology: &Topology, alive: &IdVec<LinkId, bool>) -> Option<Distances> {
    let symmetry = topology.symmetry();
    let mut histogram = vec![0u64];
    let mut hops = vec![u32::MAX; topology.node_count()];
    let mut queue = Vec::with_capacity(topology.node_count());
    for source in symmetry.canonical_nodes() {
        hops.fill(u32::MAX);
        queue.clear();
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
                    histogram.resize(histogram.len().max(distance as usize + 1), 0);
                    histogram[distance as usize] += symmetry.order() as u64;
                    queue.push(to);
                }
            }
        }
        if queue.len() < topology.node_count() {
            return None;
        }
    }
    let total = histogram.iter().enumerate().map(|(hops, pairs)| hops as u64 * pairs).sum();
    Some(Distances { diameter: histogram.len() as u32 - 1, total, histogram })
}
