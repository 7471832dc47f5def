//! Verifies that a topology is the one that the spec declares.
//!
//! Input: the declaration, and a topology. Output: [`Wired`], the right to emit it. Each plant has a rule of
//! its own that shares nothing with the generator. Degrees, connectivity and the claimed symmetry are
//! verified in the same way for all.

mod families;
mod network;
mod pod;
mod rule;
mod sample;

pub use families::draw_shortfall;
pub use sample::{Sampled, Search, verify_sample};

use super::CheckError;
use fabc_base::ids::{Id, LinkTypeId, NodeId};
use fabc_ir::{CrossConnects, Scene, Topology};
use fabc_kernel::{LitGraph, Nearest};
use fabc_model::{ByLength, Fabric, Family, Plant};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;

/// Proof that a topology is what the spec declares. Only [`verify_wiring`] makes it.
#[derive(Clone, Copy, Debug)]
pub struct Wired(());

/// Verifies links, cross-connects, connectivity, radix and the claimed symmetry of a topology.
///
/// `cross_connects` are those of a pod.
///
/// # Errors
/// The first contradiction to the spec.
pub fn verify_wiring(
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
) -> Result<Wired, CheckError> {
    let reject = |violation: String| Err(CheckError::Wiring { violation, span: Some(fabric.span) });
    if let Plant::Network(network) = &fabric.plant {
        network::verify_names(fabric, network, topology)?;
    }
    if let Some(id) =
        topology.links().ids().find(|&id| topology.links()[id].a.node == topology.links()[id].b.node)
    {
        return reject(format!("{} joins a router to itself", topology.link_name(id)));
    }
    match (&fabric.plant, cross_connects) {
        (Plant::Pod(pod), Some(cross_connects)) => pod::verify_wiring(fabric, pod, topology, cross_connects)?,
        (Plant::Pod(_), None) => return reject("the cross-connects are missing".to_owned()),
        (Plant::Network(network), None) => network::verify_wiring(fabric, network, topology)?,
        (Plant::Network(_), Some(_)) => return reject("a network has no cross-connects".to_owned()),
    }
    verify_capacities(fabric, topology)
        .map_err(|violation| CheckError::Wiring { violation, span: Some(fabric.span) })?;
    verify_radix(fabric, topology)?;
    verify_connected(fabric, topology)?;
    fabc_kernel::check_automorphisms(topology, topology.symmetry())?;
    fabc_kernel::check_demand_symmetry(topology.symmetry(), &fabric.demand)?;
    Ok(Wired(()))
}

/// Verifies that capacities of links follow from their bandwidths, in the largest unit and the fewest parts.
fn verify_capacities(fabric: &Fabric, topology: &Topology) -> Result<(), String> {
    let capacities = topology.capacities();
    // A spec fixes its unit before there is a topology. So links that may all stay dark count as well.
    let wired = topology.links().iter().map(|link| link.link_type);
    let types_of_switches = fabric.pod().into_iter().flat_map(|pod| pod.ocses.iter().map(|ocs| ocs.link));
    let by_length =
        fabric.floor.iter().filter_map(|floor| floor.by_length.as_ref()).flat_map(ByLength::links);
    let used: BTreeSet<LinkTypeId> =
        wired.chain(types_of_switches).chain(by_length).chain(fabric.router.host_link).collect();
    if let Some(link_type) = fabric.router.host_link.filter(|&host_link| capacities.capacity(host_link) != 1)
    {
        let name = &fabric.link_types[link_type].name;
        return Err(format!(
            "`{name}` joins hosts, so that its bandwidth is the unit, but its capacity is not 1"
        ));
    }
    for &link_type in &used {
        let (declared, capacity) = (&fabric.link_types[link_type], capacities.capacity(link_type));
        if capacity.checked_mul(capacities.unit_bps()) != Some(declared.bandwidth_bps)
            || capacities.slowness(link_type) * capacity != capacities.parts()
        {
            return Err(format!("the capacity {capacity} of `{}` is not its bandwidth", declared.name));
        }
    }
    // Another unit or number of parts would fit too without these tests.
    for factor in 2..=capacities.parts() {
        let divides = capacities.parts().is_multiple_of(factor);
        if divides && used.iter().all(|&link_type| capacities.capacity(link_type).is_multiple_of(factor)) {
            return Err(format!("all capacities are multiples of {factor}"));
        }
        if divides && used.iter().all(|&link_type| capacities.slowness(link_type).is_multiple_of(factor)) {
            return Err(format!(
                "the unit has {} parts, {factor} times as many as needed",
                capacities.parts()
            ));
        }
    }
    Ok(())
}

/// Verifies that no router uses more ports than it has, including those of its hosts. Outputs and inputs
/// count separately.
fn verify_radix(fabric: &Fabric, topology: &Topology) -> Result<(), CheckError> {
    let router = fabric.plant.router_word();
    for node in topology.nodes() {
        let Some(radix) = fabric.router_kind(node).radix else { continue };
        let radix = radix as usize;
        let uses = topology.channels_from(node).count().max(topology.channels_into(node).count());
        let hosts = host_ports(fabric, topology, node);
        if uses + hosts > radix {
            let hosts_text = if hosts > 0 { format!(" + {hosts} hosts") } else { String::new() };
            return Err(CheckError::Wiring {
                violation: format!(
                    "{} uses {uses} ports{hosts_text}, but a {router} has {radix}",
                    topology.name(node)
                ),
                span: Some(fabric.router.span),
            });
        }
    }
    Ok(())
}

/// Number of ports that the hosts of a router take. It is 0 if the endpoint is inside the router.
pub(super) fn host_ports(fabric: &Fabric, topology: &Topology, node: NodeId) -> usize {
    let declared = usize::from(fabric.router.hosts);
    match fabric.family() {
        _ if declared == 0 => 0,
        Some(Family::Listed(listed)) => listed.routers[node.index()].hosts.map_or(declared, usize::from),
        _ if topology.is_endpoint(node) => declared,
        _ => 0,
    }
}

/// Verifies that every router reaches every other. The first router must reach all. Where links are single
/// channels, all must also reach the first.
fn verify_connected(fabric: &Fabric, topology: &Topology) -> Result<(), CheckError> {
    let (first, mut nearest) = (NodeId(0), Nearest::default());
    LitGraph::new(&Scene::healthy(topology)).search_from(first, &mut nearest);
    let disconnected_pair = match nearest.hops.iter().position(|&hops| hops == u32::MAX) {
        Some(disconnected_pair) => Some((first, NodeId::new(disconnected_pair))),
        None if topology.has_simplex() => routers_reaching(topology, first)
            .zeroes()
            .next()
            .map(|disconnected_pair| (NodeId::new(disconnected_pair), first)),
        None => None,
    };
    let Some((from, to)) = disconnected_pair else { return Ok(()) };
    Err(CheckError::Disconnected {
        scenario: "nominal".to_owned(),
        from: topology.name(from),
        to: topology.name(to),
        span: Some(fabric.topology_span()),
    })
}

/// The routers that have a path to `target`.
fn routers_reaching(topology: &Topology, target: NodeId) -> FixedBitSet {
    let mut reaching = FixedBitSet::with_capacity(topology.node_count());
    reaching.insert(target.index());
    let mut queue = vec![target];
    while let Some(node) = queue.pop() {
        for channel in topology.channels_into(node) {
            let from = topology.source(channel).node;
            if !reaching.put(from.index()) {
                queue.push(from);
            }
        }
    }
    reaching
}
