//! Lower bound on the time until the data of one chip has reached another, in an all-reduce or a broadcast.
//!
//! Input: a scene and the number of vectors. Output: the certificate of a message (`quickest`). The data that
//! a chip adds to a vector, or that the root has, must reach every other chip. A channel starts one vector at
//! a time. So this data alone takes as long as a message of as many vectors. The pairs examined are those
//! that are farthest apart and have the fewest shortest paths.

use super::graph::LaneGraph;
use super::paths::SearchNet;
use super::quickest::{DISJOINT, LISTED_NODES, channels_into, cycles, disjoint_paths};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene};
use fabc_model::{Collective, SlotPace};
use rayon::prelude::*;
use std::cmp::Reverse;

/// Number of pairs examined, in all and of one source.
const PAIRS: usize = 16;
const OF_SOURCE: usize = 4;

/// The bound for `vectors` vectors. `None` for other collectives, and for more routers than a bound lists.
pub fn farthest(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
    vectors: u64,
    pace: SlotPace,
) -> Option<CollectiveBound> {
    if !matches!(collective, Collective::AllReduce | Collective::Broadcast)
        || scene.topology.node_count() > LISTED_NODES
    {
        return None;
    }
    let graph = LaneGraph::new(scene, root.is_none(), None).ok()?;
    let net = SearchNet::new(&graph);
    let incoming = channels_into(&net);
    let participants_of_graph =
        || graph.chips.iter().copied().filter(|&chip| graph.takes_part(chip)).collect();
    let sources: Vec<NodeId> = root.map_or_else(participants_of_graph, |root| vec![root]);
    let mut pairs: Vec<HardestPair> =
        sources.par_iter().flat_map_iter(|&from| hardest_pairs(&graph, &net, from)).collect();
    pairs.sort_unstable();
    pairs.truncate(PAIRS);
    let pair_bound = |&(.., from, to): &HardestPair| {
        let (first, sets) = disjoint_paths(&net, &incoming, from, to, DISJOINT);
        let candidates = std::iter::once(first).chain(sets.into_iter().map(|set| set.levels));
        let candidates = candidates.map(|levels| (cycles(&net, &levels, vectors, pace), levels));
        candidates.reduce(|best, other| if other.0 > best.0 { other } else { best })
    };
    let pair_bounds: Vec<_> = pairs.par_iter().filter_map(pair_bound).collect();
    // Of equal bounds the first one counts.
    let (cycles, levels) =
        pair_bounds.into_iter().reduce(|best, other| if other.0 > best.0 { other } else { best })?;
    Some(CollectiveBound::Quickest { message: 0, levels, cycles })
}

/// (hops, number of shortest paths, source, destination)
type HardestPair = (Reverse<u32>, u64, NodeId, NodeId);

/// The chips that are hardest to reach from one chip.
fn hardest_pairs(graph: &LaneGraph<'_>, net: &SearchNet, from: NodeId) -> Vec<HardestPair> {
    let nodes = graph.nodes();
    let (mut hops, mut path_counts) = (vec![u32::MAX; nodes], vec![0u64; nodes]);
    (hops[from.index()], path_counts[from.index()]) = (0, 1);
    let mut seen = vec![from.0];
    let mut next = 0;
    while let Some(&node) = seen.get(next) {
        next += 1;
        for &(to, _) in &net.out[net.starts[node as usize] as usize..net.starts[node as usize + 1] as usize] {
            if hops[to as usize] == u32::MAX {
                hops[to as usize] = hops[node as usize] + 1;
                seen.push(to);
            }
            if hops[to as usize] == hops[node as usize] + 1 {
                path_counts[to as usize] =
                    path_counts[to as usize].saturating_add(path_counts[node as usize]);
            }
        }
    }
    let others = graph.participants.iter().copied().filter(|&to| to != from && hops[to.index()] != u32::MAX);
    let mut pairs: Vec<HardestPair> =
        others.map(|to| (Reverse(hops[to.index()]), path_counts[to.index()], from, to)).collect();
    pairs.sort_unstable();
    pairs.truncate(OF_SOURCE);
    pairs
}
