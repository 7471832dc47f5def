//! Verifies the bounds of schedules of vectors: they follow from their witnesses, in cycles, and are not
//! beaten.

use super::super::ScheduleError;
use super::super::bounds::verify_witnesses;
use super::super::conviction::unlike_bound;
use super::super::reach::hops_to;
use super::messages;
use crate::CheckError;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CollectiveBound, Scene, Schedule, Timed};
use fabc_model::Collective;

/// Verifies all bounds of a schedule.
pub(super) fn verify_bounds(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    match schedule.collective {
        Collective::Send => messages::verify_witnesses(scene, schedule, timed)?,
        _ if timed.groups > 1 => verify_group_bounds(scene, schedule, timed)?,
        _ => verify_common_bounds(scene, schedule, timed)?,
    }
    let duration = u64::from(timed.end - timed.start);
    for (index, bound) in schedule.bounds.iter().enumerate() {
        if cycles_of_bound(schedule, timed, bound) > duration {
            return Err(ScheduleError::Beaten { bound: index, volume: duration }.into());
        }
    }
    Ok(())
}

/// Verifies the bounds of a collective of all chips.
fn verify_common_bounds(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    let mut others = Vec::new();
    for (index, bound) in schedule.bounds.iter().enumerate() {
        let CollectiveBound::Quickest { levels, .. } = bound else {
            others.push(bound.clone());
            continue;
        };
        let recomputed = messages::broadcast_bound(scene, schedule, timed, levels)?;
        if recomputed != *bound {
            return Err(unlike_bound(index, bound, &recomputed));
        }
    }
    verify_witnesses(scene, schedule.collective, schedule.root, &others, None)
}

/// Verifies the bounds of a collective in groups. A bound counts what a chip must receive from members of
/// its group that are more than `distance` hops away, over all channels into it.
fn verify_group_bounds(scene: &Scene<'_>, schedule: &Schedule, timed: &Timed) -> Result<(), CheckError> {
    let chips: Vec<NodeId> = scene.endpoints().collect();
    let size = chips.len() / timed.groups as usize;
    for (index, bound) in schedule.bounds.iter().enumerate() {
        let CollectiveBound::Latency { node, distance, .. } = *bound else {
            return Err(
                ScheduleError::shape(format!("bound {index} does not bound a collective in groups")).into()
            );
        };
        let Some(group) = chips.chunks(size).find(|group| group.contains(&node)) else {
            return Err(ScheduleError::shape(format!("bound {index} does not name a chip")).into());
        };
        let hops = hops_to(scene, node);
        let farther = group.iter().filter(|from| hops[from.index()] > distance).count();
        let shards =
            if schedule.collective == Collective::AllReduce && farther > 0 { size } else { farther } as u32;
        let recomputed = CollectiveBound::Latency {
            node,
            distance,
            channels: scene.channels_into(node).count() as u32,
            shards,
        };
        if recomputed != *bound || shards == 0 {
            return Err(unlike_bound(index, bound, &recomputed));
        }
    }
    Ok(())
}

/// The largest lower bound in cycles, and its witness.
pub(crate) fn cycles_at_least<'a>(
    schedule: &'a Schedule,
    timed: &Timed,
) -> Option<(u64, &'a CollectiveBound)> {
    let mut tightest: Option<(u64, &CollectiveBound)> = None;
    for bound in &schedule.bounds {
        let cycles = cycles_of_bound(schedule, timed, bound);
        if tightest.is_none_or(|(tightest_cycles, _)| cycles > tightest_cycles) {
            tightest = Some((cycles, bound));
        }
    }
    tightest
}

/// The cycles of a bound. The first vector takes its hops. Every further one on the same channel takes a
/// slot.
fn cycles_of_bound(schedule: &Schedule, timed: &Timed, bound: &CollectiveBound) -> u64 {
    let vectors = u128::from(schedule.chunks);
    let (slot, hop) = (u128::from(timed.pace.slot), u128::from(timed.pace.hop));
    let is_all_reduce = schedule.collective == Collective::AllReduce;
    // Vectors that some channels carry together, the number of channels, and hops.
    let (carried, channels, hops) = match *bound {
        CollectiveBound::Cut { channels, shards, .. } => {
            (u128::from(shards) * vectors, u128::from(channels), 1)
        }
        CollectiveBound::Latency { distance, channels, .. } if is_all_reduce => {
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
        // These are of fabrics with tables.
        CollectiveBound::Relays { .. } | CollectiveBound::Inside { .. } | CollectiveBound::Arrival { .. } => {
            return 0;
        }
        // A part receives vectors until one part has the sum, and then the sum. So all parts but one receive
        // twice.
        CollectiveBound::Partition { parts, channels, .. } => {
            (2 * u128::from(parts - 1) * vectors, u128::from(channels), 1)
        }
    };
    let vectors_per_channel = carried.div_ceil(channels.max(1));
    (hops * hop + vectors_per_channel.max(1) * slot - slot) as u64
}
