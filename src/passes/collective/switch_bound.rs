//! The bound of an all-reduce in which some routers without hosts add and copy.
//!
//! Input: a scene, and the routers that add. Output: a partition of the chips in which each of these routers
//! is in a part. Parts that add and copy inside still exchange 2 (p - 1) messages of every byte, wherever the
//! adding is done. A router that only copies may be in no part. Parts come from cuts of several sizes, and
//! routers without chips go to the part that they have most lanes to. Any such partition proves a true bound.
//! The one with the largest volume is kept.

use super::canonical::CanonicalScene;
use super::cut::CutGroups;
use super::error::CollectiveError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene};

/// Limit on the sizes of cuts that are tried.
const MOST_CUT_SIZES: u64 = 64;

/// The largest bound that is found for an all-reduce with `adders` beside the chips. `None` without any, and
/// where links run one way.
///
/// # Errors
/// Refuses a scene in which nothing can be planned.
pub fn switch_bound(
    scene: &Scene<'_>,
    adders: &[NodeId],
) -> Result<Option<CollectiveBound>, CollectiveError> {
    if adders.is_empty() || scene.first_simplex().is_some() {
        return Ok(None);
    }
    let canonical = CanonicalScene::plain(scene)?;
    let mut best: Option<CollectiveBound> = None;
    let widest = canonical.surviving_classes().map(|class| canonical.degree(class)).max().unwrap_or(1);
    let stride = (widest + 1).div_ceil(MOST_CUT_SIZES).max(1) as usize;
    for size in (1..=widest + 1).rev().step_by(stride) {
        let mut groups = CutGroups::singletons(&canonical);
        groups.contract(size);
        let with_chips: Vec<usize> = (0..groups.len()).filter(|&group| groups.sizes[group] > 0).collect();
        if with_chips.len() < 2 {
            continue;
        }
        let part = |group: u32| with_chips.binary_search(&(group as usize)).ok().map(|part| part as u32);
        let chips_in: Vec<Option<u32>> =
            groups.group_of_router().into_iter().map(|group| part(group?)).collect();
        let forwarders: Vec<NodeId> =
            scene.topology.nodes().filter(|&node| scene.lives(node) && !scene.is_endpoint(node)).collect();
        for joining in [adders, &forwarders] {
            let part_of = join_parts(scene, chips_in.clone(), joining);
            let bound = partition(scene, part_of, with_chips.len() as u32);
            if best.as_ref().is_none_or(|best| bound.volume() > best.volume()) {
                best = Some(bound);
            }
        }
    }
    Ok(best)
}

/// Puts every router of `joining` into the part that it has most lanes to, the first of equal ones. Routers
/// beside no part wait for their neighbors, and at last go to part 0.
fn join_parts(scene: &Scene<'_>, mut part_of: Vec<Option<u32>>, joining: &[NodeId]) -> Vec<Option<u32>> {
    let topology = scene.topology;
    let mut waiting: Vec<NodeId> =
        joining.iter().copied().filter(|node| part_of[node.index()].is_none()).collect();
    while !waiting.is_empty() {
        let mut joined = Vec::new();
        for &node in &waiting {
            let mut lanes: std::collections::BTreeMap<u32, u64> = std::collections::BTreeMap::new();
            for channel in scene.channels_from(node) {
                if let Some(part) = part_of[topology.target(channel).node.index()] {
                    *lanes.entry(part).or_default() += topology.channel_capacity(channel);
                }
            }
            let most = lanes.iter().max_by_key(|&(&part, &lanes)| (lanes, std::cmp::Reverse(part)));
            joined.extend(most.map(|(&part, _)| (node, part)));
        }
        if joined.is_empty() {
            joined = waiting.iter().map(|&node| (node, 0)).collect();
        }
        joined.iter().for_each(|&(node, part)| part_of[node.index()] = Some(part));
        waiting.retain(|node| part_of[node.index()].is_none());
    }
    part_of
}

/// The bound of a partition: the lanes into its parts.
fn partition(scene: &Scene<'_>, part_of: Vec<Option<u32>>, parts: u32) -> CollectiveBound {
    let topology = scene.topology;
    let crosses = |channel: &_| {
        let [from, to] = [topology.source(*channel), topology.target(*channel)];
        let to = part_of[to.node.index()];
        to.is_some() && part_of[from.node.index()] != to
    };
    let channels: u64 =
        scene.channels().filter(crosses).map(|channel| topology.channel_capacity(channel)).sum();
    CollectiveBound::Partition { channels: channels as u32, part_of, parts }
}
