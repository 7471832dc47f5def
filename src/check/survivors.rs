//! The surviving fabric: its connected parts, the pairs without a route, and a lower bound on its load.

use super::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::Scene;
use fabc_kernel::{expect_length, scene_symmetry, volume_and_distance};
use fabc_model::Demand;
use std::collections::BTreeMap;

/// The connected components of the living routers. Those with more endpoints come first, then those with a
/// smaller first router.
pub fn connected_parts(scene: &Scene<'_>) -> Vec<Vec<NodeId>> {
    let mut parent: BTreeMap<NodeId, NodeId> =
        scene.topology.nodes().filter(|&node| scene.lives(node)).map(|node| (node, node)).collect();
    fn root(parent: &BTreeMap<NodeId, NodeId>, mut node: NodeId) -> NodeId {
        while parent[&node] != node {
            node = parent[&node];
        }
        node
    }
    for channel in scene.channels() {
        let [a, b] = [scene.topology.source(channel), scene.topology.target(channel)].map(|end| end.node);
        if !parent.contains_key(&a) || !parent.contains_key(&b) {
            continue;
        }
        let (a, b) = (root(&parent, a), root(&parent, b));
        parent.insert(a.max(b), a.min(b));
    }
    let mut parts: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    parent.keys().for_each(|&node| parts.entry(root(&parent, node)).or_default().push(node));
    let mut parts: Vec<Vec<NodeId>> = parts.into_values().collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.iter().filter(|&&node| scene.is_endpoint(node)).count()));
    parts
}

/// A lower bound on the maximum channel load of single-path routing of the surviving fabric, in parts of a
/// unit. It follows from the lengths that are certified for the healthy fabric, `[channel class]` under the
/// symmetry of the topology.
///
/// # Errors
/// A disconnected fabric, or lengths that are no certificate.
pub fn load_lower_bound(scene: &Scene<'_>, demand: &Demand, lengths: &[u64]) -> Result<u64, CheckError> {
    let (topology, scene_symmetry) = (scene.topology, scene_symmetry(scene));
    expect_length("lengths", "channel classes", lengths.len(), topology.class_count(topology.symmetry()))?;
    let mut scene_lengths = vec![0; topology.class_count(&scene_symmetry)];
    for channel in scene.channels() {
        scene_lengths[topology.channel_class(&scene_symmetry, channel).index()] =
            lengths[topology.channel_class(topology.symmetry(), channel).index()];
    }
    let (volume, distance) = volume_and_distance(scene, demand, &scene_lengths)?;
    let load = distance.saturating_mul(u128::from(topology.capacities().parts())).div_ceil(volume);
    Ok(u64::try_from(load).unwrap_or(u64::MAX))
}

/// Ordered pairs of living endpoints that are not both in the first part.
pub(super) fn unserved_pairs(scene: &Scene<'_>, parts: &[Vec<NodeId>]) -> u64 {
    let count = |part: &Vec<NodeId>| part.iter().filter(|&&node| scene.is_endpoint(node)).count() as u64;
    let (endpoints, in_first_part) = (parts.iter().map(count).sum::<u64>(), parts.first().map_or(0, count));
    (endpoints * endpoints.saturating_sub(1)) - (in_first_part * in_first_part.saturating_sub(1))
}
