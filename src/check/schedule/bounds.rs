//! Recomputes lower bounds on schedules from their witnesses.

use super::ScheduleError;
use super::arrivals::{Partners, count_arrival};
use super::conviction::compare_bound;
use super::forest::prove_forest;
use super::group_bounds;
use super::messages::{MessageLoads, MessageSends};
use super::paths::prove_paths;
use super::reach::{hops_to, total_lanes};
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{CollectiveBound, Scene, Schedule, Transfers};
use fabc_kernel::volume_and_distance;
use fabc_model::{Collective, CollectiveAlgorithm, Demand};

/// Verifies the bounds of a schedule, and that it does not beat them. `loads` are those of the tables that
/// its messages follow.
pub(super) fn verify_bounds(
    scene: &Scene<'_>,
    schedule: &Schedule,
    loads: Option<&MessageLoads>,
) -> Result<(), CheckError> {
    match &schedule.groups {
        Some(groups) => {
            group_bounds::verify_witnesses(scene, schedule.collective, groups, &schedule.bounds)?;
        }
        None => verify_witnesses(scene, schedule.collective, schedule.root, &schedule.bounds, loads)?,
    }
    let chips = schedule.sharers(scene.endpoints().count() as u64);
    let chunks = u64::from(schedule.chunks);
    let (numerator, denominator, rounds) = scheduled_volume(scene, schedule, loads)?;
    // The vector of a root is one shard, or N shards if messages carry it. The full vector of an all-reduce
    // is N shards.
    let vector =
        if schedule.root.is_some() && matches!(schedule.transfers, Transfers::Sends(_)) { chips } else { 1 };
    for (index, bound) in schedule.bounds.iter().enumerate() {
        let (bound_numerator, bound_denominator) = match *bound {
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
            CollectiveBound::Relays { received, channels, inside, fan } => {
                let places = u128::from(channels) * u128::from(fan) + u128::from(inside);
                (u128::from(received) * (u128::from(fan) + 1) * u128::from(chunks), places)
            }
            CollectiveBound::Inside { channels, shards, .. } => {
                if schedule.algorithm != CollectiveAlgorithm::Within {
                    let name = schedule.algorithm.name();
                    let text =
                        format!("bound {index} is of schedules within the groups, and not of `{name}`");
                    return Err(ScheduleError::shape(text).into());
                }
                (u128::from(shards) * u128::from(chunks), u128::from(channels))
            }
            CollectiveBound::Latency { .. }
            | CollectiveBound::Arrival { .. }
            | CollectiveBound::Quickest { .. } => continue,
        };
        if u128::from(numerator).saturating_mul(bound_denominator)
            < bound_numerator.saturating_mul(u128::from(denominator))
        {
            return Err(ScheduleError::Beaten { bound: index, volume: numerator / denominator }.into());
        }
    }
    let farthest = schedule.bounds.iter().filter_map(|bound| match bound {
        CollectiveBound::Latency { distance, .. } => Some(*distance as usize + 1),
        _ => None,
    });
    match farthest.max().filter(|&rounds_at_least| rounds < rounds_at_least) {
        Some(_) => {
            Err(ScheduleError::Beaten { bound: schedule.bounds.len() - 1, volume: numerator / denominator }
                .into())
        }
        None => Ok(()),
    }
}

/// The chunk times of a schedule as a fraction, and the rounds of one run.
fn scheduled_volume(
    scene: &Scene<'_>,
    schedule: &Schedule,
    loads: Option<&MessageLoads>,
) -> Result<(u64, u64, usize), CheckError> {
    let chips = schedule.sharers(scene.endpoints().count() as u64);
    let chunks = u64::from(schedule.chunks);
    Ok(match &schedule.transfers {
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
            let legs = loads.map(|loads| &loads.lists[..]).unwrap_or_default();
            let rounds = legs.iter().map(MessageSends::slots).max().unwrap_or(0);
            (legs.iter().map(MessageSends::slots).sum(), 1, rounds as usize)
        }
        Transfers::Timed(_) => {
            return Err(ScheduleError::shape("bounds of scheduled vectors must be in cycles").into());
        }
        // Every tree moves its share of the full vector. A link carries at most `capacity` trees.
        Transfers::Trees(shared) => {
            let full = if schedule.collective == Collective::AllReduce { chips } else { 1 };
            (u64::from(shared.capacity) * chunks * full, shared.trees.len() as u64, usize::MAX)
        }
        Transfers::Forest(forest) => {
            let (parts, lanes) = prove_forest(scene, schedule, forest)?.load();
            (parts as u64 * chunks, lanes as u64 * u64::from(forest.parts), usize::MAX)
        }
        Transfers::Paths(pair_paths) => {
            let (parts, lanes) = prove_paths(scene, schedule, pair_paths)?.load();
            (parts as u64 * chunks, lanes as u64 * u64::from(pair_paths.parts), usize::MAX)
        }
    })
}

/// Verifies that each bound follows from its witness.
pub(super) fn verify_witnesses(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
    claimed: &[CollectiveBound],
    loads: Option<&MessageLoads>,
) -> Result<(), CheckError> {
    let chips = scene.endpoints().count() as u32;
    for (index, bound) in claimed.iter().enumerate() {
        let recomputed = match bound {
            CollectiveBound::Channel { channel, .. } => channel_bound(scene, *channel, loads),
            CollectiveBound::Flow { lengths, .. } if collective == Collective::AllToAll => {
                Ok(flow_bound(scene, lengths)?)
            }
            _ => count_bound(scene, chips, collective, root, bound),
        };
        compare_bound(index, bound, recomputed)?;
    }
    Ok(())
}

/// The bound of a channel: the messages that cross it.
fn channel_bound(
    scene: &Scene<'_>,
    channel: ChannelId,
    loads: Option<&MessageLoads>,
) -> Result<CollectiveBound, String> {
    let loads = loads.ok_or_else(|| "needs tables, but there are none".to_owned())?;
    if !scene.channels().any(|lit| lit == channel) {
        return Err("names a channel that is dark or does not exist".to_owned());
    }
    let shards = u32::try_from(loads.load_on(scene, channel)).unwrap_or(u32::MAX);
    Ok(CollectiveBound::Channel { channel, shards, lanes: total_lanes(scene, [channel].into_iter()) })
}

/// The bound that lengths of channels prove for an all-to-all.
fn flow_bound(scene: &Scene<'_>, lengths: &[u64]) -> Result<CollectiveBound, CheckError> {
    let endpoints: Vec<NodeId> = scene.topology.endpoints().collect();
    let demand = Demand::uniform(endpoints.len()).among_endpoints(scene.topology.node_count(), endpoints);
    let (volume, distance) = volume_and_distance(scene, &demand, lengths)?;
    Ok(CollectiveBound::Flow { lengths: lengths.to_vec(), volume, distance })
}

fn is_living_chip(scene: &Scene<'_>, node: NodeId) -> bool {
    node.index() < scene.topology.node_count() && scene.is_endpoint(node)
}

/// Recomputes a bound from its witness.
fn count_bound(
    scene: &Scene<'_>,
    chips: u32,
    collective: Collective,
    root: Option<NodeId>,
    bound: &CollectiveBound,
) -> Result<CollectiveBound, String> {
    match bound {
        CollectiveBound::Cut { all_but, .. } => count_cut(scene, chips, collective, root, all_but),
        &CollectiveBound::Latency { node, distance, .. } => {
            count_latency(scene, chips, collective, root, node, distance)
        }
        CollectiveBound::Arrival { node, far, .. } => {
            let all = |chip: NodeId| is_living_chip(scene, chip);
            let partners = Partners { count: u64::from(chips), includes: &all };
            count_arrival(scene, collective, root, *node, far, partners)
        }
        CollectiveBound::Partition { part_of, parts, .. } => {
            count_partition(scene, chips, collective, part_of, *parts)
        }
        CollectiveBound::Quickest { .. } => Err("applies to messages only".to_owned()),
        CollectiveBound::Relays { .. } | CollectiveBound::Inside { .. } => {
            Err("applies to groups only".to_owned())
        }
        CollectiveBound::Channel { .. } | CollectiveBound::Flow { .. } => {
            Err("applies to an all-to-all only".to_owned())
        }
    }
}

/// The bound of a cut: the shards that must enter a set of routers, over the channels into it.
fn count_cut(
    scene: &Scene<'_>,
    chips: u32,
    collective: Collective,
    root: Option<NodeId>,
    all_but: &[NodeId],
) -> Result<CollectiveBound, String> {
    let topology = scene.topology;
    if collective == Collective::AllReduce {
        return Err("is a cut, which does not bound an all-reduce".to_owned());
    }
    let ascending = all_but.windows(2).all(|pair| pair[0] < pair[1]);
    let are_living = all_but.iter().all(|&node| node.index() < topology.node_count() && scene.lives(node));
    let within = all_but.iter().filter(|&&node| is_living_chip(scene, node)).count() as u32;
    if !ascending || !are_living || within == 0 || within >= chips {
        return Err("is not a set of surviving routers with chips both inside and outside".to_owned());
    }
    if root.is_some_and(|root| all_but.contains(&root)) {
        return Err("does not separate the root from any data that it needs".to_owned());
    }
    let inside = |node: NodeId| all_but.binary_search(&node).is_ok();
    // In a reduction, sums leave the set for the root.
    let across = |from: NodeId, to: NodeId| inside(to) && !inside(from);
    let into = |&channel: &_| match (topology.source(channel).node, topology.target(channel).node) {
        (from, to) if collective == Collective::Reduce => across(to, from),
        (from, to) => across(from, to),
    };
    let channels = total_lanes(scene, scene.channels().filter(into));
    let shards = if root.is_some() { 1 } else { chips - within };
    Ok(CollectiveBound::Cut { all_but: all_but.to_vec(), channels, shards })
}

/// The bound of a chip: the shards that must reach it from more than `distance` hops away.
fn count_latency(
    scene: &Scene<'_>,
    chips: u32,
    collective: Collective,
    root: Option<NodeId>,
    node: NodeId,
    distance: u32,
) -> Result<CollectiveBound, String> {
    if !is_living_chip(scene, node) {
        return Err("does not name a surviving chip".to_owned());
    }
    let hops = hops_to(scene, node);
    let farther = match root {
        // Some data at the root must come from the chip that is farthest away.
        Some(root) if collective == Collective::Reduce && node != root => {
            return Err("must name the root, where a reduction ends".to_owned());
        }
        Some(_) if collective == Collective::Reduce => {
            u32::from(scene.endpoints().any(|from| hops[from.index()] > distance))
        }
        Some(root) => u32::from(hops[root.index()] > distance),
        None => scene.endpoints().filter(|from| hops[from.index()] > distance).count() as u32,
    };
    let shards = if collective == Collective::AllReduce && farther > 0 { chips } else { farther };
    if shards == 0 {
        return Err("counts data from farther away, but there is none".to_owned());
    }
    Ok(CollectiveBound::Latency {
        node,
        distance,
        channels: total_lanes(scene, scene.channels_into(node)),
        shards,
    })
}

/// Verifies the bound of a partition for an all-reduce in which `adders` add beside the chips. Each of them
/// must be in a part. Elsewhere it could add up what parts send, so that they would exchange fewer messages.
///
/// # Errors
/// An adder in no part, a bound of another kind, and one that does not follow from its partition.
pub fn verify_switch_bound(
    scene: &Scene<'_>,
    adders: &[NodeId],
    claimed: &CollectiveBound,
) -> Result<(), CheckError> {
    let chips = scene.endpoints().count() as u32;
    let recomputed = match claimed {
        CollectiveBound::Partition { part_of, parts, .. } => {
            let outside = adders.iter().find(|node| !matches!(part_of.get(node.index()), Some(Some(_))));
            match outside {
                Some(node) => Err(format!("leaves {}, which adds, in no part", scene.topology.name(*node))),
                None => count_partition(scene, chips, Collective::AllReduce, part_of, *parts),
            }
        }
        _ => Err("is no partition".to_owned()),
    };
    compare_bound(0, claimed, recomputed)
}

/// The bound of a partition of the chips, for an all-reduce: the channels into its parts. Routers that only
/// forward may belong to a part, which then can do no less, or to none.
fn count_partition(
    scene: &Scene<'_>,
    chips: u32,
    collective: Collective,
    part_of: &[Option<u32>],
    parts: u32,
) -> Result<CollectiveBound, String> {
    let topology = scene.topology;
    if collective != Collective::AllReduce {
        return Err("is a partition, which bounds only an all-reduce".to_owned());
    }
    if part_of.is_empty() {
        let into_chips = total_lanes(
            scene,
            scene.channels().filter(|&channel| is_living_chip(scene, topology.target(channel).node)),
        );
        return Ok(CollectiveBound::Partition { part_of: Vec::new(), parts: chips, channels: into_chips });
    }
    let mut parts_seen = vec![false; parts as usize];
    let is_partition = part_of.len() == topology.node_count()
        && topology.nodes().all(|node| match part_of[node.index()] {
            Some(part) => {
                let is_chip = is_living_chip(scene, node);
                let seen = parts_seen.get_mut(part as usize).map(|seen| *seen |= is_chip);
                scene.lives(node) && seen.is_some()
            }
            None => !scene.is_endpoint(node),
        });
    if !is_partition || parts_seen.len() < 2 || parts_seen.contains(&false) {
        return Err("is not a partition of the surviving chips".to_owned());
    }
    let into = |&channel: &_| {
        let [from, to] =
            [topology.source(channel), topology.target(channel)].map(|end| part_of[end.node.index()]);
        to.is_some() && from != to
    };
    let channels = total_lanes(scene, scene.channels().filter(into));
    Ok(CollectiveBound::Partition { part_of: part_of.to_vec(), parts, channels })
}
