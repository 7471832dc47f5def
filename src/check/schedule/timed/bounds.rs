//! Bounds of plans of vectors: whether they follow from their witnesses, in cycles, and are not beaten.

use super::super::ScheduleError;
use super::super::bounds::{hops_to, witnesses};
use super::messages;
use crate::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene, Schedule, Timed};
use fabc_model::Collective;

/// Checks all bounds of a plan.
pub(super) fn bounds(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    match schedule.collective {
        Collective::Send => messages::witnesses(scene, schedule, timed)?,
        _ if timed.groups > 1 => of_groups(scene, schedule, timed)?,
        _ => of_everybody(scene, schedule, timed)?,
    }
    let took = u64::from(timed.end - timed.start);
    for (at, bound) in schedule.bounds.iter().enumerate() {
        if cycles(schedule, timed, bound) > took {
            return Err(ScheduleError::Beaten { bound: at, volume: took }.into());
        }
    }
    Ok(())
}

/// Checks the bounds of what all chips do together.
fn of_everybody(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    let mut others = Vec::new();
    for (at, bound) in schedule.bounds.iter().enumerate() {
        let CollectiveBound::Quickest { levels, .. } = bound else {
            others.push(bound.clone());
            continue;
        };
        let counted = messages::told_all(scene, schedule, timed, levels)?;
        if counted != *bound {
            return Err(ScheduleError::Bound {
                bound: at,
                claimed: format!("{bound:?}"),
                counted: format!("{counted:?}"),
            }
            .into());
        }
    }
    witnesses(scene, schedule.collective, schedule.root, &others, None)
}

/// Checks the bounds of what is done in groups: how much each of some chips must hear from members of its
/// group that are farther away than some hops, over all channels into it.
fn of_groups(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    let chips: Vec<NodeId> = scene.endpoints().collect();
    let size = chips.len() / timed.groups as usize;
    for (at, bound) in schedule.bounds.iter().enumerate() {
        let CollectiveBound::Latency { node, distance, .. } = *bound else {
            return Err(ScheduleError::shape(format!("bound {at} is none of a group")).into());
        };
        let Some(group) = chips.chunks(size).find(|group| group.contains(&node)) else {
            return Err(ScheduleError::shape(format!("bound {at} is of no chip")).into());
        };
        let hops = hops_to(scene, node);
        let farther = group.iter().filter(|from| hops[from.index()] > distance).count();
        let shards =
            if schedule.collective == Collective::AllReduce && farther > 0 { size } else { farther } as u32;
        let counted = CollectiveBound::Latency {
            node,
            distance,
            channels: scene.channels_into(node).count() as u32,
            shards,
        };
        if counted != *bound || shards == 0 {
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

/// The bound that says most, in cycles, and its witness.
pub(crate) fn cycles_at_least<'a>(
    schedule: &'a Schedule,
    timed: &Timed,
) -> Option<(u64, &'a CollectiveBound)> {
    let mut best: Option<(u64, &CollectiveBound)> = None;
    for bound in &schedule.bounds {
        let cycles = cycles(schedule, timed, bound);
        if best.is_none_or(|(most, _)| cycles > most) {
            best = Some((cycles, bound));
        }
    }
    best
}

/// The first vector takes its hops, every further one on the same channel a slot.
fn cycles(schedule: &Schedule, timed: &Timed, bound: &CollectiveBound) -> u64 {
    let vectors = u128::from(schedule.chunks);
    let (slot, hop) = (u128::from(timed.pace.slot), u128::from(timed.pace.hop));
    let whole = schedule.collective == Collective::AllReduce;
    // Vectors that some channels carry together, and how many channels.
    let (carried, channels, hops) = match *bound {
        CollectiveBound::Cut { channels, shards, .. } => {
            (u128::from(shards) * vectors, u128::from(channels), 1)
        }
        CollectiveBound::Latency { distance, channels, .. } if whole => {
            (vectors, u128::from(channels), u128::from(distance) + 1)
        }
        CollectiveBound::Latency { distance, channels, shards, .. } => {
            (u128::from(shards) * vectors, u128::from(channels), u128::from(distance) + 1)
        }
        CollectiveBound::Channel { shards, .. } => (u128::from(shards) * vectors, 1, 1),
        // Messages are counted vector by vector.
        CollectiveBound::Flow { volume, distance, .. } if schedule.collective == Collective::Send => {
            (distance, volume, 1)
        }
        CollectiveBound::Flow { volume, distance, .. } => (distance * vectors, volume, 1),
        CollectiveBound::Quickest { cycles, .. } => return cycles,
        // Parts take in a vector until one has the sum, and then the sum: all but one of them twice in all.
        CollectiveBound::Partition { parts, channels, .. } => {
            (2 * u128::from(parts - 1) * vectors, u128::from(channels), 1)
        }
    };
    let most = carried.div_ceil(channels.max(1));
    (hops * hop + most.max(1) * slot - slot) as u64
}
