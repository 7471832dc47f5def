//! Operations as lower bounds see them.

use fabc_base::ids::NodeId;
use fabc_ir::{ChipGroups, Fraction, Schedule};
use fabc_model::JobOperation;

/// An operation of a phase with what bounds it.
pub struct BoundedOperation<'a> {
    /// The operation of the job, with its runs.
    pub operation: &'a JobOperation,
    /// Bytes of a chip in all runs of a step.
    pub bytes: u128,
    /// The groups of chips that it runs in.
    pub groups: &'a ChipGroups,
    /// The ordered pairs between which it sends data of their own
    /// ([`exchanged_pairs`](super::exchanged_pairs)).
    pub pairs: &'a [(NodeId, NodeId)],
    /// Its schedule, where it has one.
    pub schedule: Option<&'a Schedule>,
}

impl BoundedOperation<'_> {
    /// Bytes of a step that each of its parts has, as a fraction: those of a pair, or of a shard.
    pub(super) fn part_bytes(&self) -> Fraction {
        Fraction::new(self.bytes, self.operation.kind.parts(self.groups.size()))
    }
}
