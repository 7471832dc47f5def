//! Bytes on channels, counted along tables or along the paths of a schedule.

use super::scene::JobScene;
use crate::schedule::{Pace, TableWalk, schedule_time};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ChipGroups, RunDirection, Scene, Schedule, Topology, Transfers};
use fabc_model::{Collective, JobOperation, JobOperationKind};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Attoseconds are so many times finer than seconds.
const SECOND: u128 = 1_000_000_000_000_000_000;

/// Parts of a skew of 1.
const MILLIONTHS: u128 = 1_000_000;

/// What an operation puts on channels in a step.
pub(super) struct CountedLoad {
    /// `[channel]`: the bytes of a step, rounded up.
    pub(super) bytes: Vec<u128>,
    /// The critical path of one run.
    pub(super) latency: u128,
}

impl CountedLoad {
    /// Bytes of a step from the parts of a run. `shares` parts make up the bytes of the operation. Of an
    /// all-to-all with a skew, each part has as many bytes as that of the busiest pair.
    fn new(operation: &JobOperation, shares: u128, parts: &[u128], latency: u128) -> Self {
        let even = u128::from(operation.bytes) * u128::from(operation.times);
        let skew = u128::from(operation.skew_millionths);
        let all = (even * skew).div_ceil(MILLIONTHS);
        Self { bytes: parts.iter().map(|&parts| (all * parts).div_ceil(shares.max(1))).collect(), latency }
    }

    /// The most bytes of a channel per lane, rounded up.
    pub(super) fn most_per_lane(&self, scene: &Scene<'_>) -> u128 {
        let per_lane = |channel: ChannelId| self.bytes[channel.index()].div_ceil(lanes(scene, channel));
        scene.channels().map(per_lane).max().unwrap_or(0)
    }
}

fn lanes(scene: &Scene<'_>, channel: ChannelId) -> u128 {
    u128::from(scene.topology.channel_capacity(channel).max(1))
}

/// Counts messages between pairs along the tables.
pub(super) fn count_direct(
    job: &JobScene<'_>,
    walk: &TableWalk<'_>,
    operation: &JobOperation,
    groups: &ChipGroups,
    pairs: &[(NodeId, NodeId)],
) -> Result<CountedLoad, String> {
    let ways: Vec<Vec<ChannelId>> =
        pairs.par_iter().map(|&(from, to)| walk.way(from, to)).collect::<Result<_, String>>()?;
    let mut parts = vec![0; job.scene.topology.channel_count()];
    let mut latency = 0;
    for way in &ways {
        way.iter().for_each(|&channel| parts[channel.index()] += 1);
        let time: u128 = way.iter().map(|&channel| job.hop(channel)).sum();
        latency = latency.max(time + job.overhead());
    }
    let shares = match operation.kind {
        JobOperationKind::Send { .. } => 1,
        JobOperationKind::Collective(_) => u128::from(groups.size()),
    };
    Ok(CountedLoad::new(operation, shares, &parts, latency))
}

/// Counts the paths of a schedule that was proved.
pub(super) fn count_schedule(
    job: &JobScene<'_>,
    operation: &JobOperation,
    schedule: &Schedule,
) -> Result<CountedLoad, String> {
    let topology = job.scene.topology;
    let mut parts = vec![0; topology.channel_count()];
    let all = job.scene.endpoints().count() as u64;
    let sizes = u128::from(schedule.groups.as_ref().map_or(all, ChipGroups::size));
    let back = |channel: ChannelId| topology.reverse(channel).unwrap_or(channel);
    let (cut, latency) = match &schedule.transfers {
        Transfers::Forest(forest) => {
            let runs: &[fn(bool) -> bool] = match schedule.collective {
                Collective::ReduceScatter => &[|_| true],
                Collective::AllReduce => &[|_| true, |_| false],
                _ => &[|_| false],
            };
            let mut longest = 0;
            for tree in &forest.trees {
                let mut time = 0;
                for run in runs {
                    let used = |channel| if run(true) { back(channel) } else { channel };
                    let mut arrivals = BTreeMap::from([(tree.root, 0u128)]);
                    for send in &tree.sends {
                        let mut slowest = 0;
                        for path in &send.paths {
                            let channels = || path.channels.iter().map(|&channel| used(channel));
                            channels().for_each(|channel| parts[channel.index()] += u128::from(path.amount));
                            slowest = slowest.max(channels().map(|channel| job.hop(channel)).sum());
                        }
                        let known = arrivals.get(&send.from).copied().unwrap_or(0);
                        arrivals.insert(send.to, known + slowest + job.overhead());
                    }
                    time += arrivals.into_values().max().unwrap_or(0);
                }
                longest = longest.max(time);
            }
            (forest.parts, longest)
        }
        Transfers::Paths(paths) => {
            let mut longest = 0;
            for path in &paths.paths {
                let mut time = 0;
                for leg in &path.legs {
                    leg.iter().for_each(|&channel| parts[channel.index()] += u128::from(path.amount));
                    time += job.overhead() + leg.iter().map(|&channel| job.hop(channel)).sum::<u128>();
                }
                longest = longest.max(time);
            }
            (paths.parts, longest)
        }
        Transfers::Rounds(rounds) => {
            for run in &rounds.order {
                for pull in rounds.rounds.iter().flat_map(|round| &round.pulls) {
                    for channel in images(topology, rounds.canonical, pull.channel) {
                        let used = if *run == RunDirection::Reverse { back(channel) } else { channel };
                        parts[used.index()] += pull.chunks.len() as u128;
                    }
                }
            }
            // Without bytes, the longest chain of messages that wait for each other is left.
            let pace = Pace::new(job.fabric, job.scene, job.job.overhead_ps, false);
            let chain =
                schedule_time(job.scene, None, schedule, &pace, 0).map_err(|error| error.to_string())?;
            (schedule.chunks, chain.spent.total())
        }
        _ => (1, 0),
    };
    Ok(CountedLoad::new(operation, sizes * u128::from(cut), &parts, latency))
}

/// The channels that a channel of a round stands for.
fn images(topology: &Topology, canonical: bool, channel: ChannelId) -> Vec<ChannelId> {
    if !canonical {
        return vec![channel];
    }
    let source = topology.source(channel);
    let symmetry = topology.symmetry();
    let image = |element| {
        let mut channels = topology.channels_from(symmetry.image(element, source.node));
        channels.find(|&image| topology.source(image).port == source.port)
    };
    (0..symmetry.order()).filter_map(image).collect()
}

/// `[channel]`: the bytes of several loads together.
pub(super) fn sum_loads<'a>(job: &JobScene<'_>, loads: impl Iterator<Item = &'a CountedLoad>) -> Vec<u128> {
    let mut sums = vec![0u128; job.scene.topology.channel_count()];
    for load in loads {
        sums.iter_mut().zip(&load.bytes).for_each(|(sum, bytes)| *sum += bytes);
    }
    sums
}

/// The time of the busiest channel under several loads, and the channels that take it.
pub(super) fn busy_times<'a>(
    job: &JobScene<'_>,
    loads: impl Iterator<Item = &'a CountedLoad>,
) -> (u128, Vec<ChannelId>) {
    let sums = sum_loads(job, loads);
    let bits_per_second = u128::from(job.fabric.capacities.unit_bps().max(1));
    let (mut most, mut busiest) = (0, Vec::new());
    for channel in job.scene.channels() {
        let (bits, rate) = (sums[channel.index()] * 8, bits_per_second * lanes(job.scene, channel));
        // The whole seconds by themselves, so that no product overflows.
        let time = bits / rate * SECOND + (bits % rate * SECOND).div_ceil(rate);
        if time > most {
            (most, busiest) = (time, Vec::new());
        }
        if time == most && time > 0 {
            busiest.push(channel);
        }
    }
    (most, busiest)
}
