//! Rows and columns of places.

/// Places along a side of the floor.
pub(super) const SIDE: i64 = 1 << 12;

/// Rows and columns of so many cabinets: as declared, or as square as can be.
pub(super) fn grid_of(declared: [u32; 2], cabinets: u32) -> [u32; 2] {
    if declared[0] > 0 {
        return declared;
    }
    let least = cabinets.isqrt();
    let rows = if least * least < cabinets { least + 1 } else { least };
    [rows, cabinets.div_ceil(rows.max(1))]
}

/// What is wrong with a grid that has too few places.
pub(super) fn too_small(grid: [u32; 2], cabinets: u32) -> Option<String> {
    let small = u64::from(grid[0]) * u64::from(grid[1]) < u64::from(cabinets);
    let problem = || {
        format!(
            "{} rows of {} have {} places, but there are {cabinets} cabinets",
            grid[0],
            grid[1],
            grid[0] * grid[1]
        )
    };
    small.then(problem)
}
