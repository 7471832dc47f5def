//! Links that fail at random: when the network is disconnected, and how distances grow before.
//!
//! Input: a topology of duplex links, a number of seeds, and a limit. Output: for every seed, how many
//! links have failed when some router with hosts no longer reaches another one. For the median run also the
//! diameter and the hops at every 5 percent up to the limit.
//!
//! Seed s fails the links in the order of a shuffle by stream 0 of seed s. A run restores links from the
//! last one with union-find, so that it is nearly linear. Distances are searched from 64 routers at once, a
//! bit each. Runs go in parallel, and are listed in the order of their seeds. Cost: seeds by links, and for
//! every point of the curve an all-pairs search.

use fabc_base::ids::{Id, LinkId, NodeId};
use fabc_base::random::Stream;
use fabc_ir::{FailureCurve, FailurePoint, FailureReach, Topology, failure_percents};
use fabc_model::LinkFailures;
use fixedbitset::FixedBitSet;
use petgraph::unionfind::UnionFind;
use rayon::prelude::*;

/// Fails links at random. Leaves out the curve unless `with_curve` is set.
pub(super) fn failures(topology: &Topology, settings: &LinkFailures, with_curve: bool) -> FailureCurve {
    let runs: Vec<u64> = (1..=settings.seeds)
        .into_par_iter()
        .map(|seed| failed_when_disconnected(topology, &failure_order(topology, seed)))
        .collect();
    let median = FailureCurve::median_of(&runs);
    let order = failure_order(topology, median as u32 + 1);
    let percents = if with_curve { failure_percents(settings.percent) } else { Vec::new() };
    let point = |percent: u32| {
        let links = topology.links().len() as u64 * u64::from(percent) / 100;
        let mut lit = FixedBitSet::with_capacity(order.len());
        order[links as usize..].iter().for_each(|link| lit.insert(link.index()));
        FailurePoint { percent, links, reach: measure_reach(topology, &lit) }
    };
    FailureCurve { parts_at: runs, curve: with_curve.then(|| percents.into_par_iter().map(point).collect()) }
}

/// The links in the order in which a seed fails them.
fn failure_order(topology: &Topology, seed: u32) -> Vec<LinkId> {
    let mut links: Vec<LinkId> = topology.links().ids().collect();
    Stream::new(u64::from(seed), 0).shuffle(&mut links);
    links
}

/// The number of links of an order that have failed when routers with hosts are first disconnected.
fn failed_when_disconnected(topology: &Topology, order: &[LinkId]) -> u64 {
    let mut sets = UnionFind::<u32>::new(topology.node_count());
    let mut hosts: Vec<bool> = topology.nodes().map(|node| topology.is_endpoint(node)).collect();
    // The number of sets that hold a router with hosts.
    let mut host_sets = hosts.iter().filter(|has| **has).count();
    if host_sets <= 1 {
        return 0;
    }
    for (at, &link) in order.iter().enumerate().rev() {
        let link = topology.links()[link];
        let [first_set, second_set] = [link.a.node.0, link.b.node.0].map(|node| sets.find_mut(node) as usize);
        if sets.union(first_set as u32, second_set as u32) {
            host_sets -= usize::from(hosts[first_set] && hosts[second_set]);
            let joined = sets.find_mut(first_set as u32) as usize;
            hosts[joined] = hosts[first_set] || hosts[second_set];
        }
        if host_sets <= 1 {
            return at as u64 + 1;
        }
    }
    0
}

/// Diameter and hops over ordered pairs of routers with hosts. `None` if some do not reach each other.
fn measure_reach(topology: &Topology, lit: &FixedBitSet) -> Option<FailureReach> {
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
        let mut frontier = seen.clone();
        for distance in 1.. {
            let mut next = vec![0u64; frontier.len()];
            for (node, &bits) in frontier.iter().enumerate().filter(|(_, bits)| **bits != 0) {
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
            frontier = next;
        }
    }
    let all_pairs = endpoints.len() as u64 * (endpoints.len() as u64 - 1);
    (pairs == all_pairs).then_some(FailureReach { diameter, hops, pairs })
}
