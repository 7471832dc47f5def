//! Verifies that routers stand where the spec says, and totals the cables between them.
//!
//! Input: a topology with the lengths and links of its cables, and a placement. Output: every claimed total
//! of the cables. Cabinets must hold what the spec allows and stand on places of their own. Every cable must
//! be as long as the distance between its cabinets. The checker does not prove that clusters or places are
//! optimal. It proves that an annealed floor is no longer than one in order.

use super::CheckError;
mod clusters;
mod order;
mod pod;
mod racks;

use fabc_base::ids::{Id, LinkId, LinkTypeId};
use fabc_ir::{ClusterPairs, CrossConnects, FloorMetrics, Link, Placement, Topology};
use fabc_model::{Bundling, Clustering, Fabric, Floor, PlacementChoice, Plant};
use order::place_in_order;
use racks::BoxedParts;
use std::collections::{BTreeMap, BTreeSet};

/// Verifies a placement, and the cables of a topology against it. Returns the totals of the cables.
///
/// # Errors
/// The first router, cabinet or cable that contradicts the spec or the placement.
pub fn verify_floor(
    fabric: &Fabric,
    floor: &Floor,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
    placement: &Placement,
) -> Result<FloorMetrics, CheckError> {
    let violation = |text: String| CheckError::Floor { violation: text, span: Some(floor.span) };
    let group = match (&fabric.plant, cross_connects) {
        (Plant::Network(network), _) => network.family.group_size(),
        (Plant::Pod(pod), Some(cross_connects)) => {
            return pod::verify_pod_floor(fabric, floor, pod, topology, cross_connects, placement)
                .map_err(violation);
        }
        (Plant::Pod(_), None) => {
            return Err(violation("the cross-connects of the pod are missing".to_owned()));
        }
    };
    let clusters = match (&fabric.plant, floor.clustering) {
        (Plant::Network(network), Clustering::ByCluster) => {
            let [q, size] = network.family.plane().ok_or_else(|| {
                violation("the network has no clusters: its family has no plane".to_owned())
            })?;
            Some(clusters::find_clusters(topology, q, size).map_err(violation)?)
        }
        _ => None,
    };
    let parts = BoxedParts::new(fabric.boxes(), topology.node_count());
    let laid = LaidCables { fabric, floor, topology, placement, parts: &parts };
    if fabric.boxes().is_some() {
        laid.verify_racks().map_err(violation)?;
    } else {
        let fixed = clusters.as_ref().map(|points| points.cabinets_of_routers(floor.cabinet));
        verify_cabinets(floor, topology, placement, group, fixed.as_deref()).map_err(violation)?;
    }
    verify_places(floor, placement).map_err(violation)?;
    for id in topology.links().ids() {
        laid.verify_cable(id).map_err(violation)?;
    }
    if matches!(floor.placement, PlacementChoice::Annealed { .. }) {
        let in_order = Placement {
            place_of: (0..floor.cabinets).map(|cabinet| place_in_order(floor, cabinet)).collect(),
            ..placement.clone()
        };
        let total_length = |placement: &Placement| {
            let laid = LaidCables { placement, ..laid };
            topology.links().iter().map(|link| u64::from(laid.length(link))).sum::<u64>()
        };
        let (annealed, ordered) = (total_length(placement), total_length(&in_order));
        if annealed > ordered {
            return Err(violation(format!(
                "cables of {annealed} units of 0.1 m are longer than the {ordered} of cabinets in order"
            )));
        }
    }
    Ok(laid.totals(group, clusters.map(|points| points.link_counts())))
}

/// Verifies that every cabinet holds the routers of its clustering, and not more than fit.
fn verify_cabinets(
    floor: &Floor,
    topology: &Topology,
    placement: &Placement,
    group: Option<u32>,
    fixed: Option<&[u32]>,
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
    let mut router_counts = vec![0u32; floor.cabinets as usize];
    for (router, &cabinet) in (0u32..).zip(&placement.cabinet_of) {
        let expected = match (floor.clustering, group) {
            (Clustering::Sequential, _) => Some(router / floor.cabinet),
            (Clustering::ByGroup, Some(group)) => Some(router / group),
            (Clustering::ByCluster, _) => fixed.map(|cabinets| cabinets[router as usize]),
            (Clustering::ByGroup, None) | (Clustering::Walktrap { .. }, _) => None,
        };
        if expected.is_some_and(|expected| expected != cabinet) {
            return Err(format!(
                "router {router} stands in cabinet {cabinet}, but belongs in {}",
                expected.unwrap_or(0)
            ));
        }
        match router_counts.get_mut(cabinet as usize) {
            Some(count) => *count += 1,
            None => return Err(format!("router {router} stands in cabinet {cabinet}, which does not exist")),
        }
    }
    match router_counts.iter().position(|&count| count == 0 || count > floor.cabinet) {
        Some(cabinet) => Err(format!(
            "cabinet {cabinet} holds {} routers, but must 1 to {}",
            router_counts[cabinet], floor.cabinet
        )),
        None => Ok(()),
    }
}

/// Verifies that cabinets stand on different places of the floor, and in order unless they are annealed.
fn verify_places(floor: &Floor, placement: &Placement) -> Result<(), String> {
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
        let expected = place_in_order(floor, cabinet);
        if floor.placement == PlacementChoice::InOrder && expected != [row, column] {
            return Err(format!(
                "cabinet {cabinet} stands in row {row}, column {column}, but belongs in {}, {}",
                expected[0], expected[1]
            ));
        }
    }
    Ok(())
}

/// The cables that are laid between placed routers.
#[derive(Clone, Copy)]
struct LaidCables<'a> {
    fabric: &'a Fabric,
    floor: &'a Floor,
    topology: &'a Topology,
    placement: &'a Placement,
    parts: &'a BoxedParts,
}

impl LaidCables<'_> {
    /// Verifies that every box and every switch stands in its rack.
    fn verify_racks(&self) -> Result<(), String> {
        let racks = self.parts.racks(self.floor, self.topology)?;
        let Placement { cabinet_of, rack_of, place_of } = self.placement;
        if !rack_of.is_empty() || cabinet_of.len() != racks.len() {
            return Err(format!("{} parts stand in racks, but there are {}", cabinet_of.len(), racks.len()));
        }
        if place_of.len() != self.floor.cabinets as usize {
            return Err(format!("{} racks, but the spec has {}", place_of.len(), self.floor.cabinets));
        }
        for (node, (rack, expected)) in self.topology.nodes().zip(cabinet_of.iter().zip(&racks)) {
            if rack != expected {
                let name = self.topology.name(node);
                return Err(format!("{name} stands in rack {rack}, but belongs in {expected}"));
            }
        }
        self.parts.verify_racks(self.floor, cabinet_of)
    }

    /// Length of a cable between the cabinets of its ends, in 0.1 m. 0 for a link inside a box, which is no
    /// cable.
    fn length(&self, link: &Link) -> u32 {
        if self.parts.is_inside(link) {
            return 0;
        }
        let (floor, placement) = (self.floor, self.placement);
        let [from, to] = [link.a, link.b].map(|end| placement.cabinet_of[end.node.index()]);
        if from == to {
            return floor.inside;
        }
        let [a, b] = [from, to].map(|cabinet| placement.place_of[cabinet as usize].map(i64::from));
        let across = (a[1] - b[1]).unsigned_abs() as u32 * floor.pitch[0];
        let along = (a[0] - b[0]).unsigned_abs() as u32 * floor.pitch[1];
        floor.overhead + across + along + floor.overhead
    }

    /// Verifies the length of a cable, and the link type that this length requires.
    fn verify_cable(&self, id: LinkId) -> Result<(), String> {
        let link = &self.topology.links()[id];
        let (measured, expected) = (self.topology.length(id), self.length(link));
        let name = || self.topology.link_name(id);
        if measured != expected {
            return Err(format!(
                "the cable {} is {measured} units of 0.1 m long, but its cabinets are {expected} apart",
                name()
            ));
        }
        let Some(by_length) = self.floor.by_length.as_ref().filter(|_| !self.parts.is_inside(link)) else {
            return Ok(());
        };
        let shorter = by_length.up_to.iter().filter(|(_, max_length)| *max_length < expected).count();
        match by_length.up_to.get(shorter).map(|(link_type, _)| *link_type).or(by_length.beyond) {
            Some(link_type) if link_type == link.link_type => Ok(()),
            Some(link_type) => {
                let right = &self.fabric.link_types[link_type].name;
                Err(format!("the cable {} must be of `{right}`, by its length", name()))
            }
            None => Err(format!("the cable {} is longer than any link allows", name())),
        }
    }

    /// The totals of all cables, by declared link type.
    fn totals(&self, group: Option<u32>, clusters: Option<ClusterPairs>) -> FloorMetrics {
        let Self { fabric, floor, topology, placement, parts } = *self;
        let mut lengths_by_type: BTreeMap<LinkTypeId, Vec<u32>> = BTreeMap::new();
        let (mut between, mut bundles) = (Vec::new(), BTreeMap::<_, u64>::new());
        for (id, link) in topology.links().enumerate().filter(|(_, link)| !parts.is_inside(link)) {
            let length = topology.length(id);
            lengths_by_type.entry(link.link_type).or_default().push(length);
            let cabinet = |end: fabc_ir::End| placement.cabinet_of[end.node.index()];
            if cabinet(link.a) != cabinet(link.b) {
                between.push(u64::from(length));
            }
            let bundle_end = |end: fabc_ir::End| match (floor.bundles, group) {
                (Bundling::ByGroup, Some(group)) => end.node.0 / group,
                _ => cabinet(end),
            };
            let (from, to) = (bundle_end(link.a), bundle_end(link.b));
            if from != to {
                *bundles.entry((from.max(to), from.min(to))).or_default() += 1;
            }
        }
        let total = |lengths: &[u32]| lengths.iter().map(|&length| u64::from(length)).sum::<u64>();
        let price = |(link_type, lengths): (&LinkTypeId, &Vec<u32>)| {
            let declared = &fabric.link_types[*link_type];
            let pieces = (u128::from(declared.cost[0]) + u128::from(floor.install)) * lengths.len() as u128;
            pieces * 10 + u128::from(total(lengths)) * u128::from(declared.cost[1])
        };
        FloorMetrics {
            cables: lengths_by_type.values().map(|lengths| lengths.len() as u64).sum(),
            between: between.len() as u64,
            lengths: [lengths_by_type.values().map(|lengths| total(lengths)).sum(), between.iter().sum()],
            longest: lengths_by_type.values().flatten().copied().max().unwrap_or(0),
            cost: lengths_by_type.iter().map(price).sum(),
            power_mw: lengths_by_type
                .iter()
                .map(|(link_type, lengths)| fabric.link_types[*link_type].power_mw * lengths.len() as u64)
                .sum(),
            bundles: bundles.len() as u64,
            bundled: [bundles.values().sum(), bundles.into_values().max().unwrap_or(0)],
            clusters,
            by_type: lengths_by_type
                .iter()
                .map(|(link_type, lengths)| (*link_type, lengths.len() as u64, total(lengths)))
                .collect(),
        }
    }
}
