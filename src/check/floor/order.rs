//! The order in which the places of a floor are filled.

use fabc_model::{Filling, Floor};

/// The row and column of a cabinet on a floor that is filled in order, as `[row, column]`.
pub(super) fn place_in_order(floor: &Floor, cabinet: u32) -> [u32; 2] {
    let columns = floor.grid[1];
    let row = cabinet / columns;
    let along = cabinet - row * columns;
    let backward = floor.order == Filling::Serpentine && row & 1 == 1;
    [row, if backward { columns - along - 1 } else { along }]
}
