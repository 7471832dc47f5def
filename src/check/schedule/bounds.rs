//! Bounds, counted again from their witnesses.

use super::ScheduleError;
use super::messages::{Leg, Loads};
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{CollectiveBound, Scene, Schedule, Transfers};
use fabc_kernel::volume_and_distance;
use fabc_model::{Collective, CollectiveAlgorithm, Demand};
use std::collections::VecDeque;

/// Checks the bounds of a schedule, and that it does not beat them; `loads` are those of the tables that it
/// follows.
pub(super) fn bounds(
    scene: &Scene<'_>,
    schedule: &Schedule,
    loads: Option<&Loads>,
) -> Result<(), CheckError> {
    witnesses(scene, schedule.collective, schedule.root, &schedule.bounds, loads)?;
    let (chips, chunks) = (scene.endpoints().count() as u64, u64::from(schedule.chunks));
    // Chunk times `over` by `under`, and rounds of one run.
    let (over, under, rounds) = match &schedule.transfers {
        Transfers::Rounds(rounds) => {
            let runs = if schedule.algorithm == CollectiveAlgorithm::Local {
                chips
            } else {
                rounds.order.len() as u64
            };
            let volume = rounds.rounds.iter().map(|round| u64::from(round.width)).sum::<u64>() * runs;
            (volume, 1, rounds.rounds.len())
        }
        Transfers::Sends(_) => {
            let legs = loads.map(|loads| &loads.legs[..]).unwrap_or_default();
            let rounds = legs.iter().map(Leg::slots).max().unwrap_or(0);
            (legs.iter().map(Leg::slots).sum(), 1, rounds as usize)
        }
        Transfers::Timed(_) => {
            return Err(ScheduleError::shape("plans of vectors are bounded in cycles").into());
        }
        // Every tree moves its share of the full vector, over a link of as many trees as a link is in at
        // most.
        Transfers::Trees(shared) => {
            let full = if schedule.collective == Collective::AllReduce { chips } else { 1 };
            (u64::from(shared.capacity) * chunks * full, shared.trees.len() as u64, usize::MAX)
        }
    };
    // The vector of a root is one shard, but N of them where messages carry it; the full vector of an
    // all-reduce is N.
    let vector =
        if schedule.root.is_some() && matches!(schedule.transfers, Transfers::Sends(_)) { chips } else { 1 };
    for (at, bound) in schedule.bounds.iter().enumerate() {
        let (above, below) = match *bound {
            CollectiveBound::Cut { channels, shards, .. } => {
                (u128::from(shards) * u128::from(chunks * vector), u128::from(channels))
            }
            CollectiveBound::Channel { shards, lanes, .. } => {
                (u128::from(shards) * u128::from(chunks), u128::from(lanes))
            }
            CollectiveBound::Flow { volume, distance, .. } => {
                (distance.saturating_mul(u128::from(chunks)), volume)
            }
            CollectiveBound::Partition { parts, channels, .. } => {
                (2 * u128::from(parts - 1) * u128::from(chunks * chips), u128::from(channels))
            }
            CollectiveBound::Latency { .. } | CollectiveBound::Quickest { .. } => continue,
        };
        if u128::from(over).saturating_mul(below) < above.saturating_mul(u128::from(under)) {
            return Err(ScheduleError::Beaten { bound: at, volume: over / under }.into());
        }
    }
    let farthest = schedule.bounds.iter().filter_map(|bound| match bound {
        CollectiveBound::Latency { distance, .. } => Some(*distance as usize + 1),
        _ => None,
    });
    match farthest.max().filter(|&rounds_at_least| rounds < rounds_at_least) {
        Some(_) => {
            Err(ScheduleError::Beaten { bound: schedule.bounds.len() - 1, volume: over / under }.into())
        }
        None => Ok(()),
    }
}

/// Checks that each bound follows from its witness.
pub(super) fn witnesses(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
    claimed: &[CollectiveBound],
    loads: Option<&Loads>,
) -> Result<(), CheckError> {
    let chips = scene.endpoints().count() as u32;
    for (at, bound) in claimed.iter().enumerate() {
        let counted = match bound {
            CollectiveBound::Channel { channel, .. } => along(scene, *channel, loads),
            CollectiveBound::Flow { lengths, .. } if collective == Collective::AllToAll => {
                Ok(flow(scene, lengths)?)
            }
            _ => count(scene, chips, collective, root, bound),
        };
        let counted = counted.map_err(|what| ScheduleError::shape(format!("bound {at} {what}")))?;
        if counted != *bound {
            return Err(ScheduleError::Bound {
                bound: at,
                claimed: format!("{bound:?}"),
                counted: format!("{counted:?}"),
            }
            .into());
        }
    }
    Ok(())
}

/// What channels carry together, in units of what is common to all bandwidths.
fn lanes(scene: &Scene<'_>, channels: impl Iterator<Item = ChannelId>) -> u32 {
    let all: u64 = channels.map(|channel| scene.topology.channel_capacity(channel)).sum();
    u32::try_from(all).unwrap_or(u32::MAX)
}

/// What messages bring over a channel.
fn along(scene: &Scene<'_>, channel: ChannelId, loads: Option<&Loads>) -> Result<CollectiveBound, String> {
    let loads = loads.ok_or_else(|| "is one of tables, and there are none".to_owned())?;
    if !scene.channels().any(|lit| lit == channel) {
        return Err("is of no lit channel".to_owned());
    }
    let shards = u32::try_from(loads.on(scene, channel)).unwrap_or(u32::MAX);
    Ok(CollectiveBound::Channel { channel, shards, lanes: lanes(scene, [channel].into_iter()) })
}

/// What lengths of channels say of messages between all.
fn flow(scene: &Scene<'_>, lengths: &[u64]) -> Result<CollectiveBound, CheckError> {
    let endpoints: Vec<NodeId> = scene.topology.endpoints().collect();
    let demand = Demand::uniform(endpoints.len()).among_endpoints(scene.topology.node_count(), endpoints);
    let (volume, distance) = volume_and_distance(scene, &demand, lengths)?;
    Ok(CollectiveBound::Flow { lengths: lengths.to_vec(), volume, distance })
}

/// `[router]`: hops from it to one, `u32::MAX` where there is no way.
pub(super) fn hops_to(scene: &Scene<'_>, node: NodeId) -> Vec<u32> {
    let mut hops = vec![u32::MAX; scene.topology.node_count()];
    hops[node.index()] = 0;
    let mut queue = VecDeque::from([node]);
    while let Some(near) = queue.pop_front() {
        for channel in scene.channels_into(near) {
            let from = scene.topology.source(channel).node;
            if hops[from.index()] == u32::MAX {
                hops[from.index()] = hops[near.index()] + 1;
                queue.push_back(from);
            }
        }
    }
    hops
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
            let living =
                all_but.iter().all(|&node| node.index() < topology.node_count() && scene.lives(node));
            let within = all_but.iter().filter(|&&node| known(node)).count() as u32;
            if !ascending || !living || within == 0 || within >= chips {
                return Err("is no set of living routers with chips in it and outside".to_owned());
            }
            if root.is_some_and(|root| all_but.contains(&root)) {
                return Err("parts the root from nothing that it needs".to_owned());
            }
            let inside = |node: NodeId| all_but.binary_search(&node).is_ok();
            // What is added up leaves the set for the root.
            let across = |from: NodeId, to: NodeId| inside(to) && !inside(from);
            let into = |&channel: &_| match (topology.source(channel).node, topology.target(channel).node) {
                (from, to) if collective == Collective::Reduce => across(to, from),
                (from, to) => across(from, to),
            };
            let channels = lanes(scene, scene.channels().filter(into));
            let shards = if root.is_some() { 1 } else { chips - within };
            Ok(CollectiveBound::Cut { all_but: all_but.clone(), channels, shards })
        }
        &CollectiveBound::Latency { node, distance, .. } => {
            if !known(node) {
                return Err("is of no living chip".to_owned());
            }
            let hops = hops_to(scene, node);
            let farther = match root {
                // Whatever comes to the root holds something of the chip that is farthest away.
                Some(root) if collective == Collective::Reduce && node != root => {
                    return Err("is not of the root, where a reduction ends".to_owned());
                }
                Some(_) if collective == Collective::Reduce => {
                    u32::from(scene.endpoints().any(|from| hops[from.index()] > distance))
                }
                Some(root) => u32::from(hops[root.index()] > distance),
                None => scene.endpoints().filter(|from| hops[from.index()] > distance).count() as u32,
            };
            let shards = if collective == Collective::AllReduce && farther > 0 { chips } else { farther };
            if shards == 0 {
                return Err("waits for nothing".to_owned());
            }
            Ok(CollectiveBound::Latency {
                node,
                distance,
                channels: lanes(scene, scene.channels_into(node)),
                shards,
            })
        }
        CollectiveBound::Partition { part_of, parts, .. } => {
            if collective != Collective::AllReduce {
                return Err("is a partition, which bounds an all-reduce alone".to_owned());
            }
            if part_of.is_empty() {
                let into_chips =
                    lanes(scene, scene.channels().filter(|&channel| known(topology.target(channel).node)));
                return Ok(CollectiveBound::Partition {
                    part_of: Vec::new(),
                    parts: chips,
                    channels: into_chips,
                });
            }
            let mut seen = vec![false; *parts as usize];
            let fits = part_of.len() == topology.node_count()
                && topology.nodes().all(|node| match part_of[node.index()] {
                    Some(part) => {
                        known(node) && seen.get_mut(part as usize).map(|seen| *seen = true).is_some()
                    }
                    None => !scene.is_endpoint(node),
                });
            if !fits || seen.len() < 2 || seen.contains(&false) {
                return Err("is no partition of the living chips".to_owned());
            }
            let into = |&channel: &_| {
                let [from, to] =
                    [topology.source(channel), topology.target(channel)].map(|end| part_of[end.node.index()]);
                to.is_some() && from != to
            };
            let channels = lanes(scene, scene.channels().filter(into));
            Ok(CollectiveBound::Partition { part_of: part_of.clone(), parts: *parts, channels })
        }
        CollectiveBound::Quickest { .. } => Err("bounds messages alone".to_owned()),
        CollectiveBound::Channel { .. } | CollectiveBound::Flow { .. } => {
            Err("bounds an all-to-all alone".to_owned())
        }
    }
}
