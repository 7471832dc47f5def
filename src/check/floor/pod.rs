//! Verifies the floor of a pod. Its cubes are the cabinets, and racks of switches stand where the spec says.
//!
//! Input: a pod with the lengths of its links, the switch of every link, and a placement. Output: the totals
//! of its cables: copper within cubes, and one fiber from every face port to its switch. A link through a
//! switch consists of two fibers.

use super::order::place_in_order;
use fabc_base::ids::{Id, LinkTypeId};
use fabc_ir::{CrossConnects, FloorMetrics, Placement, Topology};
use fabc_model::{Fabric, Filling, Floor, PlacementChoice, Pod, RackPlaces};
use std::collections::{BTreeMap, BTreeSet};

/// Verifies the places of cubes and racks, and the length of every link. Returns the totals of the cables.
pub(super) fn verify_pod_floor(
    fabric: &Fabric,
    floor: &Floor,
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
    placement: &Placement,
) -> Result<FloorMetrics, String> {
    let racks = rack_places(floor);
    verify_places(floor, pod, &racks, placement)?;
    let fibers = count_fibers(floor, pod);
    if matches!(floor.placement, PlacementChoice::Annealed { .. }) {
        let total = |places: &[[u32; 2]]| {
            let fiber_length = |(&(cube, rack, _), count): (&(u32, u32, LinkTypeId), &u64)| {
                count * u64::from(cable_length(floor, places[cube as usize], places[rack as usize]))
            };
            fibers.iter().map(fiber_length).sum::<u64>()
        };
        let (annealed, ordered) = (total(&placement.place_of), total(&places_in_order(floor, pod, &racks)));
        if annealed > ordered {
            return Err(format!(
                "fibers of {annealed} units of 0.1 m are longer than the {ordered} of cubes in order"
            ));
        }
    }
    verify_lengths(floor, pod, topology, cross_connects, placement)?;
    Ok(total_cables(fabric, floor, topology, cross_connects, placement, &fibers))
}

/// The place of every rack, as `[row, column]`.
fn rack_places(floor: &Floor) -> Vec<[u32; 2]> {
    let Some(racks) = floor.racks else { return Vec::new() };
    let columns = floor.grid[1];
    let place = |rack: u32| match racks.place {
        // The last column that does not lie beyond the middle of the rack's share of the row.
        RackPlaces::Row(row) => {
            let reached = |column: &u32| 2 * racks.count * column <= (2 * rack + 1) * columns;
            [row, (0..columns).rev().find(reached).unwrap_or(0)]
        }
        RackPlaces::From([row, column]) => {
            let is_reversed = row % 2 == 1 && floor.order == Filling::Serpentine;
            place_in_order(
                floor,
                row * columns + if is_reversed { columns - 1 - column } else { column } + rack,
            )
        }
    };
    (0..racks.count).map(place).collect()
}

/// The places of all cabinets if cubes are in order: each cube on the next place without a rack.
fn places_in_order(floor: &Floor, pod: &Pod, racks: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let taken: BTreeSet<[u32; 2]> = racks.iter().copied().collect();
    let mut places = Vec::new();
    let mut next = 0;
    while places.len() < pod.cubes as usize {
        let place = place_in_order(floor, next);
        if !taken.contains(&place) {
            places.push(place);
        }
        next += 1;
    }
    places.extend_from_slice(racks);
    places
}

/// Verifies the cabinet of every chip and switch, and the place of every rack and cube.
fn verify_places(floor: &Floor, pod: &Pod, racks: &[[u32; 2]], placement: &Placement) -> Result<(), String> {
    let (chips, switches) = (pod.node_count(), pod.ocses.len());
    let cabinets = pod.cubes as usize + racks.len();
    let counts = [placement.cabinet_of.len(), placement.rack_of.len(), placement.place_of.len()];
    if counts != [chips, switches, cabinets] {
        return Err(format!(
            "{counts:?} chips, switches and cabinets, but the spec has {:?}",
            [chips, switches, cabinets]
        ));
    }
    for (chip, &cabinet) in placement.cabinet_of.iter().enumerate() {
        let cube = chip / (pod.cube.dims[0] * pod.cube.dims[1] * pod.cube.dims[2]) as usize;
        if cube != cabinet as usize {
            return Err(format!("chip {chip} stands in cabinet {cabinet}, but belongs to cube {cube}"));
        }
    }
    let holds = floor.racks.map_or(1, |racks| racks.holds as usize);
    for (switch, &rack) in placement.rack_of.iter().enumerate() {
        let expected = pod.cubes as usize + switch / holds;
        if expected != rack as usize {
            return Err(format!("the switch {switch} stands in cabinet {rack}, but belongs in {expected}"));
        }
    }
    let mut taken = BTreeSet::new();
    let ordered = places_in_order(floor, pod, racks);
    for (cabinet, (&place, &expected)) in placement.place_of.iter().zip(&ordered).enumerate() {
        let [row, column] = place;
        if row >= floor.grid[0] || column >= floor.grid[1] || !taken.insert(place) {
            return Err(format!(
                "cabinet {cabinet} stands in row {row}, column {column}, beyond the floor or where another one stands"
            ));
        }
        let fixed = cabinet >= pod.cubes as usize || floor.placement == PlacementChoice::InOrder;
        if fixed && place != expected {
            return Err(format!(
                "cabinet {cabinet} stands in row {row}, column {column}, but belongs in {}, {}",
                expected[0], expected[1]
            ));
        }
    }
    Ok(())
}

/// Length of a cable between two places, in 0.1 m.
fn cable_length(floor: &Floor, from: [u32; 2], to: [u32; 2]) -> u32 {
    let along = |axis: usize| from[axis].max(to[axis]) - from[axis].min(to[axis]);
    floor.pitch[1] * along(0) + floor.pitch[0] * along(1) + 2 * floor.overhead
}

/// The number of fibers from a cube to a rack, by (cube, rack, link type). One runs from every face port to
/// its switch.
fn count_fibers(floor: &Floor, pod: &Pod) -> BTreeMap<(u32, u32, LinkTypeId), u64> {
    let mut fibers = BTreeMap::new();
    let holds = floor.racks.map_or(1, |racks| racks.holds);
    for (switch, ocs) in (0u32..).zip(pod.ocses.iter()) {
        for face in [&ocs.a, &ocs.b].into_iter().flatten() {
            *fibers.entry((face.cube.0, pod.cubes + switch / holds, ocs.link)).or_default() += 1;
        }
    }
    fibers
}

/// Verifies the length of every link: within a cube, or from cube to rack to cube.
fn verify_lengths(
    floor: &Floor,
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
    placement: &Placement,
) -> Result<(), String> {
    let place = |cabinet: u32| placement.place_of[cabinet as usize];
    for (id, link) in topology.links().enumerate() {
        let expected = match cross_connects.ocs_of[id] {
            None => floor.inside,
            Some(ocs) => {
                let rack = place(placement.rack_of[ocs.index()]);
                let to = |end: fabc_ir::End| cable_length(floor, place(pod.cube_of(end.node).0), rack);
                to(link.a) + to(link.b)
            }
        };
        if topology.length(id) != expected {
            let (measured, name) = (topology.length(id), topology.link_name(id));
            return Err(format!(
                "the link {name} is {measured} units of 0.1 m long, but its cabinets are {expected} apart"
            ));
        }
    }
    Ok(())
}

/// The totals of copper and fibers.
fn total_cables(
    fabric: &Fabric,
    floor: &Floor,
    topology: &Topology,
    cross_connects: &CrossConnects,
    placement: &Placement,
    fibers: &BTreeMap<(u32, u32, LinkTypeId), u64>,
) -> FloorMetrics {
    let mut totals_by_type: BTreeMap<LinkTypeId, (u64, u64)> = BTreeMap::new();
    let copper = topology.links().enumerate().filter(|(id, _)| cross_connects.ocs_of[*id].is_none());
    for (_, link) in copper {
        let (cables, length) = totals_by_type.entry(link.link_type).or_default();
        *cables += 1;
        *length += u64::from(floor.inside);
    }
    let mut longest = if totals_by_type.is_empty() { 0 } else { floor.inside };
    let (mut between, mut length_between) = (0, 0);
    let mut bundles: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (&(cube, rack, link_type), &count) in fibers {
        let length =
            cable_length(floor, placement.place_of[cube as usize], placement.place_of[rack as usize]);
        let (cables, total_length) = totals_by_type.entry(link_type).or_default();
        *cables += count;
        *total_length += count * u64::from(length);
        between += count;
        length_between += count * u64::from(length);
        longest = longest.max(length);
        *bundles.entry((cube, rack)).or_default() += count;
    }
    let price = |(link_type, &(cables, length)): (&LinkTypeId, &(u64, u64))| {
        let [once, per_metre] = fabric.link_types[*link_type].cost.map(u128::from);
        u128::from(cables) * (once + u128::from(floor.install)) * 10 + u128::from(length) * per_metre
    };
    FloorMetrics {
        cables: totals_by_type.values().map(|(cables, _)| cables).sum(),
        between,
        lengths: [totals_by_type.values().map(|(_, length)| length).sum(), length_between],
        longest,
        cost: totals_by_type.iter().map(price).sum(),
        power_mw: totals_by_type
            .iter()
            .map(|(link_type, (cables, _))| cables * fabric.link_types[*link_type].power_mw)
            .sum(),
        bundles: bundles.len() as u64,
        bundled: [between, bundles.values().copied().max().unwrap_or(0)],
        clusters: None,
        by_type: totals_by_type
            .into_iter()
            .map(|(link_type, (cables, length))| (link_type, cables, length))
            .collect(),
    }
}
