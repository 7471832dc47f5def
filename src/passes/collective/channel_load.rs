//! What schedules of repeated pieces put on a channel in a period.

use fabc_ir::CollectiveCost;

/// What a channel carries in a period: one piece of each part on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChannelLoad {
    pub(super) lanes: u64,
    pub(super) parts: u64,
    pub(super) messages: u64,
}

impl ChannelLoad {
    /// Attoseconds in which the channel carries it. `part` are those of one part on a channel of one lane.
    pub(super) fn busy_time(self, cost: &CollectiveCost, part: u128) -> u128 {
        (part * u128::from(self.parts)).div_ceil(u128::from(self.lanes))
            + cost.overhead * u128::from(self.messages)
    }
}
