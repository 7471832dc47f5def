//! The bisection between hosts: the least capacity between two halves of the routers with hosts, where every
//! other router is on the better side.
//!
//! Input: a connected topology of duplex links, some of whose routers have no hosts. Output: two sides with
//! floor(E / 2) and ceil(E / 2) of the E routers with hosts, and the capacity between them. The search is
//! that of the bisection of all routers, with routers without hosts as vertices that weigh nothing. Its lower
//! bounds need the routes, so they come later. See [`fabc_ir::NetworkMetrics::with_traffic`].

use super::graph::CutGraph;
use super::starts::best_cut;
use super::{BRIEF_STARTS, FEWEST_STARTS, LARGE_WORK};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{HostBisection, Link, Topology};

/// Measures the bisection between hosts. `family_halves` are halves of all routers, `[router]`, in any
/// balance.
///
/// The topology must have two routers with hosts or more and no simplex link. See
/// [`fabc_ir::host_bisection_unmeasured`].
pub(in super::super) fn host_bisection(topology: &Topology, family_halves: &[Vec<bool>]) -> HostBisection {
    let graph = CutGraph::between_hosts(topology);
    let structural: Vec<Vec<bool>> = family_halves.iter().cloned().chain([first_hosts(topology)]).collect();
    let links = topology.links().len().max(1);
    let multilevel = (LARGE_WORK / links).clamp(FEWEST_STARTS, BRIEF_STARTS);
    let (_, sides) = best_cut(&graph, &structural, multilevel);
    measure_sides(topology, &sides)
}

/// The first half of the routers with hosts. Each other router, by rising distance from hosts, is on the side
/// of most of its neighbors that are placed.
fn first_hosts(topology: &Topology) -> Vec<bool> {
    let mut sides: Vec<Option<bool>> = vec![None; topology.node_count()];
    let endpoints = topology.endpoints().count();
    topology.endpoints().enumerate().for_each(|(k, node)| sides[node.index()] = Some(k < endpoints / 2));
    let mut layer: Vec<NodeId> = topology.endpoints().collect();
    while !layer.is_empty() {
        let neighbors = layer.iter().flat_map(|&node| topology.channels_from(node));
        let mut next: Vec<NodeId> = neighbors.map(|channel| topology.target(channel).node).collect();
        next.retain(|node| sides[node.index()].is_none());
        next.sort_unstable();
        next.dedup();
        let side = |&node: &NodeId| {
            let placed = topology.channels_from(node).filter_map(|channel| {
                sides[topology.target(channel).node.index()].map(|side| (channel, side))
            });
            let weight = |(channel, side)| {
                let capacity = topology.channel_capacity(channel) as i64;
                if side { capacity } else { -capacity }
            };
            placed.map(weight).sum::<i64>() > 0
        };
        let placed: Vec<bool> = next.iter().map(side).collect();
        next.iter().zip(placed).for_each(|(node, side)| sides[node.index()] = Some(side));
        layer = next;
    }
    sides.into_iter().map(Option::unwrap_or_default).collect()
}

/// The result for two sides.
fn measure_sides(topology: &Topology, sides: &[bool]) -> HostBisection {
    let endpoints_on = |side: bool| topology.endpoints().filter(|node| sides[node.index()] == side).count();
    let first = topology.endpoints().next().is_some_and(|node| sides[node.index()]);
    // The fewer endpoints, then the side of the first one.
    let smaller = [first, !first].into_iter().min_by_key(|&side| endpoints_on(side)).unwrap_or(first);
    let across = || {
        let links = topology.links().ids();
        links.filter(|&link| {
            let Link { a, b, .. } = &topology.links()[link];
            sides[a.node.index()] != sides[b.node.index()]
        })
    };
    HostBisection {
        by_flow: 0,
        by_permutation: 0,
        is_open: false,
        at_most: across().map(|link| topology.capacity(link)).sum(),
        links: across().count() as u64,
        side: topology.nodes().filter(|node| sides[node.index()] == smaller).collect(),
        widest: topology.links().ids().map(|link| topology.capacity(link)).max().unwrap_or(1),
        unit_bps: topology.capacities().unit_bps(),
    }
}
