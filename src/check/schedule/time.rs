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
use super::reach::{earliest_between, hops_to};
use super::timed::{cycles_at_least, replay};
use super::transfers::RoundTransfers;
use super::waits::TransferWaits;
use super::{Replayed, messages, violation};
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{
    CollectiveBound, ForwardingTables, Rounds, RunDirection, Scene, Schedule, Sends, Symmetry, Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};
use std::collections::BTreeMap;

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
                true => pipeline
                    .duration_in_rounds(chunks, (message, pace.overhead), |channel| pace.hop_time(channel)),
                false => {
                    pipeline.duration(chunks, (message, pace.overhead), |channel| pace.hop_time(channel))
                }
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
            let slots = loads.slots();
            let times = messages_times(scene, sends, &loads, &paces, transfer_time(chips * pieces));
            Ok(ScheduleTime { spent: spent(times), steps: slots, volume: slots })
        }
    }
}

/// The durations of replayed messages: with everything, without overheads, and without hops as well.
fn messages_times(
    scene: &Scene<'_>,
    sends: &Sends,
    loads: &messages::MessageLoads,
    paces: &[Pace; 3],
    chunk: u128,
) -> [u128; 3] {
    let widest = loads.lanes.iter().copied().max().unwrap_or(1);
    let channel_of = channel_of_class(scene, &loads.symmetry);
    let duration = |pace: &Pace| -> u128 {
        let hop = |class: u32| match channel_of.get(&(class as usize)) {
            Some(&channel) if sends.canonical => pace.slowest_image(channel),
            Some(&channel) => pace.hop_time(channel),
            None => pace.hop,
        };
        let lists = loads.lists.iter();
        match pace.barrier {
            true => {
                // A wide channel has a message for each of its lanes.
                let message = chunk + pace.overhead * u128::from(widest);
                lists.map(|list| barrier_time(scene, list, message, pace, &hop)).sum()
            }
            false => lists.map(|list| delivery_time(list, &loads.lanes, chunk, pace.overhead, &hop)).sum(),
        }
    };
    paces.each_ref().map(duration)
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

/// A channel of every channel class.
fn channel_of_class(scene: &Scene<'_>, symmetry: &Symmetry) -> BTreeMap<usize, ChannelId> {
    let class = |channel| scene.topology.channel_class(symmetry, channel).index();
    scene.channels().map(|channel| (class(channel), channel)).collect()
}

/// The duration of a list of messages in slots that all chips wait for. A slot lasts for a message and the
/// slowest hop in it, and without messages as if there were one over the fastest channel.
fn barrier_time(
    scene: &Scene<'_>,
    list: &messages::MessageSends,
    message: u128,
    pace: &Pace,
    hop: &dyn Fn(u32) -> u128,
) -> u128 {
    let mut slowest: BTreeMap<u32, u128> = BTreeMap::new();
    for &(slot, channel, _) in &list.sends {
        let known = slowest.entry(slot).or_default();
        *known = hop(channel).max(*known);
    }
    let idle = u128::from(list.slots()) - slowest.len() as u128;
    let fastest = scene.channels().map(|channel| pace.hop_time(channel)).min().unwrap_or(0);
    message * u128::from(list.slots()) + slowest.into_values().sum::<u128>() + idle * fastest
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
        paces.each_ref().map(|pace| chunk_time + steps * pace.overhead + hops_of_rounds(scene, rounds, pace))
    } else {
        let waits = TransferWaits::new(&RoundTransfers::new(scene, schedule, rounds)?, rounds)?;
        paces.each_ref().map(|pace| waits.longest_path(chunk, pace))
    })
}

/// The slowest hop of every round, added up. A run in reverse uses the opposite channels. Images of a
/// channel are in the same round.
fn hops_of_rounds(scene: &Scene<'_>, rounds: &Rounds, pace: &Pace) -> u128 {
    let mut total = 0;
    for order in &rounds.order {
        for round in &rounds.rounds {
            let used = round.pulls.iter().map(|pull| match order {
                RunDirection::Forward => pull.channel,
                RunDirection::Reverse => scene.topology.reverse(pull.channel).unwrap_or(pull.channel),
            });
            let idle = if pace.hops.is_none() { pace.hop } else { 0 };
            total += used.map(|channel| pace.slowest_image(channel)).max().unwrap_or(idle);
        }
    }
    total
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
    // With barriers every hop is a round with an overhead, and a round lasts as long as its slowest hop.
    let delays: Vec<u128> = schedule
        .bounds
        .iter()
        .map(|bound| bound_delay(scene, schedule, bound, pace, if pace.barrier { pace.overhead } else { 0 }))
        .collect();
    let longest = delays.iter().copied().max().unwrap_or(0);
    let mut highest: Option<(u128, &CollectiveBound)> = None;
    // Bounds of channels hold only for schedules on the same tables, those inside of groups within them.
    for (bound, delay) in schedule.bounds.iter().zip(delays).filter(|(bound, _)| {
        !matches!(bound, CollectiveBound::Channel { .. } | CollectiveBound::Inside { .. })
    }) {
        let Some(BoundVolume { numerator, denominator }) = bound_volume(bound) else { continue };
        let is_per_chip = schedule.root.is_none() && !matches!(bound, CollectiveBound::Partition { .. });
        let denominator = if is_per_chip { denominator * chips } else { denominator };
        // Without barriers a late chunk may join a message that has begun. So only one overhead counts.
        let delay = if pace.barrier { longest } else { delay + pace.overhead };
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
}

/// The volume of a bound. `None` for one in cycles.
pub(crate) fn bound_volume(bound: &CollectiveBound) -> Option<BoundVolume> {
    let (numerator, denominator) = match *bound {
        CollectiveBound::Cut { channels, shards, .. }
        | CollectiveBound::Inside { channels, shards, .. }
        | CollectiveBound::Latency { channels, shards, .. }
        | CollectiveBound::Arrival { channels, shards, .. } => (u128::from(shards), u128::from(channels)),
        CollectiveBound::Partition { parts, channels, .. } => {
            (2 * (u128::from(parts) - 1), u128::from(channels))
        }
        CollectiveBound::Flow { volume, distance, .. } => (distance, volume),
        CollectiveBound::Channel { shards, lanes, .. } => (u128::from(shards), u128::from(lanes)),
        CollectiveBound::Relays { received, channels, inside, fan } => {
            let places = u128::from(channels) * u128::from(fan) + u128::from(inside);
            (u128::from(received) * (u128::from(fan) + 1), places)
        }
        // Only schedules in cycles have it.
        CollectiveBound::Quickest { .. } => return None,
    };
    Some(BoundVolume { numerator, denominator })
}

/// The time before the last byte that a bound adds to its volume, without the overhead of a message. Every
/// hop of a path takes `per_hop` more.
fn bound_delay(
    scene: &Scene<'_>,
    schedule: &Schedule,
    bound: &CollectiveBound,
    pace: &Pace,
    per_hop: u128,
) -> u128 {
    let hop = |channel: ChannelId| pace.hop_time(channel) + per_hop;
    // In a reduce-scatter the chip sends, and the others receive.
    let sends = schedule.collective == Collective::ReduceScatter;
    match bound {
        &CollectiveBound::Latency { distance, .. } if pace.hops.is_none() => {
            u128::from(distance + 1) * (pace.hop + per_hop)
        }
        &CollectiveBound::Latency { node, distance, .. } => {
            let hops_away = hops_to(scene, node);
            let is_source = |chip: NodeId| match schedule.root {
                Some(root) if schedule.collective != Collective::Reduce => chip == root,
                _ => {
                    scene.is_endpoint(chip)
                        && hops_away[chip.index()] > distance
                        && hops_away[chip.index()] != u32::MAX
                }
            };
            earliest_between(scene, node, sends, &is_source, &hop)
        }
        CollectiveBound::Arrival { node, far, .. } => {
            earliest_between(scene, *node, sends, &|chip| far.contains(&chip), &hop)
        }
        _ => scene.channels().map(hop).min().unwrap_or(pace.hop + per_hop),
    }
}
