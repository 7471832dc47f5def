//! From the old entries for one destination to the new ones, so that nothing is lost on the way.
//!
//! While routers change, any of them may hold old entries or new ones. Whoever waits at an old key that leads
//! to something dark gets an entry for the while, and so does every key on the way from there; these go again
//! when nothing is left there.

use super::fates::{Fate, fates};
use super::ground::Ground;
use super::rows::NONE;
use super::ways::Ways;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Delta, Entry, Key, RouterDelta};
use std::collections::BTreeSet;

/// What changes for one destination.
#[derive(Default)]
pub(super) struct Changes {
    /// Of routers that live.
    add: Vec<(NodeId, Entry)>,
    turn: Vec<(NodeId, Entry)>,
    drop: Vec<(NodeId, Key)>,
    stranded: Vec<(NodeId, Key)>,
}

/// The changes from `old` to `new` for packets to `dst`, under one order of ranks.
pub(super) fn warm(
    ground: &Ground<'_>,
    old: &[u32],
    new: &[u32],
    dst: NodeId,
    ways: &mut Ways,
    costs: &[u64],
) -> Changes {
    let fates = fates(ground, old, dst);
    let mut between = new.to_vec();
    for (key, &output) in old.iter().enumerate() {
        if between[key] == NONE && fates[key] == Fate::Arrives {
            between[key] = output;
        }
    }
    let mut stranded = vec![false; old.len()];
    let waits = |key: &usize| {
        fates[*key] == Fate::Broken
            && old[*key] != NONE
            && between[*key] == NONE
            && ground.state[*key] != NONE
    };
    // Nobody is helped on who has nowhere to go.
    let mut waiting: Vec<usize> =
        if ground.lives[dst.index()] { (0..old.len()).filter(waits).collect() } else { Vec::new() };
    if !waiting.is_empty() {
        ways.find(ground, &between, dst, costs);
    }
    waiting.sort_by_key(|&key| std::cmp::Reverse(ground.rank[ground.state[key] as usize]));
    for key in waiting {
        let state = ground.after(key, old[key]);
        let next = ground.key[state] as usize;
        // The way of another one may have come by.
        if between[key] != NONE {
            continue;
        }
        // Where whoever goes on by the old entry is helped on, it may stay.
        if ground.open[state / ground.vcs] && between[next] != NONE && !stranded[next] {
            between[key] = old[key];
            continue;
        }
        match ways.after(ground.state[key]) {
            Some(first) => ways.lay(ground, &mut between, key, first, |_| {}),
            None => stranded[key] = true,
        }
    }
    changes(ground, dst, [old, &between, new], &stranded)
}

/// The changes for routers that carry nothing meanwhile.
pub(super) fn cold(ground: &Ground<'_>, old: &[u32], new: &[u32], dst: NodeId) -> Changes {
    changes(ground, dst, [old, new, new], &vec![false; old.len()])
}

fn changes(ground: &Ground<'_>, dst: NodeId, [old, between, new]: [&[u32]; 3], stranded: &[bool]) -> Changes {
    let mut changes = Changes::default();
    for key in 0..old.len() {
        let router = NodeId::new(ground.router(key));
        let line = |output| (router, ground.entry(dst, key, output));
        match (old[key], between[key]) {
            (NONE, NONE) => continue,
            (NONE, now) => changes.add.push(line(now)),
            (before, now) if now != NONE && now != before => changes.turn.push(line(now)),
            _ => {}
        }
        let named = || (router, ground.entry(dst, key, 0).into());
        if new[key] == NONE {
            changes.drop.push(named());
        }
        if stranded[key] {
            changes.stranded.push(named());
        }
    }
    changes
}

/// The changes for all destinations, router by router.
pub(super) fn together(all: impl IntoIterator<Item = Changes>) -> Delta {
    let mut sum = Changes::default();
    for Changes { add, turn, drop, stranded } in all {
        sum.add.extend(add);
        sum.turn.extend(turn);
        sum.drop.extend(drop);
        sum.stranded.extend(stranded);
    }
    let Changes { mut add, mut turn, mut drop, mut stranded } = sum;
    add.sort_unstable();
    turn.sort_unstable();
    drop.sort_unstable();
    stranded.sort_unstable();
    let changed: BTreeSet<NodeId> =
        add.iter().chain(&turn).map(|line| line.0).chain(drop.iter().map(|key| key.0)).collect();
    let of = |router| RouterDelta {
        router,
        add: part(&add, router),
        turn: part(&turn, router),
        drop: part(&drop, router),
    };
    Delta { routers: changed.into_iter().map(of).collect(), stranded }
}

/// What a list that ascends by router has of one.
fn part<T: Copy>(list: &[(NodeId, T)], router: NodeId) -> Vec<T> {
    let start = list.partition_point(|(other, _)| *other < router);
    list[start..].iter().take_while(|(other, _)| *other == router).map(|(_, of)| *of).collect()
}
