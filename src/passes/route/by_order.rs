//! The common part of dimension-order routing of pods and of networks: coordinates give one path per pair.
//!
//! Input: the path of a pair, as a function that appends its hops and returns `false` where it needs a dark
//! link. Output: the routes of all pairs with their ranks, or a check that some pairs keep their routes.
//! Cost: that of the paths.

use super::{RouteError, ranks};
use fabc_base::ids::NodeId;
use fabc_ir::{Hop, Routes, Scenario, Scene};
use fabc_model::Fabric;

/// The routes of all pairs of surviving routers. Other pairs have no hops.
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
    Ok(ranks::with_ranks(topology, fabric.budget.vcs, offsets, hops))
}

/// Checks that every pair of `pairs` keeps its path.
///
/// # Errors
/// [`RouteError::NoDetour`] for the first pair whose path needs a dark link.
pub(super) fn check_pairs(
    fabric: &Fabric,
    scene: &Scene<'_>,
    scenario: &Scenario,
    mut pairs: impl Iterator<Item = [NodeId; 2]>,
    path: impl Fn(NodeId, NodeId, &mut Vec<Hop>) -> bool,
) -> Result<(), RouteError> {
    let blocked = pairs.find(|&[src, dst]| !path(src, dst, &mut Vec::new()));
    blocked.map_or(Ok(()), |pair| Err(RouteError::no_detour(fabric, scene.topology, scenario, pair)))
}
