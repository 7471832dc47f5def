//! What changes of tables come to, by the checker's own count.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Delta, Entry, ForwardingTables, Key};
use std::collections::BTreeMap;

/// `[router]`: the sorted entries of every router, carried from the canonical ones.
pub(super) fn entries_of_all(tables: &ForwardingTables) -> Vec<Vec<Entry>> {
    let symmetry = &tables.symmetry;
    let carried = |node: NodeId| {
        let element = symmetry.element_to(node);
        let image = |entry: &Entry| Entry { dst: symmetry.image(element, entry.dst), ..*entry };
        let mut entries: Vec<Entry> = tables.routers[symmetry.class(node)].iter().map(image).collect();
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
    let mut routers = entries_of_all(before);
    for change in &delta.routers {
        let entries = &mut routers[change.router.index()];
        let mut by_key: BTreeMap<Key, Entry> =
            entries.iter().map(|&entry| (Key::from(entry), entry)).collect();
        by_key.extend(change.add.iter().chain(&change.turn).map(|&entry| (Key::from(entry), entry)));
        change.drop.iter().for_each(|key| {
            by_key.remove(key);
        });
        *entries = by_key.into_values().collect();
    }
    idle.iter().for_each(|node| routers[node.index()].clear());
    ForwardingTables {
        scenario: scenario.to_owned(),
        symmetry: before.symmetry.without(),
        routers,
        vcs: before.vcs,
        key: before.key,
    }
}

/// How many entries are added, turned and dropped.
pub(super) fn counted(delta: &Delta) -> [u64; 3] {
    let sum =
        |count: fn(&fabc_ir::RouterDelta) -> usize| delta.routers.iter().map(count).sum::<usize>() as u64;
    [sum(|router| router.add.len()), sum(|router| router.turn.len()), sum(|router| router.drop.len())]
}

/// The most entries that a router holds while a change is under way.
pub(super) fn most_held(before: &ForwardingTables, delta: &Delta) -> u64 {
    let added: BTreeMap<NodeId, usize> =
        delta.routers.iter().map(|change| (change.router, change.add.len())).collect();
    let symmetry = &before.symmetry;
    let held =
        |node: NodeId| before.routers[symmetry.class(node)].len() + added.get(&node).copied().unwrap_or(0);
    (0..symmetry.node_count()).map(NodeId::new).map(held).max().unwrap_or(0) as u64
}

/// Whether two tables hold the same entries at every router.
pub(super) fn are_equal(one: &ForwardingTables, other: &ForwardingTables) -> bool {
    entries_of_all(one) == entries_of_all(other)
}
