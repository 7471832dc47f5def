//! Numbers of a fabric of N chips that several formulas share.

/// (N - 1) / N: the fraction of a vector outside a chip's own shard.
pub(super) fn remote_part(chips: u64) -> f64 {
    (chips - 1) as f64 / chips as f64
}

/// ceil(log2 N), for N of at least one.
pub(super) fn doublings(chips: u64) -> u64 {
    u64::from(chips.next_power_of_two().trailing_zeros())
}
