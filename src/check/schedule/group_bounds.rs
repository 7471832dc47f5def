//! Recomputes lower bounds on collectives in groups from their witnesses.
//!
//! - A cut: what chips of a set must hear from the rest of their groups comes in by the channels into the
//!   set, wherever it passed. Of an all-to-all every pair has data of its own.
//! - A latency or an arrival: what starts far away within the group of a chip.
//! - A partition, of an all-reduce: every chip is a part. The n chips of a group take in n - 1 messages of
//!   every byte before one of them has the sum, and n - 1 of the sum, whichever other chips add and copy.
//! - Relays: what is handed on by chips of other groups takes places on further channels.
//! - Lengths, of an all-to-all: every pair of a group needs a path at least as long as its distance.
//! - Inside: a cut in one group, for schedules that stay within their groups.

use super::arrivals::{Partners, count_arrival};
use super::conviction::compare_bound;
use super::reach::{hops_to, lengths_from, total_lanes};
use crate::CheckError;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ChipGroups, CollectiveBound, Scene};
use fabc_kernel::scene_symmetry;
use fabc_model::Collective;
use std::collections::BTreeSet;

/// Verifies that each bound follows from its witness.
pub(super) fn verify_witnesses(
    scene: &Scene<'_>,
    collective: Collective,
    groups: &ChipGroups,
    claimed: &[CollectiveBound],
) -> Result<(), CheckError> {
    for (index, bound) in claimed.iter().enumerate() {
        compare_bound(index, bound, recount_bound(scene, collective, groups, bound))?;
    }
    Ok(())
}

fn recount_bound(
    scene: &Scene<'_>,
    collective: Collective,
    groups: &ChipGroups,
    bound: &CollectiveBound,
) -> Result<CollectiveBound, String> {
    let is_gather = matches!(collective, Collective::AllGather | Collective::ReduceScatter);
    match bound {
        CollectiveBound::Cut { all_but, .. } if collective != Collective::AllReduce => {
            count_cut(scene, collective, groups, all_but)
        }
        &CollectiveBound::Latency { node, distance, .. } => {
            count_latency(scene, collective, groups, node, distance)
        }
        CollectiveBound::Arrival { node, far, .. } => {
            if groups.group_of(*node).is_none() {
                return Err("does not name a surviving chip".to_owned());
            }
            let is_partner = |chip: NodeId| groups.group_of(chip) == groups.group_of(*node);
            let partners = Partners { count: groups.size(), includes: &is_partner };
            count_arrival(scene, collective, None, *node, far, partners)
        }
        CollectiveBound::Partition { part_of, .. } if collective == Collective::AllReduce => {
            if !part_of.is_empty() {
                return Err("has parts of several chips, which groups do not have".to_owned());
            }
            Ok(count_partition(scene, groups))
        }
        CollectiveBound::Relays { .. } if is_gather => count_relays(scene, groups),
        CollectiveBound::Inside { all_but, .. } if is_gather => count_inside(scene, groups, all_but),
        CollectiveBound::Flow { lengths, .. } if collective == Collective::AllToAll => {
            count_flow(scene, groups, lengths)
        }
        _ => Err(format!("does not bound {} in groups", collective.name())),
    }
}

/// The bound of a cut: what the chips in a set must hear from those of their groups that are not in it.
fn count_cut(
    scene: &Scene<'_>,
    collective: Collective,
    groups: &ChipGroups,
    all_but: &[NodeId],
) -> Result<CollectiveBound, String> {
    let topology = scene.topology;
    let ascending = all_but.windows(2).all(|pair| pair[0] < pair[1]);
    let are_living = all_but.iter().all(|&node| node.index() < topology.node_count() && scene.lives(node));
    if !ascending || !are_living {
        return Err("is not a set of surviving routers".to_owned());
    }
    let in_set = |node: NodeId| all_but.binary_search(&node).is_ok();
    let mut shards = 0u64;
    for list in groups.lists() {
        let inside = list.iter().filter(|&&chip| in_set(chip)).count() as u64;
        let outside = list.len() as u64 - inside;
        shards += match collective {
            Collective::AllToAll => inside * outside,
            _ if inside > 0 => outside,
            _ => 0,
        };
    }
    let into = |&channel: &ChannelId| {
        !in_set(topology.source(channel).node) && in_set(topology.target(channel).node)
    };
    let channels = total_lanes(scene, scene.channels().filter(into));
    let shards = u32::try_from(shards).unwrap_or(u32::MAX);
    if shards == 0 || channels == 0 {
        return Err("separates no chip from the rest of its group".to_owned());
    }
    Ok(CollectiveBound::Cut { all_but: all_but.to_vec(), channels, shards })
}

/// The bound of a chip: what must reach it from chips of its group more than `distance` hops away.
fn count_latency(
    scene: &Scene<'_>,
    collective: Collective,
    groups: &ChipGroups,
    node: NodeId,
    distance: u32,
) -> Result<CollectiveBound, String> {
    if groups.group_of(node).is_none() {
        return Err("does not name a surviving chip".to_owned());
    }
    let hops = hops_to(scene, node);
    let farther = groups.members(node).iter().filter(|chip| hops[chip.index()] > distance).count();
    let shards = match collective {
        _ if farther == 0 => return Err("counts data from farther away, but there is none".to_owned()),
        Collective::AllReduce => groups.size() as u32,
        _ => farther as u32,
    };
    let channels = total_lanes(scene, scene.channels_into(node));
    Ok(CollectiveBound::Latency { node, distance, channels, shards })
}

/// The bound of the partition in which every chip is a part of its own.
fn count_partition(scene: &Scene<'_>, groups: &ChipGroups) -> CollectiveBound {
    let joins: usize = groups.lists().iter().map(|list| list.len() - 1).sum();
    let into_chips =
        scene.channels().filter(|&channel| scene.is_endpoint(scene.topology.target(channel).node));
    let channels = total_lanes(scene, into_chips);
    CollectiveBound::Partition { part_of: Vec::new(), parts: joins as u32 + 1, channels }
}

/// The bound of chips that pass on data of other groups.
fn count_relays(scene: &Scene<'_>, groups: &ChipGroups) -> Result<CollectiveBound, String> {
    let topology = scene.topology;
    if scene.first_simplex().is_some() {
        return Err("counts relays, but some links run one way".to_owned());
    }
    let is_inside = |&channel: &ChannelId| {
        let [from, to] =
            [topology.source(channel), topology.target(channel)].map(|end| groups.group_of(end.node));
        from.is_some() && from == to
    };
    let lanes = |channel| topology.channel_capacity(channel);
    let most = topology.nodes().map(|node| scene.channels_from(node).count() as u64).max().unwrap_or(0);
    Ok(CollectiveBound::Relays {
        received: groups.lists().iter().map(|list| list.len() as u64 * (list.len() as u64 - 1)).sum(),
        channels: scene.channels().map(lanes).sum(),
        inside: scene.channels().filter(is_inside).map(lanes).sum(),
        fan: most.saturating_sub(1).max(1),
    })
}

/// The bound of a cut in one group, over its own channels alone.
fn count_inside(
    scene: &Scene<'_>,
    groups: &ChipGroups,
    all_but: &[NodeId],
) -> Result<CollectiveBound, String> {
    let topology = scene.topology;
    let members: BTreeSet<NodeId> =
        all_but.first().map(|&first| groups.members(first).iter().copied().collect()).unwrap_or_default();
    let ascending = all_but.windows(2).all(|pair| pair[0] < pair[1]);
    if !ascending || all_but.len() >= members.len() || !all_but.iter().all(|chip| members.contains(chip)) {
        return Err("is not a part of one group".to_owned());
    }
    let in_set = |node: NodeId| all_but.binary_search(&node).is_ok();
    let into = |&channel: &ChannelId| {
        let (from, to) = (topology.source(channel).node, topology.target(channel).node);
        members.contains(&from) && !in_set(from) && in_set(to)
    };
    let channels = total_lanes(scene, scene.channels().filter(into));
    match channels {
        0 => Err("is a part that its group does not reach".to_owned()),
        _ => Ok(CollectiveBound::Inside {
            all_but: all_but.to_vec(),
            channels,
            shards: (members.len() - all_but.len()) as u32,
        }),
    }
}

/// The bound that lengths of channel classes prove for an all-to-all of all groups.
fn count_flow(scene: &Scene<'_>, groups: &ChipGroups, lengths: &[u64]) -> Result<CollectiveBound, String> {
    let topology = scene.topology;
    let symmetry = scene_symmetry(scene);
    if lengths.len() != topology.class_count(&symmetry) {
        return Err(format!("has {} lengths, not one for each class of channels", lengths.len()));
    }
    let length = |channel| lengths[topology.channel_class(&symmetry, channel).index()];
    let volume = scene
        .channels()
        .map(|channel| u128::from(length(channel)) * u128::from(topology.channel_capacity(channel)))
        .sum();
    let mut distance = 0u128;
    for &source in groups.lists().iter().flatten() {
        let distances = lengths_from(scene, source, length);
        for chip in groups.members(source).iter().filter(|&&chip| chip != source) {
            let Some(path) = distances[chip.index()] else {
                return Err(format!("has a group with {}, which cannot be reached", topology.name(*chip)));
            };
            distance += path;
        }
    }
    if volume == 0 || distance == 0 {
        return Err("has lengths that prove nothing".to_owned());
    }
    Ok(CollectiveBound::Flow { lengths: lengths.to_vec(), volume, distance })
}
