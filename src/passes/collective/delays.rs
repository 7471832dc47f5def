//! The delay of each bound: the time its data is in flight, beside the time that its channels are busy.
//!
//! Input: a scene, the costs of hops and messages, and bounds. Output: attoseconds by bound. All data that
//! arrives makes a last hop, and a message pays its overhead before its first byte. Data that starts more
//! than `d` hops away makes at least `d` + 1 hops. Where links differ in latency, the shortest path in time
//! from any of these sources counts.
//!
//! The delay may be added to the busy time. A channel into the chip is idle until data from the first of
//! these sources can have reached its near end, and its last byte makes one hop more. With barriers every hop
//! is a round, and a round ends with the slowest link. Cost: one run of Dijkstra's algorithm per latency
//! bound.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Breadth, CollectiveBound, CollectiveCost, LinkHops, Neighbors, Scene};
use fabc_model::Collective;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The delay of every bound in attoseconds.
pub fn bound_delays(
    scene: &Scene<'_>,
    cost: &CollectiveCost,
    collective: Collective,
    root: Option<NodeId>,
    bounds: &[CollectiveBound],
) -> Vec<u128> {
    let most_hops = bounds.iter().map(CollectiveBound::hops).max().unwrap_or(1);
    // Without barriers a late chunk may join a message that has begun, so one overhead counts.
    let flow_bound_by_hops = |hops: u32, overheads: u32| {
        u128::from(hops.max(1)) * cost.hop + u128::from(overheads.max(1)) * cost.overhead
    };
    let delay = |bound: &CollectiveBound| match (bound, &cost.link_hops) {
        _ if cost.barrier => flow_bound_by_hops(most_hops, most_hops),
        (_, None) => flow_bound_by_hops(bound.hops(), 1),
        (&CollectiveBound::Latency { node, distance, .. }, Some(hops)) => {
            let times = least_times(scene, node, PathDirection::To, hops);
            let source = root.filter(|_| collective != Collective::Reduce);
            let sources: Vec<NodeId> =
                source.map_or_else(|| farther_than(scene, node, distance), |root| vec![root]);
            sources.into_iter().map(|source| times[source.index()]).min().unwrap_or(0) + cost.overhead
        }
        (_, Some(hops)) => hops.fastest + cost.overhead,
    };
    bounds.iter().map(delay).collect()
}

/// The latency bound of the chip that the root reaches last in a broadcast. `None` where all links have the
/// same latency.
pub fn slowest_chip(scene: &Scene<'_>, cost: &CollectiveCost, root: NodeId) -> Option<CollectiveBound> {
    let hops = cost.link_hops.as_ref()?;
    let times = least_times(scene, root, PathDirection::From, hops);
    let last = scene.endpoints().rev().max_by_key(|chip| times[chip.index()])?;
    let mut breadth = Breadth::default();
    Neighbors::into_of(scene).search(last, &mut breadth);
    let lanes: u64 = scene.channels_into(last).map(|channel| scene.topology.channel_capacity(channel)).sum();
    let distance = breadth.hops[root.index()].checked_sub(1)?;
    Some(CollectiveBound::Latency { node: last, distance, channels: lanes as u32, shards: 1 })
}

/// Chips from which a chip is more than `distance` hops away.
fn farther_than(scene: &Scene<'_>, node: NodeId, distance: u32) -> Vec<NodeId> {
    let mut breadth = Breadth::default();
    Neighbors::into_of(scene).search(node, &mut breadth);
    scene.endpoints().filter(|chip| breadth.hops[chip.index()] > distance).collect()
}

/// Whether paths lead from the origin or to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathDirection {
    From,
    To,
}

/// `[router]`: the least time of hops from `origin`, or to it. `u128::MAX` where there is no path.
fn least_times(scene: &Scene<'_>, origin: NodeId, direction: PathDirection, hops: &LinkHops) -> Vec<u128> {
    let mut times = vec![u128::MAX; scene.topology.node_count()];
    times[origin.index()] = 0;
    let mut open = BinaryHeap::from([Reverse((0u128, origin))]);
    while let Some(Reverse((time, node))) = open.pop() {
        if time > times[node.index()] {
            continue;
        }
        let channels: Vec<ChannelId> = match direction {
            PathDirection::From => scene.channels_from(node).collect(),
            PathDirection::To => scene.channels_into(node).collect(),
        };
        for channel in channels {
            let far_end = if direction == PathDirection::From {
                scene.topology.target(channel)
            } else {
                scene.topology.source(channel)
            };
            let later = time + hops.by_link[scene.topology.link_of(channel)];
            if later < times[far_end.node.index()] {
                times[far_end.node.index()] = later;
                open.push(Reverse((later, far_end.node)));
            }
        }
    }
    times
}
