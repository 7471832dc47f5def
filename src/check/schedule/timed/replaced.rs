//! Whether a spare block may take the place of any other, so that a plan whose chips are all moved by some
//! blocks is a plan.

use crate::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::Topology;

/// Checks that moving all routers by one block, the last one to the first, keeps every channel and its ports,
/// and that of so many blocks of so many routers the last is spare and all others have chips at the same
/// places. What keeps a plan when it is moved by one block keeps it when it is moved by more.
///
/// # Errors
/// The first router or link for which that is not so.
pub fn replaced(topology: &Topology, (routers, blocks): (u32, u32)) -> Result<(), CheckError> {
    let failed = |what: String| Err(CheckError::symmetry(what));
    let (size, count) = (routers as usize, topology.node_count());
    if size == 0 || size.checked_mul(blocks as usize) != Some(count) || blocks < 2 {
        return failed(format!("{count} routers are not {blocks} blocks of {routers}"));
    }
    for node in topology.nodes() {
        let first = NodeId::new(node.index() % size);
        let expected = node.index() < count - size && topology.is_endpoint(first);
        if topology.is_endpoint(node) != expected {
            return failed(format!(
                "block {} cannot take the place of another: node {node} is what no other is",
                node.index() / size
            ));
        }
    }
    let moved = |node: NodeId| NodeId::new((node.index() + size) % count);
    for link in topology.links().iter() {
        let image =
            topology.outgoing(moved(link.a.node), link.a.port).map(|channel| topology.target(channel));
        if image.is_none_or(|end| (end.node, end.port) != (moved(link.b.node), link.b.port)) {
            let (a, b) = (link.a.node, link.b.node);
            return failed(format!(
                "a block later no link leads as that from node {a} to node {b} does: no block can be replaced"
            ));
        }
    }
    Ok(())
}
