//! Addresses and AS numbers of the switches of one network, for the formats that configure them.

use super::chunks::EmitError;
use super::switch_names::{NO_TIERS, check_names, switch_name};
use super::switch_network::SwitchNetwork;
use super::tier_blocks::block_of;
use crate::compiled::{CompiledFabric, CompiledScenario};
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{GroupTables, Topology, surviving_scene, topology_tiers};
use fabc_model::{AddressCounts, AddressPlan, Boxes, Fabric, Prefix};
use std::borrow::Cow;

/// The most ports of a group that FRR and the kernel install for one route.
pub(super) const MOST_PATHS: usize = 256;

/// A switch with all its addresses.
pub(super) struct AddressedSwitch {
    /// Its name in files and as host name.
    pub(super) name: String,
    pub(super) loopback: u32,
    pub(super) as_number: u32,
    /// The prefix of its hosts. `None` for a switch without hosts.
    pub(super) hosts: Option<Prefix>,
    /// Its ports with a link, by rising numbers.
    pub(super) ports: Vec<AddressedPort>,
}

/// A port with a link, and the addresses of that link.
pub(super) struct AddressedPort {
    pub(super) port: u16,
    /// The addresses of this end and of the other one. `None` where links are unnumbered.
    pub(super) ends: Option<[u32; 2]>,
    /// The switch and the port at the other end.
    pub(super) far: (NodeId, u16),
}

impl AddressedPort {
    /// Name of the interface that stands for this port.
    pub(super) fn interface(&self) -> String {
        format!("p{}", self.port)
    }
}

/// Refuses a fabric that has no next-hop groups, or whose switches would have the same names. Refuses boxes
/// without switches outside, and GPUs that two leaves of a plane reach.
pub(super) fn check_fabric(format: &'static str, fabric: &Fabric) -> Result<(), EmitError> {
    let Some(family) = fabric.family().filter(|_| fabric.routing.has_many_paths()) else {
        return Err(EmitError::NeedsGroups { format, routing: fabric.routing.name() });
    };
    if fabric.boxes().is_some_and(Boxes::has_gpu_at_two_leaves) {
        let reason = "a GPU has NICs at two leaves of a plane, so it has two addresses, and next-hop groups to it are not those to one leaf";
        return Err(EmitError::NotHeld { format, reason });
    }
    check_names(format, family)
}

/// The part of a compiled network that routes by IP: all routers, or the switches outside of boxes.
pub(super) struct IpSwitches<'c> {
    compiled: &'c CompiledFabric,
    outside: Option<SwitchNetwork>,
}

impl<'c> IpSwitches<'c> {
    pub(super) fn new(compiled: &'c CompiledFabric) -> Self {
        let boxes = compiled.fabric.boxes();
        Self { compiled, outside: boxes.map(|boxes| SwitchNetwork::new(boxes, &compiled.topology)) }
    }

    /// The switches and their links.
    pub(super) fn topology(&self) -> &Topology {
        self.outside.as_ref().map_or(&self.compiled.topology, |outside| &outside.topology)
    }

    /// The group tables of the switches in a scenario. `None` if it has none.
    pub(super) fn tables(&self, scenario: &'c CompiledScenario) -> Option<Cow<'c, GroupTables>> {
        let tables = &scenario.sprayed.as_ref()?.tables;
        let Some(outside) = &self.outside else { return Some(Cow::Borrowed(tables)) };
        let scene = surviving_scene(&scenario.scenario.fault, &self.compiled.topology, None);
        Some(Cow::Owned(outside.tables(&scene, tables)))
    }
}

/// The switches of a network, by id.
pub(super) fn addressed_switches(
    format: &'static str,
    fabric: &Fabric,
    topology: &Topology,
) -> Result<Vec<AddressedSwitch>, EmitError> {
    let hosts: Vec<u16> = topology.nodes().map(|node| topology.hosts(node)).collect();
    let counts = AddressCounts::new(&hosts, topology.links().len() as u64);
    let plan = AddressPlan::new(fabric.addresses(), counts)
        .map_err(|shortage| EmitError::NotConfigured { format, problem: shortage.to_string() })?;
    let tiers = topology_tiers(topology).ok_or(EmitError::NotHeld { format, reason: NO_TIERS })?;
    let blocks = as_blocks(topology, &tiers);
    let count = blocks.iter().max().map_or(0, |&last| u64::from(last) + 1);
    let first_as = plan.first_as(count);
    let mut leaves = 0u64;
    let switch = |node: NodeId| {
        let port = |port: usize| {
            let channel = topology.outgoing(node, PortId::new(port))?;
            let far = topology.target(channel);
            let ends = plan.link_ends(topology.link_of(channel).index() as u64);
            let is_upper = tiers[node.index()] > tiers[far.node.index()];
            let ends = ends.map(|[lower, upper]| if is_upper { [upper, lower] } else { [lower, upper] });
            Some(AddressedPort { port: port as u16, ends, far: (far.node, far.port.0) })
        };
        let ports = (0..topology.ports()).filter_map(port).collect();
        let hosts = (topology.hosts(node) > 0).then(|| {
            leaves += 1;
            plan.leaf_prefix(leaves - 1)
        });
        AddressedSwitch {
            name: switch_name(&topology.name(node)),
            loopback: plan.loopback(node.index() as u64),
            as_number: first_as + blocks[node.index()],
            hosts,
            ports,
        }
    };
    Ok(topology.nodes().map(switch).collect())
}

/// `[switch]`: the number of its AS, from 0 on without gaps.
///
/// Every leaf has its own. A block of a higher tier has one: the switches of that tier which the tiers up to
/// it join. The top tier has one for all. So a path that goes down and up again comes to a number that it has
/// already. Leaves come first, then tier by tier the blocks, in the order of their first switch.
fn as_blocks(topology: &Topology, tiers: &[u32]) -> Vec<u32> {
    let top = tiers.iter().copied().max().unwrap_or(0);
    let mut numbers: Vec<Option<u32>> = vec![None; topology.node_count()];
    let mut next = 0;
    for tier in 0..=top {
        for first in topology.nodes().filter(|node| tiers[node.index()] == tier) {
            if numbers[first.index()].is_some() {
                continue;
            }
            let block = match tier == top {
                true => topology.nodes().filter(|node| tiers[node.index()] == top).collect(),
                false => block_of(topology, tiers, first),
            };
            for switch in block {
                numbers[switch.index()] = Some(next);
            }
            next += 1;
        }
    }
    numbers.into_iter().map(Option::unwrap_or_default).collect()
}

/// The size of the largest group, at least 1. Refuses one that is larger than a route may be.
pub(super) fn largest_group<'a>(
    format: &'static str,
    tables: impl IntoIterator<Item = Cow<'a, GroupTables>>,
) -> Result<usize, EmitError> {
    let largest = |tables: Cow<'_, GroupTables>| tables.groups.iter().map(Vec::len).max();
    match tables.into_iter().filter_map(largest).max().unwrap_or(0).max(1) {
        largest if largest <= MOST_PATHS => Ok(largest),
        largest => Err(EmitError::NotConfigured {
            format,
            problem: format!("a group has {largest} ports, and a route has at most {MOST_PATHS} next hops"),
        }),
    }
}
