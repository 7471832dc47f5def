//! Lower bounds on schedules of vectors, each with its witness, and their values in cycles.

use super::error::ScheduledError;
use super::graph::LaneGraph;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Breadth, CollectiveBound};
use fabc_model::{Collective, SlotPace};

/// The bounds of a collective: latency for every distance, and for an all-reduce the number of times that
/// vectors must be sent.
pub(super) fn collective_bounds(
    graph: &LaneGraph<'_>,
    collective: Collective,
    root: Option<NodeId>,
) -> Vec<CollectiveBound> {
    let chips = graph.participants.len() as u32;
    let channels = |node: NodeId| graph.scene.channels_into(node).count() as u32;
    if let Some(root) = root {
        let hops = graph.hops_from(root);
        let farthest = graph
            .participants
            .iter()
            .copied()
            .max_by_key(|node| (hops[node.index()], std::cmp::Reverse(*node)));
        let farthest_latency = farthest.map(|node| CollectiveBound::Latency {
            node,
            distance: hops[node.index()] - 1,
            channels: channels(node),
            shards: 1,
        });
        let others = graph.participants.iter().copied().filter(|&node| node != root).collect();
        let cut = CollectiveBound::Cut { all_but: others, channels: channels(root), shards: 1 };
        return std::iter::once(cut).chain(farthest_latency).collect();
    }
    // `[distance]`: the chip with the most data per input channel from sources farther away.
    let mut best: Vec<Option<(u32, u32, NodeId)>> = Vec::new();
    for &node in graph.chips.iter().filter(|&&node| graph.takes_part(node)) {
        let hops = graph.hops_from(node);
        let inputs = channels(node);
        let reached =
            graph.participants.iter().map(|node| hops[node.index()]).filter(|&hops| hops != Breadth::APART);
        let mut chips_at = vec![0u32; 1 + reached.clone().max().unwrap_or(0) as usize];
        reached.for_each(|hops| chips_at[hops as usize] += 1);
        let mut farther = chips;
        for (distance, chips_here) in chips_at.iter().enumerate().take(chips_at.len() - 1) {
            farther -= chips_here;
            best.resize(best.len().max(distance + 1), None);
            let is_stronger = |(shards, channels, _): (u32, u32, NodeId)| {
                u64::from(farther) * u64::from(channels) > u64::from(shards) * u64::from(inputs)
            };
            if best[distance].is_none_or(is_stronger) {
                best[distance] = Some((farther, inputs, node));
            }
        }
    }
    let mut latencies = best.into_iter().enumerate().filter_map(|(distance, strongest)| {
        let (shards, channels, node) = strongest?;
        Some(CollectiveBound::Latency { node, distance: distance as u32, channels, shards })
    });
    if collective != Collective::AllReduce {
        return latencies.collect();
    }
    // Every part of the sum depends on the farthest chip.
    let farthest_latency = latencies.next_back().map(|bound| match bound {
        CollectiveBound::Latency { node, distance, channels, .. } => {
            CollectiveBound::Latency { node, distance, channels, shards: chips }
        }
        other => other,
    });
    let inputs = graph.participants.iter().map(|&node| channels(node)).sum();
    let singletons = CollectiveBound::Partition { part_of: Vec::new(), parts: chips, channels: inputs };
    std::iter::once(singletons).chain(farthest_latency).collect()
}

/// The bounds of a collective that are latency bounds.
pub(super) fn latencies(graph: &LaneGraph<'_>, collective: Collective) -> Vec<CollectiveBound> {
    let mut latency_bounds = collective_bounds(graph, collective, None);
    latency_bounds.retain(|bound| matches!(bound, CollectiveBound::Latency { .. }));
    latency_bounds
}

/// The value of a bound in cycles for `vectors` vectors: the hops that it needs, and a slot for each vector
/// after the first that one channel must carry.
///
/// # Errors
/// Fails if the value exceeds 64 bits.
pub fn bound_cycles(
    bound: &CollectiveBound,
    collective: Collective,
    vectors: u64,
    chips: u64,
    pace: SlotPace,
) -> Result<u64, ScheduledError> {
    // A shard belongs to a chip or a pair. Without shards the whole is `vectors`.
    let (vectors, chips) = (u128::from(vectors), u128::from(chips));
    let (numerator, denominator) = match bound {
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
        // These are of fabrics with tables.
        CollectiveBound::Relays { .. } | CollectiveBound::Inside { .. } | CollectiveBound::Arrival { .. } => {
            return Ok(0);
        }
        CollectiveBound::Partition { parts, channels, .. } => {
            (2 * u128::from(parts - 1) * vectors, u128::from(*channels))
        }
    };
    let slots = numerator.div_ceil(denominator.max(1)).saturating_sub(1) * u128::from(pace.slot);
    let cycles = slots + u128::from(bound.hops().max(1)) * u128::from(pace.hop);
    u64::try_from(cycles).map_err(|_| ScheduledError::TooLong)
}
