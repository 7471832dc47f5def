//! How much of an all-to-all one channel of a ring or a line carries, in vectors of a chip.
//!
//! Every chip sends the N-th part of its vector to every other one by shortest ways, half each way where both
//! are as short. The load of the busiest channel, in parts, over N does not depend on the other axes: of a
//! torus or mesh the chips of all lines along an axis are N in number, and each sends along it as if its line
//! were alone.

/// Load of every channel of a ring of `side` chips; `twin`: two chips are joined by two links, one for each
/// way round, else by one.
pub fn ring_load(side: u64, twin: bool) -> f64 {
    let d = side as f64;
    match side {
        0 | 1 => 0.0,
        2 if twin => 0.25,
        2 => 0.5,
        _ if side.is_multiple_of(2) => d / 8.0,
        _ => (d * d - 1.0) / (8.0 * d),
    }
}

/// Load of the middle channels of a line of `side` chips.
pub fn line_load(side: u64) -> f64 {
    let d = side as f64;
    match side {
        0 | 1 => 0.0,
        _ if side.is_multiple_of(2) => d / 4.0,
        _ => (d * d - 1.0) / (4.0 * d),
    }
}
