//! What operations put on channels, and how long a phase takes.

use super::chip_paths::MessageWays;
use fabc_base::ids::{ChannelId, Id, IdVec, NodeId};
use fabc_ir::{
    ATTOSECONDS, ChipGroups, CollectiveCost, Forest, ForestPath, ForestTree, PairPaths, Rounds, RunDirection,
    Scene, Schedule, Transfers,
};
use fabc_model::{Collective, JobOperation};
use fabc_passes::collective::{CollectiveError, Timetable};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The most busiest channels of a phase that are listed.
const LISTED_CHANNELS: usize = 8;

/// What an operation puts on channels in a step, and how long one run takes without its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperationLoad {
    /// `[channel]`: bytes in a step, rounded up.
    pub bytes: IdVec<ChannelId, u128>,
    /// The critical path of a run, in attoseconds.
    pub latency: u128,
}

/// How long a phase takes, in attoseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PhaseTimes {
    /// The time in which the busiest channel carries its bytes.
    pub volume: u128,
    /// The largest sum of latencies of an operation.
    pub latency: u128,
    /// The busiest channels, ascending. Of many the first ones.
    pub busiest: Vec<ChannelId>,
}

impl PhaseTimes {
    /// The time of the phase, as long as all of its operations share channels without a gap.
    pub fn total(&self) -> u128 {
        self.volume + self.latency
    }
}

impl OperationLoad {
    /// The load of messages between pairs along the forwarding tables, in groups of `group` chips.
    ///
    /// # Errors
    /// Refuses tables that lose a message.
    pub fn along_tables(
        scene: &Scene<'_>,
        ways: MessageWays<'_>,
        hops: &IdVec<ChannelId, u128>,
        overhead: u128,
        operation: &JobOperation,
        group: u64,
        pairs: &[(NodeId, NodeId)],
    ) -> Result<Self, CollectiveError> {
        let walk = |part: &[(NodeId, NodeId)]| {
            let mut counts = vec![0u64; scene.topology.channel_count()];
            let mut longest = 0;
            for &(from, to) in part {
                let mut time = overhead;
                ways.walk(scene, from, to, |channel| {
                    counts[channel.index()] += 1;
                    time += hops[channel];
                })?;
                longest = longest.max(time);
            }
            Ok((counts, longest))
        };
        let parts: Vec<(Vec<u64>, u128)> =
            pairs.par_chunks(1024).map(walk).collect::<Result<_, CollectiveError>>()?;
        let mut counts = vec![0u64; scene.topology.channel_count()];
        for (part, _) in &parts {
            counts.iter_mut().zip(part).for_each(|(sum, count)| *sum += count);
        }
        let latency = parts.iter().map(|(_, longest)| *longest).max().unwrap_or(0);
        Ok(Self { bytes: step_bytes(operation, operation.kind.parts(group), &counts), latency })
    }

    /// The load of a schedule in groups, or in rounds of all chips. `cost_of_rounds` is that of a channel in
    /// rounds.
    ///
    /// # Errors
    /// Refuses rounds with more chunks than are planned one by one.
    pub fn of_schedule(
        scene: &Scene<'_>,
        hops: &IdVec<ChannelId, u128>,
        overhead: u128,
        operation: &JobOperation,
        schedule: &Schedule,
        cost_of_rounds: impl FnOnce() -> CollectiveCost,
    ) -> Result<Self, CollectiveError> {
        let chips = || scene.endpoints().count() as u64;
        let sharers = schedule.groups.as_ref().map_or_else(chips, ChipGroups::size);
        let cost = RunCost { scene, hops, overhead, collective: schedule.collective };
        let (counts, parts, latency) = match &schedule.transfers {
            Transfers::Forest(forest) => {
                (cost.forest_parts(forest), forest.parts, cost.forest_latency(forest))
            }
            Transfers::Paths(paths) => (cost.path_parts(paths), paths.parts, cost.path_latency(paths)),
            Transfers::Rounds(rounds) => {
                // Chunks without bytes leave the longest chain of messages that wait for each other.
                let latency = Timetable::new(scene, schedule, rounds)?.total_time(&cost_of_rounds(), 0);
                (cost.round_parts(rounds), schedule.chunks, latency)
            }
            // Operations have no other schedules.
            _ => (vec![0; scene.topology.channel_count()], 1, 0),
        };
        Ok(Self { bytes: step_bytes(operation, sharers * u64::from(parts), &counts), latency })
    }
}

/// Bytes of a step by channel, from the number of parts that a run puts on it. Every pair of ranks counts
/// with the bytes of the busiest one.
fn step_bytes(operation: &JobOperation, parts: u64, counts: &[u64]) -> IdVec<ChannelId, u128> {
    let moved = operation.skewed_bytes();
    counts.iter().map(|&count| (moved * u128::from(count)).div_ceil(u128::from(parts.max(1)))).collect()
}

/// What one run of a schedule costs.
struct RunCost<'a> {
    scene: &'a Scene<'a>,
    /// `[channel]`: the time of a hop over it.
    hops: &'a IdVec<ChannelId, u128>,
    overhead: u128,
    collective: Collective,
}

impl RunCost<'_> {
    /// Whether data runs along the listed channels, and whether it runs against them.
    fn directions(&self) -> (bool, bool) {
        match self.collective {
            Collective::ReduceScatter => (false, true),
            Collective::AllReduce => (true, true),
            _ => (true, false),
        }
    }

    fn forest_parts(&self, forest: &Forest) -> Vec<u64> {
        let topology = self.scene.topology;
        let (along, against) = self.directions();
        let mut counts = vec![0u64; topology.channel_count()];
        let paths = forest.trees.iter().flat_map(|tree| &tree.sends).flat_map(|send| &send.paths);
        for path in paths {
            for &channel in &path.channels {
                if along {
                    counts[channel.index()] += u64::from(path.amount);
                }
                if let Some(reverse) = topology.reverse(channel).filter(|_| against) {
                    counts[reverse.index()] += u64::from(path.amount);
                }
            }
        }
        counts
    }

    /// The chunks of rounds on every channel.
    fn round_parts(&self, rounds: &Rounds) -> Vec<u64> {
        let topology = self.scene.topology;
        let symmetry = topology.symmetry();
        let mut by_class = vec![0u64; topology.class_count(symmetry)];
        let mut counts = vec![0u64; topology.channel_count()];
        for pull in rounds.rounds.iter().flat_map(|round| &round.pulls) {
            let chunks = pull.chunks.len() as u64;
            match rounds.canonical {
                true => by_class[topology.channel_class(symmetry, pull.channel).index()] += chunks,
                false => counts[pull.channel.index()] += chunks,
            }
        }
        if rounds.canonical {
            counts = topology
                .channels()
                .map(|channel| by_class[topology.channel_class(symmetry, channel).index()])
                .collect();
        }
        let against = |channel: ChannelId| topology.reverse(channel).map_or(0, |back| counts[back.index()]);
        let of_run = |channel: ChannelId, run: &RunDirection| match run {
            RunDirection::Forward => counts[channel.index()],
            RunDirection::Reverse => against(channel),
        };
        let all_runs = |channel| rounds.order.iter().map(|run| of_run(channel, run)).sum();
        topology.channels().map(all_runs).collect()
    }

    fn path_parts(&self, paths: &PairPaths) -> Vec<u64> {
        let mut counts = vec![0u64; self.scene.topology.channel_count()];
        for path in &paths.paths {
            path.channels().for_each(|channel| counts[channel.index()] += u64::from(path.amount));
        }
        counts
    }

    /// The longest chain of messages of a tree, there, back, or both.
    fn forest_latency(&self, forest: &Forest) -> u128 {
        let (along, against) = self.directions();
        let of_tree = |tree: &ForestTree| {
            let forth = if along { self.tree_latency(tree, Some) } else { 0 };
            let back = |channel| self.scene.topology.reverse(channel);
            forth + if against { self.tree_latency(tree, back) } else { 0 }
        };
        forest.trees.iter().map(of_tree).max().unwrap_or(0)
    }

    fn tree_latency(&self, tree: &ForestTree, used: impl Fn(ChannelId) -> Option<ChannelId>) -> u128 {
        let mut arrivals = BTreeMap::from([(tree.root, 0u128)]);
        let hop = |&channel: &ChannelId| used(channel).map_or(0, |channel| self.hops[channel]);
        for send in &tree.sends {
            let path_time = |path: &ForestPath| path.channels.iter().map(hop).sum::<u128>();
            let longest = send.paths.iter().map(path_time).max().unwrap_or(0);
            let start = arrivals.get(&send.from).copied().unwrap_or(0);
            arrivals.insert(send.to, start + self.overhead + longest);
        }
        arrivals.into_values().max().unwrap_or(0)
    }

    fn path_latency(&self, paths: &PairPaths) -> u128 {
        let leg_time = |leg: &Vec<ChannelId>| {
            self.overhead + leg.iter().map(|&channel| self.hops[channel]).sum::<u128>()
        };
        paths.paths.iter().map(|path| path.legs.iter().map(leg_time).sum::<u128>()).max().unwrap_or(0)
    }
}

/// The time in which a channel carries some bytes, rounded up. `unit_bps` is the bandwidth of a lane.
pub(super) fn busy_time(bytes: u128, unit_bps: u64, lanes: u64) -> u128 {
    let bits_per_second = u128::from(unit_bps.max(1)) * u128::from(lanes.max(1));
    let (seconds, rest) = (bytes * 8 / bits_per_second, bytes * 8 % bits_per_second);
    seconds * ATTOSECONDS + (rest * ATTOSECONDS).div_ceil(bits_per_second)
}

/// The times of a phase from the loads of its operations, each with the number of its runs. `unit_bps` is the
/// bandwidth of a lane.
pub fn phase_times(scene: &Scene<'_>, unit_bps: u64, operations: &[(&OperationLoad, u64)]) -> PhaseTimes {
    let time = |channel: ChannelId| {
        let bytes: u128 = operations.iter().map(|(load, _)| load.bytes[channel]).sum();
        busy_time(bytes, unit_bps, scene.topology.channel_capacity(channel))
    };
    let times: Vec<(ChannelId, u128)> = scene.channels().map(|channel| (channel, time(channel))).collect();
    let volume = times.iter().map(|(_, time)| *time).max().unwrap_or(0);
    let busiest = times.into_iter().filter(|(_, time)| volume > 0 && *time == volume);
    let latency = operations.iter().map(|(load, times)| load.latency * u128::from(*times)).max();
    let busiest = busiest.map(|(channel, _)| channel).take(LISTED_CHANNELS).collect();
    PhaseTimes { volume, latency: latency.unwrap_or(0), busiest }
}
