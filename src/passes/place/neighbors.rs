//! The neighbors of routers.

use fabc_ir::Topology;

/// `[router]`: its neighbors, one entry per link.
pub(super) fn neighbors(topology: &Topology) -> Vec<Vec<u32>> {
    let mut neighbors = vec![Vec::new(); topology.node_count()];
    for link in topology.links().iter() {
        neighbors[link.a.node.0 as usize].push(link.b.node.0);
        neighbors[link.b.node.0 as usize].push(link.a.node.0);
    }
    neighbors
}
