//! Messages between chips: whose vector is whose, and what no plan of them does better.

use crate::CheckError;
use crate::schedule::ScheduleError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene, Schedule, Symmetry, Timed, TimedMessage};
use fabc_model::Collective;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Checks that there are messages where some are sent, between chips that take part, in their order and
/// numbered through; under a symmetry every image of one is one of them.
pub(super) fn shape(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    let all = &timed.messages;
    if all.is_empty() != (schedule.collective != Collective::Send) {
        return Err(wrong(format!("it is {}, and lists {} messages", schedule.collective.name(), all.len())));
    }
    let mut count = 0u64;
    let mut before = None;
    for message in all {
        let known = |node: NodeId| node.index() < scene.topology.node_count() && scene.is_endpoint(node);
        let key = (message.from, message.to, message.earliest);
        if !known(message.from) || !known(message.to) || message.from == message.to || message.vectors == 0 {
            return Err(wrong(format!("no message goes from {} to {}", message.from, message.to)));
        }
        if before.is_some_and(|before| before >= key) || message.first != count {
            return Err(wrong("its messages are out of order".to_owned()));
        }
        before = Some(key);
        count += u64::from(message.vectors);
    }
    if !all.is_empty() && count != u64::from(schedule.chunks) {
        return Err(wrong(format!("its messages have {count} vectors, but it has {}", schedule.chunks)));
    }
    if timed.canonical && !all.is_empty() {
        let symmetry = scene.topology.symmetry();
        let known: BTreeMap<_, u32> = all
            .iter()
            .map(|message| ((message.from, message.to, message.earliest), message.vectors))
            .collect();
        for element in 0..symmetry.order() {
            let image = |node| symmetry.image(element, node);
            let is_known = |of: &TimedMessage| {
                known.get(&(image(of.from), image(of.to), of.earliest)) == Some(&of.vectors)
            };
            if let Some(lost) = all.iter().find(|message| !is_known(message)) {
                return Err(wrong(format!(
                    "the message from {} to {} has an image that is none",
                    lost.from, lost.to
                )));
            }
        }
    }
    Ok(())
}

/// The message that a vector is of.
pub(super) fn of(timed: &Timed, vector: u64) -> Option<&TimedMessage> {
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

/// The number of a vector's image; messages keep the symmetry.
pub(super) fn image(timed: &Timed, symmetry: &Symmetry, element: usize, vector: u64) -> u64 {
    let Some(message) = of(timed, vector) else { return vector };
    let key = (symmetry.image(element, message.from), symmetry.image(element, message.to), message.earliest);
    let at = timed.messages.partition_point(|other| (other.from, other.to, other.earliest) < key);
    timed.messages.get(at).map_or(vector, |there| there.first + (vector - message.first))
}

/// Checks what the bounds of messages say from their witnesses.
pub(super) fn witnesses(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    for (at, bound) in schedule.bounds.iter().enumerate() {
        let counted = match bound {
            CollectiveBound::Quickest { message, levels, .. } => quickest(scene, timed, *message, levels),
            CollectiveBound::Flow { lengths, .. } => haul(scene, timed, lengths),
            _ => Err("is of no messages"),
        };
        let counted = counted.map_err(|what| wrong(format!("bound {at} {what}")))?;
        if counted != *bound {
            return Err(ScheduleError::Bound {
                bound: at,
                claimed: format!("{bound:?}"),
                counted: format!("{counted:?}"),
            }
            .into());
        }
    }
    Ok(())
}

/// What levels say of a message.
fn quickest(
    scene: &Scene<'_>,
    timed: &Timed,
    number: u32,
    levels: &[Option<u32>],
) -> Result<CollectiveBound, &'static str> {
    let message = timed.messages.get(number as usize).ok_or("is of no message")?;
    if levels.len() != scene.topology.node_count()
        || levels[message.from.index()] != Some(0)
        || levels[message.to.index()].is_some()
    {
        return Err("has levels that do not part the ends of its message");
    }
    let cycles = crossed(scene, timed, levels, message.vectors.into())? + u64::from(message.earliest);
    Ok(CollectiveBound::Quickest { message: number, levels: levels.to_vec(), cycles })
}

/// What levels say of something that all chips must have all of: what a chip of level 0, or the root, has for
/// every vector must come to a chip without a level.
pub(super) fn told_all(
    scene: &Scene<'_>,
    schedule: &Schedule,
    timed: &Timed,
    levels: &[Option<u32>],
) -> Result<CollectiveBound, CheckError> {
    let starts =
        |node: NodeId| levels[node.index()] == Some(0) && schedule.root.is_none_or(|root| root == node);
    let parts = levels.len() == scene.topology.node_count()
        && scene.endpoints().any(starts)
        && scene.endpoints().any(|node| levels[node.index()].is_none());
    if !parts
        || !matches!(schedule.collective, Collective::AllReduce | Collective::Broadcast)
        || timed.groups != 1
    {
        return Err(wrong("a bound has levels that part nobody from who must hear of it".to_owned()));
    }
    let cycles = crossed(scene, timed, levels, schedule.chunks.into())
        .map_err(|what| wrong(format!("a bound {what}")))?;
    Ok(CollectiveBound::Quickest { message: 0, levels: levels.to_vec(), cycles })
}

/// The cycles that so many vectors take by levels. Were all there by some cycle, each would have crossed a
/// channel from a router in or after the cycle in which it begins to count to one before that cycle.
fn crossed(
    scene: &Scene<'_>,
    timed: &Timed,
    levels: &[Option<u32>],
    wanted: u64,
) -> Result<u64, &'static str> {
    let (hop, slot) = (u64::from(timed.pace.hop), u64::from(timed.pace.slot));
    // Pairs of levels that channels lead between, and how many do; only rising ones are crossed.
    let mut rises: BTreeMap<(u32, Option<u32>), u64> = BTreeMap::new();
    for channel in scene.channels() {
        let (from, to) = (scene.topology.source(channel).node, scene.topology.target(channel).node);
        let Some(low) = levels[from.index()] else { continue };
        if levels[to.index()].is_none_or(|high| high > low) {
            *rises.entry((low, levels[to.index()])).or_default() += 1;
        }
    }
    let carried = |end: u64| -> u64 {
        let mut starts = 0;
        for (&(low, high), &channels) in &rises {
            let first = u64::from(low) * hop;
            let last = high.map_or(end + 1, |high| (u64::from(high) * hop).min(end + 1));
            if last > first + hop {
                starts += channels * ((last - first - hop - 1) / slot + 1);
            }
        }
        starts
    };
    let mut end = u64::from(timed.end - timed.start) + 1;
    // It grows with the cycle: halve what is between one that is too soon and one that is not.
    if carried(end) < wanted {
        return Err("says that it takes longer than the plan");
    }
    let mut soon = 0;
    while soon < end {
        let middle = soon + (end - soon) / 2;
        if carried(middle) < wanted { soon = middle + 1 } else { end = middle }
    }
    Ok(end)
}

/// What lengths of channels say: every vector makes at least the way between its ends.
fn haul(scene: &Scene<'_>, timed: &Timed, lengths: &[u64]) -> Result<CollectiveBound, &'static str> {
    let topology = scene.topology;
    let own = topology.symmetry();
    let symmetry = if timed.canonical { own.clone() } else { own.without() };
    if lengths.len() != topology.class_count(&symmetry) {
        return Err("has not a length for every channel");
    }
    let length = |channel| lengths[topology.channel_class(&symmetry, channel).index()];
    let volume: u128 = scene.channels().map(|channel| u128::from(length(channel))).sum();
    let mut distance = 0u128;
    let mut far = vec![u64::MAX; topology.node_count()];
    for messages in timed.messages.chunk_by(|one, other| one.from == other.from) {
        let source = messages[0].from;
        // The images of a chip are as far from theirs.
        if timed.canonical && own.canonical_node(own.class(source)) != source {
            continue;
        }
        far.fill(u64::MAX);
        far[source.index()] = 0;
        let mut open = BinaryHeap::from([Reverse((0u64, source))]);
        while let Some(Reverse((way, node))) = open.pop() {
            if way > far[node.index()] {
                continue;
            }
            for channel in scene.channels_from(node) {
                let (to, longer) = (topology.target(channel).node, way.saturating_add(length(channel)));
                if longer < far[to.index()] {
                    far[to.index()] = longer;
                    open.push(Reverse((longer, to)));
                }
            }
        }
        let ways =
            messages.iter().map(|message| u128::from(far[message.to.index()]) * u128::from(message.vectors));
        distance += ways.sum::<u128>();
    }
    if volume == 0 || distance == 0 {
        return Err("has no lengths");
    }
    let images = if timed.canonical { own.order() as u128 } else { 1 };
    Ok(CollectiveBound::Flow { lengths: lengths.to_vec(), volume, distance: distance * images })
}

fn wrong(what: String) -> CheckError {
    ScheduleError::shape(what).into()
}
