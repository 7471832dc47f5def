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
use super::messages::{goes_between_pairs, is_gather, message_pairs};
use super::pair_flow::PairFlow;
use super::volume::{BoundVolume, time_of};
use fabc_base::ids::{ChannelId, Id, IdVec, LinkTypeId, NodeId};
use fabc_ir::{ATTOSECONDS_OF_A_PICOSECOND, CollectiveBound, Fraction, JobBound, JobWitness, Scene};
use fabc_model::{Collective, JobOperationKind};
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
        let (wait, farthest) = (self.wait(), self.farthest_time());
        let bound = |witness: JobWitness| {
            let time = self.volume(&witness).time(wait, self.runs()).max(farthest);
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
        self.length_volume(&[]).time(self.wait(), self.runs()).max(self.farthest_time())
    }

    /// The estimated time of messages on their best paths: the volume of a flow that was found for them, and
    /// the way to the farthest chip. This is no bound.
    pub fn estimate(&self) -> u128 {
        let volume = match PairFlow::new(self.scene, self.operations).and_then(|flow| flow.bytes_per_lane) {
            Some(bytes) => time_of(bytes, self.unit_bps),
            None => self.length_volume(&[]).together,
        };
        volume + self.farthest_time()
    }

    /// The runs of each operation.
    fn runs(&self) -> impl Iterator<Item = u64> {
        self.operations.iter().map(|bounded| bounded.operation.times)
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
        let bytes = self.byte_lengths(&length);
        let time = |bytes: u128| time_of(Fraction::new(bytes, u128::max(places, 1)), self.unit_bps);
        BoundVolume { together: time(bytes.iter().sum()), alone: bytes.into_iter().map(time).collect() }
    }

    /// `[operation]`: bytes times the lengths that they travel at least, rounded down.
    fn byte_lengths(&self, length: &(impl Fn(ChannelId) -> u64 + Sync)) -> Vec<u128> {
        let classes = LengthClasses::new(self.scene, length);
        let needed = |bounded: &BoundedOperation<'_>| {
            let parts = match bounded.operation.kind {
                _ if !bounded.pairs.is_empty() => pair_lengths(self.scene, bounded.pairs, length, false),
                JobOperationKind::Collective(collective) => {
                    bounded.groups.lists().iter().map(|list| classes.parts(collective, list)).sum()
                }
                JobOperationKind::Send { .. } => 0,
            };
            bounded.part_bytes().times(Fraction::integer(parts)).floor()
        };
        self.operations.iter().map(needed).collect()
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
        let is_inside = |channel: &ChannelId| gathers().any(|bounded| self.is_inside(bounded, *channel));
        let lanes = |channel| u128::from(topology.channel_capacity(channel));
        let (all, inside): (u128, u128) = (
            self.scene.channels().map(lanes).sum(),
            self.scene.channels().filter(is_inside).map(lanes).sum(),
        );
        let links = topology.nodes().map(|node| self.scene.channels_from(node).count() as u128).max();
        let fan = links.unwrap_or(0).saturating_sub(1).max(1);
        let places = |(bounded, bytes): (&BoundedOperation<'_>, u128)| {
            bytes * if is_gather(bounded.operation.kind) { fan + 1 } else { fan }
        };
        let places: u128 = self.operations.iter().zip(self.byte_lengths(&|_| 1)).map(places).sum();
        let together = time_of(Fraction::new(places, (all * fan + inside).max(1)), self.unit_bps);
        let alone = vec![if self.operations.len() == 1 { together } else { 0 }; self.operations.len()];
        BoundVolume { together, alone }
    }

    /// Whether a channel joins two chips of one group of an operation.
    fn is_inside(&self, bounded: &BoundedOperation<'_>, channel: ChannelId) -> bool {
        let topology = self.scene.topology;
        bounded.groups.are_together(topology.source(channel).node, topology.target(channel).node)
    }

    /// Lengths of 0 and 1 that may prove much: 1 inside of the groups of gathers, or on links of one type.
    fn cut_lengths(&self) -> Vec<Vec<u64>> {
        let topology = self.scene.topology;
        let copies = self.operations.iter().filter(|bounded| !goes_between_pairs(bounded.operation.kind));
        let chosen = |is_one: &dyn Fn(ChannelId) -> bool| -> Vec<u64> {
            topology.channels().map(|channel| u64::from(is_one(channel))).collect()
        };
        let inside = |bounded| chosen(&|channel| self.is_inside(bounded, channel));
        let mut all: Vec<Vec<u64>> = copies.map(inside).collect();
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

/// The sum of the shortest lengths between pairs, or the longest of them.
fn pair_lengths(
    scene: &Scene<'_>,
    pairs: &[(NodeId, NodeId)],
    length: &(impl Fn(ChannelId) -> u64 + Sync),
    longest: bool,
) -> u128 {
    let mut by_source: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for &(from, to) in pairs {
        by_source.entry(from).or_default().push(to);
    }
    let of_source = |(&source, targets): (&NodeId, &Vec<NodeId>)| {
        let paths = ShortestPaths::new(scene, source, length);
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
    let all = match bounded.pairs {
        // What every chip of a group hears of all others.
        [] => message_pairs(JobOperationKind::Collective(Collective::AllToAll), bounded.groups),
        _ => Vec::new(),
    };
    let pairs = if all.is_empty() { bounded.pairs } else { &all };
    // Picoseconds, rounded down, so that sums of lengths fit.
    let picoseconds = |channel| (hops[channel] / ATTOSECONDS_OF_A_PICOSECOND) as u64;
    pair_lengths(scene, pairs, &picoseconds, true) * ATTOSECONDS_OF_A_PICOSECOND
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
