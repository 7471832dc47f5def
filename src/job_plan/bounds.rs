//! Lower bounds on phases.
//!
//! For lengths of channels, every byte travels at least the shortest length between its ends. So the busiest
//! channel carries at least the sum of bytes times lengths, over the sum of lengths times lanes. Of a gather,
//! every chip takes in what it lacks by some channel into it, so the shortest of these counts. The bounds of
//! a schedule of one operation also bound its phase.

use fabc_base::ids::{ChannelId, Id, IdVec, NodeId};
use fabc_ir::{ChipGroups, CollectiveBound, Fraction, JobBound, JobWitness, Scene, Schedule};
use fabc_model::{Collective, Demand, Job, JobOperation, JobOperationKind};
use fabc_passes::collective::ShortestPaths;
use fabc_passes::flow::{FlowSettings, StartLengths, concurrent};
use fabc_passes::limit::NearestChips;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The work of the flow that bounds a phase.
const FLOW: FlowSettings = FlowSettings { rounds: 250, gap_ppm: 1000, sweeps: 0, primal: true };
/// How many times finer nanoseconds are than seconds, and attoseconds than nanoseconds.
const NANO: u128 = 1_000_000_000;
/// Weights of pairs in that flow are at most this.
const LARGEST_WEIGHT: u128 = 1 << 12;

/// An operation of a phase with what bounds it.
pub struct BoundedOperation<'a> {
    /// The operation of the job, with its runs.
    pub operation: &'a JobOperation,
    /// Bytes of a chip in all runs of a step.
    pub bytes: u128,
    /// The groups of chips that it runs in.
    pub groups: &'a ChipGroups,
    /// The ordered pairs between which it sends data of their own.
    pub pairs: &'a [(NodeId, NodeId)],
    /// Its schedule, where it has one.
    pub schedule: Option<&'a Schedule>,
}

impl BoundedOperation<'_> {
    /// Bytes of a step that each of its parts has, as a fraction: those of a pair, or of a shard.
    fn part_bytes(&self) -> Fraction {
        Fraction::new(self.bytes, self.operation.kind.parts(self.groups.size()))
    }
}

/// The best lower bound on a phase that is found. `hops` is the time of a hop by channel, and `unit_bps` the
/// bandwidth of a lane.
pub fn phase_bound(
    scene: &Scene<'_>,
    hops: &IdVec<ChannelId, u128>,
    overhead: u128,
    unit_bps: u64,
    operations: &[BoundedOperation<'_>],
) -> JobBound {
    let mut best = (hop_volume(scene, unit_bps, operations), JobWitness::Lengths(Vec::new()));
    if let Some(lengths) = flow_lengths(scene, operations) {
        let volume = length_volume(scene, unit_bps, operations, &lengths);
        if volume > best.0 {
            best = (volume, JobWitness::Lengths(lengths));
        }
    }
    for (index, bounded) in operations.iter().enumerate() {
        let volume = schedule_volume(unit_bps, bounded);
        if volume > best.0 {
            best = (volume, JobWitness::Operation(index));
        }
    }
    JobBound { time: best.0 + phase_latency(scene, hops, overhead, operations), witness: best.1 }
}

/// The lower bound on a phase that follows from hops alone: all bytes times the hops that they need, over
/// all channels. It takes no search.
pub fn hop_bound(
    scene: &Scene<'_>,
    hops: &IdVec<ChannelId, u128>,
    overhead: u128,
    unit_bps: u64,
    operations: &[BoundedOperation<'_>],
) -> u128 {
    hop_volume(scene, unit_bps, operations) + phase_latency(scene, hops, overhead, operations)
}

/// The least time of the busiest channel where every channel has the length 1.
fn hop_volume(scene: &Scene<'_>, unit_bps: u64, operations: &[BoundedOperation<'_>]) -> u128 {
    length_volume(scene, unit_bps, operations, &vec![1; scene.topology.channel_count()])
}

/// The latencies of all runs of the operation that has most of them.
fn phase_latency(
    scene: &Scene<'_>,
    hops: &IdVec<ChannelId, u128>,
    overhead: u128,
    operations: &[BoundedOperation<'_>],
) -> u128 {
    let latency = |bounded: &BoundedOperation<'_>| {
        (least_latency(scene, hops, bounded) + overhead) * u128::from(bounded.operation.times)
    };
    operations.iter().map(latency).max().unwrap_or(0)
}

/// The least time of the busiest channel for some lengths by channel, rounded down.
fn length_volume(
    scene: &Scene<'_>,
    unit_bps: u64,
    operations: &[BoundedOperation<'_>],
    lengths: &[u64],
) -> u128 {
    let volume: u128 = scene
        .channels()
        .map(|channel| {
            u128::from(lengths[channel.index()]) * u128::from(scene.topology.channel_capacity(channel))
        })
        .sum();
    let needed = |bounded: &BoundedOperation<'_>| {
        let parts = bounded.part_bytes().times(Fraction::integer(length_parts(scene, bounded, lengths)));
        // Rounded down, operation by operation.
        parts.floor()
    };
    let bytes: u128 = operations.iter().map(needed).sum();
    let per_lane = Fraction::new(bytes, volume.max(1));
    time_of(per_lane, unit_bps)
}

/// The time of a lane for some bytes, rounded down.
fn time_of(bytes: Fraction, unit_bps: u64) -> u128 {
    let seconds = bytes.times(Fraction::new(8u8, unit_bps.max(1)));
    let (mut rest, below) = (seconds.numerator(), seconds.denominator());
    let mut time = 0;
    // Seconds, then nanoseconds, then attoseconds, so that no product overflows.
    for finer in [1, NANO, NANO] {
        rest *= finer;
        time = time * finer + rest / below;
        rest %= below;
    }
    time
}

/// The sum of lengths that the parts of an operation travel at least.
fn length_parts(scene: &Scene<'_>, bounded: &BoundedOperation<'_>, lengths: &[u64]) -> u128 {
    let length = |channel: ChannelId| lengths[channel.index()];
    if !bounded.pairs.is_empty() {
        return pair_lengths(scene, bounded.pairs, &|channel| u128::from(length(channel)), false);
    }
    let JobOperationKind::Collective(collective) = bounded.operation.kind else { return 0 };
    let others = u128::from(bounded.groups.size() - 1);
    let shortest = |chip: NodeId| -> u128 {
        let channels: Vec<ChannelId> = match collective {
            Collective::ReduceScatter => scene.channels_from(chip).collect(),
            _ => scene.channels_into(chip).collect(),
        };
        channels.into_iter().map(|channel| u128::from(length(channel))).min().unwrap_or(0)
    };
    let of_group = |list: &Vec<NodeId>| match collective {
        // The chips of a group take in 2 (n - 1) messages of every byte, whichever of them do.
        Collective::AllReduce => {
            let least = list.iter().map(|&chip| shortest(chip)).min().unwrap_or(0);
            2 * others * list.len() as u128 * least
        }
        _ => list.iter().map(|&chip| others * shortest(chip)).sum::<u128>(),
    };
    bounded.groups.lists().iter().map(of_group).sum()
}

/// The sum of the shortest lengths between pairs, or the longest of them.
fn pair_lengths(
    scene: &Scene<'_>,
    pairs: &[(NodeId, NodeId)],
    length: &(impl Fn(ChannelId) -> u128 + Sync),
    longest: bool,
) -> u128 {
    let mut by_source: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for &(from, to) in pairs {
        by_source.entry(from).or_default().push(to);
    }
    let of_source = |(&source, targets): (&NodeId, &Vec<NodeId>)| {
        let paths = ShortestPaths::new(scene, source, |channel| length(channel) as u64);
        match longest {
            true => targets.iter().filter_map(|&to| paths.total(std::iter::once(to))).max().unwrap_or(0),
            false => paths.total(targets.iter().copied()).unwrap_or(0),
        }
    };
    let sums: Vec<u128> = by_source.par_iter().map(of_source).collect();
    if longest { sums.into_iter().max().unwrap_or(0) } else { sums.into_iter().sum() }
}

/// The time from a chip to the farthest one to which its data must come, in attoseconds.
fn least_latency(scene: &Scene<'_>, hops: &IdVec<ChannelId, u128>, bounded: &BoundedOperation<'_>) -> u128 {
    let all: Vec<(NodeId, NodeId)>;
    let pairs = match bounded.pairs {
        [] => {
            let of_group = |list: &Vec<NodeId>| {
                let others = |&from: &NodeId| {
                    list.iter().filter(move |&&to| to != from).map(move |&to| (from, to)).collect::<Vec<_>>()
                };
                list.iter().flat_map(others).collect::<Vec<_>>()
            };
            all = bounded.groups.lists().iter().flat_map(of_group).collect();
            &all
        }
        pairs => pairs,
    };
    // Picoseconds, rounded down, so that sums of lengths fit.
    pair_lengths(scene, pairs, &|channel| hops[channel] / 1_000_000, true) * 1_000_000
}

/// The time that the bounds of a schedule need for all runs of its operation, rounded down.
fn schedule_volume(unit_bps: u64, bounded: &BoundedOperation<'_>) -> u128 {
    let Some(schedule) = bounded.schedule else { return 0 };
    let time = |bound: &CollectiveBound| {
        let sharers = match bound {
            CollectiveBound::Partition { .. } => 1,
            _ => bounded.groups.size().max(1),
        };
        time_of(bound.volume().times(Fraction::new(bounded.bytes, sharers)), unit_bps)
    };
    schedule.bounds.iter().filter(|bound| bound.is_universal()).map(time).max().unwrap_or(0)
}

/// The lengths of channels that prove the concurrent flow of what the operations send between pairs. `None`
/// where they send nothing, or a channel runs one way.
fn flow_lengths(scene: &Scene<'_>, operations: &[BoundedOperation<'_>]) -> Option<Vec<u64>> {
    if operations.iter().all(|bounded| bounded.pairs.is_empty()) || scene.endpoints().count() < 2 {
        return None;
    }
    let topology = scene.topology;
    let chips: Vec<NodeId> = topology.endpoints().collect();
    let mut place = vec![usize::MAX; topology.node_count()];
    chips.iter().enumerate().for_each(|(index, chip)| place[chip.index()] = index);
    let part = |bounded: &BoundedOperation<'_>| bounded.part_bytes().floor().max(1);
    let largest = operations.iter().filter(|bounded| !bounded.pairs.is_empty()).map(part).max()?;
    let mut weights = vec![0u32; chips.len() * chips.len()];
    for bounded in operations {
        let weight = (part(bounded) * LARGEST_WEIGHT / largest).max(1);
        // Equal parts weigh 1 each.
        let weight = if part(bounded) == largest && operations.len() == 1 { 1 } else { weight };
        for &(from, to) in bounded.pairs {
            weights[place[from.index()] * chips.len() + place[to.index()]] += weight as u32;
        }
    }
    let plain = topology.clone().with_symmetry(topology.symmetry().to_trivial());
    let demand = Demand::matrix(chips.len(), weights).among_endpoints(topology.node_count(), chips);
    let plain_scene = Scene { topology: &plain, lit: scene.lit.clone(), dead: scene.dead.clone() };
    let start = vec![vec![1u32; plain.class_count(plain.symmetry())]];
    let flow =
        concurrent(&plain_scene, &demand, StartLengths::Seeds(&start), FLOW, &fabc_base::progress::Silent);
    let class = |channel| plain.channel_class(plain.symmetry(), channel).index();
    let lengths = &flow.dual.lengths;
    Some(plain.channels().map(|channel| lengths[class(channel)]).collect())
}

/// How many chips are in the groups of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupedChips {
    /// Number of chips of a group.
    pub size: u64,
    /// Chips of all groups together.
    pub members: u64,
}

impl GroupedChips {
    /// Those of an operation of a job.
    pub fn of_operation(job: &Job, operation: &JobOperation) -> Self {
        Self { size: operation.groups.size(&job.axes), members: operation.groups.members(&job.axes) }
    }
}

/// What bounds a phase in every topology and with every placement.
pub struct UniversalLimits {
    /// The most lanes of a chip.
    pub chip_lanes: u64,
    /// Number of chips that send and receive.
    pub chips: u64,
    /// The shortest time of a hop, in attoseconds.
    pub least_hop: u128,
    /// Bandwidth of a lane, bit/s.
    pub unit_bps: u64,
    /// The chips around every chip, in any topology of a pod.
    pub nearest: Option<NearestChips>,
}

impl UniversalLimits {
    /// The least time of a phase, in attoseconds, rounded down. `groups` are those of each operation. Chips
    /// in no group of an operation are idle in it. The larger of two times counts. One is that of the bytes
    /// that a chip takes in or sends out on average, over all of its lanes. The other is that of all bytes
    /// times the hops that they need at least, over all lanes of the pod. Every run takes at least a hop.
    pub fn time(&self, overhead: u128, operations: &[JobOperation], groups: &[GroupedChips]) -> u128 {
        let sum = |part: fn(JobOperationKind, u64) -> Fraction| -> u128 {
            let moved = operations.iter().zip(groups).map(|(operation, groups)| {
                let all = Fraction::integer(operation.step_bytes());
                let active = Fraction::new(groups.members, self.chips.max(1));
                all.times(part(operation.kind, groups.size)).times(active).floor()
            });
            moved.sum()
        };
        let bytes = sum(taken_in).max(sum(sent_out));
        let ports = time_of(Fraction::new(bytes, self.chip_lanes.max(1)), self.unit_bps);
        let latency =
            operations.iter().map(|operation| (self.least_hop + overhead) * u128::from(operation.times));
        ports.max(self.capacity_time(operations, groups)) + latency.max().unwrap_or(0)
    }

    /// The time of all bytes times hops over all lanes of a pod. 0 for a network.
    fn capacity_time(&self, operations: &[JobOperation], groups: &[GroupedChips]) -> u128 {
        let Some(nearest) = &self.nearest else { return 0 };
        let byte_hops = |(operation, &GroupedChips { size, members }): (&JobOperation, &GroupedChips)| {
            let all = operation.step_bytes();
            let hops = match operation.kind {
                // Each pair of a group has a part of its own.
                JobOperationKind::Collective(Collective::AllToAll) if members == self.chips => {
                    Fraction::new(nearest.hops_to(size - 1), size)
                }
                kind => {
                    let most = taken_in(kind, size).max(sent_out(kind, size));
                    most.times(Fraction::integer(members))
                }
            };
            hops.times(Fraction::integer(all)).floor()
        };
        let sum: u128 = operations.iter().zip(groups).map(byte_hops).sum();
        time_of(Fraction::new(sum, nearest.lanes.max(1)), self.unit_bps)
    }
}

/// The part of the bytes of an operation that a chip takes in at least, on average over its group.
fn taken_in(kind: JobOperationKind, size: u64) -> Fraction {
    match kind {
        // The sum of a part is formed at the chip that keeps it, or comes to it.
        JobOperationKind::Collective(Collective::ReduceScatter) => Fraction::new(1u8, size),
        JobOperationKind::Collective(Collective::AllReduce) => Fraction::new(2 * (size - 1), size),
        JobOperationKind::Collective(_) => Fraction::new(size - 1, size),
        JobOperationKind::Send { both, wrap } => {
            let messages = (size - 1 + u64::from(wrap)) * if both { 2 } else { 1 };
            Fraction::new(messages, size)
        }
    }
}

/// The part of the bytes of an operation that a chip sends out at least, on average over its group.
fn sent_out(kind: JobOperationKind, size: u64) -> Fraction {
    match kind {
        JobOperationKind::Collective(Collective::AllGather) => Fraction::new(1u8, size),
        JobOperationKind::Collective(_) => Fraction::new(size - 1, size),
        JobOperationKind::Send { .. } => taken_in(kind, size),
    }
}
