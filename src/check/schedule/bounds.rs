//! Bounds, counted again from their witnesses.

use super::ScheduleError;
use crate::check::CheckError;
use crate::check::graph::LitGraph;
use crate::ids::{Id, NodeId};
use crate::ir::{CollectiveBound, Scene, Schedule, Transfers};
use crate::model::{Collective, CollectiveAlgorithm};

/// Checks the bounds of a schedule, and that it does not beat them.
pub(super) fn bounds(scene: &Scene<'_>, schedule: &Schedule) -> Result<(), CheckError> {
    witnesses(scene, schedule.collective, schedule.root, &schedule.bounds)?;
    let Transfers::Rounds(rounds) = &schedule.transfers else { return Ok(()) };
    let (chips, chunks) = (scene.endpoints().count() as u64, u64::from(schedule.chunks));
    let runs = if schedule.algorithm == CollectiveAlgorithm::Local { chips } else { rounds.order.len() as u64 };
    let volume: u64 = rounds.rounds.iter().map(|round| u64::from(round.width)).sum::<u64>() * runs;
    // The full vector of an all-reduce is N shards.
    for (at, bound) in schedule.bounds.iter().enumerate() {
        let (above, below) = match *bound {
            CollectiveBound::Cut { channels, shards, .. } => (u64::from(shards) * chunks, channels),
            CollectiveBound::Partition { parts, links, .. } => (u64::from(parts - 1) * chunks * chips, links),
            CollectiveBound::Latency { .. } => continue,
        };
        if volume * u64::from(below) < above {
            return Err(ScheduleError::Beaten { bound: at, volume }.into());
        }
    }
    let farthest = schedule.bounds.iter().filter_map(|bound| match bound {
        CollectiveBound::Latency { distance, .. } => Some(*distance as usize + 1),
        _ => None,
    });
    match farthest.max().filter(|&rounds_at_least| rounds.rounds.len() < rounds_at_least) {
        Some(_) => Err(ScheduleError::Beaten { bound: schedule.bounds.len() - 1, volume }.into()),
        None => Ok(()),
    }
}

/// Checks that each bound follows from its witness.
pub(super) fn witnesses(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
    claimed: &[CollectiveBound],
) -> Result<(), CheckError> {
    let chips = scene.endpoints().count() as u32;
    for (at, bound) in claimed.iter().enumerate() {
        let counted = count(scene, chips, collective, root, bound).map_err(|what| ScheduleError::shape(format!("bound {at} {what}")))?;
        if counted != *bound {
            return Err(ScheduleError::Bound { bound: at, claimed: format!("{bound:?}"), counted: format!("{counted:?}") }.into());
        }
    }
    Ok(())
}

fn count(
    scene: &Scene<'_>,
    chips: u32,
    collective: Collective,
    root: Option<NodeId>,
    bound: &CollectiveBound,
) -> Result<CollectiveBound, String> {
    let topology = scene.topology;
    let known = |node: NodeId| node.index() < topology.node_count() && scene.is_endpoint(node);
    match bound {
        CollectiveBound::Cut { all_but, .. } => {
            if collective == Collective::AllReduce {
                return Err("is no cut of an all-reduce".to_owned());
            }
            let ascending = all_but.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascending || all_but.is_empty() || all_but.len() as u32 >= chips || !all_but.iter().all(|&node| known(node)) {
                return Err("is no set of living chips with others outside".to_owned());
            }
            if root.is_some_and(|root| all_but.contains(&root)) {
                return Err("parts the root from nothing that it needs".to_owned());
            }
            let inside = |node: NodeId| all_but.binary_search(&node).is_ok();
            let into = |&channel: &_| inside(topology.target(channel).node) && !inside(topology.source(channel).node);
            let channels = scene.channels().filter(into).count() as u32;
            let shards = if root.is_some() { 1 } else { chips - all_but.len() as u32 };
            Ok(CollectiveBound::Cut { all_but: all_but.clone(), channels, shards })
        }
        &CollectiveBound::Latency { node, distance, .. } => {
            if !known(node) {
                return Err("is of no living chip".to_owned());
            }
            // Links are duplex: as far there as back.
            let hops = LitGraph::new(scene).hops_from(node, &mut Vec::new());
            let farther = match root {
                Some(root) => u32::from(hops[root.index()] > distance),
                None => scene.endpoints().filter(|from| hops[from.index()] > distance).count() as u32,
            };
            let shards = if collective == Collective::AllReduce && farther > 0 { chips } else { farther };
            if shards == 0 {
                return Err("waits for nothing".to_owned());
            }
            Ok(CollectiveBound::Latency { node, distance, channels: scene.channels_into(node).count() as u32, shards })
        }
        CollectiveBound::Partition { part_of, parts, .. } => {
            if collective != Collective::AllReduce {
                return Err("is a partition, which bounds an all-reduce alone".to_owned());
            }
            if part_of.is_empty() {
                return Ok(CollectiveBound::Partition { part_of: Vec::new(), parts: chips, links: scene.links().count() as u32 });
            }
            let mut seen = vec![false; *parts as usize];
            let fits = part_of.len() == topology.node_count()
                && topology.nodes().all(|node| match part_of[node.index()] {
                    Some(part) => known(node) && seen.get_mut(part as usize).map(|seen| *seen = true).is_some(),
                    None => !scene.is_endpoint(node),
                });
            if !fits || seen.len() < 2 || seen.contains(&false) {
                return Err("is no partition of the living chips".to_owned());
            }
            let apart = |&link: &_| {
                let link = &topology.links()[link];
                part_of[link.a.node.index()] != part_of[link.b.node.index()]
            };
            let links = scene.links().filter(apart).count() as u32;
            Ok(CollectiveBound::Partition { part_of: part_of.clone(), parts: *parts, links })
        }
    }
}
