//! Whether routers stand as the spec says, and what the cables between them come to.
//!
//! In: a topology with the lengths and links of its cables, and a placement. Out: everything that is claimed
//! of the cables, added up again. Cabinets hold what the spec allows, stand on places of their own, and every
//! cable is as long as the way between them. That clusters or places are the best is no claim; an annealed
//! floor is no longer than one in order, though.

use super::CheckError;
mod clusters;
mod order;
mod pod;

use fabc_base::ids::{Id, LinkId, LinkTypeId};
use fabc_ir::{Clusters, CrossConnects, FloorMetrics, Link, Placement, Topology};
use fabc_model::{Bundles, Clustering, Fabric, Floor, PlacementChoice, Plant};
use order::in_order;
use std::collections::{BTreeMap, BTreeSet};

/// Checks a placement, and the cables of a topology against it; returns what they come to.
///
/// # Errors
/// The first thing that is not as the spec, or the placement, says.
pub fn floor(
    fabric: &Fabric,
    floor: &Floor,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
    placement: &Placement,
) -> Result<FloorMetrics, CheckError> {
    let wrong = |what: String| CheckError::Floor { what, span: Some(floor.span) };
    let group = match (&fabric.plant, cross_connects) {
        (Plant::Network(network), _) => network.family.group_size(),
        (Plant::Pod(of), Some(through)) => {
            return pod::pod(fabric, floor, of, topology, through, placement).map_err(wrong);
        }
        (Plant::Pod(_), None) => return Err(wrong("a pod without its switches".to_owned())),
    };
    let clusters = match (&fabric.plant, floor.clustering) {
        (Plant::Network(network), Clustering::ByCluster) => {
            let [q, size] = network.family.plane().ok_or_else(|| wrong("clusters of no plane".to_owned()))?;
            Some(clusters::clusters(topology, q, size).map_err(wrong)?)
        }
        _ => None,
    };
    let fixed = clusters.as_ref().map(|of| of.cabinets(floor.cabinet));
    cabinets(floor, topology, placement, (group, fixed)).map_err(wrong)?;
    places(floor, placement).map_err(wrong)?;
    for (id, link) in topology.links().enumerate() {
        cable(fabric, floor, topology, placement, (id, link)).map_err(wrong)?;
    }
    if matches!(floor.placement, PlacementChoice::Annealed { .. }) {
        let in_order = Placement {
            place_of: (0..floor.cabinets).map(|cabinet| in_order(floor, cabinet)).collect(),
            ..placement.clone()
        };
        let all = |of: &Placement| {
            topology.links().iter().map(|link| u64::from(length(floor, of, link))).sum::<u64>()
        };
        let (has, least) = (all(placement), all(&in_order));
        if has > least {
            return Err(wrong(format!(
                "cables of {has} units of 0.1 m are longer than the {least} of cabinets in order"
            )));
        }
    }
    Ok(sums(fabric, floor, topology, placement, (group, clusters.map(|of| of.counted()))))
}

/// Every cabinet holds the routers that its clustering allows, and no more than fit.
fn cabinets(
    floor: &Floor,
    topology: &Topology,
    placement: &Placement,
    (group, fixed): (Option<u32>, Option<Vec<u32>>),
) -> Result<(), String> {
    if !placement.rack_of.is_empty() {
        return Err("a network has no switches".to_owned());
    }
    if placement.cabinet_of.len() != topology.node_count()
        || placement.place_of.len() != floor.cabinets as usize
    {
        let (routers, cabinets) = (placement.cabinet_of.len(), placement.place_of.len());
        return Err(format!(
            "{routers} routers in {cabinets} cabinets, but the spec has {} in {}",
            topology.node_count(),
            floor.cabinets
        ));
    }
    let mut held = vec![0u32; floor.cabinets as usize];
    for (router, &cabinet) in (0u32..).zip(&placement.cabinet_of) {
        let must = match (floor.clustering, group) {
            (Clustering::Sequential, _) => Some(router / floor.cabinet),
            (Clustering::ByGroup, Some(group)) => Some(router / group),
            (Clustering::ByCluster, _) => fixed.as_ref().map(|cabinets| cabinets[router as usize]),
            (Clustering::ByGroup, None) | (Clustering::Walktrap { .. }, _) => None,
        };
        if must.is_some_and(|must| must != cabinet) {
            return Err(format!(
                "router {router} stands in cabinet {cabinet}, but belongs in {}",
                must.unwrap_or(0)
            ));
        }
        match held.get_mut(cabinet as usize) {
            Some(held) => *held += 1,
            None => return Err(format!("router {router} stands in cabinet {cabinet}, which does not exist")),
        }
    }
    match held.iter().position(|&held| held == 0 || held > floor.cabinet) {
        Some(cabinet) => {
            Err(format!("cabinet {cabinet} holds {} routers, but must 1 to {}", held[cabinet], floor.cabinet))
        }
        None => Ok(()),
    }
}

/// Cabinets stand on places of the floor, each on its own; in order where they are not annealed.
fn places(floor: &Floor, placement: &Placement) -> Result<(), String> {
    let mut taken = BTreeSet::new();
    for (cabinet, &[row, column]) in (0u32..).zip(&placement.place_of) {
        if row >= floor.grid[0] || column >= floor.grid[1] {
            return Err(format!("cabinet {cabinet} stands in row {row}, column {column}, beyond the floor"));
        }
        if !taken.insert((row, column)) {
            return Err(format!(
                "cabinet {cabinet} stands in row {row}, column {column}, where another one stands"
            ));
        }
        let must = in_order(floor, cabinet);
        if floor.placement == PlacementChoice::InOrder && must != [row, column] {
            return Err(format!(
                "cabinet {cabinet} stands in row {row}, column {column}, but belongs in {}, {}",
                must[0], must[1]
            ));
        }
    }
    Ok(())
}

/// Length of a cable between the cabinets of its ends, 0.1 m.
fn length(floor: &Floor, placement: &Placement, link: &Link) -> u32 {
    let cabinet = |end: fabc_ir::End| placement.cabinet_of[end.node.index()];
    let (from, to) = (cabinet(link.a), cabinet(link.b));
    if from == to {
        return floor.inside;
    }
    let [a, b] = [from, to].map(|cabinet| placement.place_of[cabinet as usize].map(i64::from));
    let across = (a[1] - b[1]).unsigned_abs() as u32 * floor.pitch[0];
    let along = (a[0] - b[0]).unsigned_abs() as u32 * floor.pitch[1];
    floor.overhead + across + along + floor.overhead
}

/// A cable is as long as it must be, and of the link that its length says.
fn cable(
    fabric: &Fabric,
    floor: &Floor,
    topology: &Topology,
    placement: &Placement,
    (id, link): (LinkId, &Link),
) -> Result<(), String> {
    let (has, must) = (topology.length(id), length(floor, placement, link));
    let name = || topology.link_name(id);
    if has != must {
        return Err(format!("the cable {} has {has} units of 0.1 m, but its way has {must}", name()));
    }
    let Some(by_length) = &floor.by_length else { return Ok(()) };
    let shorter = by_length.up_to.iter().filter(|(_, most)| *most < must).count();
    match by_length.up_to.get(shorter).map(|(of, _)| *of).or(by_length.beyond) {
        Some(of) if of == link.link_type => Ok(()),
        Some(of) => {
            Err(format!("the cable {} must be of `{}`, by its length", name(), fabric.link_types[of].name))
        }
        None => Err(format!("the cable {} is longer than any link", name())),
    }
}

/// Adds everything up, by declared link.
fn sums(
    fabric: &Fabric,
    floor: &Floor,
    topology: &Topology,
    placement: &Placement,
    (group, clusters): (Option<u32>, Option<Clusters>),
) -> FloorMetrics {
    let mut of_type: BTreeMap<LinkTypeId, Vec<u32>> = BTreeMap::new();
    let (mut between, mut bundles) = (Vec::new(), BTreeMap::<_, u64>::new());
    for (id, link) in topology.links().enumerate() {
        let length = topology.length(id);
        of_type.entry(link.link_type).or_default().push(length);
        let cabinet = |end: fabc_ir::End| placement.cabinet_of[end.node.index()];
        if cabinet(link.a) != cabinet(link.b) {
            between.push(u64::from(length));
        }
        let of = |end: fabc_ir::End| match (floor.bundles, group) {
            (Bundles::ByGroup, Some(group)) => end.node.0 / group,
            _ => cabinet(end),
        };
        let (one, other) = (of(link.a), of(link.b));
        if one != other {
            *bundles.entry((one.max(other), one.min(other))).or_default() += 1;
        }
    }
    let total = |lengths: &[u32]| lengths.iter().map(|&length| u64::from(length)).sum::<u64>();
    let price = |(of, lengths): (&LinkTypeId, &Vec<u32>)| {
        let declared = &fabric.link_types[*of];
        let laid = (u128::from(declared.cost[0]) + u128::from(floor.install)) * lengths.len() as u128;
        laid * 10 + u128::from(total(lengths)) * u128::from(declared.cost[1])
    };
    FloorMetrics {
        cables: of_type.values().map(|lengths| lengths.len() as u64).sum(),
        between: between.len() as u64,
        lengths: [of_type.values().map(|lengths| total(lengths)).sum(), between.iter().sum()],
        longest: of_type.values().flatten().copied().max().unwrap_or(0),
        cost: of_type.iter().map(price).sum(),
        power_mw: of_type
            .iter()
            .map(|(of, lengths)| fabric.link_types[*of].power_mw * lengths.len() as u64)
            .sum(),
        bundles: bundles.len() as u64,
        bundled: [bundles.values().sum(), bundles.into_values().max().unwrap_or(0)],
        clusters,
        by_type: of_type.iter().map(|(of, lengths)| (*of, lengths.len() as u64, total(lengths))).collect(),
    }
}
