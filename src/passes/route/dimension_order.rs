//! Dimension-order routing on a torus, with datelines.
//!
//! When: `topology = torus ..`, healthy. Guarantees: minimal routes, free of deadlock with 2 VCs (1 where
//! no ring is longer than two). A packet corrects x, then y, then z. The parity of the router splits ties
//! at half a ring, which halves the load that "always +" would cause. Where a packet wraps around, it moves
//! from VC 0 to VC 1. A packet that never wraps stays on one VC, chosen by the parity of its destination,
//! so that both VCs are used. Source: Dally & Seitz 1987 (datelines). Cost: one table look-up per hop.

use super::{RouteError, by_order};
use fabc_base::ids::{Id, NodeId, PortId, Vc};
use fabc_ir::{Hop, Routes, Scenario, Scene};
use fabc_model::{Fabric, Pod};

/// Routes a torus of `dims` chips. Dark chips have no routes.
///
/// # Errors
/// [`RouteError::NeedsDateline`] with 1 VC on a ring longer than two. [`RouteError::NoDetour`] where a
/// route needs a dark link.
pub fn route(
    fabric: &Fabric,
    pod: &Pod,
    scene: &Scene<'_>,
    dims: [u32; 3],
    scenario: &Scenario,
) -> Result<Routes, RouteError> {
    let order = TorusOrder::new(fabric, pod, scene, dims)?;
    by_order::routes(fabric, scene, scenario, |src, dst, hops| order.path(src, dst, hops))
}

/// Checks that every pair of `pairs` keeps its route.
///
/// # Errors
/// As [`route`].
pub fn check_pairs(
    fabric: &Fabric,
    pod: &Pod,
    scene: &Scene<'_>,
    dims: [u32; 3],
    scenario: &Scenario,
    pairs: impl Iterator<Item = [NodeId; 2]>,
) -> Result<(), RouteError> {
    let order = TorusOrder::new(fabric, pod, scene, dims)?;
    by_order::check_pairs(fabric, scene, scenario, pairs, |src, dst, hops| order.path(src, dst, hops))
}

/// The facts of a torus that dimension-order routing needs.
struct TorusOrder<'a> {
    scene: &'a Scene<'a>,
    vcs: u8,
    dims: [u32; 3],
    coordinates: Vec<[u32; 3]>,
}

impl<'a> TorusOrder<'a> {
    fn new(fabric: &Fabric, pod: &Pod, scene: &'a Scene<'a>, dims: [u32; 3]) -> Result<Self, RouteError> {
        let vcs = fabric.budget.vcs;
        if vcs < 2 && dims.iter().any(|&length| length > 2) {
            return Err(RouteError::NeedsDateline {
                method: fabric.routing.name(),
                vcs,
                budget: fabric.budget.vcs_span,
                routing: fabric.routing_span,
            });
        }
        let coordinates = scene.topology.nodes().map(|node| coordinates(pod, dims, node)).collect();
        Ok(Self { scene, vcs, dims, coordinates })
    }

    /// Appends the hops of a route. Returns `false` where it needs a dark link.
    fn path(&self, src: NodeId, dst: NodeId, hops: &mut Vec<Hop>) -> bool {
        let Self { scene, vcs, dims, coordinates } = self;
        let mut node = src;
        for dimension in 0..3 {
            let goal = coordinates[dst.index()][dimension];
            if coordinates[node.index()][dimension] == goal {
                continue;
            }
            let leg = TorusLeg::new(coordinates[node.index()], goal, dimension, dims[dimension]);
            let mut vc = if leg.wraps || *vcs < 2 { 0 } else { (goal % 2) as u8 };
            while coordinates[node.index()][dimension] != goal {
                let Some(channel) = scene.outgoing(node, leg.port) else { return false };
                hops.push(Hop { channel, vc: Vc(vc) });
                let before = coordinates[node.index()][dimension];
                node = scene.topology.target(channel).node;
                if leg.wraps && *vcs > 1 && before.abs_diff(coordinates[node.index()][dimension]) > 1 {
                    vc = 1;
                }
            }
        }
        true
    }
}

/// The part of a route along one dimension.
struct TorusLeg {
    port: PortId,
    /// Whether it crosses the link between the last and the first router of the ring.
    wraps: bool,
}

impl TorusLeg {
    fn new(place: [u32; 3], goal: u32, dimension: usize, length: u32) -> Self {
        let distance_up = (goal + length - place[dimension]) % length;
        let forward = match (2 * distance_up).cmp(&length) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal => place.iter().sum::<u32>().is_multiple_of(2),
        };
        let wraps = if forward { goal < place[dimension] } else { goal > place[dimension] };
        Self { port: PortId::new(2 * dimension + usize::from(!forward)), wraps }
    }
}

/// Position of a chip in the torus.
fn coordinates(pod: &Pod, dims: [u32; 3], node: NodeId) -> [u32; 3] {
    let side = pod.cube.dims;
    let (nx, ny) = (dims[0] / side[0], dims[1] / side[1]);
    let (cube, place_in_cube) = (pod.cube_of(node).0, pod.coordinates(node));
    let grid = [cube % nx, cube / nx % ny, cube / (nx * ny)];
    [
        grid[0] * side[0] + place_in_cube[0],
        grid[1] * side[1] + place_in_cube[1],
        grid[2] * side[2] + place_in_cube[2],
    ]
}
