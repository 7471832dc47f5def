//! A lower bound on an all-to-all over any routes, from lengths of channels.
//!
//! The path of every shard is at least as long as the distance between its ends. The channels must carry the
//! total length of all paths. In shard times the bound is the sum of distances over the sum of lengths. Any
//! lengths give a true bound, and equal lengths count hops. A router counts as one chip here, however many
//! hosts it has.

use super::canonical::CanonicalScene;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene, Symmetry};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The bound with equal lengths, which count hops.
pub(super) fn flow_bound_by_hops(canonical: &CanonicalScene<'_>) -> CollectiveBound {
    let (scene, symmetry) = (canonical.scene, &canonical.symmetry);
    let mut lengths = vec![0; scene.topology.class_count(symmetry)];
    scene.channels().for_each(|channel| lengths[scene.topology.channel_class(symmetry, channel).index()] = 1);
    let volume = scene.channels().map(|channel| u128::from(scene.topology.channel_capacity(channel))).sum();
    let distance_sum = |class: usize| {
        scene.endpoints().map(|chip| u128::from(canonical.hops[class][chip.index()])).sum::<u128>()
    };
    let distance = canonical.surviving_classes().map(distance_sum).sum::<u128>() * symmetry.order() as u128;
    CollectiveBound::Flow { lengths, volume, distance }
}

/// The bound that lengths of channel classes prove, such as the lengths that certify the concurrent flow of
/// the scene. `None` if the lengths belong to other classes, give a dark channel a length, or prove nothing.
pub fn flow_bound_by_lengths(scene: &Scene<'_>, lengths: &[u64]) -> Option<CollectiveBound> {
    let topology = scene.topology;
    let symmetry =
        if scene.keeps_symmetry() { topology.symmetry().clone() } else { topology.symmetry().to_trivial() };
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
        sources.par_iter().map(|&source| sum_of_distances(scene, &symmetry, lengths, source)).collect();
    let distance = sums.into_iter().sum::<Option<u128>>()? * symmetry.order() as u128;
    Some(CollectiveBound::Flow { lengths: lengths.to_vec(), volume, distance })
        .filter(|_| volume > 0 && distance > 0)
}

/// The sum of distances from a chip to all others. `None` if one of them cannot be reached.
fn sum_of_distances(scene: &Scene<'_>, symmetry: &Symmetry, lengths: &[u64], source: NodeId) -> Option<u128> {
    let topology = scene.topology;
    let mut best = vec![u64::MAX; topology.node_count()];
    best[source.index()] = 0;
    let mut open = BinaryHeap::from([Reverse((0, source))]);
    while let Some(Reverse((length, node))) = open.pop() {
        if length > best[node.index()] {
            continue;
        }
        for channel in scene.channels_from(node) {
            let target = topology.target(channel).node;
            let new_length =
                length.saturating_add(lengths[topology.channel_class(symmetry, channel).index()]);
            if new_length < best[target.index()] {
                best[target.index()] = new_length;
                open.push(Reverse((new_length, target)));
            }
        }
    }
    scene
        .endpoints()
        .map(|chip| Some(best[chip.index()]).filter(|&length| length < u64::MAX).map(u128::from))
        .sum()
}
