//! Schedules of groups along the forwarding tables.
//!
//! In an all-gather the data of a chip goes the way of the tables. A reduce-scatter runs the same trees
//! backwards, so there every listed path is the reverse of a way of the tables (`against`).

use super::super::error::CollectiveError;
use super::super::message_paths::{check_tables, walk_tables};
use super::super::request::ScheduleRequest;
use super::plan::{check_duplex, group_schedule};
use super::within::{busiest, busiest_of_loads};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{
    ChipGroups, Forest, ForestPath, ForestSend, ForestTree, ForwardingTables, PairPath, PairPaths, Scene,
    Schedule, Transfers,
};
use fabc_model::CollectiveAlgorithm;
use rayon::prelude::*;

/// The most hops of all paths together. Each costs some 10 bytes.
const HOP_LIMIT: u64 = 1 << 26;
/// The most rounds in which an order of a cycle is made shorter.
const ROUNDS: usize = 32;

/// An all-to-all in groups, each pair by the way of the tables.
///
/// # Errors
/// Refuses tables of other routers or that lose a message, and too many hops.
pub fn pairs(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    groups: &ChipGroups,
    request: ScheduleRequest,
) -> Result<Schedule, CollectiveError> {
    check_walks(scene, tables, groups)?;
    let chips: Vec<NodeId> = scene.endpoints().collect();
    let of_source = |&source: &NodeId| {
        let mut others: Vec<NodeId> = groups.members(source).to_vec();
        others.sort_unstable();
        let others = others.into_iter().filter(|&other| other != source);
        let path = |destination| {
            let way = way(scene, tables, source, destination)?;
            Ok(PairPath { source, destination, amount: 1, legs: vec![way] })
        };
        others.map(path).collect::<Result<Vec<_>, CollectiveError>>()
    };
    let paths: Vec<PairPath> =
        chips.par_iter().map(of_source).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let mut loads = vec![0u64; scene.topology.channel_count()];
    paths.iter().flat_map(PairPath::channels).for_each(|channel| loads[channel.index()] += 1);
    let pair_paths = PairPaths { parts: 1, load: busiest_of_loads(scene, &loads), paths };
    let transfers = Transfers::Paths(pair_paths);
    Ok(group_schedule(scene, groups, CollectiveAlgorithm::Direct, request, transfers, Vec::new()))
}

/// An all-gather in groups, in which every chip sends to all others of its group.
///
/// # Errors
/// Refuses links that run one way, tables of other routers or that lose a message, and too many hops.
pub fn star(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    groups: &ChipGroups,
    against: bool,
    request: ScheduleRequest,
) -> Result<Schedule, CollectiveError> {
    check_duplex(scene)?;
    check_walks(scene, tables, groups)?;
    let chips: Vec<NodeId> = groups.lists().iter().flatten().copied().collect();
    let tree = |&root: &NodeId| {
        let others = groups.members(root).iter().filter(|&&other| other != root);
        let sends = others.map(|&other| send_along(scene, tables, root, other, against));
        Ok(ForestTree { root, multiplicity: 1, sends: sends.collect::<Result<_, CollectiveError>>()? })
    };
    let trees: Vec<ForestTree> = chips.par_iter().map(tree).collect::<Result<_, CollectiveError>>()?;
    let transfers = Transfers::Forest(Forest { parts: 1, load: busiest(scene, &trees), trees });
    Ok(group_schedule(scene, groups, CollectiveAlgorithm::Direct, request, transfers, Vec::new()))
}

/// An all-gather in groups around a cycle of each of them, half of the data each way round. The cycle is a
/// short one by hops of the tables.
///
/// # Errors
/// Fails as [`star`] does.
pub fn ring(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    groups: &ChipGroups,
    against: bool,
    request: ScheduleRequest,
) -> Result<Schedule, CollectiveError> {
    check_duplex(scene)?;
    check_walks(scene, tables, groups)?;
    let of_group = |chips: &Vec<NodeId>| {
        let cycle = short_cycle(scene, tables, chips)?;
        let size = cycle.len();
        // Around two chips both senses are the same.
        let senses: &[bool] = if size == 2 { &[true] } else { &[true, false] };
        let mut trees = Vec::new();
        for start in 0..size {
            for &forth in senses {
                let at = |step: usize| {
                    let turned = if forth { step } else { size - step };
                    cycle[(start + turned) % size]
                };
                let sends =
                    (0..size - 1).map(|step| send_along(scene, tables, at(step), at(step + 1), against));
                let sends = sends.collect::<Result<_, CollectiveError>>()?;
                trees.push(ForestTree { root: cycle[start], multiplicity: 1, sends });
            }
        }
        Ok(trees)
    };
    let trees: Vec<Vec<ForestTree>> =
        groups.lists().par_iter().map(of_group).collect::<Result<_, CollectiveError>>()?;
    let trees: Vec<ForestTree> = trees.into_iter().flatten().collect();
    let parts = if groups.size() == 2 { 1 } else { 2 };
    let transfers = Transfers::Forest(Forest { parts, load: busiest(scene, &trees), trees });
    Ok(group_schedule(scene, groups, CollectiveAlgorithm::Ring, request, transfers, Vec::new()))
}

/// Checks that the tables fit the scene, and that walks between all chips of groups are not too many.
fn check_walks(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    groups: &ChipGroups,
) -> Result<(), CollectiveError> {
    check_tables(scene, tables)?;
    let chips = scene.endpoints().count();
    let hops = chips as u64 * groups.size();
    match hops > HOP_LIMIT {
        true => Err(CollectiveError::TooLarge { chips, chunks: hops, most: HOP_LIMIT }),
        false => Ok(()),
    }
}

/// The channels by which the tables lead packets from a chip to another one.
fn way(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    from: NodeId,
    to: NodeId,
) -> Result<Vec<ChannelId>, CollectiveError> {
    let mut way = Vec::new();
    walk_tables(scene, tables, from, to, |channel| way.push(channel))?;
    Ok(way)
}

/// An edge of a tree along the tables, or `against` them.
fn send_along(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    from: NodeId,
    to: NodeId,
    against: bool,
) -> Result<ForestSend, CollectiveError> {
    let channels = match against {
        false => way(scene, tables, from, to)?,
        true => {
            let back = way(scene, tables, to, from)?;
            back.iter().rev().filter_map(|&channel| scene.topology.reverse(channel)).collect()
        }
    };
    Ok(ForestSend { from, to, paths: vec![ForestPath { amount: 1, channels }] })
}

/// The chips of a group in a cyclic order with few hops from each to the next one and back: the nearest chip
/// first, then shorter by turning a stretch around as long as that helps.
fn short_cycle(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    chips: &[NodeId],
) -> Result<Vec<NodeId>, CollectiveError> {
    let size = chips.len();
    let mut hops = vec![0u64; size * size];
    for (from, &source) in chips.iter().enumerate() {
        for (to, &destination) in chips.iter().enumerate().filter(|&(to, _)| to != from) {
            let mut count = 0;
            walk_tables(scene, tables, source, destination, |_| count += 1)?;
            hops[from * size + to] += count;
            hops[to * size + from] += count;
        }
    }
    let between = |from: usize, to: usize| hops[from * size + to];
    let mut order = vec![0];
    while order.len() < size {
        let last = order[order.len() - 1];
        let left = (0..size).filter(|rank| !order.contains(rank));
        let Some(nearest) = left.min_by_key(|&rank| between(last, rank)) else { break };
        order.push(nearest);
    }
    for _ in 0..ROUNDS {
        let mut shorter = false;
        for first in 0..size.saturating_sub(1) {
            for last in first + 1..size {
                let (before, after) = (order[(first + size - 1) % size], order[(last + 1) % size]);
                let (start, end) = (order[first], order[last]);
                let is_whole = before == end || after == start;
                if !is_whole
                    && between(before, end) + between(start, after)
                        < between(before, start) + between(end, after)
                {
                    order[first..=last].reverse();
                    shorter = true;
                }
            }
        }
        if !shorter {
            break;
        }
    }
    Ok(order.into_iter().map(|rank| chips[rank]).collect())
}
