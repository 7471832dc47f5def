//! Verifies that a spare block may take the place of any other, so that a schedule stays valid when its
//! chips move by whole blocks.

use crate::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::Topology;

/// Verifies that moving all routers by one block, the last block to the first, keeps every channel and its
/// ports. The last block must be spare, and all others must have chips at the same places. A schedule that
/// stays valid under one such move stays valid under several. `layout` is (routers of a block, blocks).
///
/// # Errors
/// The first router or link that violates this.
pub fn verify_replaceable(topology: &Topology, layout: (u32, u32)) -> Result<(), CheckError> {
    let (routers, blocks) = layout;
    let reject = |violation: String| Err(CheckError::symmetry(violation));
    let (size, count) = (routers as usize, topology.node_count());
    if size == 0 || size.checked_mul(blocks as usize) != Some(count) || blocks < 2 {
        return reject(format!("{count} routers do not divide into {blocks} blocks of {routers}"));
    }
    for node in topology.nodes() {
        let first = NodeId::new(node.index() % size);
        let expected = node.index() < count - size && topology.is_endpoint(first);
        if topology.is_endpoint(node) != expected {
            return reject(format!(
                "block {} cannot replace another one: node {node} differs from its image in another block",
                node.index() / size
            ));
        }
    }
    let next_block = |node: NodeId| NodeId::new((node.index() + size) % count);
    for link in topology.links().iter() {
        let image =
            topology.outgoing(next_block(link.a.node), link.a.port).map(|channel| topology.target(channel));
        if image.is_none_or(|end| (end.node, end.port) != (next_block(link.b.node), link.b.port)) {
            let (a, b) = (link.a.node, link.b.node);
            return reject(format!(
                "no block can be replaced: the link from node {a} to node {b} has no image in the next block"
            ));
        }
    }
    Ok(())
}
