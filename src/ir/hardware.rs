//! The switches, cables, prices and powers of a fabric with its hosts.
//!
//! These sums are the compiler's. The checker has its own (`check/hardware.rs`).

use super::placement::is_cable;
use super::{FloorMetrics, Fraction, Link, LinkClass, Topology, tiers_above_endpoints, topology_tiers};
use fabc_base::ids::{LinkTypeId, NodeId};
use fabc_model::{Boxes, Fabric, HardwareMetric, LinkType, Plant, Pod};

/// The switches and cables of a fabric with those of its hosts, and what they cost and draw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hardware {
    /// Number of hosts of all routers. An endpoint inside a router counts as one.
    pub hosts: u64,
    /// Number of switches: those of a pod, and routers of a network that are no endpoint and in no box.
    pub switches: u64,
    /// Number of cables between routers. A simplex link is one cable, and a link inside a box is none. In a
    /// pod a fiber from a face port to its switch is a cable.
    pub router_cables: u64,
    /// Number of cables from hosts to routers: of the NICs of boxes too. 0 where the endpoints are inside the
    /// routers.
    pub host_cables: u64,
    /// The bandwidths below and above the router where below is largest over above. `None` without tiers,
    /// and where no host takes a port.
    pub oversubscription: Option<BelowAndUp>,
    /// Price and power of all routers, switches and cables. `None` if the kind of the cables of hosts is
    /// unknown.
    pub totals: Option<HardwareTotals>,
}

/// The bandwidth of a router to the tier below and to the tier above, in units of capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BelowAndUp {
    /// To its hosts and to the routers of the tier below.
    pub below: u64,
    /// To the routers of the tier above. Positive.
    pub up: u64,
}

/// What all routers, switches and cables of a fabric cost and draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HardwareTotals {
    /// The price, in ten-thousandths. On a floor it includes the lengths and the laying of the cables between
    /// routers.
    pub cost: u128,
    /// The power of all routers, of all cables between them and of those of hosts, in mW.
    pub power_mw: u128,
}

impl Hardware {
    /// Adds up a fabric. `floor` has the totals of the cables between its routers, if they lie on a floor.
    pub fn new(fabric: &Fabric, topology: &Topology, floor: Option<&FloorMetrics>) -> Self {
        match &fabric.plant {
            Plant::Pod(pod) => Self::of_pod(fabric, pod, floor),
            Plant::Network(_) => Self::of_network(fabric, topology, floor),
        }
    }

    /// Adds up a pod. Its parameters determine all of it, whichever light paths are connected.
    pub fn of_pod(fabric: &Fabric, pod: &Pod, floor: Option<&FloorMetrics>) -> Self {
        let chips = pod.node_count() as u64;
        let copper = u64::from(pod.cubes) * pod.cube.link_count();
        let fibers: u64 = pod.ocses.iter().map(|ocs| (ocs.a.len() + ocs.b.len()) as u64).sum();
        let of_cables = match floor {
            Some(floor) => HardwareTotals::of_floor(floor),
            None => pod.ocses.iter().fold(
                HardwareTotals::of_cable(fabric, pod.cube.mesh).times(copper),
                |sum, ocs| {
                    let face_ports = (ocs.a.len() + ocs.b.len()) as u64;
                    sum.plus(HardwareTotals::of_cable(fabric, ocs.link).times(face_ports))
                },
            ),
        };
        let of_chips = HardwareTotals::new(fabric.router.cost, fabric.router.power_mw).times(chips);
        let of_switches = pod.ocses.iter().map(|ocs| HardwareTotals::new(ocs.cost, ocs.power_mw));
        Self {
            hosts: chips,
            switches: pod.ocses.len() as u64,
            router_cables: copper + fibers,
            host_cables: 0,
            oversubscription: None,
            totals: Some(of_switches.fold(of_chips.plus(of_cables), HardwareTotals::plus)),
        }
    }

    fn of_network(fabric: &Fabric, topology: &Topology, floor: Option<&FloorMetrics>) -> Self {
        let hosts = topology.nodes().map(|node| u64::from(topology.hosts(node))).sum();
        let (router_cables, host_cables) = match fabric.boxes() {
            Some(_) => {
                let (nics, others): (Vec<&Link>, Vec<&Link>) = topology
                    .links()
                    .iter()
                    .filter(|link| link.class == LinkClass::Global)
                    .partition(|link| [link.a, link.b].iter().any(|end| topology.is_endpoint(end.node)));
                (others.len() as u64, nics.len() as u64)
            }
            None => (topology.links().len() as u64, if fabric.router.hosts == 0 { 0 } else { hosts }),
        };
        let oversubscription = if host_cables == 0 { None } else { oversubscription(fabric, topology) };
        let totals = HardwareTotals::of_network(fabric, topology, floor, host_cables);
        let switches = match fabric.boxes() {
            Some(boxes) => u64::from(boxes.outer_count()),
            // A router whose hosts take no port is a chip, with its endpoint inside.
            None if fabric.router.hosts == 0 => (topology.node_count() - topology.endpoints().count()) as u64,
            None => topology.node_count() as u64,
        };
        Self { hosts, switches, router_cables, host_cables, oversubscription, totals }
    }

    /// The value of a metric. `None` where it has none.
    pub fn value(&self, metric: HardwareMetric) -> Option<Fraction> {
        let per_host = |total: u128, parts: u64| {
            (self.hosts > 0).then(|| Fraction::new(total, u128::from(self.hosts) * u128::from(parts)))
        };
        match metric {
            HardwareMetric::Switches => Some(Fraction::integer(self.switches)),
            HardwareMetric::Cables => Some(Fraction::integer(self.router_cables + self.host_cables)),
            HardwareMetric::Oversubscription => {
                self.oversubscription.map(|worst| Fraction::new(worst.below, worst.up))
            }
            HardwareMetric::CostPerHost => per_host(self.totals?.cost, 10_000),
            HardwareMetric::PowerPerHost => per_host(self.totals?.power_mw, 1_000),
        }
    }
}

impl HardwareTotals {
    /// The totals of no part at all.
    const NONE: Self = Self { cost: 0, power_mw: 0 };

    /// One thing of a price in thousandths and a power in mW.
    fn new(cost: u64, power_mw: u64) -> Self {
        Self { cost: 10 * u128::from(cost), power_mw: power_mw.into() }
    }

    /// One cable, without its length.
    fn of_cable(fabric: &Fabric, link: LinkTypeId) -> Self {
        let LinkType { cost: [once, _], power_mw, .. } = fabric.link_types[link];
        Self::new(once, power_mw)
    }

    /// The cables of a floor, as they are laid.
    fn of_floor(floor: &FloorMetrics) -> Self {
        Self { cost: floor.cost, power_mw: floor.power_mw.into() }
    }

    /// Adds up a network. `None` if it has cables of hosts, and nothing says of which kind they are.
    fn of_network(
        fabric: &Fabric,
        topology: &Topology,
        floor: Option<&FloorMetrics>,
        host_cables: u64,
    ) -> Option<Self> {
        let of_hosts = match fabric.router.host_link {
            // The cables of NICs are links of the topology.
            _ if fabric.boxes().is_some() => Self::NONE,
            Some(link) => Self::of_cable(fabric, link).times(host_cables),
            None if host_cables == 0 => Self::NONE,
            None => return None,
        };
        let of_routers = match fabric.has_router_kinds() {
            true => topology
                .nodes()
                .map(|node| fabric.router_kind(node))
                .fold(Self::NONE, |sum, kind| sum.plus(Self::new(kind.cost, kind.power_mw))),
            false => {
                Self::new(fabric.router.cost, fabric.router.power_mw).times(topology.node_count() as u64)
            }
        };
        let of_boxes = fabric
            .boxes()
            .into_iter()
            .flat_map(Boxes::boxes)
            .fold(Self::NONE, |sum, kind| sum.plus(Self::new(kind.cost, kind.power_mw)));
        let of_links = match floor {
            Some(floor) => Self::of_floor(floor),
            None => {
                let cables = topology.links().iter().filter(|link| is_cable(fabric, link));
                cables.fold(Self::NONE, |sum, link| sum.plus(Self::of_cable(fabric, link.link_type)))
            }
        };
        Some(of_hosts.plus(of_routers).plus(of_boxes).plus(of_links))
    }

    fn plus(self, other: Self) -> Self {
        Self { cost: self.cost + other.cost, power_mw: self.power_mw + other.power_mw }
    }
    fn times(self, count: u64) -> Self {
        Self { cost: self.cost * u128::from(count), power_mw: self.power_mw * u128::from(count) }
    }
}

/// The bandwidths of the router with the largest bandwidth below over that above, the first of equal ones.
/// Routers with no tier above are left out. A host has the bandwidth of a unit. GPUs of boxes and links
/// inside boxes do not count.
fn oversubscription(fabric: &Fabric, topology: &Topology) -> Option<BelowAndUp> {
    let has_boxes = fabric.boxes().is_some();
    let tiers = if has_boxes { tiers_above_endpoints(topology)? } else { topology_tiers(topology)? };
    let hosts = |node| if has_boxes { 0 } else { topology.hosts(node) };
    let mut sides: Vec<BelowAndUp> =
        topology.nodes().map(|node| BelowAndUp { below: hosts(node).into(), up: 0 }).collect();
    for (id, link) in topology.links().enumerate() {
        if !is_cable(fabric, link) {
            continue;
        }
        let at = |node: NodeId| node.0 as usize;
        let (first, second) = (at(link.a.node), at(link.b.node));
        let (lower, upper) = if tiers[first] < tiers[second] { (first, second) } else { (second, first) };
        sides[lower].up += topology.capacity(id);
        sides[upper].below += topology.capacity(id);
    }
    let wider = |first: BelowAndUp, second: BelowAndUp| {
        let [ours, theirs] = [(first, second), (second, first)]
            .map(|(side, other)| u128::from(side.below) * u128::from(other.up));
        if theirs > ours { second } else { first }
    };
    sides.into_iter().filter(|sides| sides.up > 0).reduce(wider)
}
