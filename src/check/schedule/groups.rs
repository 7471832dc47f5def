//! Verifies that a schedule does a collective in groups, and that its paths are those of its algorithm.
//!
//! The groups have surviving chips, all as many, and none in two of them. Chips in no group are idle.
//! `within` uses only channels between chips of one group. `direct` and `ring` follow the forwarding
//! tables: from the source of data to every other chip of its group, or from chip to chip around a cycle
//! of the group, both ways round. In a reduce-scatter the listed paths run against the data, so their
//! reverse must be the way of the tables. `trees` and `paths` may take any way.

use super::ScheduleError;
use super::messages::TableWalk;
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{
    ChipGroups, Forest, ForestSend, ForestTree, ForwardingTables, PairPaths, Scene, Schedule, Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};
use std::collections::BTreeMap;

fn violation(text: String) -> CheckError {
    ScheduleError::shape(text).into()
}

/// Verifies that groups have surviving chips, all as many, and none in two of them.
pub(super) fn verify_groups(scene: &Scene<'_>, groups: &ChipGroups) -> Result<(), CheckError> {
    let size = groups.lists().first().map_or(0, Vec::len);
    if size < 2 {
        return Err(violation("its first group has fewer than two chips".to_owned()));
    }
    let mut seen = vec![false; scene.topology.node_count()];
    for (number, list) in groups.lists().iter().enumerate() {
        if list.len() != size {
            return Err(violation(format!(
                "group {number} has {} chips, but the first one has {size}",
                list.len()
            )));
        }
        for &chip in list {
            if chip.index() >= seen.len() || !scene.is_endpoint(chip) {
                return Err(violation(format!(
                    "group {number} has router {chip}, which is no surviving chip"
                )));
            }
            if std::mem::replace(&mut seen[chip.index()], true) {
                return Err(violation(format!("{} is in two groups", scene.topology.name(chip))));
            }
        }
    }
    Ok(())
}

/// Verifies that the paths of a schedule in groups are those of its algorithm. `tables` are those that it
/// follows, if it follows some.
pub(super) fn verify_group_paths(
    scene: &Scene<'_>,
    tables: Option<&ForwardingTables>,
    schedule: &Schedule,
    groups: &ChipGroups,
) -> Result<(), CheckError> {
    if !CollectiveAlgorithm::for_groups(schedule.collective).contains(&schedule.algorithm) {
        return Err(violation(format!(
            "`{}` performs no {} in groups",
            schedule.algorithm.name(),
            schedule.collective.name()
        )));
    }
    let walk = tables.map(|tables| TableWalk::new(scene, tables)).transpose()?;
    let walk =
        || walk.as_ref().ok_or_else(|| violation("its paths need the tables that they follow".to_owned()));
    match (schedule.algorithm, &schedule.transfers) {
        (CollectiveAlgorithm::Within, Transfers::Forest(forest)) => verify_inside(scene, forest, groups),
        (CollectiveAlgorithm::Direct, Transfers::Paths(paths)) => verify_pairs(scene, walk()?, paths),
        (CollectiveAlgorithm::Direct, Transfers::Forest(forest)) => {
            for (number, tree) in forest.trees.iter().enumerate() {
                let from_root = tree.sends.iter().find(|send| send.from != tree.root);
                if let Some(send) = from_root {
                    return Err(tree_error(
                        number,
                        format!("router {} is not its root, but sends", send.from),
                    ));
                }
                verify_tree_ways(scene, walk()?, schedule, number, tree)?;
            }
            Ok(())
        }
        (CollectiveAlgorithm::Ring, Transfers::Forest(forest)) => {
            verify_cycles(forest, groups)?;
            for (number, tree) in forest.trees.iter().enumerate() {
                verify_tree_ways(scene, walk()?, schedule, number, tree)?;
            }
            Ok(())
        }
        (CollectiveAlgorithm::Trees, Transfers::Forest(_))
        | (CollectiveAlgorithm::Paths, Transfers::Paths(_)) => Ok(()),
        _ => Err(violation(format!("`{}` lists other things", schedule.algorithm.name()))),
    }
}

fn tree_error(tree: usize, violation: String) -> CheckError {
    ScheduleError::Tree { tree, violation }.into()
}

/// Verifies that every channel joins two chips of the group of its tree.
fn verify_inside(scene: &Scene<'_>, forest: &Forest, groups: &ChipGroups) -> Result<(), CheckError> {
    let topology = scene.topology;
    for (number, tree) in forest.trees.iter().enumerate() {
        let group = groups.group_of(tree.root);
        let paths = tree.sends.iter().flat_map(|send| &send.paths);
        for &channel in paths.flat_map(|path| &path.channels) {
            let ends = [topology.source(channel).node, topology.target(channel).node];
            if ends.into_iter().any(|end| groups.group_of(end) != group) {
                let name = topology.channel_name(channel);
                return Err(tree_error(number, format!("{name} leads out of the group")));
            }
        }
    }
    Ok(())
}

/// Verifies that every edge of a tree has one path, which is the way of the tables.
fn verify_tree_ways(
    scene: &Scene<'_>,
    walk: &TableWalk<'_>,
    schedule: &Schedule,
    number: usize,
    tree: &ForestTree,
) -> Result<(), CheckError> {
    let against = schedule.collective == Collective::ReduceScatter;
    for ForestSend { from, to, paths } in &tree.sends {
        let way = match against {
            true => walk.way(*to, *from).map(|way| reversed(scene, &way)),
            false => walk.way(*from, *to),
        };
        let way = way.map_err(|reason| tree_error(number, reason))?;
        if paths.len() != 1 || paths[0].channels != way {
            let [from, to] = [from, to].map(|&end| scene.topology.name(end));
            return Err(tree_error(number, format!("{from} to {to} does not follow the tables")));
        }
    }
    Ok(())
}

/// The way back over the same links.
fn reversed(scene: &Scene<'_>, way: &[ChannelId]) -> Vec<ChannelId> {
    way.iter().rev().filter_map(|&channel| scene.topology.reverse(channel)).collect()
}

/// Verifies that every pair has one path of one leg, which is the way of the tables.
fn verify_pairs(scene: &Scene<'_>, walk: &TableWalk<'_>, pair_paths: &PairPaths) -> Result<(), CheckError> {
    for (number, path) in pair_paths.paths.iter().enumerate() {
        let convict = |violation| CheckError::from(ScheduleError::Path { path: number, violation });
        let way = walk.way(path.source, path.destination).map_err(convict)?;
        if path.legs.len() != 1 || path.legs[0] != way || path.amount != pair_paths.parts {
            let [from, to] = [path.source, path.destination].map(|end| scene.topology.name(end));
            return Err(convict(format!("{from} to {to} does not follow the tables")));
        }
    }
    Ok(())
}

/// Verifies that the trees of a group are chains around one cycle of its chips, half of them each way.
fn verify_cycles(forest: &Forest, groups: &ChipGroups) -> Result<(), CheckError> {
    // `[chip]`: the chip to which the first tree that comes by hands on, in each sense of the cycle.
    let mut next: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    let mut halves: BTreeMap<(NodeId, bool), u64> = BTreeMap::new();
    for (number, tree) in forest.trees.iter().enumerate() {
        let convict = |text: &str| tree_error(number, text.to_owned());
        let mut at = tree.root;
        if tree.sends.iter().any(|send| std::mem::replace(&mut at, send.to) != send.from) {
            return Err(convict("it is no chain"));
        }
        let Some(first) = tree.sends.first() else { return Err(convict("it is no chain")) };
        let is_forth = match next.get(&tree.root) {
            Some(&known) => known == first.to,
            // The first tree of a group says which sense is the first one.
            None if groups.members(tree.root).iter().all(|chip| !next.contains_key(chip)) => {
                next.extend(tree.sends.iter().map(|send| (send.from, send.to)));
                next.insert(at, tree.root);
                true
            }
            None => false,
        };
        let goes_on = |send: &ForestSend| match is_forth {
            true => next.get(&send.from) == Some(&send.to),
            false => next.get(&send.to) == Some(&send.from),
        };
        if !tree.sends.iter().all(goes_on) {
            return Err(convict("it leaves the cycle of its group"));
        }
        *halves.entry((tree.root, is_forth)).or_default() += u64::from(tree.multiplicity);
    }
    let size = groups.size();
    // Around two chips both senses are the same.
    let is_half = |&(root, sense): &(NodeId, bool)| {
        size == 2 || halves.get(&(root, sense)) == halves.get(&(root, !sense))
    };
    match halves.keys().find(|key| !is_half(key)) {
        Some((root, _)) => {
            Err(violation(format!("the data of router {root} does not go half each way round")))
        }
        None => Ok(()),
    }
}
