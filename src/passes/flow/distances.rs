//! Exact hop distances by breadth-first search from the canonical nodes. Searches run in parallel, and
//! their sums are integers.

use crate::add;
use fabc_base::ids::NodeId;
use fabc_ir::{Breadth, Distances, Neighbors, Scene};
use fabc_model::Demand;
use rayon::prelude::*;

/// Hop distances over all ordered pairs of routers that send and receive, or `None` if the lit links do not
/// connect them.
///
/// The scene must keep the symmetry of its topology.
pub fn distances(scene: &Scene<'_>) -> Option<Distances> {
    let (neighbors, order) = (Neighbors::out_of(scene), scene.topology.symmetry().order() as u64);
    let is_transit: Vec<bool> = scene.topology.nodes().map(|node| !scene.is_endpoint(node)).collect();
    let endpoints = scene.endpoints().count();
    let histogram_from = |search: &mut Breadth, source: NodeId| {
        neighbors.search(source, search);
        let mut histogram = vec![0u64];
        let receivers = search.order[1..].iter().filter(|&&node| !is_transit[node as usize]);
        for hops in receivers.map(|&node| search.hops[node as usize] as usize) {
            histogram.resize(histogram.len().max(hops + 1), 0);
            histogram[hops] += order;
        }
        (histogram.iter().sum::<u64>() == (endpoints as u64 - 1) * order).then_some(histogram)
    };
    let rows = canonical_sources(scene).into_par_iter().map_init(Breadth::default, histogram_from);
    let add_histogram = |mut sum, more: Vec<u64>| {
        add(&mut sum, &more);
        Some(sum)
    };
    let histogram = rows.try_reduce(|| vec![0], add_histogram)?;
    let total = histogram.iter().enumerate().map(|(hops, pairs)| hops as u64 * pairs).sum();
    Some(Distances { diameter: histogram.len() as u32 - 1, total, histogram })
}

/// The sum of weight x hop distance over all ordered pairs. The lit links must connect all nodes.
///
/// The scene and `demand` must keep the symmetry of the topology.
pub fn demand_hops(scene: &Scene<'_>, demand: &Demand) -> u64 {
    let neighbors = Neighbors::out_of(scene);
    let weighted_hops_from = |search: &mut Breadth, source: NodeId| {
        neighbors.search(source, search);
        let weighted = |&node: &u32| {
            u64::from(demand.weight(source, NodeId(node))) * u64::from(search.hops[node as usize])
        };
        search.order[1..].iter().map(weighted).sum::<u64>()
    };
    let sum: u64 =
        canonical_sources(scene).into_par_iter().map_init(Breadth::default, weighted_hops_from).sum();
    sum * scene.topology.symmetry().order() as u64
}

fn canonical_sources(scene: &Scene<'_>) -> Vec<NodeId> {
    scene.topology.symmetry().canonical_nodes().filter(|&source| scene.is_endpoint(source)).collect()
}
