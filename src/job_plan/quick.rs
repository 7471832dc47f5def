//! A quick estimate of a phase, to compare many placements before a few of them are planned in full.

use super::loads::{busy_time, message_pairs};
use super::{OperationLoad, operation_groups, phase_times};
use fabc_base::ids::{ChannelId, Id, IdVec, NodeId};
use fabc_ir::{ChipGroups, ForwardingTables, Scene};
use fabc_model::{Collective, Job, JobOperationKind, JobPhase};
use fabc_passes::collective::CollectiveError;

/// The estimated time of the communication of a step, in attoseconds. Messages follow the tables. Gathers
/// take what the chip with the fewest channels from its own group needs. Where that has none, every shard
/// follows the tables.
///
/// # Errors
/// Refuses tables that lose a message.
pub fn quick_time(
    scene: &Scene<'_>,
    tables: Option<&ForwardingTables>,
    hops: &IdVec<ChannelId, u128>,
    unit_bps: u64,
    job: &Job,
    ranks: &[NodeId],
) -> Result<u128, CollectiveError> {
    let mut sum = 0;
    for phase in &job.phases {
        sum += quick_phase(scene, tables, hops, unit_bps, job, phase, ranks)?;
    }
    Ok(sum)
}

fn quick_phase(
    scene: &Scene<'_>,
    tables: Option<&ForwardingTables>,
    hops: &IdVec<ChannelId, u128>,
    unit_bps: u64,
    job: &Job,
    phase: &JobPhase,
    ranks: &[NodeId],
) -> Result<u128, CollectiveError> {
    let mut gathers = 0;
    let mut loads = Vec::new();
    for operation in &phase.operations {
        let groups = operation_groups(job, operation, ranks);
        let pairs = message_pairs(operation.kind, &groups);
        let sharers = match operation.kind {
            JobOperationKind::Send { .. } => 1,
            JobOperationKind::Collective(_) => groups.size(),
        };
        if pairs.is_empty() {
            let rounds =
                if operation.kind == JobOperationKind::Collective(Collective::AllReduce) { 2 } else { 1 };
            let moved = u128::from(operation.bytes) * u128::from(operation.times) * rounds;
            let lanes = fewest_lanes(scene, &groups);
            let shards = u128::from(groups.size() - 1);
            let bytes = (moved * shards).div_ceil(u128::from(groups.size()));
            // Groups that are not connected by themselves take about twice as long as over one channel.
            gathers += busy_time(bytes, unit_bps, lanes) * if lanes == 0 { 2 } else { 1 };
        } else if let Some(tables) = tables {
            let load = OperationLoad::along_tables(scene, tables, hops, 0, operation, sharers, &pairs)?;
            loads.push((load, operation.times));
        }
    }
    let loads: Vec<(&OperationLoad, u64)> = loads.iter().map(|(load, times)| (load, *times)).collect();
    let times = phase_times(scene, unit_bps, &loads);
    Ok(gathers + times.volume + times.latency)
}

/// The fewest lanes by which a chip hears others of its group.
fn fewest_lanes(scene: &Scene<'_>, groups: &ChipGroups) -> u64 {
    let topology = scene.topology;
    let lanes = |chip: NodeId| {
        let inside = scene
            .channels_into(chip)
            .filter(|&channel| groups.group_of(topology.source(channel).node) == groups.group_of(chip));
        inside.map(|channel| topology.channel_capacity(channel)).sum::<u64>()
    };
    let chips = groups.lists().iter().flatten();
    chips.filter(|chip| chip.index() < topology.node_count()).map(|&chip| lanes(chip)).min().unwrap_or(0)
}
