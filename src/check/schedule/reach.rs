//! How far routers are from each other, and what channels carry together.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::Scene;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

/// The capacity of channels together, in units of the greatest common bandwidth.
pub(super) fn total_lanes(scene: &Scene<'_>, channels: impl Iterator<Item = ChannelId>) -> u32 {
    let capacity: u64 = channels.map(|channel| scene.topology.channel_capacity(channel)).sum();
    u32::try_from(capacity).unwrap_or(u32::MAX)
}

/// `[router]`: hops to `node`. `u32::MAX` without a path.
pub(super) fn hops_to(scene: &Scene<'_>, node: NodeId) -> Vec<u32> {
    let mut hops = vec![u32::MAX; scene.topology.node_count()];
    hops[node.index()] = 0;
    let mut queue = VecDeque::from([node]);
    while let Some(reached) = queue.pop_front() {
        for channel in scene.channels_into(reached) {
            let from = scene.topology.source(channel).node;
            if hops[from.index()] == u32::MAX {
                hops[from.index()] = hops[reached.index()] + 1;
                queue.push_back(from);
            }
        }
    }
    hops
}

/// The least time of a path between `node` and any router that `is_far`, by Dijkstra's algorithm: from the
/// router to the node, or from the node where it `sends`. 0 without a path.
pub(super) fn earliest_between(
    scene: &Scene<'_>,
    node: NodeId,
    sends: bool,
    is_far: &dyn Fn(NodeId) -> bool,
    hop: &dyn Fn(ChannelId) -> u128,
) -> u128 {
    let topology = scene.topology;
    let (mut open, mut settled) = (BTreeSet::from([(0u128, node)]), BTreeSet::new());
    while let Some((time, router)) = open.pop_first() {
        if is_far(router) {
            return time;
        }
        if settled.insert(router) {
            match sends {
                true => open.extend(
                    scene
                        .channels_from(router)
                        .map(|channel| (time + hop(channel), topology.target(channel).node)),
                ),
                false => open.extend(
                    scene
                        .channels_into(router)
                        .map(|channel| (time + hop(channel), topology.source(channel).node)),
                ),
            }
        }
    }
    0
}

/// `[router]`: the least sum of lengths of a path from `source`. `None` without a path.
pub(crate) fn lengths_from(
    scene: &Scene<'_>,
    source: NodeId,
    length: impl Fn(ChannelId) -> u64,
) -> Vec<Option<u128>> {
    let mut best: Vec<Option<u128>> = vec![None; scene.topology.node_count()];
    best[source.index()] = Some(0);
    let mut open = BinaryHeap::from([Reverse((0u128, source))]);
    while let Some(Reverse((sum, node))) = open.pop() {
        if best[node.index()] != Some(sum) {
            continue;
        }
        for channel in scene.channels_from(node) {
            let target = scene.topology.target(channel).node;
            let longer = sum + u128::from(length(channel));
            if best[target.index()].is_none_or(|known| longer < known) {
                best[target.index()] = Some(longer);
                open.push(Reverse((longer, target)));
            }
        }
    }
    best
}
