//! What dimension-order routing of pods and of networks share: one path per pair, which coordinates give.
//!
//! In: the path of a pair, as a function that adds its hops and says `false` where it needs a dark link. Out:
//! the routes of all pairs with their ranks, or whether some pairs keep theirs. Cost: that of the paths.

use super::{RouteError, ranks};
use fabc_base::ids::NodeId;
use fabc_ir::{Hop, Routes, Scenario, Scene};
use fabc_model::Fabric;

/// The routes of all pairs of routers that live; a dead router has none.
///
/// # Errors
/// [`RouteError::NoDetour`] where a path needs a dark link.
pub(super) fn routes(
    fabric: &Fabric,
    scene: &Scene<'_>,
    scenario: &Scenario,
    path: impl Fn(NodeId, NodeId, &mut Vec<Hop>) -> bool,
) -> Result<Routes, RouteError> {
    let topology = scene.topology;
    let nodes = topology.node_count();
    let (mut offsets, mut hops) = (Vec::with_capacity(nodes * nodes + 1), Vec::new());
    offsets.push(0);
    for dst in topology.nodes() {
        for src in topology.nodes() {
            if scene.lives(src) && scene.lives(dst) && !path(src, dst, &mut hops) {
                return Err(RouteError::no_detour(fabric, topology, scenario, [src, dst]));
            }
            offsets.push(hops.len() as u32);
        }
    }
    Ok(ranks::ranked(topology, fabric.budget.vcs, offsets, hops))
}

/// Whether every one of these pairs keeps its route.
///
/// # Errors
/// [`RouteError::NoDetour`] of the first that does not.
pub(super) fn keeps(
    fabric: &Fabric,
    scene: &Scene<'_>,
    scenario: &Scenario,
    mut pairs: impl Iterator<Item = [NodeId; 2]>,
    path: impl Fn(NodeId, NodeId, &mut Vec<Hop>) -> bool,
) -> Result<(), RouteError> {
    let lost = pairs.find(|&[src, dst]| !path(src, dst, &mut Vec::new()));
    lost.map_or(Ok(()), |pair| Err(RouteError::no_detour(fabric, scene.topology, scenario, pair)))
}
