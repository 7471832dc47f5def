//! A lower bound on an all-to-all over any routes, from lengths of channels.
//!
//! The path of every shard is at least as long as the distance between its ends. The channels must carry the
//! total length of all paths. In shard times the bound is the sum of distances over the sum of lengths. Any
//! lengths give a true bound, and equal lengths count hops. A router counts as one chip here, however many
//! hosts it has.

use super::canonical::CanonicalScene;
use super::channel_lengths::ShortestPaths;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene};
use rayon::prelude::*;

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
    let length = |channel| lengths[topology.channel_class(&symmetry, channel).index()];
    let total = |source| ShortestPaths::new(scene, source, length).total(scene.endpoints());
    let sums: Vec<Option<u128>> = sources.par_iter().map(|&source| total(source)).collect();
    let distance = sums.into_iter().sum::<Option<u128>>()? * symmetry.order() as u128;
    Some(CollectiveBound::Flow { lengths: lengths.to_vec(), volume, distance })
        .filter(|_| volume > 0 && distance > 0)
}
