//! The grid of cabinets on the floor: rows and columns of places.

/// The most places along a side of the floor.
pub(super) const SIDE: i64 = 1 << 12;

/// The rows and columns for a number of cabinets: as declared, or as square as possible.
pub(super) fn fit_grid(declared: [u32; 2], cabinets: u32) -> [u32; 2] {
    if declared[0] > 0 {
        return declared;
    }
    let side = cabinets.isqrt();
    let rows = if side * side < cabinets { side + 1 } else { side };
    [rows, cabinets.div_ceil(rows.max(1))]
}

/// The problem of a grid that has too few places.
pub(super) fn grid_problem(grid: [u32; 2], cabinets: u32) -> Option<String> {
    let small = u64::from(grid[0]) * u64::from(grid[1]) < u64::from(cabinets);
    let problem = || {
        let [rows, columns] = grid;
        let (rows_of, have) = if rows == 1 { ("row of", "has") } else { ("rows of", "have") };
        let places = rows * columns;
        format!("{rows} {rows_of} {columns} {have} {places} places, but there are {cabinets} cabinets")
    };
    small.then(problem)
}
