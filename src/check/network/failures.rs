//! Links that fail at random, failed again.
//!
//! In: a topology, seeds and a limit. Out: when every run falls apart, and distances of the median run. The
//! order of a seed is part of the claim, so it is drawn the same way; all else is this file's own: a run is
//! halved until the last moment in one piece is found, and distances are searched from every router alone.

use fabc_base::ids::{Id, IdVec, LinkId, NodeId};
use fabc_base::random::Stream;
use fabc_ir::{FailureCurve, FailurePoint, FailureReach, Scene, Topology};
use fabc_kernel::LitGraph;
use fabc_model::Failures;
use rayon::prelude::*;

/// Fails links again; with the curve where `points` is set.
pub(super) fn failures(topology: &Topology, settings: &Failures, points: bool) -> FailureCurve {
    let parts_at: Vec<u64> =
        (1..=settings.seeds).into_par_iter().map(|seed| apart(topology, &drawn(topology, seed))).collect();
    // The lower middle one; of equal runs the one with the smaller seed comes first.
    let mut sorted: Vec<(u64, u32)> = parts_at.iter().copied().zip(1..).collect();
    sorted.sort_unstable();
    let median = sorted.get(sorted.len().saturating_sub(1) / 2).map_or(1, |&(_, seed)| seed);
    let curve = points.then(|| {
        let order = drawn(topology, median);
        let percents =
            (0..settings.percent).filter(|percent| percent.is_multiple_of(5)).chain([settings.percent]);
        let point = |percent: u32| {
            let links = order.len() * percent as usize / 100;
            FailurePoint { percent, links: links as u64, reach: reach(topology, &order[links..]) }
        };
        percents.map(point).collect()
    });
    FailureCurve { parts_at, curve }
}

/// The order in which a seed fails the links.
fn drawn(topology: &Topology, seed: u32) -> Vec<LinkId> {
    let mut draw = Stream::new(seed.into(), 0);
    let mut order: Vec<LinkId> = topology.links().ids().collect();
    let mut open = order.len();
    while open > 1 {
        order.swap(open - 1, draw.below(open));
        open -= 1;
    }
    order
}

/// The first number of failed links at which routers with hosts are apart.
fn apart(topology: &Topology, order: &[LinkId]) -> u64 {
    let (mut whole, mut parted) = (0, order.len());
    if joined(topology, &order[parted..]) {
        return 0;
    }
    while parted - whole > 1 {
        let middle = whole + (parted - whole) / 2;
        if joined(topology, &order[middle..]) { whole = middle } else { parted = middle }
    }
    parted as u64
}

/// What is lit where only these links are.
fn scene<'t>(topology: &'t Topology, links: &[LinkId]) -> Scene<'t> {
    let mut lit = IdVec::filled(false, topology.links().len());
    links.iter().for_each(|&link| lit[link] = true);
    Scene { topology, lit, dead: Vec::new() }
}

/// Whether all routers with hosts reach each other.
fn joined(topology: &Topology, links: &[LinkId]) -> bool {
    let lit = scene(topology, links).lit;
    let Some(first) = topology.nodes().find(|&node| topology.hosts(node) > 0) else { return true };
    let seen = topology.reachable(first, |link| lit[link]);
    topology.nodes().all(|node| topology.hosts(node) == 0 || seen.contains(node.index()))
}

/// How far routers with hosts are apart over these links; `None` where some do not reach each other.
fn reach(topology: &Topology, links: &[LinkId]) -> Option<FailureReach> {
    let graph = LitGraph::new(&scene(topology, links));
    let hosts: Vec<NodeId> = topology.nodes().filter(|&node| topology.hosts(node) > 0).collect();
    let of = |&source: &NodeId| {
        let hops = graph.hops_from(source, &mut Vec::new());
        let others = || hosts.iter().filter(|&&to| to != source).map(|to| hops[to.index()]);
        let most = others().max().unwrap_or(0);
        (most < u32::MAX).then(|| (most, others().map(u64::from).sum::<u64>()))
    };
    let rows = hosts.par_iter().map(of).collect::<Option<Vec<_>>>()?;
    let pairs = hosts.len() as u64 * (hosts.len() as u64 - 1);
    let diameter = rows.iter().map(|&(most, _)| most).max().unwrap_or(0);
    Some(FailureReach { diameter, hops: rows.iter().map(|(_, hops)| hops).sum(), pairs })
}
