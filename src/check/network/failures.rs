//! Repeats random link failures.
//!
//! Input: a topology, seeds and a limit. Output: the number of failures that disconnects each run, and the
//! distances of the median run. The order of a seed is part of the claim, so it is drawn by the same rule.
//! Everything else is this file's own. The last connected state of a run is found by bisection. Distances
//! are searched from every router separately.

use fabc_base::ids::{Id, IdVec, LinkId, NodeId};
use fabc_base::random::Stream;
use fabc_ir::{FailureCurve, FailurePoint, FailureReach, Scene, Topology};
use fabc_kernel::{LitGraph, Nearest};
use fabc_model::LinkFailures;
use rayon::prelude::*;

/// Repeats the failures of all seeds. With `points` it measures the curve too.
pub(super) fn repeat_failures(topology: &Topology, settings: &LinkFailures, points: bool) -> FailureCurve {
    let parts_at: Vec<u64> = (1..=settings.seeds)
        .into_par_iter()
        .map(|seed| disconnecting_count(topology, &failure_order(topology, seed)))
        .collect();
    // The lower median. Of equal runs the one with the smaller seed comes first.
    let mut sorted: Vec<(u64, u32)> = parts_at.iter().copied().zip(1..).collect();
    sorted.sort_unstable();
    let median = sorted.get(sorted.len().saturating_sub(1) / 2).map_or(1, |&(_, seed)| seed);
    let curve = points.then(|| {
        let order = failure_order(topology, median);
        let percents =
            (0..settings.percent).filter(|percent| percent.is_multiple_of(5)).chain([settings.percent]);
        let point = |percent: u32| {
            let links = order.len() * percent as usize / 100;
            FailurePoint { percent, links: links as u64, reach: measure_reach(topology, &order[links..]) }
        };
        percents.map(point).collect()
    });
    FailureCurve { parts_at, curve }
}

/// The order in which a seed fails the links.
fn failure_order(topology: &Topology, seed: u32) -> Vec<LinkId> {
    let mut draw = Stream::new(seed.into(), 0);
    let mut order: Vec<LinkId> = topology.links().ids().collect();
    let mut unordered = order.len();
    while unordered > 1 {
        order.swap(unordered - 1, draw.below(unordered));
        unordered -= 1;
    }
    order
}

/// The smallest number of failed links that disconnects routers with hosts.
fn disconnecting_count(topology: &Topology, order: &[LinkId]) -> u64 {
    let (mut connected, mut disconnected) = (0, order.len());
    if connects_hosts(topology, &order[disconnected..]) {
        return 0;
    }
    while disconnected - connected > 1 {
        let middle = connected + (disconnected - connected) / 2;
        if connects_hosts(topology, &order[middle..]) { connected = middle } else { disconnected = middle }
    }
    disconnected as u64
}

/// The scene in which only these links are lit.
fn scene_of_links<'t>(topology: &'t Topology, links: &[LinkId]) -> Scene<'t> {
    let mut lit = IdVec::filled(false, topology.links().len());
    links.iter().for_each(|&link| lit[link] = true);
    Scene { topology, lit, dead: Vec::new() }
}

/// Whether all routers with hosts reach each other.
fn connects_hosts(topology: &Topology, links: &[LinkId]) -> bool {
    let lit = scene_of_links(topology, links).lit;
    let Some(first) = topology.nodes().find(|&node| topology.hosts(node) > 0) else { return true };
    let reached = topology.reachable(first, |link| lit[link]);
    topology.nodes().all(|node| topology.hosts(node) == 0 || reached.contains(node.index()))
}

/// Distances between routers with hosts over these links. `None` if some do not reach each other.
fn measure_reach(topology: &Topology, links: &[LinkId]) -> Option<FailureReach> {
    let graph = LitGraph::new(&scene_of_links(topology, links));
    let hosts: Vec<NodeId> = topology.nodes().filter(|&node| topology.hosts(node) > 0).collect();
    let farthest_and_sum = |nearest: &mut Nearest, &source: &NodeId| {
        graph.search_from(source, nearest);
        let others = || hosts.iter().filter(|&&to| to != source).map(|to| nearest.hops[to.index()]);
        let farthest = others().max().unwrap_or(0);
        (farthest < u32::MAX).then(|| (farthest, others().map(u64::from).sum::<u64>()))
    };
    let rows = hosts.par_iter().map_init(Nearest::default, farthest_and_sum).collect::<Option<Vec<_>>>()?;
    let pairs = hosts.len() as u64 * (hosts.len() as u64 - 1);
    let diameter = rows.iter().map(|&(farthest, _)| farthest).max().unwrap_or(0);
    Some(FailureReach { diameter, hops: rows.iter().map(|(_, hops)| hops).sum(), pairs })
}
