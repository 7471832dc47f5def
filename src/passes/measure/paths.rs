//! The number of shortest paths of every ordered pair of routers with hosts, exactly.
//!
//! Input: a connected topology. Output: over all pairs, and over those of every distance, how many paths
//! there are, the fewest and the most of a pair, and how many pairs have one only. A path is a sequence of
//! links: parallel links make parallel paths. One breadth-first search from every canonical source adds up
//! the paths of a router over the channels from the layer before. The order of the symmetry multiplies the
//! counts. Cost: sources by channels. Sources run in parallel, and sums do not depend on their order.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Neighbors, PathCounts, PathsAt, Scene, Topology};
use rayon::prelude::*;

/// Counts the shortest paths. `None` if some number exceeds 64 bits.
pub(super) fn paths(topology: &Topology) -> Option<PathCounts> {
    let symmetry = topology.symmetry();
    let sources: Vec<NodeId> =
        symmetry.canonical_nodes().filter(|&node| topology.is_endpoint(node)).collect();
    let neighbors = Neighbors::out_of(&Scene::healthy(topology));
    let mut layers = sources
        .par_iter()
        .map_init(PathSearch::default, |search, &source| paths_from(topology, &neighbors, source, search))
        .reduce(|| Some(Vec::new()), add_layers)?;
    // Layers beyond the farthest router with hosts hold no pair.
    while layers.pop_if(|at| at.pairs == 0).is_some() {}
    let order = symmetry.order() as u64;
    // Routers without hosts may be farther than all others.
    let farthest = layers.iter().rposition(|at| at.pairs > 0).map_or(0, |last| last + 1);
    let scaled = layers.into_iter().take(farthest).map(|at| PathsAt {
        pairs: at.pairs * order,
        single: at.single * order,
        paths: at.paths * u128::from(order),
        ..at
    });
    Some(PathCounts { by_distance: scaled.collect() })
}

/// The memory of a search, which the next one uses again.
#[derive(Default)]
struct PathSearch {
    /// `[router]`: the number of shortest paths to it.
    paths: Vec<u64>,
    /// `[router]`: whether it is in a layer that is complete.
    seen: Vec<bool>,
}

/// `[distance - 1]`: the counts of the pairs from one source.
fn paths_from(
    topology: &Topology,
    neighbors: &Neighbors,
    source: NodeId,
    search: &mut PathSearch,
) -> Option<Vec<PathsAt>> {
    let PathSearch { paths, seen } = search;
    paths.clear();
    paths.resize(topology.node_count(), 0);
    seen.clear();
    seen.resize(topology.node_count(), false);
    (paths[source.index()], seen[source.index()]) = (1, true);
    let (mut layer, mut layers) = (vec![source.0], Vec::new());
    while !layer.is_empty() {
        let mut next = Vec::new();
        for &node in &layer {
            let paths_here = paths[node as usize];
            for &to in neighbors.neighbors_of(node) {
                if !seen[to as usize] {
                    let paths_to = &mut paths[to as usize];
                    if *paths_to == 0 {
                        next.push(to);
                    }
                    *paths_to = paths_to.checked_add(paths_here)?;
                }
            }
        }
        let mut layer_paths = PathsAt::NONE;
        for &node in &next {
            seen[node as usize] = true;
            if topology.is_endpoint(NodeId(node)) {
                let paths = paths[node as usize];
                let of_router = PathsAt {
                    pairs: 1,
                    single: u64::from(paths == 1),
                    paths: paths.into(),
                    fewest: paths,
                    most: paths,
                };
                layer_paths = layer_paths.with(&of_router);
            }
        }
        if !next.is_empty() {
            layers.push(layer_paths);
        }
        layer = next;
    }
    Some(layers)
}

/// The sums of two lists, distance by distance.
fn add_layers(sums: Option<Vec<PathsAt>>, more_layers: Option<Vec<PathsAt>>) -> Option<Vec<PathsAt>> {
    let (mut sums, more_layers) = (sums?, more_layers?);
    sums.resize(sums.len().max(more_layers.len()), PathsAt::NONE);
    sums.iter_mut().zip(&more_layers).for_each(|(at, more)| *at = at.with(more));
    Some(sums)
}
