//! What no plan of vectors can do better, each with its witness, and what it comes to in cycles.

use super::error::ScheduledError;
use super::ground::Ground;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Breadth, CollectiveBound};
use fabc_model::{Collective, SlotPace};

/// The bounds of a collective: of what comes from farther than every distance, and of an all-reduce how often
/// vectors must be sent at all.
pub(super) fn bounds(
    ground: &Ground<'_>,
    collective: Collective,
    root: Option<NodeId>,
) -> Vec<CollectiveBound> {
    let chips = ground.living.len() as u32;
    let channels = |node: NodeId| ground.scene.channels_into(node).count() as u32;
    if let Some(root) = root {
        let hops = ground.hops_from(root);
        let farthest =
            ground.living.iter().copied().max_by_key(|node| (hops[node.index()], std::cmp::Reverse(*node)));
        let far = farthest.map(|node| CollectiveBound::Latency {
            node,
            distance: hops[node.index()] - 1,
            channels: channels(node),
            shards: 1,
        });
        let others = ground.living.iter().copied().filter(|&node| node != root).collect();
        let cut = CollectiveBound::Cut { all_but: others, channels: channels(root), shards: 1 };
        return std::iter::once(cut).chain(far).collect();
    }
    // `[distance]`: the one with most to come from farther away for each channel into it.
    let mut best: Vec<Option<(u32, u32, NodeId)>> = Vec::new();
    for &node in ground.chips.iter().filter(|&&node| ground.lives(node)) {
        let hops = ground.hops_from(node);
        let into = channels(node);
        let reached =
            ground.living.iter().map(|node| hops[node.index()]).filter(|&hops| hops != Breadth::APART);
        let mut at = vec![0u32; 1 + reached.clone().max().unwrap_or(0) as usize];
        reached.for_each(|hops| at[hops as usize] += 1);
        let mut farther = chips;
        for (distance, here) in at.iter().enumerate().take(at.len() - 1) {
            farther -= here;
            best.resize(best.len().max(distance + 1), None);
            let more = |(shards, channels, _): (u32, u32, NodeId)| {
                u64::from(farther) * u64::from(channels) > u64::from(shards) * u64::from(into)
            };
            if best[distance].is_none_or(more) {
                best[distance] = Some((farther, into, node));
            }
        }
    }
    let mut latencies = best.into_iter().enumerate().filter_map(|(distance, found)| {
        let (shards, channels, node) = found?;
        Some(CollectiveBound::Latency { node, distance: distance as u32, channels, shards })
    });
    if collective != Collective::AllReduce {
        return latencies.collect();
    }
    // All of the sum depends on the farthest chip.
    let far = latencies.next_back().map(|bound| match bound {
        CollectiveBound::Latency { node, distance, channels, .. } => {
            CollectiveBound::Latency { node, distance, channels, shards: chips }
        }
        other => other,
    });
    let into = ground.living.iter().map(|&node| channels(node)).sum();
    let alone = CollectiveBound::Partition { part_of: Vec::new(), parts: chips, channels: into };
    std::iter::once(alone).chain(far).collect()
}

/// Those alone that count what comes from far away.
pub(super) fn latencies(ground: &Ground<'_>, collective: Collective) -> Vec<CollectiveBound> {
    let mut all = bounds(ground, collective, None);
    all.retain(|bound| matches!(bound, CollectiveBound::Latency { .. }));
    all
}

/// The cycles that a bound comes to, for so many vectors: as many hops as it needs, and a slot for each
/// vector but the first that one channel must carry.
pub fn bound_cycles(
    bound: &CollectiveBound,
    collective: Collective,
    vectors: u64,
    chips: u64,
    pace: SlotPace,
) -> Result<u64, ScheduledError> {
    // A shard is what is counted for a chip or a pair; the whole is `vectors` where there are no shards.
    let (vectors, chips) = (u128::from(vectors), u128::from(chips));
    let (over, under) = match bound {
        CollectiveBound::Cut { channels, shards, .. } | CollectiveBound::Latency { channels, shards, .. } => {
            let parts = if collective == Collective::AllReduce { chips } else { 1 };
            (u128::from(*shards) * vectors, u128::from(*channels) * parts)
        }
        CollectiveBound::Channel { shards, .. } => (u128::from(*shards) * vectors, 1),
        CollectiveBound::Flow { volume, distance, .. } if collective == Collective::Send => {
            (*distance, *volume)
        }
        CollectiveBound::Flow { volume, distance, .. } => (distance.saturating_mul(vectors), *volume),
        CollectiveBound::Quickest { cycles, .. } => return Ok(*cycles),
        CollectiveBound::Partition { parts, channels, .. } => {
            (2 * u128::from(parts - 1) * vectors, u128::from(*channels))
        }
    };
    let slots = over.div_ceil(under.max(1)).saturating_sub(1) * u128::from(pace.slot);
    let cycles = slots + u128::from(bound.hops().max(1)) * u128::from(pace.hop);
    u64::try_from(cycles).map_err(|_| ScheduledError::TooLong)
}
