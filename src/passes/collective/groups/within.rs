//! Trees over the channels between the chips of a group.
//!
//! Every group is a small fabric of its own, for which a forest meets the bound of its tightest cut. The
//! group with the tightest one decides the time of all. It also decides into how many parts the data of a
//! chip is cut: with as many, no channel of another group carries more. Groups whose chips are joined in the
//! same way share one plan.

use super::super::error::CollectiveError;
use super::super::forest::{pack_within, tightest_within};
use super::super::request::ScheduleRequest;
use super::plan::{check_duplex, group_schedule};
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{
    ChipGroups, CollectiveBound, Forest, ForestPath, ForestSend, ForestTree, Fraction, LaneLoad, Scene,
    Schedule, Transfers,
};
use fabc_model::CollectiveAlgorithm;
use std::collections::BTreeMap;

/// The most chips of a group. Packing takes a flow for each of its chips and trees.
const MOST_CHIPS: usize = 64;

/// How the chips of a group are joined: the ends and lanes of each channel, by rank.
type GroupShape = Vec<(u32, u32, u64)>;

/// A group with its own channels, in the order of its shape.
struct GroupChannels<'a> {
    chips: &'a [NodeId],
    channels: Vec<ChannelId>,
    shape: GroupShape,
}

/// Checks that every group can do its collective over channels between its own chips.
///
/// # Errors
/// Refuses links that run one way, groups of too many chips, and a group that is disconnected by itself.
pub fn check_within(scene: &Scene<'_>, groups: &ChipGroups) -> Result<(), CollectiveError> {
    check_duplex(scene)?;
    let size = groups.size() as usize;
    if size > MOST_CHIPS {
        return Err(CollectiveError::GroupTooLarge { chips: size, most: MOST_CHIPS });
    }
    let all = all_channels(scene, groups);
    match all.iter().find_map(|group| Some((group, first_apart(group)?))) {
        Some((group, apart)) => {
            let [from, to] = [0, apart].map(|rank| scene.topology.name(group.chips[rank]));
            Err(CollectiveError::ApartInGroup { from, to })
        }
        None => Ok(()),
    }
}

/// An all-gather within the groups. `parts` is the number of parts of the data of a chip. Without it the
/// trees meet the bound of the tightest cut of all groups.
///
/// # Errors
/// Fails as [`check_within`] does.
pub fn within(
    scene: &Scene<'_>,
    groups: &ChipGroups,
    parts: Option<u32>,
    request: ScheduleRequest,
) -> Result<Schedule, CollectiveError> {
    check_within(scene, groups)?;
    let all = all_channels(scene, groups);
    let mut shapes: BTreeMap<&GroupShape, &GroupChannels<'_>> = BTreeMap::new();
    for group in all.iter().rev() {
        shapes.insert(&group.shape, group);
    }
    let mut tightest: Option<(Fraction, CollectiveBound, u32)> = None;
    for group in shapes.values() {
        let alone = alone(scene, group.chips);
        let (bound, optimal) = tightest_within(&alone)?;
        if tightest.as_ref().is_none_or(|(volume, ..)| bound.volume() > *volume) {
            tightest = Some((bound.volume(), bound, optimal));
        }
    }
    let Some((_, bound, optimal)) = tightest else { return Err(CollectiveError::TooFew { chips: 0 }) };
    let parts = parts.unwrap_or(optimal).max(1);
    let mut plans = BTreeMap::new();
    for (shape, group) in shapes {
        plans.insert(shape, (group, pack_within(&alone(scene, group.chips), parts)?));
    }
    let mut trees = Vec::new();
    for group in &all {
        let (planned, packed) = &plans[&group.shape];
        trees.extend(packed.iter().map(|tree| moved_tree(tree, planned, group)));
    }
    let load = busiest(scene, &trees);
    let bounds = inside_bound(&bound).into_iter().collect();
    let forest = Transfers::Forest(Forest { parts, load, trees });
    Ok(group_schedule(scene, groups, CollectiveAlgorithm::Within, request, forest, bounds))
}

/// The cut of a group as a bound on schedules that stay within their groups.
fn inside_bound(bound: &CollectiveBound) -> Option<CollectiveBound> {
    match bound {
        CollectiveBound::Cut { all_but, channels, shards } => {
            Some(CollectiveBound::Inside { all_but: all_but.clone(), channels: *channels, shards: *shards })
        }
        _ => None,
    }
}

/// The scene in which only a group and the links between its chips are left.
fn alone<'a>(scene: &Scene<'a>, chips: &[NodeId]) -> Scene<'a> {
    let mut is_member = vec![false; scene.topology.node_count()];
    chips.iter().for_each(|chip| is_member[chip.index()] = true);
    let dead = scene.topology.nodes().filter(|node| !is_member[node.index()]).collect();
    Scene { dead, ..scene.within(chips) }
}

fn all_channels<'a>(scene: &Scene<'_>, groups: &'a ChipGroups) -> Vec<GroupChannels<'a>> {
    let topology = scene.topology;
    let mut rank = vec![u32::MAX; topology.node_count()];
    for list in groups.lists() {
        list.iter().zip(0..).for_each(|(chip, number)| rank[chip.index()] = number);
    }
    let of_group = |chips: &'a Vec<NodeId>| {
        let mut joined: Vec<(u32, u32, ChannelId)> = Vec::new();
        for &chip in chips {
            for channel in scene.channels_from(chip) {
                let target = topology.target(channel).node;
                if groups.are_together(target, chip) {
                    joined.push((rank[chip.index()], rank[target.index()], channel));
                }
            }
        }
        joined.sort_unstable();
        let shape = joined.iter().map(|&(from, to, channel)| (from, to, topology.channel_capacity(channel)));
        GroupChannels {
            chips,
            shape: shape.collect(),
            channels: joined.iter().map(|&(.., channel)| channel).collect(),
        }
    };
    groups.lists().iter().map(of_group).collect()
}

/// The rank of a chip that the first one of its group does not reach.
fn first_apart(group: &GroupChannels<'_>) -> Option<usize> {
    let mut reached = vec![false; group.chips.len()];
    let mut open = vec![0u32];
    while let Some(rank) = open.pop() {
        if !std::mem::replace(&mut reached[rank as usize], true) {
            open.extend(group.shape.iter().filter(|(from, ..)| *from == rank).map(|(_, to, _)| *to));
        }
    }
    reached.iter().position(|reached| !reached)
}

/// The tree of a group, on another group that is joined in the same way.
fn moved_tree(tree: &ForestTree, from: &GroupChannels<'_>, to: &GroupChannels<'_>) -> ForestTree {
    let place = |chip: NodeId| from.chips.iter().position(|&known| known == chip);
    let chip = |chip: NodeId| place(chip).map_or(chip, |rank| to.chips[rank]);
    let channel = |channel: ChannelId| {
        let place = from.channels.iter().position(|&known| known == channel);
        place.map_or(channel, |place| to.channels[place])
    };
    let path = |path: &ForestPath| ForestPath {
        amount: path.amount,
        channels: path.channels.iter().map(|&known| channel(known)).collect(),
    };
    let send = |send: &ForestSend| ForestSend {
        from: chip(send.from),
        to: chip(send.to),
        paths: send.paths.iter().map(path).collect(),
    };
    ForestTree {
        root: chip(tree.root),
        multiplicity: tree.multiplicity,
        sends: tree.sends.iter().map(send).collect(),
    }
}

/// The most parts on a channel per lane.
pub(super) fn busiest(scene: &Scene<'_>, trees: &[ForestTree]) -> LaneLoad {
    let mut loads = vec![0u64; scene.topology.channel_count()];
    for path in trees.iter().flat_map(|tree| &tree.sends).flat_map(|send| &send.paths) {
        path.channels.iter().for_each(|channel| loads[channel.index()] += u64::from(path.amount));
    }
    busiest_of_loads(scene, &loads)
}

/// The most parts on a channel per lane. `loads` is by channel.
pub(super) fn busiest_of_loads(scene: &Scene<'_>, loads: &[u64]) -> LaneLoad {
    let per_lane = |channel: ChannelId| {
        Fraction::new(loads[channel.index()], scene.topology.channel_capacity(channel).max(1))
    };
    let most = scene.channels().map(per_lane).max().unwrap_or(Fraction::ZERO);
    LaneLoad { parts: most.numerator() as u64, lanes: most.denominator() as u64 }
}
