//! Whether a topology is the one that the spec declares.
//!
//! In: what was declared, and a topology. Out: [`Wired`], the right to emit it. Each plant has a predicate of
//! its own that shares nothing with the generator; degrees, connection and the claimed symmetry are the same
//! for all.

mod algebraic;
mod dragonfly;
mod drawn;
mod fat_tree;
mod gen_kautz;
mod grid;
mod hypercube;
mod kautz;
mod levels;
mod listed;
mod network;
mod permuted;
mod pod;
mod products;
mod quaternions;
mod rule;
mod sample;
mod shortcuts;

pub use network::unasked;
pub use sample::{Sampled, Search, sampled};

use super::CheckError;
use fabc_base::ids::{Id, LinkTypeId, NodeId};
use fabc_ir::{CrossConnects, Scene, Topology};
use fabc_kernel::LitGraph;
use fabc_model::{ByLength, Fabric, Family, Plant};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;

/// Proof that a topology is what the spec declares; only [`wiring`] makes it.
#[derive(Clone, Copy, Debug)]
pub struct Wired(());

/// Checks links, cross-connects, connectivity, radix and the claimed symmetry of a topology.
///
/// `cross_connects` are those of a pod.
///
/// # Errors
/// The first thing that contradicts the spec.
pub fn wiring(
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
) -> Result<Wired, CheckError> {
    let wrong = |what: String| Err(CheckError::Wiring { what, span: Some(fabric.span) });
    if let Plant::Network(network) = &fabric.plant {
        network::names(fabric, network, topology)?;
    }
    if let Some(id) =
        topology.links().ids().find(|&id| topology.links()[id].a.node == topology.links()[id].b.node)
    {
        return wrong(format!("{} joins a router to itself", topology.link_name(id)));
    }
    match (&fabric.plant, cross_connects) {
        (Plant::Pod(pod), Some(cross_connects)) => pod::wiring(fabric, pod, topology, cross_connects)?,
        (Plant::Pod(_), None) => return wrong("the cross-connects are missing".to_owned()),
        (Plant::Network(network), None) => network::wiring(fabric, network, topology)?,
        (Plant::Network(_), Some(_)) => return wrong("a network has no cross-connects".to_owned()),
    }
    capacities(fabric, topology).map_err(|what| CheckError::Wiring { what, span: Some(fabric.span) })?;
    radix(fabric, topology)?;
    connected(fabric, topology)?;
    fabc_kernel::automorphisms(topology, topology.symmetry())?;
    fabc_kernel::keeps_demand(topology.symmetry(), &fabric.demand)?;
    Ok(Wired(()))
}

/// What links are said to carry is as their bandwidths are, in the largest unit and the fewest parts.
fn capacities(fabric: &Fabric, topology: &Topology) -> Result<(), String> {
    let said = topology.capacities();
    // A spec fixes its unit before there is a topology: links that may all stay dark count as well.
    let wired = topology.links().iter().map(|link| link.link_type);
    let of_switches = fabric.pod().into_iter().flat_map(|pod| pod.ocses.iter().map(|ocs| ocs.link));
    let by_length =
        fabric.floor.iter().filter_map(|floor| floor.by_length.as_ref()).flat_map(ByLength::links);
    let used: BTreeSet<LinkTypeId> = wired.chain(of_switches).chain(by_length).collect();
    for &link_type in &used {
        let (declared, capacity) = (&fabric.link_types[link_type], said.of(link_type));
        if capacity.checked_mul(said.unit_bps()) != Some(declared.bandwidth_bps)
            || said.slowness(link_type) * capacity != said.parts()
        {
            return Err(format!("the capacity {capacity} of `{}` is not its bandwidth", declared.name));
        }
    }
    // Another unit, or another number of parts, would fit too, but for these.
    for factor in 2..=said.parts() {
        let divides = said.parts().is_multiple_of(factor);
        if divides && used.iter().all(|&link_type| said.of(link_type).is_multiple_of(factor)) {
            return Err(format!("all capacities are multiples of {factor}"));
        }
        if divides && used.iter().all(|&link_type| said.slowness(link_type).is_multiple_of(factor)) {
            return Err(format!("{} parts of a unit are {factor} times as many as are needed", said.parts()));
        }
    }
    Ok(())
}

/// No router uses more ports than it has, those of its hosts included; outputs and inputs count apart.
fn radix(fabric: &Fabric, topology: &Topology) -> Result<(), CheckError> {
    let (has, router) = (fabric.router.radix as usize, fabric.plant.router_word());
    for node in topology.nodes() {
        let uses = topology.channels_from(node).count().max(topology.channels_into(node).count());
        let hosts = host_ports(fabric, topology, node);
        if uses + hosts > has {
            let of_hosts = if hosts > 0 { format!(" + {hosts} hosts") } else { String::new() };
            return Err(CheckError::Wiring {
                what: format!(
                    "{} uses {uses} ports{of_hosts}, but a {router} has {has}",
                    topology.name(node)
                ),
                span: Some(fabric.router.span),
            });
        }
    }
    Ok(())
}

/// Ports that the hosts of a router take; none where the endpoint is inside it.
fn host_ports(fabric: &Fabric, topology: &Topology, node: NodeId) -> usize {
    let declared = usize::from(fabric.router.hosts);
    match fabric.family() {
        Some(Family::Listed(listed)) => listed.routers[node.index()].hosts.map_or(declared, usize::from),
        _ if topology.is_endpoint(node) => declared,
        _ => 0,
    }
}

/// Every router reaches every other: the first one reaches all, and where links are single channels, all
/// reach the first one.
fn connected(fabric: &Fabric, topology: &Topology) -> Result<(), CheckError> {
    let hops = LitGraph::new(&Scene::whole(topology)).hops_from(NodeId(0), &mut Vec::new());
    let first = NodeId(0);
    let apart = match hops.iter().position(|&hops| hops == u32::MAX) {
        Some(apart) => Some((first, NodeId::new(apart))),
        None if topology.has_simplex() => {
            reaching(topology, first).zeroes().next().map(|apart| (NodeId::new(apart), first))
        }
        None => None,
    };
    let Some((from, to)) = apart else { return Ok(()) };
    Err(CheckError::Disconnected {
        scenario: "nominal".to_owned(),
        from: topology.name(from),
        to: topology.name(to),
        span: Some(fabric.topology_span()),
    })
}

/// The routers from which there is a way to `target`.
fn reaching(topology: &Topology, target: NodeId) -> FixedBitSet {
    let mut seen = FixedBitSet::with_capacity(topology.node_count());
    seen.insert(target.index());
    let mut open = vec![target];
    while let Some(node) = open.pop() {
        for channel in topology.channels_into(node) {
            let from = topology.source(channel).node;
            if !seen.put(from.index()) {
                open.push(from);
            }
        }
    }
    seen
}
