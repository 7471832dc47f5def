//! Schedules of collectives: who sends which chunk when.
//!
//! Input: a scene, the number of chunks of a shard, and a seed. Output: [`Schedule`]s with the bounds that
//! they are measured by.
//!
//! A gather is planned as *matched gather*. In each round every chip matches its inputs to chunks that it
//! lacks and that the senders have. [`by_steps`] makes few wide rounds. [`by_slots`] makes rounds of one
//! chunk. [`pull`] plans a broadcast. [`derive_schedule`] makes everything else from these: a reduce-scatter
//! is a gather run backwards, an all-reduce is both. [`multitree`] is the baseline of the literature. Under
//! the symmetry of the scene only canonical chips are planned for. Without a symmetry all chips are.
//!
//! All quantities are integers, and keyed random numbers break ties. The same scene therefore gives the same
//! bytes on any number of threads. A channel that carries a multiple of what the slowest kind carries counts
//! as that many *lanes*. Where some routers are no chips, [`forest`] plans, and so do [`direct`] and
//! [`rooted`], which send messages along the forwarding tables. [`pair_paths`] plans all-to-alls on any
//! scene, without tables. Where links run one way, only the last three plan. In `groups` of chips that
//! work at the same time, [`within`], [`relayed`], [`ring`] and [`star`] gather, and [`pairs`] exchanges.

mod arrivals;
mod bounds;
mod canonical;
mod channel_lengths;
mod channel_load;
mod chunk_order;
mod cut;
mod delays;
mod direct;
mod error;
mod flow;
mod flow_network;
mod forest;
mod groups;
mod heights;
mod list;
mod load_potential;
mod loads;
mod message_paths;
mod message_timing;
mod multitree;
mod newton;
mod packing;
mod pair_paths;
mod pipelined;
mod request;
mod row;
mod seats;
mod slots;
mod steps;
mod switch_bound;
mod time_split;
mod timing;
mod trees;
mod volume;

pub use arrivals::arrival_bounds;
pub use channel_lengths::ShortestPaths;
pub use delays::bound_delays;
pub use direct::{bound_from_flow_proof, direct, rooted};
pub use error::CollectiveError;
pub use flow::flow_bound_by_lengths;
pub use forest::{ForestTimetable, check_forest, forest};
pub use groups::{check_duplex, check_within, group_bounds, pairs, relayed, ring, star, within};
pub use message_paths::walk_tables;
pub use message_timing::MessageTimetable;
pub use pair_paths::{PathTimetable, check_pair_paths, pair_paths, pair_paths_in_groups};
pub use pipelined::{PieceCrossing, PipelinedTrees};
pub use request::ScheduleRequest;
pub use switch_bound::switch_bound;
pub use timing::{Timetable, least_time, tightest_bound};
pub use trees::trees;

use canonical::CanonicalScene;
pub use canonical::{check_chunks_can_rest, check_plannable};
use chunk_order::ChunkOrder;
use fabc_base::divisors::greatest_common_divisor;
use fabc_base::ids::NodeId;
use fabc_ir::{CollectiveBound, Fraction, GatherRound, Rounds, RunDirection, Scene, Schedule, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};
use rayon::prelude::*;
use slots::SlotSettings;
use steps::RoundWidths;

/// Limit on the chunks that all canonical chips receive together. Each costs 8 bytes of order and as much of
/// schedule.
const CHUNK_LIMIT: u64 = 1 << 28;
/// Limit on canonical chunks times slots for the slot-by-slot search for the rarest chunks.
const RAREST_WORK: u64 = 1 << 31;

/// The fewest chunks of a shard with which the volume bound of a gather is a whole number, if the chip of the
/// least degree sets that bound.
///
/// # Errors
/// Refuses a scene in which nothing can be planned: fewer than two chips, too many lanes, or a disconnected
/// network.
pub fn natural_chunks(scene: &Scene<'_>) -> Result<u32, CollectiveError> {
    Ok(natural_chunk_count(&CanonicalScene::new(scene)?))
}

/// Lower bounds on the time of a collective: its volume bound first, then the latency bounds by distance. The
/// cut of a gather is the exact optimum over all sets of routers, except where links run one way. A broadcast
/// without a root gets the bounds of an all-gather.
///
/// # Errors
/// Refuses a scene in which nothing can be planned, and a root that is no surviving chip.
pub fn bounds(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
) -> Result<Vec<CollectiveBound>, CollectiveError> {
    let canonical =
        if collective.is_rooted() { CanonicalScene::plain(scene)? } else { CanonicalScene::new(scene)? };
    root.map_or(Ok(()), |root| check_root(scene, root))?;
    Ok(bounds::collective_bounds(&canonical, collective, root))
}

/// All-gathers with few rounds. Returns at least one schedule, fewest rounds first. No schedule in the list
/// has both fewer rounds and less volume than another.
///
/// # Errors
/// Refuses a scene in which nothing can be planned, one in which chunks cannot rest, and too many chunks.
pub fn by_steps(scene: &Scene<'_>, request: ScheduleRequest) -> Result<Vec<Schedule>, CollectiveError> {
    check_chunks_can_rest(scene)?;
    let canonical = CanonicalScene::new(scene)?;
    let chunks = chunk_count(&canonical, request)?;
    let orders = chunk_orders(&canonical, chunks, request.seed);
    let bounds = bounds::collective_bounds(&canonical, Collective::AllGather, None);
    let least_volume = bounds[0].volume().times(Fraction::integer(chunks)).ceil();
    let diameter = bounds.iter().map(CollectiveBound::hops).max().unwrap_or(0) as usize;
    let mut fronts: Vec<(usize, u64, Vec<GatherRound>)> = Vec::new();
    for widths in
        [true, false].into_iter().flat_map(|eager| [0, 1, 2, 4].map(|quarter| RoundWidths { quarter, eager }))
    {
        let rounds = steps::few_rounds(&canonical, &orders, chunks, widths);
        let volume = rounds.iter().map(|round| u64::from(round.width)).sum();
        let optimal = rounds.len() == diameter && u128::from(volume) == least_volume;
        if fronts.iter().all(|&(count, least, _)| rounds.len() < count || volume < least) {
            fronts.retain(|&(count, least, _)| count < rounds.len() || least < volume);
            fronts.push((rounds.len(), volume, rounds));
        }
        // No schedule has fewer rounds or less volume.
        if optimal {
            break;
        }
    }
    fronts.sort_by_key(|&(count, ..)| count);
    let schedule = |rounds| {
        all_gather_schedule(&canonical, CollectiveAlgorithm::Steps, request, chunks, rounds, bounds.clone())
    };
    Ok(fronts.into_iter().map(|(_, _, rounds)| schedule(rounds)).collect())
}

/// An all-gather chunk by chunk. With latency and several chunks a shard, a rarest-first schedule is computed
/// as well if that costs little enough. The shorter schedule is kept.
///
/// # Errors
/// Refuses a scene in which nothing can be planned, one in which chunks cannot rest, and too many chunks.
pub fn by_slots(scene: &Scene<'_>, request: ScheduleRequest) -> Result<Schedule, CollectiveError> {
    check_chunks_can_rest(scene)?;
    let canonical = CanonicalScene::new(scene)?;
    let chunks = chunk_count(&canonical, request)?;
    let setting = SlotSettings { chunks, latency: request.latency, seed: request.seed };
    let mut rounds = slots::nearest(&canonical, &chunk_orders(&canonical, chunks, request.seed), setting);
    let work = received_chunks(&canonical, chunks) * rounds.len() as u64;
    if request.latency > 0 && chunks > 1 && work <= RAREST_WORK {
        let shorter = slots::rarest(&canonical, setting, None, rounds.len() - 1);
        rounds = shorter.unwrap_or(rounds);
    }
    let bounds = bounds::collective_bounds(&canonical, Collective::AllGather, None);
    let mut schedule =
        all_gather_schedule(&canonical, CollectiveAlgorithm::Slots, request, chunks, rounds, bounds);
    set_latency(&mut schedule, request.latency);
    Ok(schedule)
}

/// The all-gather of MultiTree, which moves whole shards.
///
/// # Errors
/// Refuses a scene in which nothing can be planned, and one in which chunks cannot rest.
pub fn multitree(scene: &Scene<'_>, request: ScheduleRequest) -> Result<Schedule, CollectiveError> {
    check_chunks_can_rest(scene)?;
    let bounds = bounds(scene, Collective::AllGather, None)?;
    let canonical = CanonicalScene::plain(scene)?;
    let rounds = multitree::multitree(&canonical);
    Ok(all_gather_schedule(&canonical, CollectiveAlgorithm::MultiTree, request, 1, rounds, bounds))
}

/// A broadcast of chunks of the root's vector (6 if the request names no number), the rarest chunk first.
///
/// # Errors
/// Refuses a scene in which nothing can be planned, one in which chunks cannot rest, and a root that is no
/// surviving chip.
pub fn pull(scene: &Scene<'_>, root: NodeId, request: ScheduleRequest) -> Result<Schedule, CollectiveError> {
    check_chunks_can_rest(scene)?;
    let canonical = CanonicalScene::plain(scene)?;
    check_root(scene, root)?;
    let chunks = request.chunks.unwrap_or(6).max(1);
    check_chunk_limit(&canonical, u64::from(chunks) * canonical.surviving as u64)?;
    let setting = SlotSettings { chunks, latency: request.latency, seed: request.seed };
    let rounds = slots::rarest(&canonical, setting, Some(root), usize::MAX).unwrap_or_default();
    let bounds = bounds::collective_bounds(&canonical, Collective::Broadcast, Some(root));
    let mut schedule =
        all_gather_schedule(&canonical, CollectiveAlgorithm::Pull, request, chunks, rounds, bounds);
    (schedule.collective, schedule.root) = (Collective::Broadcast, Some(root));
    set_latency(&mut schedule, request.latency);
    Ok(schedule)
}

/// The schedule of another collective, derived from a gather (or, for a reduction, from a broadcast). The
/// gather runs backwards, or backwards and then forwards. An all-reduce with `local` is the gather itself,
/// with whole vectors as its shards. The messages of an all-to-all keep their slots. They carry other data,
/// and an all-reduce sends them twice.
///
/// # Errors
/// Refuses a scene in which nothing can be planned.
pub fn derive_schedule(
    scene: &Scene<'_>,
    schedule: &Schedule,
    collective: Collective,
    algorithm: CollectiveAlgorithm,
) -> Result<Schedule, CollectiveError> {
    let mut derived = Schedule {
        collective,
        algorithm,
        bounds: bounds(scene, collective, schedule.root)?,
        ..schedule.clone()
    };
    let along_tables = schedule.bounds.iter().find_map(|bound| match *bound {
        CollectiveBound::Channel { channel, shards, lanes } => Some((channel, shards, lanes)),
        _ => None,
    });
    if let Some((channel, shards, lanes)) = along_tables {
        let shards = u32::try_from(u64::from(shards) * derived.sent_times()).unwrap_or(u32::MAX);
        derived.bounds.insert(0, CollectiveBound::Channel { channel, shards, lanes });
    }
    if let Transfers::Rounds(rounds) = &mut derived.transfers {
        rounds.order = match (collective, algorithm) {
            (Collective::ReduceScatter | Collective::Reduce, _) => vec![RunDirection::Reverse],
            (Collective::AllReduce, CollectiveAlgorithm::Local) => vec![RunDirection::Forward],
            (Collective::AllReduce, _) => vec![RunDirection::Reverse, RunDirection::Forward],
            _ => vec![RunDirection::Forward],
        };
    }
    Ok(derived)
}

fn check_root(scene: &Scene<'_>, root: NodeId) -> Result<(), CollectiveError> {
    let is_chip = (root.0 as usize) < scene.topology.node_count() && scene.is_endpoint(root);
    if is_chip { Ok(()) } else { Err(CollectiveError::Root { root }) }
}

fn natural_chunk_count(canonical: &CanonicalScene<'_>) -> u32 {
    let degree = canonical.least_degree();
    let common = greatest_common_divisor(degree, canonical.surviving as u64 - 1);
    (degree / common.max(1)).max(1) as u32
}

/// Chunks that all canonical chips receive.
fn received_chunks(canonical: &CanonicalScene<'_>, chunks: u32) -> u64 {
    (canonical.chips.len() * (canonical.surviving - 1)) as u64 * u64::from(chunks)
}

fn check_chunk_limit(canonical: &CanonicalScene<'_>, chunks: u64) -> Result<(), CollectiveError> {
    let chips = canonical.chips.len();
    if chunks > CHUNK_LIMIT {
        Err(CollectiveError::TooLarge { chips, chunks, most: CHUNK_LIMIT })
    } else {
        Ok(())
    }
}

/// The requested number of chunks. Without one, the natural number, or 1 where that exceeds the limit.
fn chunk_count(canonical: &CanonicalScene<'_>, request: ScheduleRequest) -> Result<u32, CollectiveError> {
    let affordable = || {
        Some(natural_chunk_count(canonical))
            .filter(|&chunks| check_chunk_limit(canonical, received_chunks(canonical, chunks)).is_ok())
    };
    let chunks = request.chunks.map_or_else(|| affordable().unwrap_or(1), |chunks| chunks.max(1));
    check_chunk_limit(canonical, received_chunks(canonical, chunks)).map(|()| chunks)
}

fn chunk_orders(canonical: &CanonicalScene<'_>, chunks: u32, seed: u64) -> Vec<ChunkOrder> {
    (0..canonical.chips.len())
        .into_par_iter()
        .map(|class| ChunkOrder::new(canonical, class, chunks, seed))
        .collect()
}

fn all_gather_schedule(
    canonical: &CanonicalScene<'_>,
    algorithm: CollectiveAlgorithm,
    request: ScheduleRequest,
    chunks: u32,
    rounds: Vec<GatherRound>,
    bounds: Vec<CollectiveBound>,
) -> Schedule {
    Schedule {
        collective: Collective::AllGather,
        algorithm,
        seed: request.seed,
        nodes: canonical.nodes() as u32,
        chunks,
        root: None,
        groups: None,
        transfers: Transfers::Rounds(Rounds {
            canonical: canonical.has_symmetry,
            order: vec![RunDirection::Forward],
            latency: 0,
            rounds,
        }),
        bounds,
    }
}

fn set_latency(schedule: &mut Schedule, latency: u32) {
    if let Transfers::Rounds(rounds) = &mut schedule.transfers {
        rounds.latency = latency;
    }
}
