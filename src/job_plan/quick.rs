//! Quick estimates, to compare many placements before a few of them are planned in full.

use super::loads::busy_time;
use fabc_base::ids::NodeId;
use fabc_ir::{ChipGroups, Scene};
use fabc_model::{Collective, JobOperation, JobOperationKind};

/// The estimated time of a gather or a sum in a step, in attoseconds: what the chip with the fewest lanes
/// from its own group needs. Groups that are not connected by themselves take about twice as long as over one
/// lane.
pub fn quick_gather_time(
    scene: &Scene<'_>,
    unit_bps: u64,
    operation: &JobOperation,
    groups: &ChipGroups,
) -> u128 {
    let runs = if operation.kind == JobOperationKind::Collective(Collective::AllReduce) { 2 } else { 1 };
    let moved = operation.step_bytes() * runs;
    let bytes = (moved * u128::from(groups.size() - 1)).div_ceil(u128::from(groups.size()));
    let lanes = fewest_lanes(scene, groups);
    busy_time(bytes, unit_bps, lanes) * if lanes == 0 { 2 } else { 1 }
}

/// The fewest lanes by which a chip hears others of its group.
fn fewest_lanes(scene: &Scene<'_>, groups: &ChipGroups) -> u64 {
    let topology = scene.topology;
    let lanes = |&chip: &NodeId| {
        let inside = scene
            .channels_into(chip)
            .filter(|&channel| groups.are_together(topology.source(channel).node, chip));
        inside.map(|channel| topology.channel_capacity(channel)).sum::<u64>()
    };
    groups.lists().iter().flatten().map(lanes).min().unwrap_or(0)
}
