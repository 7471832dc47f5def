//! Recounts the switches, cables, prices and powers of a fabric with its hosts.
//!
//! Input: a spec, its topology, and the proved totals of its floor. Output: [`Hardware`], by the checker's
//! own sums.

use super::CheckError;
use fabc_base::ids::NodeId;
use fabc_ir::{BelowAndUp, FloorMetrics, Hardware, HardwareTotals, LinkClass, Topology};
use fabc_model::{Fabric, Plant, Pod};

/// Recounts a fabric, and compares it with what the compiler counted.
///
/// # Errors
/// A count that differs.
pub fn verify_hardware(
    fabric: &Fabric,
    topology: &Topology,
    floor: Option<&FloorMetrics>,
    claimed: &Hardware,
) -> Result<(), CheckError> {
    if recount_hardware(fabric, topology, floor) == *claimed {
        return Ok(());
    }
    let violation = "switches, cables, bandwidths, prices or powers are added up otherwise".to_owned();
    Err(CheckError::Graph { violation })
}

/// Recounts switches, cables, prices and powers. `floor` has the proved totals of the cables between routers.
pub(super) fn recount_hardware(
    fabric: &Fabric,
    topology: &Topology,
    floor: Option<&FloorMetrics>,
) -> Hardware {
    match &fabric.plant {
        Plant::Pod(pod) => recount_pod(fabric, pod, topology, floor),
        Plant::Network(_) => recount_network(fabric, topology, floor),
    }
}

/// Recounts a pod: its links of copper by the topology, its fibers by what each switch serves.
fn recount_pod(fabric: &Fabric, pod: &Pod, topology: &Topology, floor: Option<&FloorMetrics>) -> Hardware {
    let mut totals = HardwareTotals { cost: 0, power_mw: 0 };
    let mut add = |cost: u64, power_mw: u64| {
        totals.cost += 10 * u128::from(cost);
        totals.power_mw += u128::from(power_mw);
    };
    let copper = topology.links().iter().filter(|link| link.class == LinkClass::Local);
    let served = pod.ocses.iter().flat_map(|ocs| ocs.a.iter().chain(&ocs.b).map(|_| ocs.link));
    let mut router_cables = 0;
    for link_type in copper.map(|link| link.link_type).chain(served) {
        router_cables += 1;
        if floor.is_none() {
            add(fabric.link_types[link_type].cost[0], fabric.link_types[link_type].power_mw);
        }
    }
    topology.nodes().for_each(|_| add(fabric.router.cost, fabric.router.power_mw));
    pod.ocses.iter().for_each(|ocs| add(ocs.cost, ocs.power_mw));
    if let Some(floor) = floor {
        totals.cost += floor.cost;
        totals.power_mw += u128::from(floor.power_mw);
    }
    Hardware {
        hosts: topology.nodes().count() as u64,
        switches: pod.ocses.len() as u64,
        router_cables,
        host_cables: 0,
        oversubscription: None,
        totals: Some(totals),
    }
}

fn recount_network(fabric: &Fabric, topology: &Topology, floor: Option<&FloorMetrics>) -> Hardware {
    let (mut hosts, mut host_cables) = (0, 0);
    for node in topology.nodes() {
        hosts += u64::from(topology.hosts(node));
        host_cables += super::wiring::host_ports(fabric, topology, node) as u64;
    }
    let boxes = fabric.boxes();
    let mut cables_of_type = vec![0u64; fabric.link_types.len()];
    for link in topology.links().iter() {
        // A link inside a box is part of the box.
        if boxes.is_some() && link.class == LinkClass::Local {
            continue;
        }
        cables_of_type[link.link_type.0 as usize] += 1;
        host_cables += u64::from(boxes.is_some() && topology.is_endpoint(link.a.node));
    }
    let mut router_cables = cables_of_type.iter().sum();
    if boxes.is_some() {
        router_cables -= host_cables;
    }
    let host_link = fabric.router.host_link.map(|link| link.0 as usize);
    let totals = (host_cables == 0 || host_link.is_some() || boxes.is_some()).then(|| {
        let (mut cost, mut power_mw) = (0u128, 0u128);
        for node in topology.nodes() {
            let kind = fabric.router_kind(node);
            (cost, power_mw) = (cost + u128::from(kind.cost), power_mw + u128::from(kind.power_mw));
        }
        for run in boxes.iter().flat_map(|boxes| &boxes.placed) {
            let kind = boxes.map(|boxes| &boxes.kinds[run.kind]);
            let (price, watts) = kind.map_or((0, 0), |kind| (kind.cost, kind.power_mw));
            cost += u128::from(run.count) * u128::from(price);
            power_mw += u128::from(run.count) * u128::from(watts);
        }
        for ((place, link), cables) in fabric.link_types.iter().enumerate().zip(cables_of_type) {
            let laid = if floor.is_none() { cables } else { 0 };
            let at_hosts = if host_link == Some(place) { host_cables } else { 0 };
            let priced = u128::from(laid) + u128::from(at_hosts);
            cost += priced * u128::from(link.cost[0]);
            power_mw += priced * u128::from(link.power_mw);
        }
        let of_floor = floor.map_or((0, 0), |floor| (floor.cost, u128::from(floor.power_mw)));
        HardwareTotals { cost: 10 * cost + of_floor.0, power_mw: power_mw + of_floor.1 }
    });
    let oversubscription = if host_cables > 0 { widest_ratio(topology, boxes.is_some()) } else { None };
    let is_switch = |node: &NodeId| {
        let mut links = topology.channels_from(*node).map(|channel| topology.link(channel));
        match boxes {
            // A part of a box has a link inside of it, but for a GPU alone in its box.
            Some(_) => !topology.is_endpoint(*node) && links.all(|link| link.class == LinkClass::Global),
            None => !topology.is_endpoint(*node) || super::wiring::host_ports(fabric, topology, *node) > 0,
        }
    };
    let switches = topology.nodes().filter(is_switch).count() as u64;
    Hardware { hosts, switches, router_cables, host_cables, oversubscription, totals }
}

/// The bandwidths of the first router with the largest bandwidth from below over that upwards. `None`
/// without tiers. In a network of boxes, only cables count, and none of their hosts.
fn widest_ratio(topology: &Topology, of_boxes: bool) -> Option<BelowAndUp> {
    let tiers = tiers(topology, of_boxes)?;
    let mut worst: Option<BelowAndUp> = None;
    for node in topology.nodes() {
        let (mut below, mut up) = (if of_boxes { 0 } else { u64::from(topology.hosts(node)) }, 0);
        for channel in topology.channels_from(node) {
            if of_boxes && topology.link(channel).class == LinkClass::Local {
                continue;
            }
            let capacity = topology.capacity(topology.link_of(channel));
            if tiers[topology.target(channel).node.0 as usize] > tiers[node.0 as usize] {
                up += capacity;
            } else {
                below += capacity;
            }
        }
        let is_worse = worst.is_none_or(|worst| {
            u128::from(below) * u128::from(worst.up) > u128::from(worst.below) * u128::from(up)
        });
        if up > 0 && is_worse {
            worst = Some(BelowAndUp { below, up });
        }
    }
    worst
}

/// `[router]`: its tier. `None` if a link joins two routers of one tier, if it runs one way, or if a router
/// is joined to no host. GPUs of boxes may be joined to each other.
fn tiers(topology: &Topology, of_boxes: bool) -> Option<Vec<u32>> {
    let tiers = crate::tiers::tiers_of_routers(topology);
    let is_level = |first: NodeId, second: NodeId| {
        let tier = tiers[first.0 as usize];
        tier == tiers[second.0 as usize] && !(of_boxes && tier == 0)
    };
    let untiered = topology.links().iter().any(|link| link.simplex || is_level(link.a.node, link.b.node));
    (!untiered && !tiers.contains(&u32::MAX)).then_some(tiers)
}
