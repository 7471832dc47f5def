//! Algebraic routing: the next hop by a formula of the family, from the numbers of the two routers alone.
//!
//! When: healthy PolarStars, grids, hypercubes and dragonflies, where routers can work out what tables would
//! say. Guarantees shortest routes, which the checker compares with breadth-first distances; virtual channels
//! are found by [`lanes`](super::lanes). In: a scene with all links. Out: the next hops that
//! the formula gives, as tables hold them. Sources: Lakhotia and others 2024, section 9.2, completed by the
//! case of two places of a supernode that are three hops apart (PolarStar); Dally and Towles 2004 (grids);
//! Kim and others 2008 (dragonflies). Cost: destinations x routers, times the ports where a dragonfly looks
//! two hops ahead.

mod dragonfly;
mod grid;
mod polarstar;

use dragonfly::Groups;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{NextHops, Scene, Topology};
use fabc_model::{Fabric, Family, HyperX, Hypercube, Mesh, Torus};
use grid::Grid;
use polarstar::Star;

/// The next hops of a family that has a formula; a dead router has none.
///
/// # Errors
/// The ends of the first route that would need what has failed: the formula knows no detours.
pub fn route(scene: &Scene<'_>, fabric: &Fabric) -> Result<NextHops, [NodeId; 2]> {
    let Some(family) = fabric.family() else { unreachable!("`resolve` refuses formulas for pods") };
    match family {
        Family::PolarStar(star) => {
            let star = Star::new(star);
            next_hops(scene, |from, to| star.next(from, to))
        }
        Family::Torus(Torus(sides)) => next_hops(scene, Grid::torus(sides).next()),
        Family::Mesh(Mesh(sides)) => next_hops(scene, Grid::mesh(sides).next()),
        Family::HyperX(HyperX(sides)) => next_hops(scene, Grid::hyperx(sides).next()),
        &Family::Hypercube(Hypercube { dimensions, folded }) => {
            next_hops(scene, move |from, to| grid::across_bits(dimensions, folded, from, to))
        }
        Family::Dragonfly(dragonfly) => {
            let groups = Groups::new(scene.topology, dragonfly.a);
            next_hops(scene, |from, to| groups.next(from, to))
        }
        family => unreachable!("`resolve` refuses formulas for a {}", family.name()),
    }
}

/// The virtual channel with datelines on which a router of a torus sends what is for another.
pub(super) fn dateline(fabric: &Fabric, from: u32, to: u32) -> u8 {
    match fabric.family() {
        Some(Family::Torus(Torus(sides))) => grid::dateline(sides, from, to),
        _ => unreachable!("only tori have datelines"),
    }
}

/// Next hops by the router that comes next, over lit links.
fn next_hops(scene: &Scene<'_>, next: impl Fn(u32, u32) -> u32) -> Result<NextHops, [NodeId; 2]> {
    let topology = scene.topology;
    let symmetry =
        if scene.keeps_symmetry() { topology.symmetry().clone() } else { topology.symmetry().without() };
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
            let mut at = source;
            while at != destination && out[at.index()] == NextHops::NONE {
                let next = next(at.0, destination.0);
                let place = towards[at.index()].binary_search_by_key(&next, |&(neighbor, _)| neighbor);
                let (_, port) = towards[at.index()][place.expect("a formula leads to a neighbor")];
                if !lit(at, port) {
                    return Err([source, destination]);
                }
                out[at.index()] = port;
                at = NodeId(next);
            }
        }
        ports.push(out);
    }
    Ok(NextHops { symmetry, destinations, ports })
}

/// The neighbors of a router, each once, with the first port that leads there.
fn neighbors(topology: &Topology, node: NodeId) -> Vec<(u32, u16)> {
    let channels = topology.channels_from(node);
    let mut neighbors: Vec<(u32, u16)> =
        channels.map(|channel| (topology.target(channel).node.0, topology.source(channel).port.0)).collect();
    neighbors.sort_unstable();
    neighbors.dedup_by_key(|&mut (neighbor, _)| neighbor);
    neighbors
}
