//! What an all-to-all takes over whatever routes, by lengths of channels.
//!
//! Every shard makes at least the way between its ends, and what all ways are long together the channels must
//! carry: the sum of distances over the sum of lengths, in shard times. Any lengths give a true bound; all
//! alike count hops. A router is one chip here, however many hosts it has.

use super::ground::Ground;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene, Symmetry};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The bound that hops prove.
pub(super) fn by_hops(ground: &Ground<'_>) -> CollectiveBound {
    let (scene, symmetry) = (ground.scene, &ground.symmetry);
    let mut lengths = vec![0; scene.topology.class_count(symmetry)];
    scene.channels().for_each(|channel| lengths[scene.topology.channel_class(symmetry, channel).index()] = 1);
    let volume = scene.channels().map(|channel| u128::from(scene.topology.channel_capacity(channel))).sum();
    let of = |class: usize| {
        scene.endpoints().map(|chip| u128::from(ground.hops[class][chip.index()])).sum::<u128>()
    };
    let distance = ground.alive().map(of).sum::<u128>() * symmetry.order() as u128;
    CollectiveBound::Flow { lengths, volume, distance }
}

/// The bound that lengths of channel classes prove, such as those that certify the concurrent flow of the
/// scene. None where they are of other classes, of dark channels, or prove nothing.
pub fn over_lengths(scene: &Scene<'_>, lengths: &[u64]) -> Option<CollectiveBound> {
    let topology = scene.topology;
    let symmetry =
        if scene.keeps_symmetry() { topology.symmetry().clone() } else { topology.symmetry().without() };
    if lengths.len() != topology.class_count(&symmetry) {
        return None;
    }
    let mut lit = vec![false; lengths.len()];
    let mut volume = 0u128;
    for channel in scene.channels() {
        let class = topology.channel_class(&symmetry, channel).index();
        lit[class] = true;
        volume += u128::from(lengths[class]) * u128::from(topology.channel_capacity(channel));
    }
    if lit.iter().zip(lengths).any(|(lit, length)| !lit && *length > 0) {
        return None;
    }
    let sources: Vec<NodeId> = symmetry.canonical_nodes().filter(|&node| scene.is_endpoint(node)).collect();
    let sums: Vec<Option<u128>> =
        sources.par_iter().map(|&source| distances(scene, &symmetry, lengths, source)).collect();
    let distance = sums.into_iter().sum::<Option<u128>>()? * symmetry.order() as u128;
    Some(CollectiveBound::Flow { lengths: lengths.to_vec(), volume, distance })
        .filter(|_| volume > 0 && distance > 0)
}

/// The sum of the lengths of the shortest ways from a chip to all others; none where there is no way.
fn distances(scene: &Scene<'_>, symmetry: &Symmetry, lengths: &[u64], source: NodeId) -> Option<u128> {
    let topology = scene.topology;
    let mut best = vec![u64::MAX; topology.node_count()];
    best[source.index()] = 0;
    let mut open = BinaryHeap::from([Reverse((0, source))]);
    while let Some(Reverse((length, node))) = open.pop() {
        if length > best[node.index()] {
            continue;
        }
        for channel in scene.channels_from(node) {
            let to = topology.target(channel).node;
            let there = length.saturating_add(lengths[topology.channel_class(symmetry, channel).index()]);
            if there < best[to.index()] {
                best[to.index()] = there;
                open.push(Reverse((there, to)));
            }
        }
    }
    scene
        .endpoints()
        .map(|chip| Some(best[chip.index()]).filter(|&length| length < u64::MAX).map(u128::from))
        .sum()
}
