//! How long what a bound counts is under way, beside the time that its channels are busy.
//!
//! In: a scene, what hops and messages take, bounds. Out: attoseconds by bound. Whatever comes in makes a
//! last hop, and before its first byte a message has had its overhead. What starts more than `d` hops away
//! makes at least `d` + 1 hops; where links differ in latency, the shortest path in time from any of these
//! sources counts. Why that may be added to the busy time: a channel into the chip is idle until the first of
//! these sources can have reached its near end, and its last byte makes one hop more. With barriers every hop
//! is a round, and a round ends with the slowest link. Cost: one run of Dijkstra's algorithm per latency
//! bound.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Breadth, CollectiveBound, CollectiveCost, LinkHops, Neighbors, Scene};
use fabc_model::Collective;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The delay of every bound, attoseconds.
pub fn delays(
    scene: &Scene<'_>,
    cost: &CollectiveCost,
    (collective, root): (Collective, Option<NodeId>),
    bounds: &[CollectiveBound],
) -> Vec<u128> {
    let farthest = bounds.iter().map(CollectiveBound::hops).max().unwrap_or(1);
    // Without barriers a chunk that comes late may ride on a message that has begun: one overhead counts.
    let by_hops = |hops: u32, overheads: u32| {
        u128::from(hops.max(1)) * cost.hop + u128::from(overheads.max(1)) * cost.overhead
    };
    let delay = |bound: &CollectiveBound| match (bound, &cost.link_hops) {
        _ if cost.barrier => by_hops(farthest, farthest),
        (_, None) => by_hops(bound.hops(), 1),
        (&CollectiveBound::Latency { node, distance, .. }, Some(hops)) => {
            let times = times(scene, node, Way::To, hops);
            let source = root.filter(|_| collective != Collective::Reduce);
            let sources: Vec<NodeId> =
                source.map_or_else(|| farther_than(scene, node, distance), |root| vec![root]);
            sources.into_iter().map(|source| times[source.index()]).min().unwrap_or(0) + cost.overhead
        }
        (_, Some(hops)) => hops.least + cost.overhead,
    };
    bounds.iter().map(delay).collect()
}

/// Of a broadcast where links differ in latency: the chip that hears of the root last, as a bound.
pub fn slowest_chip(scene: &Scene<'_>, cost: &CollectiveCost, root: NodeId) -> Option<CollectiveBound> {
    let hops = cost.link_hops.as_ref()?;
    let times = times(scene, root, Way::From, hops);
    let last = scene.endpoints().rev().max_by_key(|chip| times[chip.index()])?;
    let mut breadth = Breadth::default();
    Neighbors::into_of(scene).search(last, &mut breadth);
    let lanes: u64 = scene.channels_into(last).map(|channel| scene.topology.channel_capacity(channel)).sum();
    let distance = breadth.hops[root.index()].checked_sub(1)?;
    Some(CollectiveBound::Latency { node: last, distance, channels: lanes as u32, shards: 1 })
}

/// Chips from which a chip is more than so many hops away.
fn farther_than(scene: &Scene<'_>, node: NodeId, distance: u32) -> Vec<NodeId> {
    let mut breadth = Breadth::default();
    Neighbors::into_of(scene).search(node, &mut breadth);
    scene.endpoints().filter(|chip| breadth.hops[chip.index()] > distance).collect()
}

/// Which way paths lead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    From,
    To,
}

/// `[router]`: the least time from a chip, or to it, by hops alone; `u128::MAX` where there is no path.
fn times(scene: &Scene<'_>, node: NodeId, way: Way, hops: &LinkHops) -> Vec<u128> {
    let mut times = vec![u128::MAX; scene.topology.node_count()];
    times[node.index()] = 0;
    let mut open = BinaryHeap::from([Reverse((0u128, node))]);
    while let Some(Reverse((time, near))) = open.pop() {
        if time > times[near.index()] {
            continue;
        }
        let channels: Vec<ChannelId> = match way {
            Way::From => scene.channels_from(near).collect(),
            Way::To => scene.channels_into(near).collect(),
        };
        for channel in channels {
            let end = if way == Way::From {
                scene.topology.target(channel)
            } else {
                scene.topology.source(channel)
            };
            let later = time + hops.own[scene.topology.link_of(channel)];
            if later < times[end.node.index()] {
                times[end.node.index()] = later;
                open.push(Reverse((later, end.node)));
            }
        }
    }
    times
}
