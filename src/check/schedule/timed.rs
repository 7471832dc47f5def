//! The replay of vectors in cycles: where every vector is when, and what every sum is made of.
//!
//! The replay uses neither the paths nor the trees nor the groups of the planner. First it checks that no
//! channel sends two vectors too close to each other. Then it follows every vector, in the order of time.
//! Under a symmetry it replays only vectors that start at a canonical chip, on all chips: each send of a
//! canonical chip is mapped to the images that such vectors take.

mod bounds;
mod copies;
mod messages;
mod plan;
mod replaced;
mod sums;

pub(crate) use bounds::cycles_at_least;
pub use replaced::replaced;

use super::ScheduleError;
use crate::CheckError;
use copies::copies;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{Scene, Schedule, Timed, TimedSend};
use fabc_model::{Collective, DESKEW_CYCLES, SlotPace};
use plan::{Replay, Step, wrong};
use rayon::prelude::*;
use sums::Sums;

/// What a replay has counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// The cycle in which everything has come, and is summed.
    pub end: u64,
    /// Vectors on the busiest channel.
    pub busiest: u64,
}

/// Checks that a plan of vectors does what its collective demands, and that its bounds hold.
///
/// # Errors
/// The first thing that is wrong: a symmetry that is none, a channel that is dark or too close to itself, a
/// vector that is sent before it came, comes twice or never, a sum with a contribution twice or not at all, a
/// bound that does not follow or that is beaten.
pub(super) fn replay(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<Replayed, CheckError> {
    let nodes = scene.topology.node_count();
    if schedule.nodes as usize != nodes || schedule.chunks == 0 || timed.pace.slot == 0 || timed.pace.hop == 0
    {
        return Err(wrong(format!("it is not for these {nodes} routers, or has no vectors")));
    }
    sums::recipe(schedule, timed)?;
    messages::shape(scene, schedule, timed)?;
    if timed.canonical {
        fabc_kernel::automorphisms_of_lit(scene, scene.topology.symmetry())?;
    }
    if (schedule.collective == Collective::Broadcast) != schedule.root.is_some()
        || (schedule.root.is_some() && timed.canonical)
    {
        return Err(wrong("only a broadcast has a root, and it has no symmetry".to_owned()));
    }
    if schedule.root.is_some_and(|root| root.index() >= nodes || !scene.is_endpoint(root)) {
        return Err(wrong("its root is no chip that takes part".to_owned()));
    }
    let busiest = channels(scene, timed)?;
    let replay = Replay::new(scene, schedule, timed)?;
    let steps = replay.steps()?;
    let end = run(&replay, &steps)?;
    if end != u64::from(timed.end) {
        return Err(wrong(format!(
            "it says that all has come in cycle {}, but that is cycle {end}",
            timed.end
        )));
    }
    bounds::bounds(scene, schedule, timed)?;
    Ok(Replayed { end, busiest })
}

/// Checks that no channel carries vectors of two plans too close to each other.
///
/// # Errors
/// The first channel that does.
pub fn together(scene: &Scene<'_>, plans: &[&Timed]) -> Result<(), CheckError> {
    if plans.len() < 2 {
        return Ok(());
    }
    let own = scene.topology.symmetry();
    let mut all: Vec<(NodeId, u16, u32)> = Vec::new();
    let canonical = plans.iter().all(|plan| plan.canonical);
    for plan in plans {
        let images = if plan.canonical && !canonical { own.order() } else { 1 };
        for send in &plan.sends {
            let image = |element| if images > 1 { own.image(element, send.chip) } else { send.chip };
            all.extend((0..images).map(|element| (image(element), send.port.0, send.cycle)));
        }
    }
    all.sort_unstable();
    let slot = plans[0].pace.slot;
    let close = all
        .windows(2)
        .find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) && pair[1].2 - pair[0].2 < slot);
    close.map_or(Ok(()), |pair| Err(too_close(scene, pair[0], pair[1].2)))
}

fn too_close(scene: &Scene<'_>, (chip, port, cycle): (NodeId, u16, u32), next: u32) -> CheckError {
    let (name, ports) = (scene.topology.name(chip), scene.topology.names());
    let what =
        format!("{name}.{} starts a vector, and another one in cycle {next}", ports.port(PortId(port)));
    ScheduleError::Cycle { cycle, what }.into()
}

/// Checks every channel by itself; gives back how many vectors the busiest carries.
fn channels(scene: &Scene<'_>, timed: &Timed) -> Result<u64, CheckError> {
    let topology = scene.topology;
    let symmetry = topology.symmetry();
    // `[chip * ports + port]`: how many vectors, and when the last of them started; cycles ascend.
    let mut started = vec![(0u64, 0u32); topology.node_count() * topology.ports()];
    for (at, send) in timed.sends.iter().enumerate() {
        let TimedSend { cycle, chip, port, .. } = *send;
        let failed = |what: &str| {
            CheckError::from(ScheduleError::Cycle {
                cycle,
                what: format!("chip {chip}, port {port}: {what}"),
            })
        };
        if at > 0 && timed.sends[at - 1] >= *send {
            return Err(failed("is listed twice, or out of order"));
        }
        if cycle < timed.start {
            return Err(failed("sends before the plan starts"));
        }
        if chip.index() >= topology.node_count() || !scene.is_endpoint(chip) {
            return Err(failed("is no chip that takes part"));
        }
        if timed.canonical && symmetry.canonical_node(symmetry.class(chip)) != chip {
            return Err(failed("is listed, though the chip is the image of another"));
        }
        let channel = if port.index() < topology.ports() { scene.outgoing(chip, port) } else { None };
        if channel.is_none_or(|channel| !scene.is_endpoint(topology.target(channel).node)) {
            return Err(failed("leads nowhere, is dark, or touches a spare chip"));
        }
        if rests(timed.pace, cycle) {
            return Err(failed("sends while all channels rest"));
        }
        let (count, before) = &mut started[chip.index() * topology.ports() + port.index()];
        if *count > 0 && cycle - *before < timed.pace.slot {
            return Err(too_close(scene, (chip, port.0, *before), cycle));
        }
        (*count, *before) = (*count + 1, cycle);
    }
    Ok(started.into_iter().map(|(count, _)| count).max().unwrap_or(0))
}

/// Whether a slot from some cycle on meets one of the rests: k times `deskew` to 251 cycles after, k > 0.
fn rests(pace: SlotPace, cycle: u32) -> bool {
    let (every, first) = (u64::from(pace.deskew), u64::from(cycle));
    let last = first + u64::from(pace.slot) - 1;
    every > 0
        && last >= every
        && (first % every < u64::from(DESKEW_CYCLES) && first >= every || first / every < last / every)
}

/// Replays all vectors; gives back when the last one is where it must be.
fn run(of: &Replay<'_>, steps: &[Step]) -> Result<u64, CheckError> {
    let vectors: Vec<&[Step]> = steps.chunk_by(|one, other| one.vector == other.vector).collect();
    if vectors.len() as u64 != of.count() {
        return Err(wrong(format!("it sends {} vectors, but there are {}", vectors.len(), of.count())));
    }
    let sums = of.schedule.collective.sums();
    let one = |state: &mut (Vec<u64>, Sums), steps: &&[Step]| match sums {
        true => state.1.replay(of, steps),
        false => copies(of, &mut state.0, steps),
    };
    let new = || (vec![u64::MAX; of.nodes as usize], Sums::new(of.nodes as usize));
    let ends: Vec<Result<u64, CheckError>> = vectors.par_iter().map_init(new, one).collect();
    let mut end = 0;
    for ended in ends {
        end = end.max(ended?);
    }
    Ok(end)
}
