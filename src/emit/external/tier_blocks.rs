//! Blocks of switches: those of one tier that the tiers up to it join.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::Topology;

/// The block of a switch: the switches of its tier that the tiers up to it join with it, in the order in
/// which a search finds them.
pub(super) fn block_of(topology: &Topology, tiers: &[u32], first: NodeId) -> Vec<NodeId> {
    let tier = tiers[first.index()];
    let mut is_reached = vec![false; topology.node_count()];
    is_reached[first.index()] = true;
    let mut reached = vec![first];
    let mut place = 0;
    while let Some(&switch) = reached.get(place) {
        place += 1;
        for channel in topology.channels_from(switch) {
            let next = topology.target(channel).node;
            if tiers[next.index()] <= tier && !is_reached[next.index()] {
                is_reached[next.index()] = true;
                reached.push(next);
            }
        }
    }
    reached.retain(|switch| tiers[switch.index()] == tier);
    reached
}
