//! Lower bounds for all groups together, whichever way their data goes.

use super::super::channel_lengths::ShortestPaths;
use super::super::error::CollectiveError;
use super::lengths::balanced_lengths;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Breadth, ChipGroups, CollectiveBound, Fraction, Neighbors, Scene};
use fabc_model::Collective;
use rayon::prelude::*;

/// The bounds of a collective in groups: volume first, then latency by distance. `lengths` are lengths of
/// channel classes, such as those that certify the concurrent flow. They may bound an all-to-all better than
/// hops do, and may be empty.
///
/// # Errors
/// Refuses a group of which one chip cannot reach another one.
pub fn group_bounds(
    scene: &Scene<'_>,
    collective: Collective,
    groups: &ChipGroups,
    lengths: &[u64],
) -> Result<Vec<CollectiveBound>, CollectiveError> {
    let latencies = latency_bounds(scene, groups)?;
    if collective == Collective::AllReduce {
        // Every part of the sum depends on the farthest chip.
        let shards = groups.size() as u32;
        let farthest = latencies.into_iter().last().map(|bound| match bound {
            CollectiveBound::Latency { node, distance, channels, .. } => {
                CollectiveBound::Latency { node, distance, channels, shards }
            }
            other => other,
        });
        return Ok(std::iter::once(partition(scene, groups)).chain(farthest).collect());
    }
    let mut bounds = Vec::new();
    if collective == Collective::AllToAll {
        bounds.extend(flows(scene, groups, lengths));
    } else if scene.first_simplex().is_none() {
        bounds.push(relays(scene, groups));
    }
    bounds.extend(narrowest_cut(scene, groups));
    bounds.extend(latencies);
    Ok(bounds)
}

/// The bounds that lengths prove for an all-to-all: all of length 1, and others where they prove more.
fn flows(scene: &Scene<'_>, groups: &ChipGroups, lengths: &[u64]) -> Vec<CollectiveBound> {
    let hops = lit_lengths(scene, &vec![1; class_count(scene)]);
    let balanced = balanced_lengths(scene, groups, &classes(scene), class_count(scene)).unwrap_or_default();
    let mut bounds: Vec<CollectiveBound> = flow(scene, groups, &hops).into_iter().collect();
    for other in [lengths, &balanced].into_iter().filter_map(|lengths| flow(scene, groups, lengths)) {
        if bounds.iter().all(|bound| bound.volume() < other.volume()) {
            bounds.push(other);
        }
    }
    bounds
}

fn lanes(scene: &Scene<'_>, channels: impl Iterator<Item = ChannelId>) -> u64 {
    channels.map(|channel| scene.topology.channel_capacity(channel)).sum()
}

/// The cut around the chip that hears its group by the fewest channels.
fn narrowest_cut(scene: &Scene<'_>, groups: &ChipGroups) -> Option<CollectiveBound> {
    let degree = |chip: NodeId| lanes(scene, scene.channels_into(chip));
    let grouped = scene.endpoints().filter(|&chip| groups.group_of(chip).is_some());
    let narrowest = grouped.min_by_key(|&chip| degree(chip))?;
    let (channels, shards) = (degree(narrowest) as u32, groups.size() as u32 - 1);
    Some(CollectiveBound::Cut { all_but: vec![narrowest], channels, shards })
}

/// The bound of the partition in which every chip is a part of its own.
fn partition(scene: &Scene<'_>, groups: &ChipGroups) -> CollectiveBound {
    let joins: usize = groups.lists().iter().map(|list| list.len() - 1).sum();
    let into_chips = scene.endpoints().flat_map(|chip| scene.channels_into(chip));
    let channels = lanes(scene, into_chips) as u32;
    CollectiveBound::Partition { part_of: Vec::new(), parts: joins as u32 + 1, channels }
}

/// The bound of what chips of other groups pass on.
fn relays(scene: &Scene<'_>, groups: &ChipGroups) -> CollectiveBound {
    let topology = scene.topology;
    let is_inside = |&channel: &ChannelId| {
        groups.are_together(topology.source(channel).node, topology.target(channel).node)
    };
    let most = topology.nodes().map(|node| scene.channels_from(node).count() as u64).max().unwrap_or(0);
    let size = groups.size();
    CollectiveBound::Relays {
        received: groups.lists().len() as u64 * size * (size - 1),
        channels: lanes(scene, scene.channels()),
        inside: lanes(scene, scene.channels().filter(is_inside)),
        fan: most.saturating_sub(1).max(1),
    }
}

/// For every distance, the chip with the most data per input channel from chips of its group farther away.
fn latency_bounds(scene: &Scene<'_>, groups: &ChipGroups) -> Result<Vec<CollectiveBound>, CollectiveError> {
    let neighbors = Neighbors::into_of(scene);
    let chips: Vec<NodeId> = groups.lists().iter().flatten().copied().collect();
    let of_chip = |breadth: &mut Breadth, &chip: &NodeId| {
        neighbors.search(chip, breadth);
        let hops: Vec<u32> = groups.members(chip).iter().map(|from| breadth.hops[from.index()]).collect();
        if let Some(apart) = hops.iter().position(|&hops| hops == Breadth::APART) {
            let [from, to] = [groups.members(chip)[apart], chip].map(|end| scene.topology.name(end));
            return Err(CollectiveError::Disconnected { from, to });
        }
        let channels = lanes(scene, scene.channels_into(chip)) as u32;
        let farthest = hops.iter().copied().max().unwrap_or(0);
        let bound = |distance: u32| CollectiveBound::Latency {
            node: chip,
            distance,
            channels,
            shards: hops.iter().filter(|&&hops| hops > distance).count() as u32,
        };
        Ok((0..farthest).map(bound).collect::<Vec<_>>())
    };
    let by_chip: Vec<Result<Vec<CollectiveBound>, CollectiveError>> =
        chips.par_iter().map_init(Breadth::default, of_chip).collect();
    let mut best: Vec<(Fraction, CollectiveBound)> = Vec::new();
    for bounds in by_chip {
        for (distance, bound) in bounds?.into_iter().enumerate() {
            let volume = bound.volume();
            match best.get_mut(distance) {
                None => best.push((volume, bound)),
                Some(known) if volume > known.0 => *known = (volume, bound),
                Some(_) => {}
            }
        }
    }
    Ok(best.into_iter().map(|(_, bound)| bound).collect())
}

fn class_count(scene: &Scene<'_>) -> usize {
    let topology = scene.topology;
    match scene.keeps_symmetry() {
        true => topology.class_count(topology.symmetry()),
        false => topology.class_count(&topology.symmetry().to_trivial()),
    }
}

/// `[channel]`: the index of its length.
fn classes(scene: &Scene<'_>) -> Vec<usize> {
    let topology = scene.topology;
    let symmetry =
        if scene.keeps_symmetry() { topology.symmetry().clone() } else { topology.symmetry().to_trivial() };
    let mut classes = vec![usize::MAX; topology.channel_count()];
    for channel in scene.channels() {
        classes[channel.index()] = topology.channel_class(&symmetry, channel).index();
    }
    classes
}

/// The lengths without those of dark channels.
fn lit_lengths(scene: &Scene<'_>, lengths: &[u64]) -> Vec<u64> {
    let classes = classes(scene);
    let mut lit = vec![0; lengths.len()];
    scene.channels().for_each(|channel| {
        let class = classes[channel.index()];
        lit[class] = lengths[class];
    });
    lit
}

/// The bound that lengths of channel classes prove for an all-to-all of all groups. `None` if the lengths
/// belong to other classes, or prove nothing.
fn flow(scene: &Scene<'_>, groups: &ChipGroups, lengths: &[u64]) -> Option<CollectiveBound> {
    if lengths.len() != class_count(scene) {
        return None;
    }
    let classes = classes(scene);
    let length = |channel: ChannelId| lengths[classes[channel.index()]];
    let volume = scene
        .channels()
        .map(|channel| u128::from(length(channel)) * u128::from(scene.topology.channel_capacity(channel)))
        .sum::<u128>();
    let chips: Vec<NodeId> = groups.lists().iter().flatten().copied().collect();
    let sums: Vec<Option<u128>> = chips
        .par_iter()
        .map(|&source| {
            let paths = ShortestPaths::new(scene, source, length);
            paths.total(groups.members(source).iter().copied())
        })
        .collect();
    let distance = sums.into_iter().sum::<Option<u128>>()?;
    let lengths = lengths.to_vec();
    Some(CollectiveBound::Flow { lengths, volume, distance }).filter(|_| volume > 0 && distance > 0)
}
