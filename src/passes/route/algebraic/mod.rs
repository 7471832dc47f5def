//! Algebraic routing: a formula of the family gives the next hop from the numbers of the two routers alone.
//!
//! When: healthy PolarStars, grids, hypercubes and dragonflies, whose routers can compute what tables would
//! say. Guarantees: shortest routes. The checker compares them with breadth-first distances, and
//! [`lanes`](super::lanes) finds their virtual channels. Input: a scene with all links. Output: the next
//! hops of the formula, as tables hold them.
//!
//! Sources: Lakhotia and others 2024, section 9.2 (PolarStar), completed here for two routers of a
//! supernode that are three hops apart. Dally and Towles 2004 (grids). Kim and others 2008 (dragonflies).
//! Cost: destinations x routers, times the ports where a dragonfly looks two hops ahead.

mod dragonfly;
mod grid;
mod polarstar;

use dragonfly::DragonflyHops;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{NextHops, Scene, Topology};
use fabc_model::{Fabric, Family, HyperX, Hypercube, Mesh, Torus};
use grid::GridHops;
use polarstar::PolarStarHops;

/// The next hops of a family that has a formula. Dark routers have none.
///
/// # Errors
/// The source and the destination of the first route that needs a dark link, because the formula has no
/// detours.
pub fn route(scene: &Scene<'_>, fabric: &Fabric) -> Result<NextHops, [NodeId; 2]> {
    let Some(family) = fabric.family() else { unreachable!("`resolve` refuses formulas for pods") };
    match family {
        Family::PolarStar(star) => {
            let star = PolarStarHops::new(star);
            next_hops(scene, |from, to| star.next_router(from, to))
        }
        Family::Torus(Torus(sides)) => next_hops(scene, GridHops::torus(sides).next_router()),
        Family::Mesh(Mesh(sides)) => next_hops(scene, GridHops::mesh(sides).next_router()),
        Family::HyperX(HyperX(sides)) => next_hops(scene, GridHops::hyperx(sides).next_router()),
        &Family::Hypercube(Hypercube { dimensions, folded }) => {
            next_hops(scene, move |from, to| grid::across_bits(dimensions, folded, from, to))
        }
        Family::Dragonfly(dragonfly) => {
            let groups = DragonflyHops::new(scene.topology, dragonfly.a);
            next_hops(scene, |from, to| groups.next_router(from, to))
        }
        family => unreachable!("`resolve` refuses formulas for a {}", family.name()),
    }
}

/// The virtual channel, under datelines, on which router `from` of a torus sends packets for router `to`.
pub(super) fn dateline(fabric: &Fabric, from: u32, to: u32) -> u8 {
    match fabric.family() {
        Some(Family::Torus(Torus(sides))) => grid::dateline(sides, from, to),
        _ => unreachable!("only tori have datelines"),
    }
}

/// Next hops over lit links, from a function that names the next router.
fn next_hops(scene: &Scene<'_>, next: impl Fn(u32, u32) -> u32) -> Result<NextHops, [NodeId; 2]> {
    let topology = scene.topology;
    let symmetry =
        if scene.keeps_symmetry() { topology.symmetry().clone() } else { topology.symmetry().to_trivial() };
    let towards: Vec<Vec<(u32, u16)>> = topology.nodes().map(|node| neighbors(topology, node)).collect();
    let destinations: Vec<NodeId> =
        symmetry.canonical_nodes().filter(|&node| scene.is_endpoint(node)).collect();
    let lit = |node, port| {
        topology.outgoing(node, PortId(port)).is_some_and(|channel| scene.is_channel_lit(channel))
    };
    let mut ports = Vec::with_capacity(destinations.len());
    for &destination in &destinations {
        let mut out = vec![NextHops::NONE; topology.node_count()];
        for source in scene.endpoints() {
            let mut node = source;
            while node != destination && out[node.index()] == NextHops::NONE {
                let next = next(node.0, destination.0);
                let place = towards[node.index()].binary_search_by_key(&next, |&(neighbor, _)| neighbor);
                let (_, port) = towards[node.index()][place.expect("a formula leads to a neighbor")];
                if !lit(node, port) {
                    return Err([source, destination]);
                }
                out[node.index()] = port;
                node = NodeId(next);
            }
        }
        ports.push(out);
    }
    Ok(NextHops { symmetry, destinations, ports })
}

/// The neighbors of a router, ascending, each once with the first port that leads there.
fn neighbors(topology: &Topology, node: NodeId) -> Vec<(u32, u16)> {
    let channels = topology.channels_from(node);
    let mut neighbors: Vec<(u32, u16)> =
        channels.map(|channel| (topology.target(channel).node.0, topology.source(channel).port.0)).collect();
    neighbors.sort_unstable();
    neighbors.dedup_by_key(|&mut (neighbor, _)| neighbor);
    neighbors
}
