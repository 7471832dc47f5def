//! Schedules of collectives: who sends which chunk when.
//!
//! In: a scene, the number of chunks of a shard, a seed. Out: [`Schedule`]s with the bounds that they are
//! measured by. A gather is planned as *matched gather*: in each round every chip matches its inputs to
//! chunks that it lacks and that the senders have; [`by_steps`] makes few wide rounds, [`by_slots`] rounds of
//! one chunk, [`pull`] a broadcast. Everything else follows: a reduce-scatter is a gather run backwards
//! ([`turned`]), an all-reduce is both. [`multitree`] is the baseline of the literature. Under the symmetry
//! of the scene only canonical chips are planned for; without one all of them.
//!
//! All is integers, and ties are broken by numbers of a seed and a place, so that the same scene gives the
//! same bytes on any number of threads. A channel that carries a multiple of what the slowest kind does is as
//! many *lanes*. Where some routers are no chips, or links run one way, only [`direct`] and [`rooted`] plan:
//! messages along the forwarding tables.

mod asked;
mod bounds;
mod cut;
mod delays;
mod direct;
mod error;
mod flow;
mod ground;
mod heights;
mod list;
mod loads;
mod multitree;
mod newton;
mod packing;
mod pipelined;
mod rank;
mod row;
mod seats;
mod sent;
mod slots;
mod steps;
mod tabled;
mod timing;
mod trees;

pub use asked::Asked;
pub use delays::{delays, slowest_chip};
pub use direct::{direct, over_flow, rooted};
pub use error::CollectiveError;
pub use flow::over_lengths;
pub use pipelined::{Crossing, Pipelined};
pub use sent::Sent;
pub use timing::{Timetable, least_time, tightest};
pub use trees::trees;

use fabc_base::ids::NodeId;
use fabc_ir::{CollectiveBound, Fraction, Order, Round, Rounds, Scene, Schedule, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};
use ground::Ground;
pub use ground::{admitted, copyable};
use rank::Rank;
use rayon::prelude::*;
use slots::Setting;
use steps::Widths;

/// Chunks that canonical chips may take in together: each costs 8 bytes of order and as much of schedule.
const MOST_CHUNKS: u64 = 1 << 28;
/// Canonical chunks times slots up to which the rarest chunks are looked for, slot by slot.
const RAREST_WORK: u64 = 1 << 31;

/// The fewest chunks of a shard with which the volume bound of a gather is a whole number, where the chip of
/// the least degree bounds it.
///
/// # Errors
/// A scene for which nothing can be planned.
pub fn natural_chunks(scene: &Scene<'_>) -> Result<u32, CollectiveError> {
    Ok(natural(&Ground::new(scene)?))
}

/// What no schedule of a collective can do better: its volume bound, then the latency bounds by distance. The
/// cut of a gather is the exact optimum over all sets of routers, but where links run one way. Without a root
/// a broadcast is bounded as an all-gather.
///
/// # Errors
/// A scene for which nothing can be planned; a root that is no living chip.
pub fn bounds(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
) -> Result<Vec<CollectiveBound>, CollectiveError> {
    let ground = if collective.is_rooted() { Ground::plain(scene)? } else { Ground::new(scene)? };
    root.map_or(Ok(()), |root| living(scene, root))?;
    Ok(bounds::bounds(&ground, collective, root))
}

/// All-gathers with few rounds: all of which none has both fewer rounds and less volume, fewest rounds first;
/// at least one.
///
/// # Errors
/// A scene for which nothing can be planned, or too much of it.
pub fn by_steps(scene: &Scene<'_>, asked: Asked) -> Result<Vec<Schedule>, CollectiveError> {
    copyable(scene)?;
    let ground = Ground::new(scene)?;
    let chunks = asked_chunks(&ground, asked)?;
    let ranks = ranks(&ground, chunks, asked.seed);
    let bounds = bounds::bounds(&ground, Collective::AllGather, None);
    let least_volume = bounds[0].volume().times(Fraction::whole(chunks)).ceil();
    let diameter = bounds.iter().map(CollectiveBound::hops).max().unwrap_or(0) as usize;
    let mut found: Vec<(usize, u64, Vec<Round>)> = Vec::new();
    for widths in
        [true, false].into_iter().flat_map(|eager| [0, 1, 2, 4].map(|quarter| Widths { quarter, eager }))
    {
        let rounds = steps::steps(&ground, &ranks, chunks, widths);
        let volume = rounds.iter().map(|round| u64::from(round.width)).sum();
        let optimal = rounds.len() == diameter && u128::from(volume) == least_volume;
        if found.iter().all(|&(count, least, _)| rounds.len() < count || volume < least) {
            found.retain(|&(count, least, _)| count < rounds.len() || least < volume);
            found.push((rounds.len(), volume, rounds));
        }
        // Nothing has fewer rounds, nothing less volume.
        if optimal {
            break;
        }
    }
    found.sort_by_key(|&(count, ..)| count);
    let schedule =
        |rounds| gather(&ground, CollectiveAlgorithm::Steps, asked, chunks, rounds, bounds.clone());
    Ok(found.into_iter().map(|(_, _, rounds)| schedule(rounds)).collect())
}

/// An all-gather chunk by chunk. With latency and several chunks a shard it is also planned rarest first, if
/// that is not too much work, and the shorter one is kept.
///
/// # Errors
/// A scene for which nothing can be planned, or too much of it.
pub fn by_slots(scene: &Scene<'_>, asked: Asked) -> Result<Schedule, CollectiveError> {
    copyable(scene)?;
    let ground = Ground::new(scene)?;
    let chunks = asked_chunks(&ground, asked)?;
    let setting = Setting { chunks, latency: asked.latency, seed: asked.seed };
    let mut rounds = slots::nearest(&ground, &ranks(&ground, chunks, asked.seed), setting);
    let work = taken_in(&ground, chunks) * rounds.len() as u64;
    if asked.latency > 0 && chunks > 1 && work <= RAREST_WORK {
        let shorter = slots::rarest(&ground, setting, None, rounds.len() - 1);
        rounds = shorter.unwrap_or(rounds);
    }
    let bounds = bounds::bounds(&ground, Collective::AllGather, None);
    let mut schedule = gather(&ground, CollectiveAlgorithm::Slots, asked, chunks, rounds, bounds);
    delayed(&mut schedule, asked.latency);
    Ok(schedule)
}

/// The all-gather of MultiTree, whole shards at a time.
///
/// # Errors
/// A scene for which nothing can be planned.
pub fn multitree(scene: &Scene<'_>, asked: Asked) -> Result<Schedule, CollectiveError> {
    copyable(scene)?;
    let bounds = bounds(scene, Collective::AllGather, None)?;
    let ground = Ground::plain(scene)?;
    let rounds = multitree::multitree(&ground);
    Ok(gather(&ground, CollectiveAlgorithm::MultiTree, asked, 1, rounds, bounds))
}

/// A broadcast: chunks of the root's vector (6 if none are asked for), the rarest first.
///
/// # Errors
/// A scene for which nothing can be planned; a root that is no living chip.
pub fn pull(scene: &Scene<'_>, root: NodeId, asked: Asked) -> Result<Schedule, CollectiveError> {
    copyable(scene)?;
    let ground = Ground::plain(scene)?;
    living(scene, root)?;
    let chunks = asked.chunks.unwrap_or(6).max(1);
    limited(&ground, u64::from(chunks) * ground.living as u64)?;
    let setting = Setting { chunks, latency: asked.latency, seed: asked.seed };
    let rounds = slots::rarest(&ground, setting, Some(root), usize::MAX).unwrap_or_default();
    let bounds = bounds::bounds(&ground, Collective::Broadcast, Some(root));
    let mut schedule = gather(&ground, CollectiveAlgorithm::Pull, asked, chunks, rounds, bounds);
    (schedule.collective, schedule.root) = (Collective::Broadcast, Some(root));
    delayed(&mut schedule, asked.latency);
    Ok(schedule)
}

/// The schedule of another collective that a gather (of a broadcast: a reduction) is when it is run
/// backwards, or backwards and then forwards; of an all-gather also the all-reduce in which everybody gathers
/// whole vectors (`local`). Messages from all to all stay as they are: what they carry is another thing, and
/// for an all-reduce they are sent twice.
///
/// # Errors
/// A scene for which nothing can be planned.
pub fn turned(
    scene: &Scene<'_>,
    schedule: &Schedule,
    collective: Collective,
    algorithm: CollectiveAlgorithm,
) -> Result<Schedule, CollectiveError> {
    let mut turned = Schedule {
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
        let shards = u32::try_from(u64::from(shards) * turned.sent_times()).unwrap_or(u32::MAX);
        turned.bounds.insert(0, CollectiveBound::Channel { channel, shards, lanes });
    }
    if let Transfers::Rounds(rounds) = &mut turned.transfers {
        rounds.order = match (collective, algorithm) {
            (Collective::ReduceScatter | Collective::Reduce, _) => vec![Order::Reverse],
            (Collective::AllReduce, CollectiveAlgorithm::Local) => vec![Order::Forward],
            (Collective::AllReduce, _) => vec![Order::Reverse, Order::Forward],
            _ => vec![Order::Forward],
        };
    }
    Ok(turned)
}

fn living(scene: &Scene<'_>, root: NodeId) -> Result<(), CollectiveError> {
    let is_chip = (root.0 as usize) < scene.topology.node_count() && scene.is_endpoint(root);
    if is_chip { Ok(()) } else { Err(CollectiveError::Root { root }) }
}

fn natural(ground: &Ground<'_>) -> u32 {
    let degree = ground.least_degree();
    let (mut a, mut b) = (degree, ground.living as u64 - 1);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (degree / a.max(1)).max(1) as u32
}

/// What all canonical chips take in.
fn taken_in(ground: &Ground<'_>, chunks: u32) -> u64 {
    (ground.chips.len() * (ground.living - 1)) as u64 * u64::from(chunks)
}

fn limited(ground: &Ground<'_>, chunks: u64) -> Result<(), CollectiveError> {
    let chips = ground.chips.len();
    if chunks > MOST_CHUNKS {
        Err(CollectiveError::TooLarge { chips, chunks, most: MOST_CHUNKS })
    } else {
        Ok(())
    }
}

/// As many as are asked for, or the natural number, or one where those would be too many.
fn asked_chunks(ground: &Ground<'_>, asked: Asked) -> Result<u32, CollectiveError> {
    let natural =
        || Some(natural(ground)).filter(|&chunks| limited(ground, taken_in(ground, chunks)).is_ok());
    let chunks = asked.chunks.map_or_else(|| natural().unwrap_or(1), |chunks| chunks.max(1));
    limited(ground, taken_in(ground, chunks)).map(|()| chunks)
}

fn ranks(ground: &Ground<'_>, chunks: u32, seed: u64) -> Vec<Rank> {
    (0..ground.chips.len()).into_par_iter().map(|class| Rank::new(ground, class, chunks, seed)).collect()
}

fn gather(
    ground: &Ground<'_>,
    algorithm: CollectiveAlgorithm,
    asked: Asked,
    chunks: u32,
    rounds: Vec<Round>,
    bounds: Vec<CollectiveBound>,
) -> Schedule {
    Schedule {
        collective: Collective::AllGather,
        algorithm,
        seed: asked.seed,
        nodes: ground.nodes() as u32,
        chunks,
        root: None,
        transfers: Transfers::Rounds(Rounds {
            canonical: ground.canonical,
            order: vec![Order::Forward],
            latency: 0,
            rounds,
        }),
        bounds,
    }
}

fn delayed(schedule: &mut Schedule, latency: u32) {
    if let Transfers::Rounds(rounds) = &mut schedule.transfers {
        rounds.latency = latency;
    }
}
