//! Verifies that a schedule performs its collective on lit channels, that nothing is used before it arrives,
//! and that its bounds follow from their witnesses.
//!
//! If a schedule is canonical, its rounds are replayed for canonical routers only. Its symmetry is proved
//! first. A gather and a reduction have separate replays. In a gather chunks spread, in a reduction sums of
//! contributions are combined.

mod arrivals;
mod bounds;
mod carried;
mod conviction;
mod errors;
mod forest;
mod gather;
mod group_bounds;
mod groups;
mod messages;
mod pace;
mod paths;
mod pipeline;
mod program;
mod reach;
mod reduce;
mod time;
mod timed;
mod transfers;
mod trees;
mod waits;

pub use bounds::verify_switch_bound;
pub use errors::ScheduleError;
pub(crate) use messages::TableWalk;
pub(crate) use pace::cycles_time;
pub use pace::{HopTimes, Pace};
pub use program::{JudgedExecutionPlan, JudgedProgram, ProgramFault};
pub(crate) use program::{judge_execution_plan, judge_program};
pub(crate) use reach::lengths_from;
pub(crate) use time::{BoundVolume, bound_volume};
pub use time::{ScheduleTime, Spent, bound_time, schedule_time};
pub(crate) use timed::cycles_at_least;
pub use timed::{Replayed, vectors_together, verify_replaceable};

use super::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{
    ChipGroups, CollectiveBound, Forest, ForwardingTables, PairPaths, RunDirection, Scene, Schedule,
    Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};
use transfers::RoundTransfers;

/// Verifies a schedule on a scene.
///
/// # Errors
/// The first violation. It may be a symmetry that does not hold in the scene, or a place at which the replay
/// fails. It may also be an incomplete result, or a bound that does not follow or that is beaten. Schedules
/// of messages are rejected. They need [`verify_message_schedule`].
pub fn verify_schedule(scene: &Scene<'_>, schedule: &Schedule) -> Result<(), CheckError> {
    verify_shape(scene, schedule)?;
    match &schedule.transfers {
        Transfers::Rounds(rounds) => {
            if rounds.canonical {
                fabc_kernel::check_lit_automorphisms(scene, scene.topology.symmetry())?;
            }
            expect_order(schedule.collective, schedule.algorithm, &rounds.order)?;
            let plan = RoundTransfers::new(scene, schedule, rounds)?;
            for order in &rounds.order {
                match order {
                    RunDirection::Forward => gather::replay_gather(&plan)?,
                    RunDirection::Reverse => reduce::replay_reduction(&plan)?,
                }
            }
        }
        Transfers::Trees(trees) => {
            if !matches!(
                schedule.collective,
                Collective::AllReduce | Collective::Broadcast | Collective::Reduce
            ) {
                return Err(violation(format!("trees cannot perform {}", schedule.collective.name())));
            }
            trees::verify_trees(scene, schedule, trees)?;
        }
        Transfers::Forest(_) | Transfers::Paths(_) => prove_paths_of_all(scene, None, schedule)?,
        Transfers::Timed(_) => return verify_vectors(scene, schedule).map(|_| ()),
        Transfers::Sends(_) => {
            return Err(violation("messages need the tables that they follow".to_owned()));
        }
    }
    bounds::verify_bounds(scene, schedule, None)
}

/// Proves a forest or paths of pairs. In groups their paths must also be those of their algorithm.
fn prove_paths_of_all(
    scene: &Scene<'_>,
    tables: Option<&ForwardingTables>,
    schedule: &Schedule,
) -> Result<(), CheckError> {
    match &schedule.transfers {
        Transfers::Forest(forest) => {
            forest::prove_forest(scene, schedule, forest)?;
        }
        Transfers::Paths(pair_paths) => {
            paths::prove_paths(scene, schedule, pair_paths)?;
        }
        _ => {}
    }
    match &schedule.groups {
        Some(groups) => groups::verify_group_paths(scene, tables, schedule, groups),
        None => Ok(()),
    }
}

/// Verifies a schedule of messages along the forwarding tables that it is made for. The collective may be
/// one of these:
///
/// - an all-to-all;
/// - an all-gather, in which every chip sends its data to every other one;
/// - a reduce-scatter, in which every chip receives all that it adds up;
/// - an all-reduce, which is a reduce-scatter and then an all-gather;
/// - a broadcast, from the root to all, then among all others;
/// - a reduction, among all others, then to the root.
///
/// In groups it may also be a forest or paths of pairs whose paths are those of the tables.
///
/// # Errors
/// The first violation. It may be a message that is missing or double, that leaves its route or has no time
/// to arrive. It may also be a channel with two chunks in a slot, or a bound that does not follow or that is
/// beaten. Other schedules are rejected. They need [`verify_schedule`].
pub fn verify_message_schedule(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    schedule: &Schedule,
) -> Result<(), CheckError> {
    verify_shape(scene, schedule)?;
    if schedule.groups.is_some() {
        prove_paths_of_all(scene, Some(tables), schedule)?;
        return bounds::verify_bounds(scene, schedule, None);
    }
    let Transfers::Sends(sends) = &schedule.transfers else {
        return Err(violation("it has no messages that follow tables".to_owned()));
    };
    let loads = messages::replay_messages(scene, tables, schedule, sends)?;
    bounds::verify_bounds(scene, schedule, Some(&loads))
}

/// Verifies a schedule of single vectors in cycles.
///
/// # Errors
/// The first violation. It may be a symmetry that does not hold, a dark channel, or two vectors too close on
/// a channel. It may be a vector that is sent before it arrived, or that arrives twice or never. It may also
/// be a sum with a missing or double contribution, or a bound that does not follow or that is beaten. Other
/// schedules are rejected.
pub fn verify_vectors(scene: &Scene<'_>, schedule: &Schedule) -> Result<Replayed, CheckError> {
    match &schedule.transfers {
        Transfers::Timed(timed) => timed::replay(scene, schedule, timed),
        _ => Err(violation("it does not say in which cycle vectors are sent".to_owned())),
    }
}

/// Verifies bounds by their witnesses alone.
///
/// # Errors
/// A bound that does not follow, or that depends on tables.
pub fn verify_collective_bounds(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
    claimed: &[CollectiveBound],
) -> Result<(), CheckError> {
    bounds::verify_witnesses(scene, collective, root, claimed, None)
}

/// Verifies bounds of a collective in groups by their witnesses alone.
///
/// # Errors
/// Groups that do not part the chips, and a bound that does not follow.
pub fn verify_group_bounds(
    scene: &Scene<'_>,
    collective: Collective,
    groups: &ChipGroups,
    claimed: &[CollectiveBound],
) -> Result<(), CheckError> {
    groups::verify_groups(scene, groups)?;
    group_bounds::verify_witnesses(scene, collective, groups, claimed)
}

/// The (steps, chunk times, paths) of a forest.
///
/// # Errors
/// The first violation.
pub(crate) fn forest_counts(
    scene: &Scene<'_>,
    schedule: &Schedule,
    forest: &Forest,
) -> Result<(u64, u64, u64), CheckError> {
    let proved = forest::prove_forest(scene, schedule, forest)?;
    Ok((proved.steps(schedule.chunks), proved.volume(schedule.chunks), proved.path_count()))
}

/// The (steps, chunk times, legs) of paths of pairs.
///
/// # Errors
/// The first violation.
pub(crate) fn path_counts(
    scene: &Scene<'_>,
    schedule: &Schedule,
    pair_paths: &PairPaths,
) -> Result<(u64, u64, u64), CheckError> {
    let proved = paths::prove_paths(scene, schedule, pair_paths)?;
    Ok((proved.steps(schedule.chunks), proved.volume(schedule.chunks), proved.leg_count()))
}

fn verify_shape(scene: &Scene<'_>, schedule: &Schedule) -> Result<(), CheckError> {
    let nodes = scene.topology.node_count();
    if schedule.nodes as usize != nodes {
        return Err(violation(format!("it is for {} routers, but there are {nodes}", schedule.nodes)));
    }
    if schedule.chunks == 0 || u64::from(schedule.nodes) * u64::from(schedule.chunks) > u64::from(u32::MAX) {
        return Err(violation(format!("shards of {} chunks are not supported", schedule.chunks)));
    }
    if let Some(groups) = &schedule.groups {
        if !matches!(schedule.transfers, Transfers::Forest(_) | Transfers::Paths(_)) {
            return Err(violation("groups have a forest, or paths of pairs".to_owned()));
        }
        groups::verify_groups(scene, groups)?;
    }
    let rooted = matches!(schedule.collective, Collective::Broadcast | Collective::Reduce);
    match schedule.root {
        Some(_) if !rooted => Err(violation(format!("{} has no root", schedule.collective.name()))),
        None if rooted => Err(violation(format!("{} needs a root", schedule.collective.name()))),
        Some(root) if root.index() >= nodes || !scene.is_endpoint(root) => {
            Err(violation(format!("its root {root} is not a surviving chip")))
        }
        _ => Ok(()),
    }
}

/// Verifies the order of runs. A gather runs forwards, a reduction backwards, an all-reduce backwards and
/// then forwards.
fn expect_order(
    collective: Collective,
    algorithm: CollectiveAlgorithm,
    order: &[RunDirection],
) -> Result<(), CheckError> {
    let expected: &[RunDirection] = match collective {
        Collective::AllGather | Collective::Broadcast => &[RunDirection::Forward],
        Collective::AllReduce if algorithm == CollectiveAlgorithm::Local => &[RunDirection::Forward],
        Collective::ReduceScatter | Collective::Reduce => &[RunDirection::Reverse],
        Collective::AllReduce => &[RunDirection::Reverse, RunDirection::Forward],
        Collective::AllToAll | Collective::Send => {
            return Err(violation(format!("{} is not a gather", collective.name())));
        }
    };
    if order == expected {
        Ok(())
    } else {
        Err(violation(format!("{} does not run {order:?}", collective.name())))
    }
}

fn violation(text: String) -> CheckError {
    ScheduleError::shape(text).into()
}
