//! Ranks of (channel, VC) from finished routes.

use crate::ids::Id;
use crate::ir::{Hop, Symmetry, Topology};
use petgraph::algo::toposort;
use petgraph::graphmap::DiGraphMap;

/// `[channel class * vcs + vc]`: the longest chain of dependencies that ends in the (channel, VC); 0 for
/// unused ones.
///
/// Panics where the routes depend on each other in a cycle: the methods that call this exclude it by
/// construction.
pub(super) fn from_routes<'a>(topology: &Topology, symmetry: &Symmetry, vcs: u8, routes: impl Iterator<Item = &'a [Hop]>) -> Vec<u32> {
    let symbol = |hop: &Hop| topology.channel_class(symmetry, hop.channel).index() as u32 * u32::from(vcs) + u32::from(hop.vc.0);
    let mut dependencies = DiGraphMap::<u32, ()>::new();
    for route in routes {
        for pair in route.windows(2) {
            dependencies.add_edge(symbol(&pair[0]), symbol(&pair[1]), ());
        }
    }
    let order = toposort(&dependencies, None).expect("the method excludes cyclic dependencies");
    let mut ranks = vec![0; topology.class_count(symmetry) * usize::from(vcs)];
    for from in order {
        for to in dependencies.neighbors(from) {
            ranks[to as usize] = ranks[to as usize].max(ranks[from as usize] + 1);
        }
    }
    ranks
}
