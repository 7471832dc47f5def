//! Messages along the forwarding tables from every chip to every other one. They make an all-to-all, or a
//! broadcast and a reduction where chunks cannot be copied or added up on their path.

use super::bounds;
use super::bounds::latency_bounds;
use super::canonical::CanonicalScene;
use super::chunk_order::tie_keys;
use super::error::CollectiveError;
use super::list::{Cutting, Preference, schedule_hops};
use super::message_paths::{MessagePairs, MessagePaths};
use super::request::ScheduleRequest;
use fabc_base::ids::NodeId;
use fabc_ir::{
    CollectiveBound, DualLengths, ForwardingTables, RoutedMessage, Scene, Schedule, Sends, Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};

/// Limit on hops of planned chunks. Each costs some 20 bytes.
const HOP_LIMIT: u64 = 1 << 26;
/// Limit on hops examined before another try starts.
const WORK_LIMIT: u64 = 1 << 30;
/// Number of other tie orders that are tried while the bound of the tables is not met.
const TRIES: u64 = 6;

/// An all-to-all along the forwarding tables, whatever their key is. Every message is cut into the requested
/// number of chunks, 1 by default. In a slot a channel carries one chunk per lane. The bounds of the schedule
/// are the most loaded channel of the tables, then the latencies by distance.
///
/// # Errors
/// Refuses a scene in which nothing can be planned, too many hops, and tables that lose a message in this
/// scene.
pub fn direct(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    request: ScheduleRequest,
) -> Result<Schedule, CollectiveError> {
    let canonical = CanonicalScene::new(scene)?;
    let chunks = request.chunks.unwrap_or(1).max(1);
    let message_paths =
        MessagePaths::walk_all(scene, tables, MessagePairs::All, HOP_LIMIT / u64::from(chunks))?;
    let messages = planned_messages(&message_paths, chunks, request);
    let bounds = std::iter::once(message_paths.busiest(scene, &message_paths.loads))
        .chain(latency_bounds(&canonical))
        .collect();
    let sends =
        Sends { canonical: message_paths.canonical, latency: request.latency, messages, rooted: Vec::new() };
    Ok(Schedule {
        collective: Collective::AllToAll,
        algorithm: CollectiveAlgorithm::Direct,
        seed: request.seed,
        nodes: canonical.nodes() as u32,
        chunks,
        root: None,
        groups: None,
        transfers: Transfers::Sends(sends),
        bounds,
    })
}

/// A broadcast or a reduction in messages along the forwarding tables, planned like those of [`direct`]. In a
/// broadcast the root sends every chip a shard of its vector, and each chip sends its shard to all others. In
/// a reduction every chip adds up one shard of all vectors and sends the sum to the root.
///
/// # Errors
/// Fails as [`direct`] does, and for a root that is no surviving chip.
pub fn rooted(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    collective: Collective,
    root: NodeId,
    request: ScheduleRequest,
) -> Result<Schedule, CollectiveError> {
    let bounds = bounds(scene, collective, Some(root))?;
    let chunks = request.chunks.unwrap_or(1).max(1);
    let (between_chips, with_root) = match collective {
        Collective::Reduce => (MessagePairs::ButFrom(root), MessagePairs::To(root)),
        _ => (MessagePairs::AllBut(root), MessagePairs::From(root)),
    };
    let hop_limit = HOP_LIMIT / u64::from(chunks);
    let [between_chips, with_root] =
        [between_chips, with_root].map(|between| MessagePaths::walk_all(scene, tables, between, hop_limit));
    let (between_chips, with_root) = (between_chips?, with_root?);
    let loads: Vec<u32> = between_chips
        .loads
        .iter()
        .zip(&with_root.loads)
        .map(|(chips_load, root_load)| chips_load + root_load)
        .collect();
    let sends = Sends {
        canonical: false,
        latency: request.latency,
        messages: planned_messages(&between_chips, chunks, request),
        rooted: planned_messages(&with_root, chunks, request),
    };
    Ok(Schedule {
        collective,
        algorithm: CollectiveAlgorithm::Direct,
        seed: request.seed,
        nodes: scene.topology.node_count() as u32,
        chunks,
        root: Some(root),
        groups: None,
        transfers: Transfers::Sends(sends),
        bounds: std::iter::once(between_chips.busiest(scene, &loads)).chain(bounds).collect(),
    })
}

/// Messages along their routes, in the fewest slots that several tries find.
fn planned_messages(
    message_paths: &MessagePaths,
    chunks: u32,
    request: ScheduleRequest,
) -> Vec<RoutedMessage> {
    let cutting = Cutting { chunks, latency: request.latency };
    let farthest =
        u64::from(message_paths.longest_path_hops().saturating_sub(1)) * (u64::from(request.latency) + 1) + 1;
    let least_slots = message_paths.least_slots(chunks).max(farthest);
    let mut best = schedule_hops(message_paths, cutting, Preference::Critical, tie_keys(request.seed));
    let mut work = best.work;
    for attempt in 0..TRIES {
        if u64::from(best.slots) <= least_slots || work > WORK_LIMIT {
            break;
        }
        let rule = if attempt == 1 { Preference::Farthest } else { Preference::Critical };
        let attempted =
            schedule_hops(message_paths, cutting, rule, tie_keys(request.seed).substream(attempt as u32, 0));
        work += attempted.work;
        if attempted.slots < best.slots {
            best = attempted;
        }
    }
    let message = |(pair, part): (usize, u32)| {
        let (source, destination) = message_paths.pairs[pair];
        let slots = (message_paths.starts[pair]..message_paths.starts[pair + 1])
            .map(|hop| best.slots_of_hops[(hop * chunks + part) as usize]);
        RoutedMessage { source, destination, part, slots: slots.collect() }
    };
    (0..message_paths.pairs.len())
        .flat_map(|pair| (0..chunks).map(move |part| (pair, part)))
        .map(message)
        .collect()
}

/// A bound on an all-to-all over any routes. The lengths of channels that prove the upper end of the
/// concurrent flow under uniform demand prove it. `None` where routers have several hosts, because that
/// demand counts hosts one by one.
pub fn bound_from_flow_proof(scene: &Scene<'_>, proof: &DualLengths) -> Option<CollectiveBound> {
    if scene.topology.most_hosts() > 1 {
        return None;
    }
    let DualLengths { lengths, volume, distance, .. } = proof;
    Some(CollectiveBound::Flow { lengths: lengths.clone(), volume: *volume, distance: *distance })
        .filter(|_| *volume > 0)
}
