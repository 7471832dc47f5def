//! Lower bounds on phases that hold in every topology of a pod and with every placement.
//!
//! - Ports: the bytes that a chip takes in or sends out on average go over its lanes.
//! - Capacity: all bytes times the hops that they need at least go over all lanes of the pod. The nearest
//!   chips are those of a tree in which every fiber leads to a cube never seen before.
//! - Dense groups: the chips of a group have only so many links among them ([`DenseGroups`]). A copy that
//!   does not come over one of them comes from a chip of no use to it, which took it in by a further channel
//!   and passes it to all of its other channels at most. Sums go the same ways backwards.
//!
//! The busiest channel is busy for at least the volume of a bound, and its last byte makes one more hop. Runs
//! of an operation follow each other, so each of them makes that hop.

use super::messages::is_gather;
use super::volume::{BoundVolume, time_of};
use fabc_ir::Fraction;
use fabc_model::{Collective, Job, JobOperation, JobOperationKind, RankGroups};
use fabc_passes::limit::NearestChips;

/// How many chips are in the groups of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupedChips {
    /// Number of chips of a group.
    pub size: u64,
    /// Chips of all groups together.
    pub members: u64,
}

impl GroupedChips {
    /// Those of an operation of a job.
    pub fn of_operation(job: &Job, operation: &JobOperation) -> Self {
        Self { size: operation.groups.size(&job.axes), members: operation.groups.members(&job.axes) }
    }
}

/// What bounds a phase in every topology and with every placement.
pub struct UniversalLimits {
    /// The most lanes of a chip.
    pub chip_lanes: u64,
    /// Number of chips that send and receive.
    pub chips: u64,
    /// The shortest time of a hop, in attoseconds.
    pub least_hop: u128,
    /// Bandwidth of a lane, bit/s.
    pub unit_bps: u64,
    /// The chips around every chip, in any topology of a pod.
    pub nearest: Option<NearestChips>,
}

impl UniversalLimits {
    /// The least time of a phase, in attoseconds, rounded down. `groups` are those of each operation. Chips
    /// in no group of an operation are idle in it.
    pub fn time(&self, overhead: u128, operations: &[JobOperation], groups: &[GroupedChips]) -> u128 {
        let alone = |(operation, groups): (&JobOperation, &GroupedChips)| {
            self.volume(std::slice::from_ref(operation), std::slice::from_ref(groups))
        };
        let volume = BoundVolume {
            together: self.volume(operations, groups),
            alone: operations.iter().zip(groups).map(alone).collect(),
        };
        volume.time(self.least_hop + overhead, operations.iter().map(|operation| operation.times))
    }

    /// The least time of the busiest lane.
    fn volume(&self, operations: &[JobOperation], groups: &[GroupedChips]) -> u128 {
        let ports = self.ports_time(operations, groups);
        let Some(nearest) = &self.nearest else { return ports };
        let grouped = operations.iter().zip(groups);
        let byte_hops: Vec<u128> =
            grouped.map(|(operation, &groups)| self.byte_hops(nearest, operation, groups)).collect();
        let capacity = Fraction::new(byte_hops.iter().sum::<u128>(), nearest.lanes.max(1));
        let capacity = time_of(capacity, self.unit_bps);
        ports.max(capacity).max(self.dense_time(nearest, operations, groups, &byte_hops))
    }

    /// The time of the bytes that a chip takes in or sends out on average, over all of its lanes.
    fn ports_time(&self, operations: &[JobOperation], groups: &[GroupedChips]) -> u128 {
        let sum = |part: fn(JobOperationKind, u64) -> Fraction| -> u128 {
            let moved = operations.iter().zip(groups).map(|(operation, groups)| {
                let all = Fraction::integer(operation.step_bytes());
                let active = Fraction::new(groups.members, self.chips.max(1));
                all.times(part(operation.kind, groups.size)).times(active).floor()
            });
            moved.sum()
        };
        let bytes = sum(taken_in).max(sum(sent_out));
        time_of(Fraction::new(bytes, self.chip_lanes.max(1)), self.unit_bps)
    }

    /// Bytes of an operation times the hops that they need at least, rounded down. All of them fit on the
    /// lanes of the pod.
    fn byte_hops(&self, nearest: &NearestChips, operation: &JobOperation, groups: GroupedChips) -> u128 {
        let GroupedChips { size, members } = groups;
        let all = operation.step_bytes();
        let hops = match operation.kind {
            // Each pair of a group has a part of its own.
            JobOperationKind::Collective(Collective::AllToAll) if members == self.chips => {
                Fraction::new(nearest.hops_to(size - 1), size)
            }
            kind => {
                let most = taken_in(kind, size).max(sent_out(kind, size));
                most.times(Fraction::integer(members))
            }
        };
        hops.times(Fraction::integer(all)).floor()
    }

    /// The time that gathers need because a group has few links inside. 0 where nothing is known of that.
    fn dense_time(
        &self,
        nearest: &NearestChips,
        operations: &[JobOperation],
        groups: &[GroupedChips],
        byte_hops: &[u128],
    ) -> u128 {
        let Some(dense) = &nearest.dense else { return 0 };
        let fan = u128::from(dense.fan);
        let (mut places, mut inside) = (0, 0);
        let mut known: Vec<&RankGroups> = Vec::new();
        for ((operation, grouped), bytes) in operations.iter().zip(groups).zip(byte_hops) {
            let is_gather = is_gather(operation.kind);
            places += bytes * if is_gather { fan + 1 } else { fan };
            // Several operations in the same groups share the links inside.
            if is_gather && !known.contains(&&operation.groups) {
                known.push(&operation.groups);
                let count = u128::from(grouped.members / grouped.size.max(1));
                inside += count * dense.lanes_among(grouped.size);
            }
        }
        let lanes = nearest.lanes * fan + inside.min(nearest.lanes);
        time_of(Fraction::new(places, lanes.max(1)), self.unit_bps)
    }
}

/// The part of the bytes of an operation that a chip takes in at least, on average over its group.
fn taken_in(kind: JobOperationKind, size: u64) -> Fraction {
    match kind {
        // The sum of a part is formed at the chip that keeps it, or comes to it.
        JobOperationKind::Collective(Collective::ReduceScatter) => Fraction::new(1u8, size),
        JobOperationKind::Collective(Collective::AllReduce) => Fraction::new(2 * (size - 1), size),
        JobOperationKind::Collective(_) => Fraction::new(size - 1, size),
        JobOperationKind::Send { both, wrap } => {
            let messages = (size - 1 + u64::from(wrap)) * if both { 2 } else { 1 };
            Fraction::new(messages, size)
        }
    }
}

/// The part of the bytes of an operation that a chip sends out at least, on average over its group.
fn sent_out(kind: JobOperationKind, size: u64) -> Fraction {
    match kind {
        JobOperationKind::Collective(Collective::AllGather) => Fraction::new(1u8, size),
        JobOperationKind::Collective(_) => Fraction::new(size - 1, size),
        JobOperationKind::Send { .. } => taken_in(kind, size),
    }
}
