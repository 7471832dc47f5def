//! Leads from the old entries for one destination to the new ones, without losing packets.
//!
//! While routers change, any of them may hold old or new entries. Packets may wait at an old key that leads
//! to something dark. Such a key, and every key on the path from there, gets an interim entry. Interim
//! entries are removed when no packets are left at them.

use super::fates::{KeyFate, fates};
use super::graph::StateGraph;
use super::paths::RisingPaths;
use super::rows::NONE;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Delta, EntryKey, RouterDelta, TableEntry};
use std::collections::BTreeSet;

/// The changes for one destination.
#[derive(Default)]
pub(super) struct DestinationChanges {
    /// (router, entry) of surviving routers.
    add: Vec<(NodeId, TableEntry)>,
    change: Vec<(NodeId, TableEntry)>,
    remove: Vec<(NodeId, EntryKey)>,
    stranded: Vec<(NodeId, EntryKey)>,
}

/// The changes from `old` to `new` for packets to `dst`, under one order of ranks.
pub(super) fn warm_changes(
    graph: &StateGraph<'_>,
    old: &[u32],
    new: &[u32],
    dst: NodeId,
    paths: &mut RisingPaths,
    costs: &[u64],
) -> DestinationChanges {
    let fate_of_key = fates(graph, old, dst);
    let mut interim = new.to_vec();
    for (key, &output) in old.iter().enumerate() {
        if interim[key] == NONE && fate_of_key[key] == KeyFate::Arrives {
            interim[key] = output;
        }
    }
    let mut stranded = vec![false; old.len()];
    let waits_at = |key: &usize| {
        fate_of_key[*key] == KeyFate::Broken
            && old[*key] != NONE
            && interim[*key] == NONE
            && graph.state[*key] != NONE
    };
    // Packets to a failed destination cannot be helped.
    let mut waiting: Vec<usize> =
        if graph.survives[dst.index()] { (0..old.len()).filter(waits_at).collect() } else { Vec::new() };
    if !waiting.is_empty() {
        paths.find_paths(graph, &interim, dst, costs);
    }
    waiting.sort_by_key(|&key| std::cmp::Reverse(graph.rank[graph.state[key] as usize]));
    for key in waiting {
        let state = graph.state_after(key, old[key]);
        let next = graph.key[state] as usize;
        // The path of another waiting key may have come through this key.
        if interim[key] != NONE {
            continue;
        }
        // The old entry may stay if packets that follow it are led on from there.
        if graph.open[state / graph.vcs] && interim[next] != NONE && !stranded[next] {
            interim[key] = old[key];
            continue;
        }
        match paths.state_after(graph.state[key]) {
            Some(first) => paths.write_path(graph, &mut interim, key, first, |_| {}),
            None => stranded[key] = true,
        }
    }
    changes(graph, dst, [old, &interim, new], &stranded)
}

/// The changes for routers that carry no packets meanwhile.
pub(super) fn cold_changes(
    graph: &StateGraph<'_>,
    old: &[u32],
    new: &[u32],
    dst: NodeId,
) -> DestinationChanges {
    changes(graph, dst, [old, new, new], &vec![false; old.len()])
}

fn changes(
    graph: &StateGraph<'_>,
    dst: NodeId,
    tables: [&[u32]; 3],
    stranded: &[bool],
) -> DestinationChanges {
    let [old, interim, new] = tables;
    let mut changes = DestinationChanges::default();
    for key in 0..old.len() {
        let router = NodeId::new(graph.router(key));
        let entry_for = |output| (router, graph.entry(dst, key, output));
        match (old[key], interim[key]) {
            (NONE, NONE) => continue,
            (NONE, new_output) => changes.add.push(entry_for(new_output)),
            (old_output, new_output) if new_output != NONE && new_output != old_output => {
                changes.change.push(entry_for(new_output))
            }
            _ => {}
        }
        let key_of_router = || (router, graph.entry(dst, key, 0).into());
        if new[key] == NONE {
            changes.remove.push(key_of_router());
        }
        if stranded[key] {
            changes.stranded.push(key_of_router());
        }
    }
    changes
}

/// The changes for all destinations, router by router.
pub(super) fn merge_changes(changes_of_destinations: impl IntoIterator<Item = DestinationChanges>) -> Delta {
    let mut sum = DestinationChanges::default();
    for DestinationChanges { add, change, remove, stranded } in changes_of_destinations {
        sum.add.extend(add);
        sum.change.extend(change);
        sum.remove.extend(remove);
        sum.stranded.extend(stranded);
    }
    let DestinationChanges { mut add, mut change, mut remove, mut stranded } = sum;
    add.sort_unstable();
    change.sort_unstable();
    remove.sort_unstable();
    stranded.sort_unstable();
    let changed: BTreeSet<NodeId> =
        add.iter().chain(&change).map(|line| line.0).chain(remove.iter().map(|key| key.0)).collect();
    let router_delta = |router| RouterDelta {
        router,
        add: entries_of(&add, router),
        turn: entries_of(&change, router),
        drop: entries_of(&remove, router),
    };
    Delta { routers: changed.into_iter().map(router_delta).collect(), stranded }
}

/// The items of one router in a list that ascends by router.
fn entries_of<T: Copy>(list: &[(NodeId, T)], router: NodeId) -> Vec<T> {
    let start = list.partition_point(|(listed_router, _)| *listed_router < router);
    list[start..]
        .iter()
        .take_while(|(listed_router, _)| *listed_router == router)
        .map(|(_, item)| *item)
        .collect()
}
