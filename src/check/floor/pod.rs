//! The floor of a pod: its cubes are the cabinets, and racks of switches stand where the spec says.
//!
//! In: a pod with the ways of its links, the switch of every link, and a placement. Out: what its cables come
//! to, counted by cube and rack: copper within cubes, and a fiber from every face port to its switch. The way
//! of a link through a switch is that of two fibers.

use super::order::in_order;
use fabc_base::ids::{Id, LinkTypeId};
use fabc_ir::{CrossConnects, FloorMetrics, Placement, Topology};
use fabc_model::{Fabric, Filling, Floor, PlacementChoice, Pod, RackPlaces};
use std::collections::{BTreeMap, BTreeSet};

/// Checks where cubes and racks stand, and every way; returns what the cables come to.
pub(super) fn pod(
    fabric: &Fabric,
    floor: &Floor,
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
    placement: &Placement,
) -> Result<FloorMetrics, String> {
    let racks = racks(floor);
    stands(floor, pod, &racks, placement)?;
    let fibers = fibers(floor, pod);
    if matches!(floor.placement, PlacementChoice::Annealed { .. }) {
        let total = |places: &[[u32; 2]]| {
            let of = |(&(cube, rack, _), count): (&(u32, u32, LinkTypeId), &u64)| {
                count * u64::from(apart(floor, places[cube as usize], places[rack as usize]))
            };
            fibers.iter().map(of).sum::<u64>()
        };
        let (has, least) = (total(&placement.place_of), total(&ordered(floor, pod, &racks)));
        if has > least {
            return Err(format!(
                "fibers of {has} units of 0.1 m are longer than the {least} of cubes in order"
            ));
        }
    }
    ways(floor, pod, topology, cross_connects, placement)?;
    Ok(sums(fabric, floor, topology, cross_connects, placement, &fibers))
}

/// Row and column of every rack.
fn racks(floor: &Floor) -> Vec<[u32; 2]> {
    let Some(racks) = floor.racks else { return Vec::new() };
    let columns = floor.grid[1];
    let place = |rack: u32| match racks.at {
        // The last column that does not lie beyond the middle of the rack's share of the row.
        RackPlaces::Row(row) => {
            let reached = |column: &u32| 2 * racks.count * column <= (2 * rack + 1) * columns;
            [row, (0..columns).rev().find(reached).unwrap_or(0)]
        }
        RackPlaces::From([row, column]) => {
            let turned = row % 2 == 1 && floor.order == Filling::Serpentine;
            in_order(floor, row * columns + if turned { columns - 1 - column } else { column } + rack)
        }
    };
    (0..racks.count).map(place).collect()
}

/// Where all would stand with the cubes in order: each on the next place that no rack takes.
fn ordered(floor: &Floor, pod: &Pod, racks: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let taken: BTreeSet<[u32; 2]> = racks.iter().copied().collect();
    let mut places = Vec::new();
    let mut next = 0;
    while places.len() < pod.cubes as usize {
        let place = in_order(floor, next);
        if !taken.contains(&place) {
            places.push(place);
        }
        next += 1;
    }
    places.extend_from_slice(racks);
    places
}

/// Every chip stands with its cube, every switch in its rack, every rack on its place, every cube on one of
/// its own.
fn stands(floor: &Floor, pod: &Pod, racks: &[[u32; 2]], placement: &Placement) -> Result<(), String> {
    let (chips, switches) = (pod.node_count(), pod.ocses.len());
    let cabinets = pod.cubes as usize + racks.len();
    let found = [placement.cabinet_of.len(), placement.rack_of.len(), placement.place_of.len()];
    if found != [chips, switches, cabinets] {
        return Err(format!(
            "{found:?} chips, switches and cabinets, but the spec has {:?}",
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
        let must = pod.cubes as usize + switch / holds;
        if must != rack as usize {
            return Err(format!("the switch {switch} stands in cabinet {rack}, but belongs in {must}"));
        }
    }
    let mut taken = BTreeSet::new();
    let ordered = ordered(floor, pod, racks);
    for (cabinet, (&place, &must)) in placement.place_of.iter().zip(&ordered).enumerate() {
        let [row, column] = place;
        if row >= floor.grid[0] || column >= floor.grid[1] || !taken.insert(place) {
            return Err(format!(
                "cabinet {cabinet} stands in row {row}, column {column}, beyond the floor or where another one stands"
            ));
        }
        let fixed = cabinet >= pod.cubes as usize || floor.placement == PlacementChoice::InOrder;
        if fixed && place != must {
            return Err(format!(
                "cabinet {cabinet} stands in row {row}, column {column}, but belongs in {}, {}",
                must[0], must[1]
            ));
        }
    }
    Ok(())
}

/// Length of a cable between two places, 0.1 m.
fn apart(floor: &Floor, one: [u32; 2], other: [u32; 2]) -> u32 {
    let along = |axis: usize| one[axis].max(other[axis]) - one[axis].min(other[axis]);
    floor.pitch[1] * along(0) + floor.pitch[0] * along(1) + 2 * floor.overhead
}

/// How many fibers run from a cube to a rack, by declared link: from every face port to its switch.
fn fibers(floor: &Floor, pod: &Pod) -> BTreeMap<(u32, u32, LinkTypeId), u64> {
    let mut fibers = BTreeMap::new();
    let holds = floor.racks.map_or(1, |racks| racks.holds);
    for (switch, of) in (0u32..).zip(pod.ocses.iter()) {
        for face in [&of.a, &of.b].into_iter().flatten() {
            *fibers.entry((face.cube.0, pod.cubes + switch / holds, of.link)).or_default() += 1;
        }
    }
    fibers
}

/// Every link is as long as its way: within a cube, or from cube to rack to cube.
fn ways(
    floor: &Floor,
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
    placement: &Placement,
) -> Result<(), String> {
    let place = |cabinet: u32| placement.place_of[cabinet as usize];
    for (id, link) in topology.links().enumerate() {
        let must = match cross_connects.ocs_of[id] {
            None => floor.inside,
            Some(ocs) => {
                let rack = place(placement.rack_of[ocs.index()]);
                let to = |end: fabc_ir::End| apart(floor, place(pod.cube_of(end.node).0), rack);
                to(link.a) + to(link.b)
            }
        };
        if topology.length(id) != must {
            let (has, name) = (topology.length(id), topology.link_name(id));
            return Err(format!("the link {name} has {has} units of 0.1 m, but its way has {must}"));
        }
    }
    Ok(())
}

/// Adds up the copper and the fibers.
fn sums(
    fabric: &Fabric,
    floor: &Floor,
    topology: &Topology,
    cross_connects: &CrossConnects,
    placement: &Placement,
    fibers: &BTreeMap<(u32, u32, LinkTypeId), u64>,
) -> FloorMetrics {
    let mut of_type: BTreeMap<LinkTypeId, (u64, u64)> = BTreeMap::new();
    let copper = topology.links().enumerate().filter(|(id, _)| cross_connects.ocs_of[*id].is_none());
    for (_, link) in copper {
        let (cables, length) = of_type.entry(link.link_type).or_default();
        *cables += 1;
        *length += u64::from(floor.inside);
    }
    let mut longest = if of_type.is_empty() { 0 } else { floor.inside };
    let (mut between, mut length_between) = (0, 0);
    let mut bundles: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (&(cube, rack, of), &count) in fibers {
        let length = apart(floor, placement.place_of[cube as usize], placement.place_of[rack as usize]);
        let (cables, all) = of_type.entry(of).or_default();
        *cables += count;
        *all += count * u64::from(length);
        between += count;
        length_between += count * u64::from(length);
        longest = longest.max(length);
        *bundles.entry((cube, rack)).or_default() += count;
    }
    let price = |(of, &(cables, length)): (&LinkTypeId, &(u64, u64))| {
        let [once, per_metre] = fabric.link_types[*of].cost.map(u128::from);
        u128::from(cables) * (once + u128::from(floor.install)) * 10 + u128::from(length) * per_metre
    };
    FloorMetrics {
        cables: of_type.values().map(|(cables, _)| cables).sum(),
        between,
        lengths: [of_type.values().map(|(_, length)| length).sum(), length_between],
        longest,
        cost: of_type.iter().map(price).sum(),
        power_mw: of_type.iter().map(|(of, (cables, _))| cables * fabric.link_types[*of].power_mw).sum(),
        bundles: bundles.len() as u64,
        bundled: [between, bundles.values().copied().max().unwrap_or(0)],
        clusters: None,
        by_type: of_type.into_iter().map(|(of, (cables, length))| (of, cables, length)).collect(),
    }
}
