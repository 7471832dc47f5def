//! Table entries: the routers whose tables differ, and the number of entries that differ.

use fabc_base::ids::NodeId;
use fabc_ir::{ForwardingTables, TableEntry};
use rayon::prelude::*;
use std::cmp::Ordering;

/// The differences between the tables of one scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableChanges {
    /// Routers with different entries, ascending, by their numbers in B.
    pub routers: Vec<NodeId>,
    /// Keys that A lacks, keys with different actions, and keys that B lacks, over all routers.
    pub counts: [u64; 3],
}

/// Compares the tables of all routers. `images` maps a router of A to one of B. Both fabrics must have the
/// same number of routers and the same kind of table keys.
pub fn table_changes(a: &ForwardingTables, b: &ForwardingTables, images: Option<&[NodeId]>) -> TableChanges {
    // If both have the same symmetry, one router stands for all of its orbit.
    let shared = images.is_none() && a.symmetry == b.symmetry;
    let nodes = b.symmetry.node_count();
    let mut origins: Vec<NodeId> = (0..nodes as u32).map(NodeId).collect();
    if let Some(images) = images {
        (0..).map(NodeId).zip(images).for_each(|(node, image)| origins[image.0 as usize] = node);
    }
    let counts_of_router = |node: NodeId| {
        let mut old = a.router(origins[node.0 as usize]);
        if let Some(images) = images {
            old.iter_mut().for_each(|entry| entry.dst = images[entry.dst.0 as usize]);
            old.sort_unstable();
        }
        counts(&old, &b.router(node))
    };
    let changed: Vec<(NodeId, [u64; 3])> = match shared {
        true => {
            let counts_of_class = (0..b.routers.len())
                .into_par_iter()
                .map(|class| counts(&a.routers[class], &b.routers[class]));
            let counts_of_class: Vec<[u64; 3]> = counts_of_class.collect();
            (0..nodes as u32)
                .map(NodeId)
                .map(|node| (node, counts_of_class[b.symmetry.class(node)]))
                .collect()
        }
        false => {
            (0..nodes as u32).into_par_iter().map(NodeId).map(|node| (node, counts_of_router(node))).collect()
        }
    };
    let changed = changed.into_iter().filter(|(_, counts)| *counts != [0; 3]);
    changed.fold(TableChanges { routers: Vec::new(), counts: [0; 3] }, |mut sum, (node, counts)| {
        sum.routers.push(node);
        sum.counts.iter_mut().zip(counts).for_each(|(sum, counts_of_node)| *sum += counts_of_node);
        sum
    })
}

/// Numbers of new keys, of keys with different actions, and of missing keys. Both lists ascend.
fn counts(old: &[TableEntry], new: &[TableEntry]) -> [u64; 3] {
    let key = |entry: &TableEntry| (entry.dst, entry.in_port, entry.in_vc);
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    let [mut added, mut changed_actions, mut dropped] = [0; 3];
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(old), Some(new)) => key(old).cmp(&key(new)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return [added, changed_actions, dropped],
        };
        match order {
            Ordering::Less => {
                old.next();
                dropped += 1;
            }
            Ordering::Greater => {
                new.next();
                added += 1;
            }
            Ordering::Equal => changed_actions += u64::from(old.next() != new.next()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::ids::BlockId;
    use fabc_ir::{Symmetry, TableKey};

    fn entry(dst: u32, in_port: i16, out_port: u16) -> TableEntry {
        TableEntry { dst: NodeId(dst), in_port, in_vc: if in_port < 0 { -1 } else { 0 }, out_port, out_vc: 0 }
    }

    fn tables(symmetry: Symmetry, routers: Vec<Vec<TableEntry>>) -> ForwardingTables {
        ForwardingTables {
            scenario: "nominal".to_owned(),
            vcs: 1,
            key: TableKey::DstInput,
            symmetry,
            routers,
        }
    }

    #[test]
    fn keys_are_added_turned_and_dropped() {
        let a = tables(
            Symmetry::trivial(1, 2),
            vec![vec![entry(1, -1, 0), entry(1, 2, 0)], vec![entry(0, -1, 0)]],
        );
        let b = tables(
            Symmetry::trivial(1, 2),
            vec![vec![entry(1, -1, 3), entry(1, 4, 0)], vec![entry(0, -1, 0)]],
        );
        assert_eq!(table_changes(&a, &b, None), TableChanges { routers: vec![NodeId(0)], counts: [1, 1, 1] });
        assert_eq!(table_changes(&a, &a, None), TableChanges { routers: Vec::new(), counts: [0; 3] });
    }

    #[test]
    fn routers_that_change_names_keep_their_tables() {
        let a = tables(
            Symmetry::trivial(1, 3),
            vec![vec![entry(1, -1, 0), entry(2, -1, 1)], vec![entry(0, -1, 0)], vec![entry(1, -1, 5)]],
        );
        // 0 -> 2, 1 -> 0, 2 -> 1
        let images = [NodeId(2), NodeId(0), NodeId(1)];
        let b = tables(
            Symmetry::trivial(1, 3),
            vec![vec![entry(2, -1, 0)], vec![entry(0, -1, 5)], vec![entry(0, -1, 0), entry(1, -1, 1)]],
        );
        assert_eq!(table_changes(&a, &b, Some(&images)).counts, [0; 3]);
        assert_eq!(table_changes(&a, &b, None).routers.len(), 3);
    }

    #[test]
    fn one_router_stands_for_all_that_are_like_it() {
        let turn = Symmetry::new(1, vec![vec![BlockId(0), BlockId(1)], vec![BlockId(1), BlockId(0)]]);
        let [a, b] = [0, 1].map(|port| tables(turn.clone(), vec![vec![entry(1, -1, port)]]));
        let whole = tables(Symmetry::trivial(1, 2), vec![vec![entry(1, -1, 1)], vec![entry(0, -1, 1)]]);
        let both = TableChanges { routers: vec![NodeId(0), NodeId(1)], counts: [0, 2, 0] };
        assert_eq!(table_changes(&a, &b, None), both);
        assert_eq!(table_changes(&a, &whole, None), both);
        assert_eq!(table_changes(&b, &whole, None).counts, [0; 3]);
    }
}
