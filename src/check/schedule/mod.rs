//! Whether a plan in time does what its collective demands, on lit channels, with nothing used before it is
//! there, and whether its bounds follow from their witnesses.
//!
//! Rounds are replayed for canonical routers where the plan is canonical; then the symmetry is proved to be
//! one of the scene first. A gather and a reduction are replayed apart: in the one chunks spread, in the
//! other sums of contributions flow together.

mod bounds;
mod errors;
mod gather;
mod messages;
mod pipeline;
mod program;
mod reduce;
mod time;
mod timed;
mod transfers;
mod trees;

pub use errors::ScheduleError;
pub(crate) use program::program;
pub use program::{JudgedProgram, ProgramFault};
pub use time::{HopTimes, Pace, ScheduleTime, Spent, bound_time, schedule_time};
pub(crate) use timed::cycles_at_least;
pub use timed::{Replayed, replaced, together as vectors_together};

use super::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, ForwardingTables, Order, Scene, Schedule, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};
use transfers::Plan;

/// Checks a schedule on a scene.
///
/// # Errors
/// The first thing that is wrong: a symmetry that is none of the scene, a channel, chunk or round at which
/// the replay fails, a result that lacks something, a bound that does not follow or that is beaten. Plans of
/// messages are for [`schedule_along`] and refused here.
pub fn schedule(scene: &Scene<'_>, schedule: &Schedule) -> Result<(), CheckError> {
    shape(scene, schedule)?;
    match &schedule.transfers {
        Transfers::Rounds(rounds) => {
            if rounds.canonical {
                fabc_kernel::automorphisms_of_lit(scene, scene.topology.symmetry())?;
            }
            expect_order(schedule.collective, schedule.algorithm, &rounds.order)?;
            let plan = Plan::new(scene, schedule, rounds)?;
            for order in &rounds.order {
                match order {
                    Order::Forward => gather::gather(&plan)?,
                    Order::Reverse => reduce::reduce(&plan)?,
                }
            }
        }
        Transfers::Trees(trees) => {
            if !matches!(
                schedule.collective,
                Collective::AllReduce | Collective::Broadcast | Collective::Reduce
            ) {
                return Err(wrong(format!("{} is not done by trees", schedule.collective.name())));
            }
            trees::trees(scene, schedule, trees)?;
        }
        Transfers::Timed(_) => return vectors(scene, schedule).map(|_| ()),
        Transfers::Sends(_) => {
            return Err(wrong("messages are judged with the tables that they follow".to_owned()));
        }
    }
    bounds::bounds(scene, schedule, None)
}

/// Checks a schedule of messages along the forwarding tables that it is made for: of an all-to-all, of an
/// all-gather (what a chip has goes to every other one), of a reduce-scatter (each chip is sent all that it
/// adds up), of an all-reduce, which is both, one after the other, of a broadcast (from the root, then from
/// all to all others) or of a reduction (among all others, then to the root).
///
/// # Errors
/// The first thing that is wrong: a message that is missing or double, that leaves the way of the tables or
/// has no time to arrive, a channel with two chunks in a slot, a bound that does not follow or that is
/// beaten. Other plans are for [`schedule`] and refused here.
pub fn schedule_along(
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    schedule: &Schedule,
) -> Result<(), CheckError> {
    shape(scene, schedule)?;
    let Transfers::Sends(sends) = &schedule.transfers else {
        return Err(wrong("it has no messages that follow tables".to_owned()));
    };
    let loads = messages::messages(scene, tables, schedule, sends)?;
    bounds::bounds(scene, schedule, Some(&loads))
}

/// Checks a plan of single vectors in cycles.
///
/// # Errors
/// The first thing that is wrong: a symmetry that is none, a channel that is dark or too close to itself, a
/// vector that is sent before it came, comes twice or never, a sum with a contribution twice or not at all, a
/// bound that does not follow or that is beaten. Other plans are refused.
pub fn vectors(scene: &Scene<'_>, schedule: &Schedule) -> Result<Replayed, CheckError> {
    match &schedule.transfers {
        Transfers::Timed(timed) => timed::replay(scene, schedule, timed),
        _ => Err(wrong("it does not say in which cycle vectors are sent".to_owned())),
    }
}

/// Checks bounds by their witnesses alone.
///
/// # Errors
/// A bound that does not follow, or that is one of tables.
pub fn collective_bounds(
    scene: &Scene<'_>,
    collective: Collective,
    root: Option<NodeId>,
    claimed: &[CollectiveBound],
) -> Result<(), CheckError> {
    bounds::witnesses(scene, collective, root, claimed, None)
}

fn shape(scene: &Scene<'_>, schedule: &Schedule) -> Result<(), CheckError> {
    let nodes = scene.topology.node_count();
    if schedule.nodes as usize != nodes {
        return Err(wrong(format!("it is for {} routers, but there are {nodes}", schedule.nodes)));
    }
    if schedule.chunks == 0 || u64::from(schedule.nodes) * u64::from(schedule.chunks) > u64::from(u32::MAX) {
        return Err(wrong(format!("shards of {} chunks cannot be numbered", schedule.chunks)));
    }
    let rooted = matches!(schedule.collective, Collective::Broadcast | Collective::Reduce);
    match schedule.root {
        Some(_) if !rooted => Err(wrong(format!("{} has no root", schedule.collective.name()))),
        None if rooted => Err(wrong(format!("{} needs a root", schedule.collective.name()))),
        Some(root) if root.index() >= nodes || !scene.is_endpoint(root) => {
            Err(wrong(format!("its root {root} is no living chip")))
        }
        _ => Ok(()),
    }
}

/// A gather runs forwards, a reduction backwards, an all-reduce backwards and then forwards.
fn expect_order(
    collective: Collective,
    algorithm: CollectiveAlgorithm,
    order: &[Order],
) -> Result<(), CheckError> {
    let expected: &[Order] = match collective {
        Collective::AllGather | Collective::Broadcast => &[Order::Forward],
        Collective::AllReduce if algorithm == CollectiveAlgorithm::Local => &[Order::Forward],
        Collective::ReduceScatter | Collective::Reduce => &[Order::Reverse],
        Collective::AllReduce => &[Order::Reverse, Order::Forward],
        Collective::AllToAll | Collective::Send => {
            return Err(wrong(format!("{} is no gather", collective.name())));
        }
    };
    if order == expected {
        Ok(())
    } else {
        Err(wrong(format!("{} does not run {order:?}", collective.name())))
    }
}

fn wrong(what: String) -> CheckError {
    ScheduleError::shape(what).into()
}
