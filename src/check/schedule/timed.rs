//! Replays vectors in cycles, and records the position of every vector and the parts of every sum.
//!
//! The replay uses neither the paths nor the trees nor the groups of the planner. First it checks that no
//! channel sends two vectors too close to each other. Then it follows every vector, in the order of time.
//! Under a symmetry it replays only vectors that start at a canonical chip, on all chips. Each send of a
//! canonical chip is mapped to the images that such vectors take.

mod bounds;
mod copies;
mod messages;
mod plan;
mod replaced;
mod sums;

pub(crate) use bounds::cycles_at_least;
pub use replaced::verify_replaceable;

use super::ScheduleError;
use crate::CheckError;
use copies::replay_copies;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{Scene, Schedule, Timed, TimedSend};
use fabc_model::{Collective, DESKEW_CYCLES, SlotPace};
use plan::{VectorReplay, VectorStep, violation};
use rayon::prelude::*;
use sums::SumReplay;

/// The counts of a replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// The cycle in which everything has arrived and is summed.
    pub end: u64,
    /// Number of vectors on the busiest channel.
    pub busiest: u64,
}

/// Verifies that a schedule of vectors performs its collective, and that its bounds hold.
///
/// # Errors
/// The errors of [`super::verify_vectors`].
pub(super) fn replay(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<Replayed, CheckError> {
    let nodes = scene.topology.node_count();
    if schedule.nodes as usize != nodes || schedule.chunks == 0 || timed.pace.slot == 0 || timed.pace.hop == 0
    {
        return Err(violation(format!(
            "it is not a schedule for these {nodes} routers, or it has no vectors"
        )));
    }
    sums::verify_sum_rules(schedule, timed)?;
    messages::verify_shape(scene, schedule, timed)?;
    if timed.canonical {
        fabc_kernel::check_lit_automorphisms(scene, scene.topology.symmetry())?;
    }
    if (schedule.collective == Collective::Broadcast) != schedule.root.is_some()
        || (schedule.root.is_some() && timed.canonical)
    {
        return Err(violation(
            "a broadcast needs a root and every chip listed, and no other collective has a root".to_owned(),
        ));
    }
    if schedule.root.is_some_and(|root| root.index() >= nodes || !scene.is_endpoint(root)) {
        return Err(violation("its root is not a chip that takes part".to_owned()));
    }
    let busiest = verify_channels(scene, timed)?;
    let replay = VectorReplay::new(scene, schedule, timed)?;
    let steps = replay.steps()?;
    let end = replay_vectors(&replay, &steps)?;
    if end != u64::from(timed.end) {
        return Err(violation(format!(
            "it claims that the last vector arrives in cycle {}, but that is cycle {end}",
            timed.end
        )));
    }
    bounds::verify_bounds(scene, schedule, timed)?;
    Ok(Replayed { end, busiest })
}

/// Verifies that no channel carries vectors of two schedules too close to each other.
///
/// # Errors
/// The first channel that does.
pub fn vectors_together(scene: &Scene<'_>, plans: &[&Timed]) -> Result<(), CheckError> {
    if plans.len() < 2 {
        return Ok(());
    }
    let symmetry = scene.topology.symmetry();
    let mut sends: Vec<(NodeId, u16, u32)> = Vec::new();
    let canonical = plans.iter().all(|plan| plan.canonical);
    for plan in plans {
        let images = if plan.canonical && !canonical { symmetry.order() } else { 1 };
        for send in &plan.sends {
            let image = |element| if images > 1 { symmetry.image(element, send.chip) } else { send.chip };
            sends.extend((0..images).map(|element| (image(element), send.port.0, send.cycle)));
        }
    }
    sends.sort_unstable();
    let slot = plans[0].pace.slot;
    let close_pair = sends
        .windows(2)
        .find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) && pair[1].2 - pair[0].2 < slot);
    close_pair.map_or(Ok(()), |pair| {
        Err(close_vectors_error(scene, pair[0].0, PortId(pair[0].1), [pair[0].2, pair[1].2]))
    })
}

fn close_vectors_error(scene: &Scene<'_>, chip: NodeId, port: PortId, cycles: [u32; 2]) -> CheckError {
    let [cycle, next] = cycles;
    let (name, ports) = (scene.topology.name(chip), scene.topology.names());
    let violation = format!("{name}.{} starts a vector, and another one in cycle {next}", ports.port(port));
    ScheduleError::Cycle { cycle, violation }.into()
}

/// Verifies every channel separately. Returns the number of vectors on the busiest one.
fn verify_channels(scene: &Scene<'_>, timed: &Timed) -> Result<u64, CheckError> {
    let topology = scene.topology;
    let symmetry = topology.symmetry();
    // `[chip * ports + port]`: number of vectors, and the start of the last one. Cycles ascend.
    let mut started = vec![(0u64, 0u32); topology.node_count() * topology.ports()];
    for (index, send) in timed.sends.iter().enumerate() {
        let TimedSend { cycle, chip, port, .. } = *send;
        let channel_error = |violation: &str| {
            CheckError::from(ScheduleError::Cycle {
                cycle,
                violation: format!("chip {chip}, port {port}: {violation}"),
            })
        };
        if index > 0 && timed.sends[index - 1] >= *send {
            return Err(channel_error("is listed twice, or out of order"));
        }
        if cycle < timed.start {
            return Err(channel_error("sends before the plan starts"));
        }
        if chip.index() >= topology.node_count() || !scene.is_endpoint(chip) {
            return Err(channel_error("is not a chip that takes part"));
        }
        if timed.canonical && symmetry.canonical_node(symmetry.class(chip)) != chip {
            return Err(channel_error("is listed, but the chip is the image of another one"));
        }
        let channel = if port.index() < topology.ports() { scene.outgoing(chip, port) } else { None };
        if channel.is_none_or(|channel| !scene.is_endpoint(topology.target(channel).node)) {
            return Err(channel_error("leads nowhere, is dark, or touches a spare chip"));
        }
        if meets_rest(timed.pace, cycle) {
            return Err(channel_error("sends while all channels rest"));
        }
        let (count, last_start) = &mut started[chip.index() * topology.ports() + port.index()];
        if *count > 0 && cycle - *last_start < timed.pace.slot {
            return Err(close_vectors_error(scene, chip, port, [*last_start, cycle]));
        }
        (*count, *last_start) = (*count + 1, cycle);
    }
    Ok(started.into_iter().map(|(count, _)| count).max().unwrap_or(0))
}

/// Whether a slot that starts in a cycle meets one of the rests. A rest lasts from cycle k times `deskew` to
/// 251 cycles after, for k > 0.
fn meets_rest(pace: SlotPace, cycle: u32) -> bool {
    let (every, first) = (u64::from(pace.deskew), u64::from(cycle));
    let last = first + u64::from(pace.slot) - 1;
    every > 0
        && last >= every
        && (first % every < u64::from(DESKEW_CYCLES) && first >= every || first / every < last / every)
}

/// Replays all vectors. Returns the cycle in which the last one is where it must be.
fn replay_vectors(replay: &VectorReplay<'_>, steps: &[VectorStep]) -> Result<u64, CheckError> {
    let vectors: Vec<&[VectorStep]> =
        steps.chunk_by(|replay_vector, second| replay_vector.vector == second.vector).collect();
    if vectors.len() as u64 != replay.count() {
        return Err(violation(format!(
            "it sends {} vectors, but there are {}",
            vectors.len(),
            replay.count()
        )));
    }
    let sums = replay.schedule.collective.adds_up();
    let replay_vector = |state: &mut (Vec<u64>, SumReplay), steps: &&[VectorStep]| match sums {
        true => state.1.replay(replay, steps),
        false => replay_copies(replay, &mut state.0, steps),
    };
    let new_state = || (vec![u64::MAX; replay.nodes as usize], SumReplay::new(replay.nodes as usize));
    let end_cycles: Vec<Result<u64, CheckError>> =
        vectors.par_iter().map_init(new_state, replay_vector).collect();
    let mut end = 0;
    for vector_end in end_cycles {
        end = end.max(vector_end?);
    }
    Ok(end)
}
