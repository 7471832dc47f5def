//! Messages from every chip to every other one, along the forwarding tables: an all-to-all; and a gather and
//! a reduction where nothing can be copied or added up on the way.

use super::asked::Asked;
use super::bounds;
use super::bounds::latencies;
use super::error::CollectiveError;
use super::ground::Ground;
use super::list::{Cutting, Rule, timed};
use super::rank::ties;
use super::tabled::{Between, Tabled};
use fabc_base::ids::NodeId;
use fabc_ir::{CollectiveBound, DualLengths, ForwardingTables, Message, Scene, Schedule, Sends, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};

/// Hops of chunks that are planned: each costs some 20 bytes.
const MOST_HOPS: u64 = 1 << 26;
/// Channels that may have been looked at when another try starts.
const TRIES_WORK: u64 = 1 << 30;
/// Other orders of ties that are tried where the bound of the tables is not met.
const TRIES: u64 = 6;

/// An all-to-all in which every message, cut into as many chunks as asked for (one, if nothing is said),
/// follows the forwarding tables, whatever they are keyed by; in a slot a channel carries one chunk. Its
/// bounds: the channel that the tables load most, then the latencies by distance.
///
/// # Errors
/// A scene for which nothing can be planned, or too much of it; tables that lose a message in this scene.
pub fn direct(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    asked: Asked,
) -> Result<Schedule, CollectiveError> {
    let ground = Ground::new(scene)?;
    let chunks = asked.chunks.unwrap_or(1).max(1);
    let tabled = Tabled::walked(scene, tables, Between::All, MOST_HOPS / u64::from(chunks))?;
    let messages = messages(&tabled, chunks, asked);
    let bounds = std::iter::once(tabled.busiest(scene, &tabled.loads)).chain(latencies(&ground)).collect();
    let sends = Sends { canonical: tabled.canonical, latency: asked.latency, messages, rooted: Vec::new() };
    Ok(Schedule {
        collective: Collective::AllToAll,
        algorithm: CollectiveAlgorithm::Direct,
        seed: asked.seed,
        nodes: ground.nodes() as u32,
        chunks,
        root: None,
        transfers: Transfers::Sends(sends),
        bounds,
    })
}

/// A broadcast (the root sends every chip a shard of its vector, and each its shard to all others) or a
/// reduction (every chip adds up a shard of all vectors, and sends the sum to the root), in messages along
/// the forwarding tables as those of [`direct`].
///
/// # Errors
/// As [`direct`]; a root that is no living chip.
pub fn rooted(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    (collective, root): (Collective, NodeId),
    asked: Asked,
) -> Result<Schedule, CollectiveError> {
    let bounds = bounds(scene, collective, Some(root))?;
    let chunks = asked.chunks.unwrap_or(1).max(1);
    let (all, alone) = match collective {
        Collective::Reduce => (Between::ButFrom(root), Between::To(root)),
        _ => (Between::AllBut(root), Between::From(root)),
    };
    let most = MOST_HOPS / u64::from(chunks);
    let [all, alone] = [all, alone].map(|between| Tabled::walked(scene, tables, between, most));
    let (all, alone) = (all?, alone?);
    let loads: Vec<u32> = all.loads.iter().zip(&alone.loads).map(|(all, alone)| all + alone).collect();
    let sends = Sends {
        canonical: false,
        latency: asked.latency,
        messages: messages(&all, chunks, asked),
        rooted: messages(&alone, chunks, asked),
    };
    Ok(Schedule {
        collective,
        algorithm: CollectiveAlgorithm::Direct,
        seed: asked.seed,
        nodes: scene.topology.node_count() as u32,
        chunks,
        root: Some(root),
        transfers: Transfers::Sends(sends),
        bounds: std::iter::once(all.busiest(scene, &loads)).chain(bounds).collect(),
    })
}

/// Messages along their ways, in as few slots as some tries find.
fn messages(tabled: &Tabled, chunks: u32, asked: Asked) -> Vec<Message> {
    let cutting = Cutting { chunks, latency: asked.latency };
    let farthest = u64::from(tabled.longest().saturating_sub(1)) * (u64::from(asked.latency) + 1) + 1;
    let least = tabled.least_slots(chunks).max(farthest);
    let mut best = timed(tabled, cutting, Rule::Critical, ties(asked.seed));
    let mut work = best.work;
    for again in 0..TRIES {
        if u64::from(best.slots) <= least || work > TRIES_WORK {
            break;
        }
        let rule = if again == 1 { Rule::Farthest } else { Rule::Critical };
        let other = timed(tabled, cutting, rule, ties(asked.seed).of(again as u32, 0));
        work += other.work;
        if other.slots < best.slots {
            best = other;
        }
    }
    let message = |(pair, part): (usize, u32)| {
        let (source, destination) = tabled.pairs[pair];
        let slots = (tabled.starts[pair]..tabled.starts[pair + 1])
            .map(|hop| best.times[(hop * chunks + part) as usize]);
        Message { source, destination, part, slots: slots.collect() }
    };
    (0..tabled.pairs.len()).flat_map(|pair| (0..chunks).map(move |part| (pair, part))).map(message).collect()
}

/// The bound of an all-to-all that lengths of channels prove over whatever routes: those that prove the upper
/// end of the concurrent flow under uniform demand. None where routers have more than one host, which that
/// demand counts apart.
pub fn over_flow(scene: &Scene<'_>, proof: &DualLengths) -> Option<CollectiveBound> {
    if scene.topology.most_hosts() > 1 {
        return None;
    }
    let DualLengths { lengths, volume, distance, .. } = proof;
    Some(CollectiveBound::Flow { lengths: lengths.clone(), volume: *volume, distance: *distance })
        .filter(|_| *volume > 0)
}
