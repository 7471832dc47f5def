//! Messages between chips: the message of each vector, and lower bounds on schedules of messages.

use crate::CheckError;
use crate::schedule::ScheduleError;
use crate::schedule::conviction::compare_bound;
use crate::schedule::reach::lengths_from;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene, Schedule, Symmetry, Timed, TimedMessage};
use fabc_model::Collective;
use std::collections::BTreeMap;

/// Verifies that messages are listed where some are sent, that they run between endpoints, and that they are
/// in order and numbered without gaps. Under a symmetry every image of a message must be listed.
pub(super) fn verify_shape(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    let messages = &timed.messages;
    if messages.is_empty() != (schedule.collective != Collective::Send) {
        return Err(violation(format!(
            "it is {}, but lists {} messages",
            schedule.collective.name(),
            messages.len()
        )));
    }
    let mut count = 0u64;
    let mut previous = None;
    for message in messages {
        let is_endpoint =
            |node: NodeId| node.index() < scene.topology.node_count() && scene.is_endpoint(node);
        let key = (message.from, message.to, message.earliest);
        if !is_endpoint(message.from)
            || !is_endpoint(message.to)
            || message.from == message.to
            || message.vectors == 0
        {
            return Err(violation(format!("no message goes from {} to {}", message.from, message.to)));
        }
        if previous.is_some_and(|previous| previous >= key) || message.first != count {
            return Err(violation("its messages are out of order".to_owned()));
        }
        previous = Some(key);
        count += u64::from(message.vectors);
    }
    if !messages.is_empty() && count != u64::from(schedule.chunks) {
        return Err(violation(format!("its messages have {count} vectors, but it has {}", schedule.chunks)));
    }
    if timed.canonical && !messages.is_empty() {
        let symmetry = scene.topology.symmetry();
        let known: BTreeMap<_, u32> = messages
            .iter()
            .map(|message| ((message.from, message.to, message.earliest), message.vectors))
            .collect();
        for element in 0..symmetry.order() {
            let image = |node| symmetry.image(element, node);
            let is_known = |listed: &TimedMessage| {
                known.get(&(image(listed.from), image(listed.to), listed.earliest)) == Some(&listed.vectors)
            };
            if let Some(unmatched) = messages.iter().find(|message| !is_known(message)) {
                return Err(violation(format!(
                    "the message from {} to {} has an image that is not listed",
                    unmatched.from, unmatched.to
                )));
            }
        }
    }
    Ok(())
}

/// The message that a vector belongs to.
pub(super) fn message_of(timed: &Timed, vector: u64) -> Option<&TimedMessage> {
    let (mut low, mut high) = (0, timed.messages.len());
    while low < high {
        let middle = (low + high) / 2;
        let message = &timed.messages[middle];
        if vector < message.first {
            high = middle;
        } else if vector - message.first >= u64::from(message.vectors) {
            low = middle + 1;
        } else {
            return Some(message);
        }
    }
    None
}

/// The number of a vector's image. The symmetry maps messages to messages.
pub(super) fn image_of_vector(timed: &Timed, symmetry: &Symmetry, element: usize, vector: u64) -> u64 {
    let Some(message) = message_of(timed, vector) else { return vector };
    let key = (symmetry.image(element, message.from), symmetry.image(element, message.to), message.earliest);
    let index = timed.messages.partition_point(|other| (other.from, other.to, other.earliest) < key);
    timed.messages.get(index).map_or(vector, |image| image.first + (vector - message.first))
}

/// Verifies the bounds of messages from their witnesses.
pub(super) fn verify_witnesses(
    scene: &Scene<'_>,
    schedule: &Schedule,
    timed: &Timed,
) -> Result<(), CheckError> {
    for (index, bound) in schedule.bounds.iter().enumerate() {
        let recomputed = match bound {
            CollectiveBound::Quickest { message, levels, .. } => {
                quickest_bound(scene, timed, *message, levels)
            }
            CollectiveBound::Flow { lengths, .. } => flow_bound(scene, timed, lengths),
            _ => Err("does not bound messages"),
        };
        compare_bound(index, bound, recomputed)?;
    }
    Ok(())
}

/// The bound that levels prove for a message.
fn quickest_bound(
    scene: &Scene<'_>,
    timed: &Timed,
    number: u32,
    levels: &[Option<u32>],
) -> Result<CollectiveBound, &'static str> {
    let message = timed.messages.get(number as usize).ok_or("does not name a message")?;
    if levels.len() != scene.topology.node_count()
        || levels[message.from.index()] != Some(0)
        || levels[message.to.index()].is_some()
    {
        return Err("has levels that do not separate the source of its message from the destination");
    }
    let cycles =
        cycles_by_levels(scene, timed, levels, message.vectors.into())? + u64::from(message.earliest);
    Ok(CollectiveBound::Quickest { message: number, levels: levels.to_vec(), cycles })
}

/// The bound that levels prove for a collective in which all chips receive everything. Every vector of a
/// chip of level 0, or of the root, must come to a chip without a level.
pub(super) fn broadcast_bound(
    scene: &Scene<'_>,
    schedule: &Schedule,
    timed: &Timed,
    levels: &[Option<u32>],
) -> Result<CollectiveBound, CheckError> {
    let starts =
        |node: NodeId| levels[node.index()] == Some(0) && schedule.root.is_none_or(|root| root == node);
    let is_separating = levels.len() == scene.topology.node_count()
        && scene.endpoints().any(starts)
        && scene.endpoints().any(|node| levels[node.index()].is_none());
    if !is_separating
        || !matches!(schedule.collective, Collective::AllReduce | Collective::Broadcast)
        || timed.groups != 1
    {
        return Err(violation(
            "a bound has levels that do not separate a source from a chip that must receive its data"
                .to_owned(),
        ));
    }
    let cycles = cycles_by_levels(scene, timed, levels, schedule.chunks.into())
        .map_err(|reason| violation(format!("a bound {reason}")))?;
    Ok(CollectiveBound::Quickest { message: 0, levels: levels.to_vec(), cycles })
}

/// The cycles that `required` vectors take by levels. If all have arrived by some cycle, each has crossed a
/// channel that rises. It started in or after the cycle in which the lower level begins, and ended before
/// the higher one begins.
fn cycles_by_levels(
    scene: &Scene<'_>,
    timed: &Timed,
    levels: &[Option<u32>],
    required: u64,
) -> Result<u64, &'static str> {
    let (hop, slot) = (u64::from(timed.pace.hop), u64::from(timed.pace.slot));
    // Pairs of levels with the number of channels between them. Only rising channels count.
    let mut rising_channels: BTreeMap<(u32, Option<u32>), u64> = BTreeMap::new();
    for channel in scene.channels() {
        let (from, to) = (scene.topology.source(channel).node, scene.topology.target(channel).node);
        let Some(low) = levels[from.index()] else { continue };
        if levels[to.index()].is_none_or(|high| high > low) {
            *rising_channels.entry((low, levels[to.index()])).or_default() += 1;
        }
    }
    let capacity_until = |end: u64| -> u64 {
        let mut starts = 0;
        for (&(low, high), &channels) in &rising_channels {
            let first = u64::from(low) * hop;
            let last = high.map_or(end + 1, |high| (u64::from(high) * hop).min(end + 1));
            if last > first + hop {
                starts += channels * ((last - first - hop - 1) / slot + 1);
            }
        }
        starts
    };
    let mut end = u64::from(timed.end - timed.start) + 1;
    // The capacity grows with the cycle, so bisection finds the first cycle that suffices.
    if capacity_until(end) < required {
        return Err("is above the time of the schedule itself");
    }
    let mut too_soon = 0;
    while too_soon < end {
        let middle = too_soon + (end - too_soon) / 2;
        if capacity_until(middle) < required { too_soon = middle + 1 } else { end = middle }
    }
    Ok(end)
}

/// The bound that lengths of channels prove: every vector crosses at least the shortest path between its
/// ends.
fn flow_bound(scene: &Scene<'_>, timed: &Timed, lengths: &[u64]) -> Result<CollectiveBound, &'static str> {
    let topology = scene.topology;
    let topology_symmetry = topology.symmetry();
    let symmetry = if timed.canonical { topology_symmetry.clone() } else { topology_symmetry.to_trivial() };
    if lengths.len() != topology.class_count(&symmetry) {
        return Err("does not have a length for every channel");
    }
    let length = |channel| lengths[topology.channel_class(&symmetry, channel).index()];
    let volume: u128 = scene.channels().map(|channel| u128::from(length(channel))).sum();
    let mut distance = 0u128;
    for messages in timed.messages.chunk_by(|first, second| first.from == second.from) {
        let source = messages[0].from;
        // Images of a chip have the same distances.
        if timed.canonical && topology_symmetry.canonical_node(topology_symmetry.class(source)) != source {
            continue;
        }
        let distances = lengths_from(scene, source, length);
        let total_lengths = messages.iter().map(|message| {
            distances[message.to.index()].unwrap_or(u64::MAX.into()) * u128::from(message.vectors)
        });
        distance += total_lengths.sum::<u128>();
    }
    if volume == 0 || distance == 0 {
        return Err("has only lengths of zero");
    }
    let images = if timed.canonical { topology_symmetry.order() as u128 } else { 1 };
    Ok(CollectiveBound::Flow { lengths: lengths.to_vec(), volume, distance: distance * images })
}

fn violation(text: String) -> CheckError {
    ScheduleError::shape(text).into()
}
