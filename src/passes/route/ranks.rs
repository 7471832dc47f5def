//! Ranks of (channel, VC) from finished routes.
//!
//! Input: the hops of all routes, or the dependencies that they make. Output: ranks that rise along every
//! route. Cost: one topological sort of the channel dependency graph.

use fabc_base::ids::Id;
use fabc_ir::{Hop, Routes, Symmetry, Topology};
use petgraph::algo::toposort;
use petgraph::graphmap::DiGraphMap;

/// Adds to finished routes the ranks that prove them free of deadlock. Routes are ordered by destination,
/// then by source: `offsets[dst * nodes + src]` is where the hops of a route start, with one more offset at
/// the end.
///
/// Panics if the routes depend on each other in a cycle. The methods that call this exclude cycles by
/// construction.
pub(super) fn with_ranks(topology: &Topology, vcs: u8, offsets: Vec<u32>, hops: Vec<Hop>) -> Routes {
    let symmetry = topology.symmetry().to_trivial();
    let routes = offsets.windows(2).map(|pair| &hops[pair[0] as usize..pair[1] as usize]);
    let ranks = from_routes(topology, &symmetry, vcs, routes);
    Routes { vcs, symmetry, offsets, hops, ranks }
}

/// `[channel class * vcs + vc]`: the length of the longest chain of dependencies that ends in the (channel,
/// VC). Unused ones have 0.
fn from_routes<'a>(
    topology: &Topology,
    symmetry: &Symmetry,
    vcs: u8,
    routes: impl Iterator<Item = &'a [Hop]>,
) -> Vec<u32> {
    let symbol = |hop: &Hop| {
        topology.channel_class(symmetry, hop.channel).index() as u32 * u32::from(vcs) + u32::from(hop.vc.0)
    };
    let mut dependencies = DiGraphMap::<u32, ()>::new();
    for route in routes {
        for pair in route.windows(2) {
            dependencies.add_edge(symbol(&pair[0]), symbol(&pair[1]), ());
        }
    }
    let ranks = from_dependencies(topology.class_count(symmetry) * usize::from(vcs), &dependencies);
    ranks.expect("the method excludes cyclic dependencies")
}

/// `[symbol]`: the length of the longest chain of dependencies that ends in a (channel, VC). Unused ones
/// have 0. `None` if the dependencies have a cycle.
pub(super) fn from_dependencies(symbols: usize, dependencies: &DiGraphMap<u32, ()>) -> Option<Vec<u32>> {
    let mut ranks = vec![0; symbols];
    for from in toposort(dependencies, None).ok()? {
        for to in dependencies.neighbors(from) {
            ranks[to as usize] = ranks[to as usize].max(ranks[from as usize] + 1);
        }
    }
    Some(ranks)
}
