//! The duration of a schedule, and its bounds in time, by longest paths through the waits between transfers.
//!
//! A transfer waits for the previous one on its channel and for the data that it carries. A copy waits for
//! the transfer that brought the chunk. An addition waits for everything that is added before. A chunk
//! arrives one hop after its last byte has left. A message is all that a channel carries in one round. Its
//! first chunk also waits for the overhead.

use super::forest::prove_forest;
use super::pace::{Pace, SECOND, cycles_time};
use super::paths::{ProvedPaths, prove_paths};
use super::pipeline::TreePipeline;
use super::reach::hops_to;
use super::timed::{cycles_at_least, replay};
use super::transfers::RoundTransfers;
use super::waits::TransferWaits;
use super::{Replayed, messages, violation};
use crate::CheckError;
use fabc_base::ids::{Id, LinkId, NodeId};
use fabc_ir::{CollectiveBound, ForwardingTables, Rounds, Scene, Schedule, Symmetry, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};
use std::collections::{BTreeMap, BTreeSet};

/// The measured time of a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduleTime {
    /// The time that it takes.
    pub spent: Spent,
    /// Number of sequential rounds or slots, or of hops and pieces that follow.
    pub steps: u64,
    /// Number of sequential chunk times, as if hops took no time.
    pub volume: u64,
}

/// The parts of the duration of a schedule, in attoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spent {
    /// The duration if hops and messages took no time.
    pub volume: u128,
    /// The time that hops add to that.
    pub latency: u128,
    /// The time that messages add to both.
    pub overhead: u128,
}

impl Spent {
    /// The sum of all parts.
    pub fn total(self) -> u128 {
        self.volume + self.latency + self.overhead
    }
}

/// The duration of a replayed schedule for vectors of `bytes`. Schedules of messages need their tables.
///
/// # Errors
/// Transfers that wait for each other, or messages without their tables.
pub fn schedule_time(
    scene: &Scene<'_>,
    tables: Option<&ForwardingTables>,
    schedule: &Schedule,
    pace: &Pace,
    bytes: u64,
) -> Result<ScheduleTime, CheckError> {
    let paces = [pace.clone(), pace.without_overhead(), pace.without_hops()];
    let pieces = u128::from(schedule.chunks);
    let chips = u128::from(schedule.sharers(scene.endpoints().count() as u64));
    let transfer_time =
        |parts: u128| (u128::from(bytes) * 8 * SECOND).div_ceil(u128::from(pace.bandwidth_bps) * parts);
    match &schedule.transfers {
        Transfers::Rounds(rounds) => {
            let is_full_vector = schedule.root.is_some() || schedule.algorithm == CollectiveAlgorithm::Local;
            let widths = rounds.rounds.iter().map(|round| u64::from(round.width)).sum::<u64>();
            let runs = rounds.order.len() as u64;
            let (steps, volume) = (rounds.rounds.len() as u64 * runs, widths * runs);
            let chunk = transfer_time(pieces * if is_full_vector { 1 } else { chips });
            Ok(ScheduleTime {
                spent: spent(rounds_times(scene, schedule, rounds, &paces, chunk)?),
                steps,
                volume,
            })
        }
        Transfers::Trees(shared) => {
            let pipeline = TreePipeline::new(scene, shared);
            let (count, chunks) = (shared.trees.len() as u128, schedule.chunks);
            let message = transfer_time(count * pieces);
            let duration = |pace: &Pace| match pace.barrier {
                true => pipeline.duration_in_rounds(chunks, (message, pace.overhead), pace.hop),
                false => pipeline.duration(chunks, (message, pace.overhead), |link| pace.hop_time(link)),
            };
            let common = u128::from(scene.topology.capacities().parts());
            let volume = pipeline.duration(chunks, (common, 0), |_| 0).div_ceil(common) as u64;
            Ok(ScheduleTime {
                spent: spent(paces.each_ref().map(duration)),
                steps: pipeline.steps(chunks),
                volume,
            })
        }
        Transfers::Forest(forest) => {
            let proved = prove_forest(scene, schedule, forest)?;
            let roots = if schedule.root.is_some() { 1 } else { chips };
            let part = transfer_time(roots * u128::from(forest.parts) * pieces);
            let times = paces.each_ref().map(|pace| proved.duration(schedule.chunks, part, pace));
            let (steps, volume) = (proved.steps(schedule.chunks), proved.volume(schedule.chunks));
            Ok(ScheduleTime { spent: spent(times), steps, volume })
        }
        Transfers::Paths(pair_paths) => {
            let part = transfer_time(chips * u128::from(pair_paths.parts) * pieces);
            Ok(paths_time(&prove_paths(scene, schedule, pair_paths)?, schedule.chunks, part, &paces))
        }
        Transfers::Timed(vectors) => Ok(vectors_time(scene, schedule, vectors)?),
        Transfers::Sends(sends) => {
            let tables = tables
                .ok_or_else(|| violation("messages are timed with the tables that they follow".to_owned()))?;
            let loads = messages::replay_messages(scene, tables, schedule, sends)?;
            let (slots, chunk) = (loads.slots(), transfer_time(chips * pieces));
            let widest = loads.lanes.iter().copied().max().unwrap_or(1);
            let link_of = link_of_class(scene, &loads.symmetry);
            let duration = |pace: &Pace| match pace.barrier {
                // A wide channel has a message for each of its lanes.
                true => (chunk + pace.overhead * u128::from(widest) + pace.hop) * u128::from(slots),
                false => {
                    let hop = |class: u32| {
                        link_of.get(&(class as usize)).map_or(pace.hop, |&link| pace.hop_time(link))
                    };
                    loads
                        .lists
                        .iter()
                        .map(|list| delivery_time(list, &loads.lanes, chunk, pace.overhead, &hop))
                        .sum()
                }
            };
            Ok(ScheduleTime { spent: spent(paces.each_ref().map(duration)), steps: slots, volume: slots })
        }
    }
}

/// The duration of proved paths in so many pieces. `part` is the time of a piece of a part on one lane.
fn paths_time(proved: &ProvedPaths<'_>, pieces: u32, part: u128, paces: &[Pace; 3]) -> ScheduleTime {
    let times = paces.each_ref().map(|pace| proved.duration(pieces, part, pace));
    ScheduleTime { spent: spent(times), steps: proved.steps(pieces), volume: proved.volume(pieces) }
}

/// Splits durations with hops and messages, without messages, and without both. Places are taken as they
/// become free, so less work may take longer by chance.
fn spent(durations: [u128; 3]) -> Spent {
    let [total, without_overhead, volume] = durations;
    let without_overhead = without_overhead.min(total);
    let volume = volume.min(without_overhead);
    Spent { volume, latency: without_overhead - volume, overhead: total - without_overhead }
}

/// A link of every channel class.
fn link_of_class(scene: &Scene<'_>, symmetry: &Symmetry) -> BTreeMap<usize, LinkId> {
    scene
        .channels()
        .map(|channel| {
            (scene.topology.channel_class(symmetry, channel).index(), scene.topology.link_of(channel))
        })
        .collect()
}

/// The duration of a schedule of vectors: the slots of the busiest channel, and the rest.
fn vectors_time(
    scene: &Scene<'_>,
    schedule: &Schedule,
    vectors: &fabc_ir::Timed,
) -> Result<ScheduleTime, CheckError> {
    let Replayed { end, busiest } = replay(scene, schedule, vectors)?;
    let steps = end - u64::from(vectors.start);
    let time = |cycles: u64| cycles_time(cycles, vectors.clock_hz);
    let total = time(steps);
    let volume = time(busiest * u64::from(vectors.pace.slot)).min(total);
    Ok(ScheduleTime { spent: Spent { volume, latency: total - volume, overhead: 0 }, steps, volume: busiest })
}

/// The time at which the last message of a list arrives. A channel sends the next message in slot order as
/// soon as it is free and the message is there.
fn delivery_time(
    list: &messages::MessageSends,
    lanes: &[u32],
    chunk: u128,
    overhead: u128,
    hop: &dyn Fn(u32) -> u128,
) -> u128 {
    let (mut free_at, mut arrivals) = (BTreeMap::new(), vec![0u128; list.count]);
    for &(_, channel, message) in &list.sends {
        let sent = chunk.div_ceil(u128::from(lanes[channel as usize])) + overhead;
        let since = free_at.get(&channel).copied().unwrap_or(0u128).max(arrivals[message as usize]);
        free_at.insert(channel, since + sent);
        arrivals[message as usize] = since + sent + hop(channel);
    }
    arrivals.into_iter().max().unwrap_or(0)
}

/// The durations with everything, without overheads, and without hops as well.
fn rounds_times(
    scene: &Scene<'_>,
    schedule: &Schedule,
    rounds: &Rounds,
    paces: &[Pace; 3],
    chunk: u128,
) -> Result<[u128; 3], CheckError> {
    Ok(if paces[0].barrier {
        let chunks: u128 = rounds.rounds.iter().map(|round| u128::from(round.width)).sum();
        let runs = rounds.order.len() as u128;
        let (chunk_time, steps) = (chunks * runs * chunk, rounds.rounds.len() as u128 * runs);
        paces.each_ref().map(|pace| chunk_time + steps * (pace.hop + pace.overhead))
    } else {
        let waits = TransferWaits::new(&RoundTransfers::new(scene, schedule, rounds)?, rounds)?;
        paces.each_ref().map(|pace| waits.longest_path(chunk, pace))
    })
}

/// The largest lower bound on the time of any schedule, in attoseconds, and its witness.
pub fn bound_time<'a>(
    scene: &Scene<'_>,
    schedule: &'a Schedule,
    pace: &Pace,
    bytes: u64,
) -> Option<(u128, &'a CollectiveBound)> {
    if let Transfers::Timed(vectors) = &schedule.transfers {
        let (cycles, bound) = cycles_at_least(schedule, vectors)?;
        return Some((cycles_time(cycles, vectors.clock_hz), bound));
    }
    let chips = u128::from(schedule.sharers(scene.endpoints().count() as u64));
    let vector = u128::from(bytes) * 8 * SECOND / u128::from(pace.bandwidth_bps.max(1));
    // With barriers the longest path takes as many rounds as it has hops.
    let path_hops = schedule
        .bounds
        .iter()
        .map(|bound| if let CollectiveBound::Latency { distance, .. } = bound { distance + 1 } else { 1 });
    let farthest = path_hops.max().unwrap_or(1);
    let mut highest: Option<(u128, &CollectiveBound)> = None;
    // Bounds of channels hold only for schedules on the same tables, those inside of groups within them.
    for bound in schedule
        .bounds
        .iter()
        .filter(|bound| !matches!(bound, CollectiveBound::Channel { .. } | CollectiveBound::Inside { .. }))
    {
        let Some(BoundVolume { numerator, denominator, hops }) = bound_volume(bound) else { continue };
        let is_per_chip = schedule.root.is_none() && !matches!(bound, CollectiveBound::Partition { .. });
        let denominator = if is_per_chip { denominator * chips } else { denominator };
        let delay = match (bound, &pace.hops) {
            _ if pace.barrier => u128::from(farthest) * (pace.hop + pace.overhead),
            // A late chunk may join a message that has begun. So only one overhead counts.
            (_, None) => u128::from(hops.max(1)) * pace.hop + pace.overhead,
            (&CollectiveBound::Latency { node, distance, .. }, Some(hops)) => {
                earliest_arrival(scene, schedule, node, distance, &hops.exact) + pace.overhead
            }
            (_, Some(hops)) => {
                scene.links().map(|link| hops.exact[link.index()]).min().unwrap_or(0) + pace.overhead
            }
        };
        let time = vector.saturating_mul(numerator) / denominator.max(1) + delay;
        if highest.is_none_or(|(highest, _)| time > highest) {
            highest = Some((time, bound));
        }
    }
    highest
}

/// What a bound counts: `numerator / denominator` of what a channel needs for a shard or a vector.
pub(crate) struct BoundVolume {
    pub(crate) numerator: u128,
    pub(crate) denominator: u128,
    /// Number of latencies of a hop that it adds.
    hops: u32,
}

/// The volume of a bound. `None` for one in cycles.
pub(crate) fn bound_volume(bound: &CollectiveBound) -> Option<BoundVolume> {
    let (numerator, denominator, hops) = match *bound {
        CollectiveBound::Cut { channels, shards, .. } | CollectiveBound::Inside { channels, shards, .. } => {
            (u128::from(shards), u128::from(channels), 0)
        }
        CollectiveBound::Latency { channels, shards, distance, .. } => {
            (u128::from(shards), u128::from(channels), distance + 1)
        }
        CollectiveBound::Partition { parts, channels, .. } => {
            (2 * (u128::from(parts) - 1), u128::from(channels), 0)
        }
        CollectiveBound::Flow { volume, distance, .. } => (distance, volume, 0),
        CollectiveBound::Channel { shards, lanes, .. } => (u128::from(shards), u128::from(lanes), 0),
        CollectiveBound::Relays { received, channels, inside, fan } => {
            let places = u128::from(channels) * u128::from(fan) + u128::from(inside);
            (u128::from(received) * (u128::from(fan) + 1), places, 0)
        }
        // Only schedules in cycles have it.
        CollectiveBound::Quickest { .. } => return None,
    };
    Some(BoundVolume { numerator, denominator, hops })
}

/// The earliest time at which a chip can receive data from the chips more than `distance` hops away, or from
/// the root of a broadcast. It is the smallest sum of hops along a path, found by Dijkstra's algorithm.
fn earliest_arrival(
    scene: &Scene<'_>,
    schedule: &Schedule,
    chip: NodeId,
    distance: u32,
    hops: &[u128],
) -> u128 {
    let hops_away = hops_to(scene, chip);
    let is_source = |node: NodeId| match schedule.root {
        Some(root) if schedule.collective != Collective::Reduce => node == root,
        _ => {
            scene.is_endpoint(node)
                && hops_away[node.index()] > distance
                && hops_away[node.index()] != u32::MAX
        }
    };
    let (mut open, mut settled) = (BTreeSet::from([(0u128, chip)]), BTreeSet::new());
    while let Some((time, node)) = open.pop_first() {
        if is_source(node) {
            return time;
        }
        if settled.insert(node) {
            let channels_in = scene.channels_into(node);
            open.extend(channels_in.map(|channel| {
                (time + hops[scene.topology.link_of(channel).index()], scene.topology.source(channel).node)
            }));
        }
    }
    0
}
