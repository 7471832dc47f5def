//! How many shortest paths there are: of every ordered pair of routers with hosts, exactly.
//!
//! In: a connected topology. Out: over all pairs, and over those of every distance, how many paths there are,
//! the fewest and the most of a pair, and how many pairs have one only. A path is a sequence of links:
//! parallel links make parallel paths. One breadth-first search from every canonical source adds up the paths
//! of a router over the channels that come from the layer before; what the symmetry carries around is counted
//! as often. Cost: sources by channels; sources run in parallel, and sums do not depend on their order.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Neighbors, PathCounts, PathsAt, Scene, Topology};
use rayon::prelude::*;

/// Counts the shortest paths; `None` where some number is beyond 64 bits.
pub(super) fn paths(topology: &Topology) -> Option<PathCounts> {
    let symmetry = topology.symmetry();
    let sources: Vec<NodeId> =
        symmetry.canonical_nodes().filter(|&node| topology.is_endpoint(node)).collect();
    let neighbors = Neighbors::out_of(&Scene::whole(topology));
    let mut layers = sources
        .par_iter()
        .map(|&source| from(topology, &neighbors, source))
        .reduce(|| Some(Vec::new()), joined)?;
    // Farther than any router with hosts there may be others, which no pair leads to.
    while layers.pop_if(|at| at.pairs == 0).is_some() {}
    let order = symmetry.order() as u64;
    // Routers without hosts may be farther than all others.
    let farthest = layers.iter().rposition(|at| at.pairs > 0).map_or(0, |last| last + 1);
    let all = layers.into_iter().take(farthest).map(|at| PathsAt {
        pairs: at.pairs * order,
        single: at.single * order,
        paths: at.paths * u128::from(order),
        ..at
    });
    Some(PathCounts { at: all.collect() })
}

/// `[distance - 1]` of the pairs from one source.
fn from(topology: &Topology, neighbors: &Neighbors, source: NodeId) -> Option<Vec<PathsAt>> {
    let mut paths = vec![0u64; topology.node_count()];
    let mut seen = vec![false; topology.node_count()];
    (paths[source.index()], seen[source.index()]) = (1, true);
    let (mut layer, mut layers) = (vec![source.0], Vec::new());
    while !layer.is_empty() {
        let mut next = Vec::new();
        for &node in &layer {
            let paths_here = paths[node as usize];
            for &to in neighbors.of(node) {
                if !seen[to as usize] {
                    let there = &mut paths[to as usize];
                    if *there == 0 {
                        next.push(to);
                    }
                    *there = there.checked_add(paths_here)?;
                }
            }
        }
        let mut at = PathsAt::NONE;
        for &node in &next {
            seen[node as usize] = true;
            if topology.is_endpoint(NodeId(node)) {
                let paths = paths[node as usize];
                let own = PathsAt {
                    pairs: 1,
                    single: u64::from(paths == 1),
                    paths: paths.into(),
                    fewest: paths,
                    most: paths,
                };
                at = at.with(&own);
            }
        }
        if !next.is_empty() {
            layers.push(at);
        }
        layer = next;
    }
    Some(layers)
}

/// The sums of two lists, distance by distance.
fn joined(one: Option<Vec<PathsAt>>, other: Option<Vec<PathsAt>>) -> Option<Vec<PathsAt>> {
    let (mut one, other) = (one?, other?);
    one.resize(one.len().max(other.len()), PathsAt::NONE);
    one.iter_mut().zip(&other).for_each(|(at, more)| *at = at.with(more));
    Some(one)
}
