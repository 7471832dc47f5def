//! Lower bounds on phases, for one topology and one placement.
//!
//! - Lengths of channels: every byte travels at least the shortest length between its ends. So the busiest
//!   channel carries at least the sum of bytes times lengths, over the sum of lengths times lanes. Lengths of
//!   0 and 1 cut a fabric into classes of routers. A part that a group gathers must come into every class
//!   that has a chip of the group, by a channel from another class.
//! - Relays: a copy that does not come from a chip of its group comes from a router that took it in by a
//!   further channel. Sums go the same ways backwards.
//! - The bounds of a schedule of one operation also bound its phase.
//!
//! The busiest channel is busy for at least the volume of a bound, and its last byte makes one more hop. Runs
//! of an operation follow each other, so each of them makes that hop. And no run is shorter than the way to
//! the farthest chip that hears of it. The longest of these times counts.

use super::bounded::BoundedOperation;
use super::length_classes::LengthClasses;
use super::messages::{goes_between_pairs, is_gather};
use super::pair_flow::PairFlow;
use super::volume::{BoundVolume, time_of};
use fabc_base::ids::{ChannelId, Id, IdVec, LinkTypeId, NodeId};
use fabc_ir::{CollectiveBound, Fraction, JobBound, JobWitness, Scene};
use fabc_model::{JobOperation, JobOperationKind};
use fabc_passes::collective::ShortestPaths;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The operations of a phase in a scene, with what their bounds depend on.
pub struct PhaseBounds<'a> {
    /// The topology, and what of it is lit.
    pub scene: &'a Scene<'a>,
    /// The time of a hop by channel.
    pub hops: &'a IdVec<ChannelId, u128>,
    /// The time that a message takes besides.
    pub overhead: u128,
    /// The bandwidth of a lane.
    pub unit_bps: u64,
    /// Whether a flow of the messages is searched for their bound. That takes most of the time.
    pub has_flow: bool,
    /// The operations of the phase.
    pub operations: &'a [BoundedOperation<'a>],
}

impl PhaseBounds<'_> {
    /// The best lower bound that is found.
    pub fn best(&self) -> JobBound {
        let farthest = self.farthest_time();
        let bound = |witness: JobWitness| {
            let time = self.volume(&witness).time(self.wait(), &self.plain_operations()).max(farthest);
            JobBound { time, witness }
        };
        let mut best = bound(JobWitness::Lengths(Vec::new()));
        let flow = PairFlow::new(self.scene, if self.has_flow { self.operations } else { &[] });
        let lengths = self.cut_lengths().into_iter().chain(flow.map(|flow| flow.lengths));
        let lengths = lengths.map(JobWitness::Lengths);
        let relays = self.has_relays().then_some(JobWitness::Relays);
        let schedules = (0..self.operations.len()).map(JobWitness::Operation);
        for other in lengths.chain(relays).chain(schedules).map(bound) {
            if other.time > best.time {
                best = other;
            }
        }
        best
    }

    /// The lower bound that follows from hops alone: all bytes times the hops that they need, over all
    /// channels. It takes no search.
    pub fn by_hops(&self) -> u128 {
        let volume = self.volume(&JobWitness::Lengths(Vec::new()));
        volume.time(self.wait(), &self.plain_operations()).max(self.farthest_time())
    }

    /// The estimated time of messages on their best paths: the volume of a flow that was found for them, and
    /// the way to the farthest chip. This is no bound.
    pub fn estimate(&self) -> u128 {
        let volume = match PairFlow::new(self.scene, self.operations).and_then(|flow| flow.bytes_per_lane) {
            Some(bytes) => time_of(bytes, self.unit_bps),
            None => self.volume(&JobWitness::Lengths(Vec::new())).together,
        };
        volume + self.farthest_time()
    }

    fn plain_operations(&self) -> Vec<JobOperation> {
        self.operations.iter().map(|bounded| bounded.operation.clone()).collect()
    }

    /// The time of a message over the fastest lit channel.
    fn wait(&self) -> u128 {
        self.scene.channels().map(|channel| self.hops[channel]).min().unwrap_or(0) + self.overhead
    }

    /// The time of all runs of an operation, one after the other, if only the way to its farthest chip
    /// counts. The longest of all operations.
    fn farthest_time(&self) -> u128 {
        let time = |bounded: &BoundedOperation<'_>| {
            (farthest(self.scene, self.hops, bounded) + self.overhead) * u128::from(bounded.operation.times)
        };
        self.operations.iter().map(time).max().unwrap_or(0)
    }

    /// The volume that a witness proves.
    fn volume(&self, witness: &JobWitness) -> BoundVolume {
        match witness {
            JobWitness::Lengths(lengths) => self.length_volume(lengths),
            JobWitness::Relays => self.relay_volume(),
            &JobWitness::Operation(index) => {
                let volume = schedule_volume(self.unit_bps, &self.operations[index]);
                let alone = |other| if other == index { volume } else { 0 };
                BoundVolume { together: volume, alone: (0..self.operations.len()).map(alone).collect() }
            }
        }
    }

    /// What lengths by channel prove. An empty list means that all are 1.
    fn length_volume(&self, lengths: &[u64]) -> BoundVolume {
        let length = |channel: ChannelId| lengths.get(channel.index()).copied().unwrap_or(1);
        let lanes = |channel| u128::from(self.scene.topology.channel_capacity(channel));
        let places = self.scene.channels().map(|channel| u128::from(length(channel)) * lanes(channel)).sum();
        let classes = LengthClasses::new(self.scene, &length);
        let needed = |bounded: &BoundedOperation<'_>| -> u128 {
            let parts = length_parts(self.scene, bounded, &length, &classes);
            bounded.part_bytes().times(Fraction::integer(parts)).floor()
        };
        let bytes: Vec<u128> = self.operations.iter().map(needed).collect();
        let time = |bytes: u128| time_of(Fraction::new(bytes, u128::max(places, 1)), self.unit_bps);
        BoundVolume { together: time(bytes.iter().sum()), alone: bytes.into_iter().map(time).collect() }
    }

    /// Whether routers can pass on copies for groups of others, on links that run both ways.
    fn has_relays(&self) -> bool {
        let mut operations = self.operations.iter();
        operations.any(|bounded| is_gather(bounded.operation.kind)) && self.scene.first_simplex().is_none()
    }

    /// What gathers need because few channels run inside their groups.
    fn relay_volume(&self) -> BoundVolume {
        let topology = self.scene.topology;
        let gathers = || self.operations.iter().filter(|bounded| is_gather(bounded.operation.kind));
        let is_inside = |channel: &ChannelId| {
            let [from, to] = [topology.source(*channel).node, topology.target(*channel).node];
            gathers().any(|bounded| {
                let group = bounded.groups.group_of(from);
                group.is_some() && group == bounded.groups.group_of(to)
            })
        };
        let lanes = |channel| u128::from(topology.channel_capacity(channel));
        let (all, inside): (u128, u128) = (
            self.scene.channels().map(lanes).sum(),
            self.scene.channels().filter(is_inside).map(lanes).sum(),
        );
        let links = topology.nodes().map(|node| self.scene.channels_from(node).count() as u128).max();
        let fan = links.unwrap_or(0).saturating_sub(1).max(1);
        let classes = LengthClasses::new(self.scene, &|_| 1);
        let places = |bounded: &BoundedOperation<'_>| {
            let parts = length_parts(self.scene, bounded, &|_| 1, &classes);
            let bytes = bounded.part_bytes().times(Fraction::integer(parts)).floor();
            bytes * if is_gather(bounded.operation.kind) { fan + 1 } else { fan }
        };
        let places: u128 = self.operations.iter().map(places).sum();
        let together = time_of(Fraction::new(places, (all * fan + inside).max(1)), self.unit_bps);
        let alone = vec![if self.operations.len() == 1 { together } else { 0 }; self.operations.len()];
        BoundVolume { together, alone }
    }

    /// Lengths of 0 and 1 that may prove much: 1 inside of the groups of gathers, or on links of one type.
    fn cut_lengths(&self) -> Vec<Vec<u64>> {
        let topology = self.scene.topology;
        let copies = self.operations.iter().filter(|bounded| !goes_between_pairs(bounded.operation.kind));
        let chosen = |is_one: &dyn Fn(ChannelId) -> bool| -> Vec<u64> {
            topology.channels().map(|channel| u64::from(is_one(channel))).collect()
        };
        let mut all: Vec<Vec<u64>> = Vec::new();
        for bounded in copies {
            let inside = |channel: ChannelId| {
                let group = bounded.groups.group_of(topology.source(channel).node);
                group.is_some() && group == bounded.groups.group_of(topology.target(channel).node)
            };
            all.push(chosen(&inside));
        }
        let link_type = |channel| topology.links()[topology.link_of(channel)].link_type;
        let types: BTreeSet<LinkTypeId> = topology.channels().map(link_type).collect();
        if types.len() > 1 {
            all.extend(types.into_iter().map(|one| chosen(&|channel| link_type(channel) == one)));
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The sum of lengths that the parts of an operation travel at least.
fn length_parts(
    scene: &Scene<'_>,
    bounded: &BoundedOperation<'_>,
    length: &(impl Fn(ChannelId) -> u64 + Sync),
    classes: &LengthClasses,
) -> u128 {
    if !bounded.pairs.is_empty() {
        return pair_lengths(scene, bounded.pairs, &|channel| u128::from(length(channel)), false);
    }
    let JobOperationKind::Collective(collective) = bounded.operation.kind else { return 0 };
    bounded.groups.lists().iter().map(|list| classes.parts(collective, list)).sum()
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
fn farthest(scene: &Scene<'_>, hops: &IdVec<ChannelId, u128>, bounded: &BoundedOperation<'_>) -> u128 {
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
