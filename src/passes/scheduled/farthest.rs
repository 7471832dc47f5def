//! What it takes at least that all of one chip comes to another: of an all-reduce, of a broadcast.
//!
//! In: a scene, how many vectors there are. Out: the certificate of a message (`quickest`). What a chip adds
//! to a vector, or the root has, must come to every other chip, and a channel starts one vector at a time: by
//! itself all of it would take as long as a message of as many vectors does. Of all pairs those are looked at
//! that are farthest apart and have fewest shortest ways.

use super::ground::Ground;
use super::paths::Net;
use super::quickest::{DISJOINT, LISTED_NODES, cycles, disjoint, into};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene};
use fabc_model::{Collective, SlotPace};
use rayon::prelude::*;
use std::cmp::Reverse;

/// Pairs that are looked at, and of one source.
const PAIRS: usize = 16;
const OF_SOURCE: usize = 4;

/// The bound for so many vectors; none of other collectives, and of more routers than it would list.
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
    let ground = Ground::new(scene, root.is_none(), None).ok()?;
    let net = Net::new(&ground);
    let into = into(&net);
    let everybody = || ground.chips.iter().copied().filter(|&chip| ground.lives(chip)).collect();
    let sources: Vec<NodeId> = root.map_or_else(everybody, |root| vec![root]);
    let mut pairs: Vec<Pair> =
        sources.par_iter().flat_map_iter(|&from| hardest(&ground, &net, from)).collect();
    pairs.sort_unstable();
    pairs.truncate(PAIRS);
    let one = |&(.., from, to): &Pair| {
        let (first, sets) = disjoint(&net, &into, [from, to], DISJOINT);
        let all = std::iter::once(first).chain(sets.into_iter().map(|set| set.levels));
        let all = all.map(|levels| (cycles(&net, &levels, vectors, pace), levels));
        all.reduce(|one, other| if other.0 > one.0 { other } else { one })
    };
    let found: Vec<_> = pairs.par_iter().filter_map(one).collect();
    // Of equal ones the first.
    let (cycles, levels) =
        found.into_iter().reduce(|one, other| if other.0 > one.0 { other } else { one })?;
    Some(CollectiveBound::Quickest { message: 0, levels, cycles })
}

/// Hops, shortest ways, from where to where.
type Pair = (Reverse<u32>, u64, NodeId, NodeId);

/// The chips that are hardest to come to from one.
fn hardest(ground: &Ground<'_>, net: &Net, from: NodeId) -> Vec<Pair> {
    let nodes = ground.nodes();
    let (mut hops, mut ways) = (vec![u32::MAX; nodes], vec![0u64; nodes]);
    (hops[from.index()], ways[from.index()]) = (0, 1);
    let mut seen = vec![from.0];
    let mut next = 0;
    while let Some(&at) = seen.get(next) {
        next += 1;
        for &(to, _) in &net.out[net.starts[at as usize] as usize..net.starts[at as usize + 1] as usize] {
            if hops[to as usize] == u32::MAX {
                hops[to as usize] = hops[at as usize] + 1;
                seen.push(to);
            }
            if hops[to as usize] == hops[at as usize] + 1 {
                ways[to as usize] = ways[to as usize].saturating_add(ways[at as usize]);
            }
        }
    }
    let others = ground.living.iter().copied().filter(|&to| to != from && hops[to.index()] != u32::MAX);
    let mut pairs: Vec<Pair> =
        others.map(|to| (Reverse(hops[to.index()]), ways[to.index()], from, to)).collect();
    pairs.sort_unstable();
    pairs.truncate(OF_SOURCE);
    pairs
}
