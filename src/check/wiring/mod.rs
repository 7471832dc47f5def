//! Whether a topology is the one that the spec declares.
//!
//! In: what was declared, and a topology. Out: [`Wired`], the right to emit it. Each plant has a predicate of its own that shares nothing
//! with the generator; degrees, connection and the claimed symmetry are the same for all.

mod pod;

use super::graph::LitGraph;
use super::{CheckError, symmetry};
use crate::ids::{Id, IdVec, NodeId};
use crate::ir::{CrossConnects, Topology};
use crate::model::{Fabric, Plant};

/// Proof that a topology is what the spec declares; only [`wiring`] makes it.
#[derive(Clone, Copy, Debug)]
pub struct Wired(());

/// Checks links, cross-connects, connectivity, radix and the claimed symmetry of a topology.
///
/// `cross_connects` are those of a pod.
///
/// # Errors
/// The first thing that contradicts the spec.
pub fn wiring(fabric: &Fabric, topology: &Topology, cross_connects: Option<&CrossConnects>) -> Result<Wired, CheckError> {
    let wrong = |what: String| Err(CheckError::Wiring { what, span: Some(fabric.span) });
    if let Some(id) = topology.links().ids().find(|&id| topology.links()[id].a.node == topology.links()[id].b.node) {
        return wrong(format!("{} joins a router to itself", topology.channel_name(id.forward())));
    }
    match (&fabric.plant, cross_connects) {
        (Plant::Pod(pod), Some(cross_connects)) => pod::wiring(fabric, pod, topology, cross_connects)?,
        (Plant::Pod(_), None) => return wrong("the cross-connects are missing".to_owned()),
        (Plant::Network(_), _) => return wrong("networks cannot be wired yet".to_owned()),
    }
    if let Some(node) = topology.nodes().find(|&node| topology.channels_from(node).count() > fabric.router.radix as usize) {
        let (name, radix) = (topology.name(node), fabric.router.radix);
        return Err(CheckError::Wiring {
            what: format!("{name} uses {} ports, but a chip has {radix}", topology.channels_from(node).count()),
            span: Some(fabric.router.span),
        });
    }
    let everything = IdVec::filled(true, topology.links().len());
    let hops = LitGraph::new(topology, &everything).hops_from(NodeId(0), &mut Vec::new());
    if let Some(apart) = hops.iter().position(|&hops| hops == u32::MAX) {
        return Err(CheckError::Disconnected {
            scenario: "nominal".to_owned(),
            from: topology.name(NodeId(0)),
            to: topology.name(NodeId::new(apart)),
            span: Some(fabric.topology_span()),
        });
    }
    symmetry::automorphisms(topology, topology.symmetry())?;
    symmetry::keeps_demand(topology.symmetry(), &fabric.demand)?;
    Ok(Wired(()))
}
