//! Carries forwarding tables along a permutation of the cubes of a pod.

use fabc_base::ids::{BlockId, NodeId};
use fabc_ir::{ForwardingTables, TableEntry};

/// Carries tables along a permutation of the cubes: every router and destination moves. `None` if it is no
/// permutation.
pub(super) fn carried_along(
    tables: &ForwardingTables,
    scenario: &str,
    cubes: &[BlockId],
    chips: u32,
) -> Option<ForwardingTables> {
    let image = |node: NodeId| {
        cubes.get((node.0 / chips) as usize).map(|cube| NodeId(cube.0 * chips + node.0 % chips))
    };
    let mut routers = vec![Vec::new(); tables.routers.len()];
    for (node, entries) in tables.symmetry.canonical_nodes().zip(&tables.routers) {
        let mut moved = entries
            .iter()
            .map(|entry| Some(TableEntry { dst: image(entry.dst)?, ..*entry }))
            .collect::<Option<Vec<TableEntry>>>()?;
        moved.sort_unstable();
        *routers.get_mut(image(node)?.0 as usize)? = moved;
    }
    Some(ForwardingTables { scenario: scenario.to_owned(), routers, ..tables.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_ir::{Symmetry, TableKey};

    #[test]
    fn an_image_has_the_tables_of_its_fault_carried_along() {
        let entry = |dst| TableEntry { dst: NodeId(dst), in_port: -1, in_vc: -1, out_port: 0, out_vc: 1 };
        let routers = vec![vec![entry(1), entry(3)], vec![], vec![], vec![entry(0)]];
        let tables = ForwardingTables {
            scenario: "cube0[1,0,0]".to_owned(),
            vcs: 2,
            key: TableKey::DstInput,
            symmetry: Symmetry::trivial(2, 2),
            routers,
        };
        let image = carried_along(&tables, "cube1[1,0,0]", &[BlockId(1), BlockId(0)], 2).unwrap();
        assert_eq!(image.routers, [vec![], vec![entry(2)], vec![entry(1), entry(3)], vec![]]);
        assert!(carried_along(&tables, "cube1[1,0,0]", &[BlockId(1), BlockId(9)], 2).is_none());
    }
}
