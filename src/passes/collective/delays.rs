//! The delay of each bound: the time its data is in flight, beside the time that its channels are busy.
//!
//! Input: a scene, the costs of hops and messages, and bounds. Output: attoseconds by bound. All data that
//! arrives makes a last hop, and a message pays its overhead before its first byte. Data that starts more
//! than `d` hops away makes at least `d` + 1 hops. Where channels differ in latency, the shortest path in
//! time from any of these sources counts.
//!
//! The delay may be added to the busy time. A channel into the chip is idle until data from the first of
//! these sources can have reached its near end, and its last byte makes one hop more. With barriers every hop
//! is a round. A round lasts at least as long as a hop in it, so the path is as long as its hops and their
//! overheads, and every bound has the longest of these delays. Cost: one run of Dijkstra's algorithm per
//! latency bound.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Breadth, CollectiveBound, CollectiveCost, Neighbors, Scene};
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
    if cost.channel_hops.is_none() {
        let most_hops = bounds.iter().map(CollectiveBound::hops).max().unwrap_or(1);
        // Without barriers a late chunk may join a message that has begun, so one overhead counts.
        let delay = |hops: u32, overheads: u32| {
            u128::from(hops.max(1)) * cost.hop + u128::from(overheads.max(1)) * cost.overhead
        };
        return bounds
            .iter()
            .map(|bound| if cost.barrier { delay(most_hops, most_hops) } else { delay(bound.hops(), 1) })
            .collect();
    }
    let per_hop = if cost.barrier { cost.overhead } else { 0 };
    let length = |channel| cost.hop_over(channel) + per_hop;
    let once = if cost.barrier { 0 } else { cost.overhead };
    // In a reduce-scatter a router sends a shard for every other chip. Else it receives.
    let direction = match collective {
        Collective::ReduceScatter => PathDirection::From,
        _ => PathDirection::To,
    };
    let delay = |bound: &CollectiveBound| {
        let first = match bound {
            &CollectiveBound::Latency { node, distance, .. } => {
                let times = least_times(scene, node, direction, length);
                let source = root.filter(|_| collective != Collective::Reduce);
                let sources: Vec<NodeId> =
                    source.map_or_else(|| farther_than(scene, node, distance), |root| vec![root]);
                sources.into_iter().map(|source| times[source.index()]).min().unwrap_or(0)
            }
            CollectiveBound::Arrival { node, far, .. } => {
                let times = least_times(scene, *node, direction, length);
                far.iter().map(|chip| times[chip.index()]).min().unwrap_or(0)
            }
            _ => cost.least_hop() + per_hop,
        };
        first + once
    };
    let delays: Vec<u128> = bounds.iter().map(delay).collect();
    match delays.iter().max() {
        Some(&longest) if cost.barrier => vec![longest; bounds.len()],
        _ => delays,
    }
}

/// Chips from which a chip is more than `distance` hops away.
fn farther_than(scene: &Scene<'_>, node: NodeId, distance: u32) -> Vec<NodeId> {
    let mut breadth = Breadth::default();
    Neighbors::into_of(scene).search(node, &mut breadth);
    scene.endpoints().filter(|chip| breadth.hops[chip.index()] > distance).collect()
}

/// Whether paths lead from the origin or to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PathDirection {
    From,
    To,
}

/// `[router]`: the least time of hops from `origin`, or to it. `u128::MAX` where there is no path. A hop over
/// a channel takes `length`.
pub(super) fn least_times(
    scene: &Scene<'_>,
    origin: NodeId,
    direction: PathDirection,
    length: impl Fn(ChannelId) -> u128,
) -> Vec<u128> {
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
            let later = time + length(channel);
            if later < times[far_end.node.index()] {
                times[far_end.node.index()] = later;
                open.push(Reverse((later, far_end.node)));
            }
        }
    }
    times
}
