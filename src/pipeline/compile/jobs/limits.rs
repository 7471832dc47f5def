//! What jobs need in every topology and with every placement.

use fabc_base::ids::NodeId;
use fabc_ir::{ATTOSECONDS_OF_A_PICOSECOND, JobStep, Topology, cycle_time};
use fabc_job_plan::{GroupedChips, PhaseTime, UniversalLimits, job_step};
use fabc_model::{Fabric, Job, JobPhase};
use fabc_passes::limit::NearestChips;

/// `[phase]`: the least times of a job on any network of so many chips with so many channels each, in
/// attoseconds: by the channels of a chip and one hop alone.
pub fn times_by_ports(fabric: &Fabric, job: &Job, chips: u64, channels: u64) -> Vec<u128> {
    let limits = limits_of_chips(fabric, chips, channels);
    job.phases.iter().map(|phase| universal_time(&limits, job, phase)).collect()
}

/// What bounds phases in every topology and with every placement.
pub fn universal_limits(fabric: &Fabric, topology: &Topology) -> UniversalLimits {
    let lanes = |chip: NodeId| -> u64 {
        let lanes = |channel| topology.channel_capacity(channel);
        let inwards: u64 = topology.channels_into(chip).map(lanes).sum();
        inwards.max(topology.channels_from(chip).map(lanes).sum())
    };
    let widest = topology.endpoints().map(lanes).max().unwrap_or(1);
    limits_of_chips(fabric, topology.endpoints().count() as u64, widest)
}

/// The same for so many chips, each with at most so many lanes, before a topology is known.
pub(in crate::compile) fn limits_of_chips(fabric: &Fabric, chips: u64, chip_lanes: u64) -> UniversalLimits {
    let least_link = fabric.link_types.iter().map(|link| link.latency_cycles).min().unwrap_or(0);
    let least = u64::from(fabric.router_latencies().least) + u64::from(least_link);
    UniversalLimits {
        chip_lanes,
        chips,
        least_hop: cycle_time(least, fabric.clock_hz),
        unit_bps: fabric.capacities.unit_bps(),
        nearest: fabric.pod().map(|pod| NearestChips::new(pod, &fabric.capacities)),
    }
}

/// The least times of a step on any topology, with any placement.
pub(in crate::compile) fn universal_step(limits: &UniversalLimits, job: &Job) -> JobStep {
    let least = |phase: &JobPhase| {
        let universal = universal_time(limits, job, phase);
        PhaseTime { volume: universal, latency: 0, bound: universal, universal }
    };
    let phases: Vec<PhaseTime> = job.phases.iter().map(least).collect();
    job_step(job, &phases, |_| 0)
}

/// The least time of a phase on any topology, with any placement.
pub(super) fn universal_time(limits: &UniversalLimits, job: &Job, phase: &JobPhase) -> u128 {
    let grouped = phase.operations.iter().map(|operation| GroupedChips::of_operation(job, operation));
    let grouped: Vec<GroupedChips> = grouped.collect();
    limits.time(message_overhead(job), &phase.operations, &grouped)
}

/// The time of a message of a job in which its channel does nothing else, in attoseconds.
pub(super) fn message_overhead(job: &Job) -> u128 {
    u128::from(job.overhead_ps) * ATTOSECONDS_OF_A_PICOSECOND
}
