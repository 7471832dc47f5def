//! Lengths of channels that bound an all-to-all of all groups.
//!
//! Every pair sends along a shortest path. Channels that carry much get longer, by a factor that is
//! exponential in their load, and all pairs choose again. Of all rounds the lengths with the highest bound
//! are kept. Any lengths give a true bound. Under the symmetry of a scene the images of a channel have one
//! length. Source: Young 2001 (sequential and parallel algorithms for mixed packing and covering).

use super::super::channel_lengths::ShortestPaths;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ChipGroups, Fraction, Scene};
use rayon::prelude::*;

/// The rounds in which pairs choose their paths.
const ROUNDS: u32 = 48;
/// Rounds are fewer where they would look at more channels than this.
const WORK_LIMIT: u64 = 1 << 27;
/// How fast lengths grow in the first round.
const FIRST_STEP: f64 = 1.0;
/// The length of the channel that carries most. All others are shorter.
const LONGEST: f64 = 4096.0;

/// What the pairs of one chip put on channels, and the sum of their distances.
struct PathsOfChip {
    /// `[channel]`: number of paths that cross it.
    loads: Vec<u32>,
    distance: u128,
}

/// The lengths of classes with the highest bound that is found. `class_of` is by channel, and `classes` their
/// number. `None` if a chip cannot reach another one of its group, or the scene is too large for a round.
pub(super) fn balanced_lengths(
    scene: &Scene<'_>,
    groups: &ChipGroups,
    class_of: &[usize],
    classes: usize,
) -> Option<Vec<u64>> {
    let chips: Vec<NodeId> = groups.lists().iter().flatten().copied().collect();
    let channels: Vec<ChannelId> = scene.channels().collect();
    let of_round = (chips.len() * channels.len()).max(1) as u64;
    let rounds = (WORK_LIMIT / of_round).min(u64::from(ROUNDS));
    let mut lanes = vec![0.0; classes];
    for &channel in &channels {
        lanes[class_of[channel.index()]] += scene.topology.channel_capacity(channel) as f64;
    }
    let mut weights = vec![0.0f64; classes];
    let mut best: Option<(Fraction, Vec<u64>)> = None;
    for round in 0..rounds {
        let heaviest = weights.iter().copied().fold(0.0, f64::max);
        let length = |weight: f64| (LONGEST * libm::exp(weight - heaviest)) as u64;
        let lengths: Vec<u64> = weights
            .iter()
            .zip(&lanes)
            .map(|(&weight, &lanes)| if lanes > 0.0 { length(weight).max(1) } else { 0 })
            .collect();
        let length_of = |channel: ChannelId| lengths[class_of[channel.index()]];
        let found: Vec<Option<PathsOfChip>> = chips
            .par_iter()
            .map(|&source| paths_of_chip(scene, source, groups.members(source), &length_of))
            .collect();
        let mut loads = vec![0.0; classes];
        let mut distance = 0;
        for paths in found {
            let PathsOfChip { loads: of_chip, distance: sum } = paths?;
            distance += sum;
            for &channel in &channels {
                loads[class_of[channel.index()]] += f64::from(of_chip[channel.index()]);
            }
        }
        let volume: u128 = channels
            .iter()
            .map(|&channel| u128::from(length_of(channel) * scene.topology.channel_capacity(channel)))
            .sum();
        let bound = Fraction::new(distance, volume.max(1));
        if best.as_ref().is_none_or(|(known, _)| bound > *known) {
            best = Some((bound, lengths));
        }
        loads.iter_mut().zip(&lanes).for_each(|(load, lanes)| *load /= lanes.max(1.0));
        let busiest = loads.iter().copied().fold(1e-9, f64::max);
        let step = FIRST_STEP / (1.0 + f64::from(round as u32) / 4.0);
        weights.iter_mut().zip(&loads).for_each(|(weight, load)| *weight += step * load / busiest);
    }
    best.map(|(_, lengths)| lengths)
}

/// The shortest paths from a chip to the others of its group. `None` if one of them cannot be reached.
fn paths_of_chip(
    scene: &Scene<'_>,
    source: NodeId,
    chips: &[NodeId],
    length: &(impl Fn(ChannelId) -> u64 + Sync),
) -> Option<PathsOfChip> {
    let paths = ShortestPaths::new(scene, source, length);
    let distance = paths.total(chips.iter().copied())?;
    let mut loads = vec![0; scene.topology.channel_count()];
    for &chip in chips {
        paths.channels_to(scene, chip).for_each(|channel| loads[channel.index()] += 1);
    }
    Some(PathsOfChip { loads, distance })
}
