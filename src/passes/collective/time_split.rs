//! What the time of a schedule is spent on.

use fabc_ir::{CollectiveCost, CollectiveTime};

/// The time of a schedule, split into volume, latency and overhead. `total_time` gives the whole of it under
/// a cost.
pub(super) fn split_time(
    cost: &CollectiveCost,
    total_time: impl Fn(&CollectiveCost) -> u128,
) -> CollectiveTime {
    let total = total_time(cost);
    let plain = CollectiveCost { overhead: 0, ..cost.clone() };
    let without_overhead = if cost.overhead == 0 { total } else { total_time(&plain) };
    let volume = total_time(&plain.without_hops());
    CollectiveTime { volume, latency: without_overhead - volume, overhead: total - without_overhead }
}
