//! Channel loads of an all-to-all on a ring or a line, in vectors of a chip.
//!
//! Every chip sends the N-th part of its vector to every other chip over shortest paths, half in each
//! direction where both are equally short. The load does not depend on the other axes of a torus or mesh. The
//! lines along an axis hold all N chips, and each chip sends along its line as if that line were alone.

/// Load of every channel of a ring of `side` chips. With `twin`, two chips are joined by two links, one per
/// direction, and otherwise by one.
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
