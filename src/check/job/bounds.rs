//! Lower bounds of phases, recounted from their witnesses.

use super::scene::JobScene;
use crate::schedule::{BoundVolume, bound_volume, lengths_from};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ChipGroups, CollectiveBound, JobWitness, Schedule};
use fabc_model::{Collective, JobOperation, JobOperationKind};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// How many times finer nanoseconds are than seconds, and attoseconds than nanoseconds.
const NANO: u128 = 1_000_000_000;

/// An operation with what may bound it.
pub(super) struct BoundClaim<'a> {
    pub(super) operation: &'a JobOperation,
    pub(super) groups: &'a ChipGroups,
    /// The pairs between which it sends data of their own.
    pub(super) pairs: &'a [(NodeId, NodeId)],
    pub(super) schedule: Option<&'a Schedule>,
}

impl BoundClaim<'_> {
    fn moved(&self) -> u128 {
        u128::from(self.operation.bytes) * u128::from(self.operation.times)
    }

    /// The number of chips in all groups together.
    fn active_chips(&self) -> u128 {
        self.groups.lists().iter().map(|list| list.len() as u128).sum()
    }

    /// The number of equal parts of the bytes: one for each chip of a group, or one message.
    fn shares(&self) -> u128 {
        match self.operation.kind {
            JobOperationKind::Send { .. } => 1,
            JobOperationKind::Collective(_) => u128::from(self.groups.size().max(1)),
        }
    }
}

/// The lower bound of a phase that a witness proves.
pub(super) fn recount_bound(
    job: &JobScene<'_>,
    claims: &[BoundClaim<'_>],
    witness: &JobWitness,
) -> Result<u128, String> {
    let volume = match witness {
        JobWitness::Lengths(lengths) => by_lengths(job, claims, lengths)?,
        JobWitness::Operation(number) => {
            let claim = claims.get(*number).ok_or("names an operation that does not exist")?;
            by_schedule(job, claim)
        }
    };
    let latency =
        |claim: &BoundClaim<'_>| (farthest(job, claim) + job.overhead()) * u128::from(claim.operation.times);
    Ok(volume + claims.iter().map(latency).max().unwrap_or(0))
}

/// What lengths of channels prove: bytes times distances, over lengths times lanes.
fn by_lengths(job: &JobScene<'_>, claims: &[BoundClaim<'_>], lengths: &[u64]) -> Result<u128, String> {
    let channels = job.scene.topology.channel_count();
    if !lengths.is_empty() && lengths.len() != channels {
        return Err(format!("has {} lengths, not one for each of {channels} channels", lengths.len()));
    }
    let length = |channel: ChannelId| lengths.get(channel.index()).copied().unwrap_or(1);
    let mut below = 0u128;
    for channel in job.scene.channels() {
        below += u128::from(length(channel)) * u128::from(job.scene.topology.channel_capacity(channel));
    }
    let mut bytes = 0;
    for claim in claims {
        let distance = distance_sum(job, claim, &length);
        bytes += claim.moved() * distance / claim.shares();
    }
    Ok(least_time(job, bytes, below))
}

/// The sum of what the parts of an operation travel at least.
fn distance_sum(
    job: &JobScene<'_>,
    claim: &BoundClaim<'_>,
    length: &(impl Fn(ChannelId) -> u64 + Sync),
) -> u128 {
    if !claim.pairs.is_empty() {
        return each_source(job, claim.pairs, length).map(|distances| distances.iter().sum::<u128>()).sum();
    }
    let JobOperationKind::Collective(collective) = claim.operation.kind else { return 0 };
    let topology = job.scene.topology;
    let mut sum = 0;
    for list in claim.groups.lists() {
        let others = list.len() as u128 - 1;
        // The shortest channel by which each chip takes in what it lacks, or gives away what it has.
        let shortest = |&chip: &NodeId| {
            let ends = |channel: &ChannelId| match collective {
                Collective::ReduceScatter => topology.source(*channel).node == chip,
                _ => topology.target(*channel).node == chip,
            };
            let around = topology.channels_from(chip).chain(topology.channels_into(chip));
            let lit = around.filter(|&channel| job.scene.is_channel_lit(channel)).filter(ends);
            u128::from(lit.map(length).min().unwrap_or(0))
        };
        let each: Vec<u128> = list.iter().map(shortest).collect();
        sum += match collective {
            Collective::AllReduce => {
                2 * others * each.len() as u128 * each.iter().min().copied().unwrap_or(0)
            }
            _ => each.iter().map(|shortest| others * shortest).sum(),
        };
    }
    sum
}

/// For every source of pairs, the distances to its destinations.
fn each_source(
    job: &JobScene<'_>,
    pairs: &[(NodeId, NodeId)],
    length: &(impl Fn(ChannelId) -> u64 + Sync),
) -> impl Iterator<Item = Vec<u128>> {
    let mut destinations: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for &(from, to) in pairs {
        destinations.entry(from).or_default().push(to);
    }
    let of_source = |(&from, ends): (&NodeId, &Vec<NodeId>)| {
        let lengths = lengths_from(job.scene, from, length);
        ends.iter().map(|to| lengths[to.index()].unwrap_or(0)).collect::<Vec<u128>>()
    };
    let found: Vec<Vec<u128>> = destinations.par_iter().map(of_source).collect();
    found.into_iter()
}

/// The time to the farthest chip to which data must come, in whole picoseconds, as attoseconds.
fn farthest(job: &JobScene<'_>, claim: &BoundClaim<'_>) -> u128 {
    let mut all = Vec::new();
    if claim.pairs.is_empty() {
        for list in claim.groups.lists() {
            for &from in list {
                all.extend(list.iter().filter(|&&to| to != from).map(|&to| (from, to)));
            }
        }
    }
    let pairs = if all.is_empty() { claim.pairs } else { &all };
    let picoseconds = |channel| (job.hop(channel) / super::scene::PICOSECOND) as u64;
    each_source(job, pairs, &picoseconds).flatten().max().unwrap_or(0) * super::scene::PICOSECOND
}

/// What the bounds of a proved schedule say of all runs of its operation.
fn by_schedule(job: &JobScene<'_>, claim: &BoundClaim<'_>) -> u128 {
    let bounds = claim.schedule.map_or(&[][..], |schedule| &schedule.bounds);
    let mut most = 0;
    for bound in bounds {
        // These hold for schedules on the same tables, or within their groups.
        if matches!(bound, CollectiveBound::Channel { .. } | CollectiveBound::Inside { .. }) {
            continue;
        }
        let Some(BoundVolume { numerator, denominator, .. }) = bound_volume(bound) else { continue };
        let shares = match bound {
            CollectiveBound::Partition { .. } => 1,
            _ => claim.shares(),
        };
        most = most.max(least_time(job, numerator * claim.moved(), denominator * shares));
    }
    most
}

/// The time in which a lane carries `bytes / over` bytes, in attoseconds, rounded down.
fn least_time(job: &JobScene<'_>, bytes: u128, over: u128) -> u128 {
    let below = over.max(1) * u128::from(job.fabric.capacities.unit_bps().max(1));
    let (seconds, rest) = (bytes * 8 / below, bytes * 8 % below);
    let (nanoseconds, rest) = (rest * NANO / below, rest * NANO % below);
    (seconds * NANO + nanoseconds) * NANO + rest * NANO / below
}

/// The bound of a phase for all topologies and placements: the average bytes of a chip over its lanes, and a
/// hop for every run.
pub(super) fn universal_time(job: &JobScene<'_>, claims: &[BoundClaim<'_>]) -> u128 {
    let topology = job.scene.topology;
    let mut widest = 1;
    for chip in topology.endpoints() {
        let lanes = |channel| topology.channel_capacity(channel);
        let inwards: u64 = topology.channels_into(chip).map(lanes).sum();
        let outwards: u64 = topology.channels_from(chip).map(lanes).sum();
        widest = widest.max(inwards).max(outwards);
    }
    let chips = topology.endpoints().count() as u128;
    let mut sums = [0u128; 2];
    for claim in claims {
        let size = u128::from(claim.groups.size().max(1));
        let others = size - 1;
        // Chips in no group are idle, and count in the average.
        let (active, below) = (claim.active_chips(), size * chips.max(1));
        // In and out, of every chip of a group on average, over `size`.
        let [taken, sent] = match claim.operation.kind {
            JobOperationKind::Collective(Collective::AllGather) => [others, 1],
            JobOperationKind::Collective(Collective::ReduceScatter) => [1, others],
            JobOperationKind::Collective(Collective::AllReduce) => [2 * others, others],
            JobOperationKind::Collective(_) => [others, others],
            JobOperationKind::Send { both, wrap } => {
                let messages = (others + u128::from(wrap)) * (1 + u128::from(both));
                [messages, messages]
            }
        };
        sums[0] += claim.moved() * taken * active / below;
        sums[1] += claim.moved() * sent * active / below;
    }
    let bytes = sums[0].max(sums[1]);
    let ports = least_time(job, bytes, widest.into());
    let link = job.fabric.link_types.iter().map(|link| link.latency_cycles).min().unwrap_or(0);
    let cycles = u64::from(job.fabric.router_latencies().least) + u64::from(link);
    let hop = crate::schedule::cycles_time(cycles, job.fabric.clock_hz) + job.overhead();
    let runs = claims.iter().map(|claim| u128::from(claim.operation.times)).max().unwrap_or(0);
    ports.max(pod_time(job, claims)) + hop * runs
}

/// The time of all bytes times the hops that they need at least, over all lanes of a pod. 0 for a network.
fn pod_time(job: &JobScene<'_>, claims: &[BoundClaim<'_>]) -> u128 {
    let Some(nearest) = &job.nearest else { return 0 };
    let chips = job.scene.topology.endpoints().count() as u128;
    let mut sum = 0;
    for claim in claims {
        let (size, others) =
            (u128::from(claim.groups.size().max(1)), u128::from(claim.groups.size().max(1)) - 1);
        let active = claim.active_chips();
        let per_group = match claim.operation.kind {
            JobOperationKind::Collective(Collective::AllToAll) if active == chips => {
                nearest.hops_to(others as usize)
            }
            JobOperationKind::Collective(Collective::AllReduce) => 2 * others * active,
            JobOperationKind::Collective(_) => others.max(1) * active,
            JobOperationKind::Send { both, wrap } => {
                (others + u128::from(wrap)) * (1 + u128::from(both)) * active
            }
        };
        sum += per_group * claim.moved() / size;
    }
    least_time(job, sum, nearest.lanes)
}
