//! Numbers of a fabric of N chips that several formulas have.

/// (N - 1) / N: the part of a vector that is not a chip's own shard.
pub(super) fn others(chips: u64) -> f64 {
    (chips - 1) as f64 / chips as f64
}

/// ceil(log2 N), of at least one chip.
pub(super) fn doublings(chips: u64) -> u64 {
    u64::from(chips.next_power_of_two().trailing_zeros())
}
