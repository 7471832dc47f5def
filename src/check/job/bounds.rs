//! Lower bounds of phases, recounted from their witnesses.
//!
//! - Lengths of channels: every byte travels at least the shortest length between its ends. A part that is
//!   gathered enters every region with a chip of its group, where channels of length 0 join routers to
//!   regions. One that is added up leaves them.
//! - Relays: what does not come from a chip of its own group was taken in by a router that passes it on.
//! - Schedules: the bounds that were proved with them.
//!
//! A phase ends no sooner than the last byte of its busiest channel arrives, a hop after it left, in every
//! run of an operation. Nor does it end before data has come to the farthest chip, in every run.

use super::scene::JobScene;
use crate::schedule::{BoundVolume, bound_volume, lengths_from};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ChipGroups, CollectiveBound, JobWitness, Schedule, Topology};
use fabc_model::{Collective, JobOperation, JobOperationKind};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

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

    /// The pairs between which data of their own go. In groups of two, a gather or a scatter sends the part
    /// of each chip to the other one.
    fn exchanged(&self) -> Vec<(NodeId, NodeId)> {
        let mut pairs = self.pairs.to_vec();
        if self.groups.size() == 2 && copies_or_adds(self) {
            for list in self.groups.lists() {
                pairs.extend([(list[0], list[1]), (list[1], list[0])]);
            }
        }
        pairs
    }

    /// The number of equal parts of the bytes: one for each chip of a group, or one message.
    fn shares(&self) -> u128 {
        match self.operation.kind {
            JobOperationKind::Send { .. } => 1,
            JobOperationKind::Collective(_) => u128::from(self.groups.size().max(1)),
        }
    }
}

/// The least times of the busiest channel.
struct BusyBound {
    /// With all operations of the phase at the same time.
    phase: u128,
    /// `[operation]`: with this one alone.
    alone: Vec<u128>,
}

impl BusyBound {
    /// The least time of the phase, if the last byte of a run waits for `hop`.
    fn phase_time(&self, claims: &[BoundClaim<'_>], hop: u128) -> u128 {
        let mut least = if claims.is_empty() { 0 } else { self.phase + hop };
        for (claim, alone) in claims.iter().zip(&self.alone) {
            least = least.max(alone + hop * u128::from(claim.operation.times));
        }
        least
    }
}

/// The lower bound of a phase that a witness proves.
pub(super) fn recount_bound(
    job: &JobScene<'_>,
    claims: &[BoundClaim<'_>],
    witness: &JobWitness,
) -> Result<u128, String> {
    let busy = match witness {
        JobWitness::Lengths(lengths) => by_lengths(job, claims, lengths)?,
        JobWitness::Relays => by_relays(job, claims)?,
        &JobWitness::Operation(number) => {
            let claim = claims.get(number).ok_or("names an operation that does not exist")?;
            let phase = by_schedule(job, claim);
            let mut alone = vec![0; claims.len()];
            alone[number] = phase;
            BusyBound { phase, alone }
        }
    };
    let hop = job.scene.channels().map(|channel| job.hop(channel)).min().unwrap_or(0) + job.overhead();
    let mut least = busy.phase_time(claims, hop);
    for claim in claims {
        let run = farthest(job, claim) + job.overhead();
        least = least.max(run * u128::from(claim.operation.times));
    }
    Ok(least)
}

/// What lengths of channels prove: bytes times distances, over lengths times lanes.
fn by_lengths(job: &JobScene<'_>, claims: &[BoundClaim<'_>], lengths: &[u64]) -> Result<BusyBound, String> {
    let channels = job.scene.topology.channel_count();
    if !lengths.is_empty() && lengths.len() != channels {
        return Err(format!("has {} lengths, not one for each of {channels} channels", lengths.len()));
    }
    let length = |channel: ChannelId| lengths.get(channel.index()).copied().unwrap_or(1);
    let mut below = 0u128;
    for channel in job.scene.channels() {
        below += u128::from(length(channel)) * u128::from(job.scene.topology.channel_capacity(channel));
    }
    let bytes = travelled(job, claims, &length);
    Ok(BusyBound {
        phase: least_time(job, bytes.iter().sum(), below),
        alone: bytes.iter().map(|&bytes| least_time(job, bytes, below)).collect(),
    })
}

/// `[operation]`: bytes times the lengths that they travel at least.
fn travelled(
    job: &JobScene<'_>,
    claims: &[BoundClaim<'_>],
    length: &(impl Fn(ChannelId) -> u64 + Sync),
) -> Vec<u128> {
    let regions = Regions::new(job, length);
    let of_claim = |claim: &BoundClaim<'_>| {
        let pairs = claim.exchanged();
        let distance: u128 = match claim.operation.kind {
            _ if !pairs.is_empty() => each_source(job, &pairs, length).flatten().sum(),
            JobOperationKind::Collective(collective) => {
                claim.groups.lists().iter().map(|list| regions.entered(collective, list)).sum()
            }
            JobOperationKind::Send { .. } => 0,
        };
        claim.moved() * distance / claim.shares()
    };
    claims.iter().map(of_claim).collect()
}

/// Routers that channels of length 0 join, whichever way they run.
struct Regions {
    /// `[router]`: the first router that channels of length 0 join it to.
    region: Vec<usize>,
    /// `[region]`: the shortest channel into it, and the shortest one out of it.
    doors: BTreeMap<usize, [u64; 2]>,
}

impl Regions {
    fn new(job: &JobScene<'_>, length: &impl Fn(ChannelId) -> u64) -> Self {
        let topology = job.scene.topology;
        let ends = |channel| (topology.source(channel).node.index(), topology.target(channel).node.index());
        let mut beside = vec![Vec::new(); topology.node_count()];
        for (from, to) in job.scene.channels().filter(|&channel| length(channel) == 0).map(ends) {
            beside[from].push(to);
            beside[to].push(from);
        }
        let mut region = vec![usize::MAX; beside.len()];
        for first in 0..beside.len() {
            let mut open = vec![first];
            while let Some(router) = open.pop() {
                if region[router] == usize::MAX {
                    region[router] = first;
                    open.extend(&beside[router]);
                }
            }
        }
        let mut doors: BTreeMap<usize, [u64; 2]> = BTreeMap::new();
        let mut lower = |region, way: usize, length| {
            let door = doors.entry(region).or_insert([u64::MAX; 2]);
            door[way] = door[way].min(length);
        };
        for channel in job.scene.channels() {
            let (from, to) = ends(channel);
            if region[from] != region[to] {
                lower(region[to], 0, length(channel));
                lower(region[from], 1, length(channel));
            }
        }
        Self { region, doors }
    }

    /// The length of the shortest channel into a region (0) or out of it (1). 0 where there is none.
    fn door(&self, region: usize, way: usize) -> u128 {
        let door = self.doors.get(&region).map_or(u64::MAX, |doors| doors[way]);
        if door == u64::MAX { 0 } else { u128::from(door) }
    }

    /// The lengths of the channels that the parts of a group cross at least.
    fn entered(&self, collective: Collective, list: &[NodeId]) -> u128 {
        let own: Vec<usize> = list.iter().map(|chip| self.region[chip.index()]).collect();
        let regions: BTreeSet<usize> = own.iter().copied().collect();
        let mut sum = 0;
        if collective == Collective::AllReduce {
            // A region sends its own part out before there is a sum, and takes the sum in afterwards. The
            // region that first has the sum does neither.
            let doors = |&region: &usize| self.door(region, 0) + self.door(region, 1);
            let crossed: Vec<u128> = regions.iter().map(doors).collect();
            let most = crossed.iter().copied().max().unwrap_or(0);
            return (crossed.into_iter().sum::<u128>() - most) * list.len() as u128;
        }
        let way = usize::from(collective == Collective::ReduceScatter);
        for own in own {
            sum += regions
                .iter()
                .filter(|&&other| other != own)
                .map(|&other| self.door(other, way))
                .sum::<u128>();
        }
        sum
    }
}

/// What gathers and sums in groups prove by the channels inside the groups.
fn by_relays(job: &JobScene<'_>, claims: &[BoundClaim<'_>]) -> Result<BusyBound, String> {
    if job.scene.first_simplex().is_some() {
        return Err("counts relays, but some links run one way".to_owned());
    }
    let topology = job.scene.topology;
    let (mut lanes, mut inside) = (0, 0);
    for channel in job.scene.channels() {
        let width = u128::from(topology.channel_capacity(channel));
        let (from, to) = (topology.source(channel).node, topology.target(channel).node);
        let joins = |claim: &BoundClaim<'_>| {
            let group = claim.groups.group_of(from);
            copies_or_adds(claim) && group.is_some() && group == claim.groups.group_of(to)
        };
        lanes += width;
        inside += if claims.iter().any(joins) { width } else { 0 };
    }
    let most = topology.nodes().map(|node| job.scene.channels_from(node).count() as u128).max().unwrap_or(0);
    // A router passes a copy on by all channels but that by which it came.
    let copies = most.saturating_sub(1).max(1);
    let mut places = 0;
    for (claim, bytes) in claims.iter().zip(travelled(job, claims, &|_| 1)) {
        places += bytes * (copies + u128::from(copies_or_adds(claim)));
    }
    let phase = least_time(job, places, lanes * copies + inside);
    let alone = if claims.len() == 1 { vec![phase] } else { vec![0; claims.len()] };
    Ok(BusyBound { phase, alone })
}

/// Whether an operation copies to all of a group, or adds up for each of it.
fn copies_or_adds(claim: &BoundClaim<'_>) -> bool {
    use Collective::{AllGather, ReduceScatter};
    matches!(claim.operation.kind, JobOperationKind::Collective(AllGather | ReduceScatter))
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
        let Some(BoundVolume { numerator, denominator }) = bound_volume(bound) else { continue };
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

/// The bound of a phase for all topologies and placements.
pub(super) fn universal_time(job: &JobScene<'_>, claims: &[BoundClaim<'_>]) -> u128 {
    let link = job.fabric.link_types.iter().map(|link| link.latency_cycles).min().unwrap_or(0);
    let cycles = u64::from(job.fabric.router_latencies().least) + u64::from(link);
    let hop = crate::schedule::cycles_time(cycles, job.fabric.clock_hz) + job.overhead();
    let widest = widest_chip(job.scene.topology);
    let volume = |claims: &[BoundClaim<'_>]| universal_volume(job, claims, widest);
    let busy = BusyBound {
        phase: volume(claims),
        alone: claims.iter().map(|claim| volume(std::slice::from_ref(claim))).collect(),
    };
    busy.phase_time(claims, hop)
}

/// The most lanes by which a chip hears others, or sends to them.
fn widest_chip(topology: &Topology) -> u64 {
    let mut widest = 1;
    for chip in topology.endpoints() {
        let lanes = |channel| topology.channel_capacity(channel);
        let inwards: u64 = topology.channels_into(chip).map(lanes).sum();
        let outwards: u64 = topology.channels_from(chip).map(lanes).sum();
        widest = widest.max(inwards).max(outwards);
    }
    widest
}

/// The least time of the busiest lane: of those of a chip, which are at most `widest`, and of those of a
/// whole pod.
fn universal_volume(job: &JobScene<'_>, claims: &[BoundClaim<'_>], widest: u64) -> u128 {
    let chips = job.scene.topology.endpoints().count() as u128;
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
    least_time(job, bytes, widest.into()).max(pod_time(job, claims))
}

/// The time of all bytes times the hops that they need at least, over all lanes of a pod. 0 for a network.
fn pod_time(job: &JobScene<'_>, claims: &[BoundClaim<'_>]) -> u128 {
    let Some(nearest) = &job.nearest else { return 0 };
    let chips = job.scene.topology.endpoints().count() as u128;
    let mut hops = Vec::new();
    for claim in claims {
        let size = u128::from(claim.groups.size().max(1));
        let (others, active) = (size - 1, claim.active_chips());
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
        hops.push(per_group * claim.moved() / size);
    }
    let plain = least_time(job, hops.iter().sum(), nearest.lanes);
    let Some(few) = &nearest.few_links else { return plain };
    // Copies come over the few links of a group, or a relay takes them in by a lane and passes them on.
    let (mut places, mut inside, mut counted) = (0, 0, Vec::new());
    for (claim, hops) in claims.iter().zip(hops) {
        places += hops * (few.copies + u128::from(copies_or_adds(claim)));
        if copies_or_adds(claim) && !counted.contains(&claim.groups.lists()) {
            counted.push(claim.groups.lists());
            inside += claim.groups.lists().iter().map(|list| few.lanes_among(list.len())).sum::<u128>();
        }
    }
    plain.max(least_time(job, places, nearest.lanes * few.copies + inside.min(nearest.lanes)))
}
