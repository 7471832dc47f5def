//! Links that fail at random: when the network falls apart, and what becomes of distances before.
//!
//! In: a topology of two-way links, how many seeds, and a limit. Out: of every seed, how many links have
//! failed when some router with hosts no longer reaches another one; and of the median run the diameter and
//! the hops at every 5 percent up to the limit. Seed s fails the links in the order of a shuffle by stream 0
//! of seed s. Links are put back from the last one with
//! union-find, so that a run is nearly linear; distances are searched from 64 routers at once, a bit each.
//! Runs go in parallel, and stand in the order of their seeds. Cost: seeds by links, and for every point of
//! the curve an all-pairs search.

use fabc_base::ids::{Id, LinkId, NodeId};
use fabc_base::random::Stream;
use fabc_ir::{FailureCurve, FailurePoint, FailureReach, Topology, failure_percents};
use fabc_model::Failures;
use fixedbitset::FixedBitSet;
use petgraph::unionfind::UnionFind;
use rayon::prelude::*;

/// Fails links at random; without a curve where `points` is not set.
pub(super) fn failures(topology: &Topology, settings: &Failures, points: bool) -> FailureCurve {
    let runs: Vec<u64> =
        (1..=settings.seeds).into_par_iter().map(|seed| parts_at(topology, &order(topology, seed))).collect();
    let median = FailureCurve::median_of(&runs);
    let order = order(topology, median as u32 + 1);
    let percents = if points { failure_percents(settings.percent) } else { Vec::new() };
    let point = |percent: u32| {
        let links = topology.links().len() as u64 * u64::from(percent) / 100;
        let mut lit = FixedBitSet::with_capacity(order.len());
        order[links as usize..].iter().for_each(|link| lit.insert(link.index()));
        FailurePoint { percent, links, reach: reach(topology, &lit) }
    };
    FailureCurve { parts_at: runs, curve: points.then(|| percents.into_par_iter().map(point).collect()) }
}

/// The links in the order in which a seed fails them.
fn order(topology: &Topology, seed: u32) -> Vec<LinkId> {
    let mut links: Vec<LinkId> = topology.links().ids().collect();
    Stream::new(u64::from(seed), 0).shuffle(&mut links);
    links
}

/// How many links of an order have failed when routers with hosts are first apart.
fn parts_at(topology: &Topology, order: &[LinkId]) -> u64 {
    let mut sets = UnionFind::<u32>::new(topology.node_count());
    let mut hosts: Vec<bool> = topology.nodes().map(|node| topology.is_endpoint(node)).collect();
    // Sets that have a router with hosts.
    let mut apart = hosts.iter().filter(|has| **has).count();
    if apart <= 1 {
        return 0;
    }
    for (at, &link) in order.iter().enumerate().rev() {
        let ends = topology.links()[link];
        let [one, other] = [ends.a.node.0, ends.b.node.0].map(|node| sets.find_mut(node) as usize);
        if sets.union(one as u32, other as u32) {
            apart -= usize::from(hosts[one] && hosts[other]);
            let joined = sets.find_mut(one as u32) as usize;
            hosts[joined] = hosts[one] || hosts[other];
        }
        if apart <= 1 {
            return at as u64 + 1;
        }
    }
    0
}

/// Diameter and hops over ordered pairs of routers with hosts; `None` where some do not reach each other.
fn reach(topology: &Topology, lit: &FixedBitSet) -> Option<FailureReach> {
    const AT_ONCE: usize = 64;
    let endpoints: Vec<NodeId> = topology.endpoints().collect();
    let mut neighbors: Vec<Vec<u32>> = vec![Vec::new(); topology.node_count()];
    for link in lit.ones() {
        let link = topology.links()[LinkId::new(link)];
        neighbors[link.a.node.index()].push(link.b.node.0);
        neighbors[link.b.node.index()].push(link.a.node.0);
    }
    let (mut diameter, mut hops, mut pairs) = (0, 0u64, 0u64);
    for sources in endpoints.chunks(AT_ONCE) {
        let mut seen = vec![0u64; topology.node_count()];
        sources.iter().enumerate().for_each(|(bit, source)| seen[source.index()] = 1 << bit);
        let mut front = seen.clone();
        for distance in 1.. {
            let mut next = vec![0u64; front.len()];
            for (node, &bits) in front.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                neighbors[node].iter().for_each(|&to| next[to as usize] |= bits);
            }
            next.iter_mut().zip(&mut seen).for_each(|(next, seen)| {
                *next &= !*seen;
                *seen |= *next;
            });
            let reached: u64 = endpoints.iter().map(|node| u64::from(next[node.index()].count_ones())).sum();
            if reached > 0 {
                diameter = diameter.max(distance);
            }
            (hops, pairs) = (hops + reached * u64::from(distance), pairs + reached);
            if next.iter().all(|&bits| bits == 0) {
                break;
            }
            front = next;
        }
    }
    let all = endpoints.len() as u64 * (endpoints.len() as u64 - 1);
    (pairs == all).then_some(FailureReach { diameter, hops, pairs })
}
