//! Routers into cabinets, and cabinets onto the floor.
//!
//! In: a topology and the floor that the spec declares. Out: a [`Placement`]. Which routers share a cabinet
//! is decided first (*clustering*), then where cabinets stand (*placement*), so that all cables together are
//! short; what is best is not claimed. Work is counted, never timed: see the files of each.

mod anneal;
mod cables;
mod error;
mod refine;
mod walktrap;

pub use error::NoLink;

use crate::ir::{PassRecord, Placement, Topology};
use crate::model::{Clustering, Filling, Floor, PlacementChoice};
use cables::Cables;

/// Places the routers of a topology; `group` are the routers of a group, where there are groups.
pub fn place(floor: &Floor, topology: &Topology, group: Option<u32>) -> (Placement, PassRecord) {
    let routers = topology.node_count() as u32;
    let together = |size: u32| (0..routers).map(|router| router / size).collect();
    let cabinet_of: Vec<u32> = match (floor.clustering, group) {
        (Clustering::Walktrap { steps }, _) => walktrap::cabinets(topology, floor.cabinet, floor.cabinets, steps),
        (Clustering::ByGroup, Some(group)) => together(group),
        (Clustering::Sequential | Clustering::ByGroup, _) => together(floor.cabinet),
    };
    let cables = Cables::new(topology, &cabinet_of, floor.cabinets as usize);
    let places: Vec<[u32; 2]> = (0..floor.grid[0] * floor.grid[1]).map(|place| at(floor, place)).collect();
    let mut counters = vec![("cabinets".to_owned(), u64::from(floor.cabinets))];
    let taken = match floor.placement {
        PlacementChoice::InOrder => (0..floor.cabinets).collect(),
        PlacementChoice::Annealed { effort, seed } => {
            let found = anneal::anneal(&cables, &places, floor.pitch, effort, seed);
            counters.extend([("moves".to_owned(), found.moves), ("exchanges".to_owned(), found.exchanges)]);
            found.place_of
        }
    };
    let placement = Placement { cabinet_of, place_of: taken.iter().map(|&place| places[place as usize]).collect() };
    let record = PassRecord { name: "place".to_owned(), stopped_by: "done".to_owned(), counters, notes: Vec::new() };
    (placement, record)
}

/// Row and column of a place, in the order in which the floor is filled.
fn at(floor: &Floor, place: u32) -> [u32; 2] {
    let columns = floor.grid[1];
    let (row, column) = (place / columns, place % columns);
    match floor.order {
        Filling::Serpentine if row % 2 == 1 => [row, columns - 1 - column],
        Filling::Serpentine | Filling::RowMajor => [row, column],
    }
}
