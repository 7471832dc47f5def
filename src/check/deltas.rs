//! Applies and counts changes of tables, independently of the compiler.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Delta, EntryKey, ForwardingTables, TableEntry};
use std::collections::BTreeMap;

/// `[router]`: the sorted entries of every router, expanded from those of the canonical routers.
pub(super) fn entries_by_router(tables: &ForwardingTables) -> Vec<Vec<TableEntry>> {
    let symmetry = &tables.symmetry;
    let carried = |node: NodeId| {
        let element = symmetry.element_to(node);
        let image = |entry: &TableEntry| TableEntry { dst: symmetry.image(element, entry.dst), ..*entry };
        let mut entries: Vec<TableEntry> = tables.routers[symmetry.class(node)].iter().map(image).collect();
        entries.sort_unstable();
        entries
    };
    (0..symmetry.node_count()).map(NodeId::new).map(carried).collect()
}

/// The tables of all routers after a change. Those of `idle` routers are empty.
pub(super) fn after_change(
    before: &ForwardingTables,
    delta: &Delta,
    idle: &[NodeId],
    scenario: &str,
) -> ForwardingTables {
    let mut routers = entries_by_router(before);
    for change in &delta.routers {
        let entries = &mut routers[change.router.index()];
        let mut by_key: BTreeMap<EntryKey, TableEntry> =
            entries.iter().map(|&entry| (EntryKey::from(entry), entry)).collect();
        by_key.extend(change.add.iter().chain(&change.turn).map(|&entry| (EntryKey::from(entry), entry)));
        change.drop.iter().for_each(|key| {
            by_key.remove(key);
        });
        *entries = by_key.into_values().collect();
    }
    idle.iter().for_each(|node| routers[node.index()].clear());
    ForwardingTables {
        scenario: scenario.to_owned(),
        symmetry: before.symmetry.to_trivial(),
        routers,
        vcs: before.vcs,
        key: before.key,
    }
}

/// How many entries a change adds, turns and drops, in this order.
pub(super) fn entry_counts(delta: &Delta) -> [u64; 3] {
    let sum =
        |count: fn(&fabc_ir::RouterDelta) -> usize| delta.routers.iter().map(count).sum::<usize>() as u64;
    [sum(|router| router.add.len()), sum(|router| router.turn.len()), sum(|router| router.drop.len())]
}

/// The largest number of entries that a router holds during a change.
pub(super) fn peak_entries(before: &ForwardingTables, delta: &Delta) -> u64 {
    let added: BTreeMap<NodeId, usize> =
        delta.routers.iter().map(|change| (change.router, change.add.len())).collect();
    let symmetry = &before.symmetry;
    let held =
        |node: NodeId| before.routers[symmetry.class(node)].len() + added.get(&node).copied().unwrap_or(0);
    (0..symmetry.node_count()).map(NodeId::new).map(held).max().unwrap_or(0) as u64
}

/// Whether two tables hold the same entries at every router.
pub(super) fn have_same_entries(first: &ForwardingTables, second: &ForwardingTables) -> bool {
    entries_by_router(first) == entries_by_router(second)
}
