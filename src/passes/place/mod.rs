//! Routers into cabinets, and cabinets onto the floor.
//!
//! Input: a topology and the floor that the spec declares. Output: a [`Placement`]. First the pass decides
//! which routers share a cabinet (*clustering*). Then it decides where cabinets stand (*placement*), so that
//! all cables together are short. The result is not claimed to be optimal. Work is counted, never timed: see
//! each file.

mod anneal;
mod boxes;
mod cables;
mod error;
mod neighbors;
mod refine;
mod shorten;
mod walktrap;

pub use error::NoLink;

use cables::Cables;
use fabc_base::algebra::ProjectivePlane;
use fabc_ir::{PassRecord, Placement, Topology};
use fabc_model::{Clustering, Family, Filling, Floor, PlacementChoice, Pod, RackPlaces, Racks};
use neighbors::neighbors;
use shorten::RouterFloor;

/// Places the routers of a topology. `family` gives the size of groups and the clusters of a plane.
pub fn place(floor: &Floor, topology: &Topology, family: &Family) -> (Placement, PassRecord) {
    let group = family.group_size();
    let routers = topology.node_count() as u32;
    if let Family::Boxes(boxes) = family {
        return stand_cabinets(floor, topology, boxes::racks_of_parts(floor, boxes, routers));
    }
    let cabinets_of = |size: u32| (0..routers).map(|router| router / size).collect();
    let cabinet_of: Vec<u32> = match (floor.clustering, group) {
        (Clustering::ByCluster, _) => by_cluster(floor, family),
        (Clustering::Walktrap { steps }, _) => {
            walktrap::cabinets(topology, floor.cabinet, floor.cabinets, steps)
        }
        (Clustering::ByGroup, Some(group)) => cabinets_of(group),
        (Clustering::Sequential | Clustering::ByGroup, _) => cabinets_of(floor.cabinet),
    };
    match (floor.clustering, floor.placement) {
        (Clustering::Walktrap { .. }, PlacementChoice::Annealed { effort, seed }) => {
            shorten_cables(floor, topology, cabinet_of, effort, seed)
        }
        _ => stand_cabinets(floor, topology, cabinet_of),
    }
}

/// Places the cabinets that hold these routers.
fn stand_cabinets(floor: &Floor, topology: &Topology, cabinet_of: Vec<u32>) -> (Placement, PassRecord) {
    let cables = Cables::new(topology, &cabinet_of, floor.cabinets as usize);
    let places: Vec<[u32; 2]> =
        (0..floor.grid[0] * floor.grid[1]).map(|place| at_place(floor, place)).collect();
    let (place_of, record) = choose_places(floor, &cables, floor.cabinets as usize, &places);
    (Placement { cabinet_of, rack_of: Vec::new(), place_of }, record)
}

/// Starts from cabinets by walks, or from cabinets filled in order if those have shorter cables. Then routers
/// change cabinets.
fn shorten_cables(
    floor: &Floor,
    topology: &Topology,
    by_walks: Vec<u32>,
    effort: u32,
    seed: u64,
) -> (Placement, PassRecord) {
    let total_length = |placement: &Placement| {
        topology
            .links()
            .iter()
            .map(|link| u64::from(placement.length(floor, [link.a.node, link.b.node])))
            .sum::<u64>()
    };
    let in_order = in_order(floor, topology.node_count() as u32);
    let [(walked, walked_record), (ordered, ordered_record)] =
        [by_walks, in_order.cabinet_of].map(|cabinet_of| stand_cabinets(floor, topology, cabinet_of));
    let kept_order = total_length(&ordered) < total_length(&walked);
    let (start, mut record) = if kept_order { (ordered, ordered_record) } else { (walked, walked_record) };
    let neighbors = neighbors(topology);
    let position = |&[row, column]: &[u32; 2]| [column * floor.pitch[0], row * floor.pitch[1]].map(i64::from);
    let router_floor = RouterFloor {
        neighbors: &neighbors,
        positions: start.place_of.iter().map(position).collect(),
        capacity: floor.cabinet as usize,
        inside: floor.inside.into(),
        overhead: 2 * i64::from(floor.overhead),
    };
    let (cabinet_of, moves) = router_floor.shorten_cables(&start.cabinet_of, effort, seed);
    record
        .counters
        .extend([("kept_order".to_owned(), kept_order.into()), ("routers_moved".to_owned(), moves)]);
    // The places were chosen for other cabinets. Places in order may be better now.
    let shorten_cables = Placement { cabinet_of, ..start };
    let stand_in_order = Placement { place_of: in_order.place_of, ..shorten_cables.clone() };
    (
        if total_length(&stand_in_order) < total_length(&shorten_cables) {
            stand_in_order
        } else {
            shorten_cables
        },
        record,
    )
}

/// Fills cabinets with routers in order, and places with cabinets in order.
pub fn in_order(floor: &Floor, routers: u32) -> Placement {
    let cabinet_of = (0..routers).map(|router| router / floor.cabinet).collect();
    Placement {
        cabinet_of,
        rack_of: Vec::new(),
        place_of: (0..floor.cabinets).map(|place| at_place(floor, place)).collect(),
    }
}

/// `[router]`: its cabinet, where clusters of the projective plane stand together. A cluster fills cabinets
/// of its own, with as many points as fit each.
fn by_cluster(floor: &Floor, family: &Family) -> Vec<u32> {
    let [q, size] = family.plane().expect("clusters are of a plane");
    let clusters = ProjectivePlane::new(q).clusters();
    let points = (floor.cabinet / size) as usize;
    let mut cabinet_of = vec![0; clusters.len() * size as usize];
    let mut cabinet = 0;
    for cluster in 0..=clusters.iter().copied().max().unwrap_or(0) {
        let members: Vec<usize> = (0..clusters.len()).filter(|&point| clusters[point] == cluster).collect();
        for points_of_cabinet in members.chunks(points) {
            points_of_cabinet
                .iter()
                .for_each(|&point| cabinet_of[point * size as usize..][..size as usize].fill(cabinet));
            cabinet += 1;
        }
    }
    cabinet_of
}

/// Places the cubes of a pod, each a cabinet, and the racks of its switches. The racks stand where the spec
/// says.
pub fn place_pod(floor: &Floor, pod: &Pod) -> (Placement, PassRecord) {
    let per_cube = pod.chips_per_cube();
    let cabinet_of = (0..pod.node_count() as u32).map(|chip| chip / per_cube).collect();
    let per_rack = floor.racks.map_or(1, |racks| racks.holds);
    let rack_of: Vec<u32> = (0..pod.ocses.len() as u32).map(|ocs| pod.cubes + ocs / per_rack).collect();
    let racks: Vec<[u32; 2]> = floor.racks.map_or_else(Vec::new, |racks| rack_places(floor, racks));
    // Cubes in order, then the racks, then the free places.
    let all_places = (0..floor.grid[0] * floor.grid[1]).map(|place| at_place(floor, place));
    let mut places: Vec<[u32; 2]> = all_places.filter(|place| !racks.contains(place)).collect();
    let free_places = places.split_off(pod.cubes as usize);
    places.extend(racks.into_iter().chain(free_places));
    let cables = Cables::of_pod(pod, &rack_of, floor.cabinets as usize);
    let (place_of, record) = choose_places(floor, &cables, pod.cubes as usize, &places);
    (Placement { cabinet_of, rack_of, place_of }, record)
}

/// Row and column of every rack.
fn rack_places(floor: &Floor, racks: Racks) -> Vec<[u32; 2]> {
    let [rows, columns] = floor.grid;
    match racks.place {
        RackPlaces::Row(row) => {
            (0..racks.count).map(|rack| [row, (2 * rack + 1) * columns / (2 * racks.count)]).collect()
        }
        RackPlaces::From(first) => {
            let order =
                (0..rows * columns).map(|place| at_place(floor, place)).skip_while(|place| *place != first);
            order.take(racks.count as usize).collect()
        }
    }
}

/// The places of cabinets: in order, or annealed for short cables. In the second case only the first `free`
/// cabinets move.
fn choose_places(
    floor: &Floor,
    cables: &Cables,
    free: usize,
    places: &[[u32; 2]],
) -> (Vec<[u32; 2]>, PassRecord) {
    let mut counters = vec![("cabinets".to_owned(), u64::from(floor.cabinets))];
    let place_numbers: Vec<u32> = match floor.placement {
        PlacementChoice::InOrder => (0..floor.cabinets).collect(),
        PlacementChoice::Annealed { effort, seed } => {
            let annealed = anneal::anneal(cables, free, places, floor.pitch, effort, seed);
            counters
                .extend([("moves".to_owned(), annealed.moves), ("exchanges".to_owned(), annealed.exchanges)]);
            annealed.place_of
        }
    };
    let record =
        PassRecord { name: "place".to_owned(), stopped_by: "done".to_owned(), counters, notes: Vec::new() };
    (place_numbers.iter().map(|&place| places[place as usize]).collect(), record)
}

/// Row and column of a place, in the order in which the floor is filled.
fn at_place(floor: &Floor, place: u32) -> [u32; 2] {
    let columns = floor.grid[1];
    let (row, column) = (place / columns, place % columns);
    match floor.order {
        Filling::Serpentine if row % 2 == 1 => [row, columns - 1 - column],
        Filling::Serpentine | Filling::RowMajor => [row, column],
    }
}
