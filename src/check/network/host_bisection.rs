//! Verifies the bisection between hosts: the capacity between two halves of the routers with hosts.
//!
//! Input: a topology of two-way links and the routers of one side. Output: the capacity and the links between
//! the sides, counted link by link. That is an upper bound. Two lower bounds follow from what is proved about
//! traffic. First, all pairs send at the proved rate at once, so their sum crosses any two halves. Second, a
//! permutation can exchange the hosts of two halves. It loads no channel above the proved worst load times
//! its capacity, so the channels across have at least that capacity.

use super::bisection;
use crate::CheckError;
use crate::exact::Exact;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{HostBisection, Topology};
use fabc_model::{Demand, DemandShape};

/// Whether the bisection between hosts is measured. The bisection must be, some routers have no hosts, and
/// two or more have.
pub(super) fn is_measured(topology: &Topology) -> bool {
    let senders = count_senders(topology);
    bisection::is_measured(topology) && senders >= 2 && senders < topology.node_count()
}

/// Recounts a bisection between hosts, and compares it with the claims.
///
/// # Errors
/// An invalid side, or another capacity or number of links than claimed.
pub fn verify_host_bisection(topology: &Topology, claimed: &HostBisection) -> Result<(), CheckError> {
    let counted = recount(topology, &claimed.side)?;
    if counted == (HostBisection { by_flow: 0, by_permutation: 0, is_open: false, ..claimed.clone() }) {
        return Ok(());
    }
    let HostBisection { at_most, links, .. } = counted;
    reject(format!("between the halves of the routers with hosts run {links} links with capacity {at_most}"))
}

/// The capacity and the links between two sides, if the side is valid.
pub(super) fn recount(topology: &Topology, side: &[NodeId]) -> Result<HostBisection, CheckError> {
    if !side.is_sorted_by(|a, b| a < b)
        || side.last().is_some_and(|last| last.index() >= topology.node_count())
    {
        return reject("the routers of a side are not listed once each, ascending".to_owned());
    }
    let mut on_side = vec![false; topology.node_count()];
    side.iter().for_each(|router| on_side[router.index()] = true);
    let senders = count_senders(topology);
    let has_hosts = |router: &&NodeId| topology.hosts(**router) > 0;
    let (of_side, expected) = (side.iter().filter(has_hosts).count(), senders / 2);
    if of_side != expected {
        return reject(format!(
            "a side has {of_side} routers with hosts, but it is one of {senders} with {expected}"
        ));
    }
    let first = topology.nodes().find(|&router| topology.hosts(router) > 0);
    if senders.is_multiple_of(2) && !first.is_some_and(|first| on_side[first.index()]) {
        return reject("of two equal sides, the one with the first router with hosts is listed".to_owned());
    }
    let (mut at_most, mut links, mut widest) = (0, 0, 1);
    for (id, link) in topology.links().enumerate() {
        let capacity = topology.capacity(id);
        widest = widest.max(capacity);
        if on_side[link.a.node.index()] != on_side[link.b.node.index()] {
            at_most += capacity;
            links += 1;
        }
    }
    Ok(HostBisection {
        by_flow: 0,
        by_permutation: 0,
        is_open: false,
        at_most,
        links,
        side: side.to_vec(),
        widest,
        unit_bps: topology.capacities().unit_bps(),
    })
}

/// Adds what proved traffic implies: the rate `low` of every pair, and the largest load of a channel under
/// any permutation of hosts.
pub(crate) fn with_traffic(
    topology: &Topology,
    demand: &Demand,
    bisection: HostBisection,
    low: Exact,
    permutation: Option<Exact>,
) -> HostBisection {
    let senders = count_senders(topology) as u128;
    let pairs = (senders / 2) * (senders - senders / 2);
    let in_64_bits = |capacity: Exact| u64::try_from(capacity.rounded_up()).unwrap_or(0);
    let all_pairs_alike = matches!(demand.shape(), DemandShape::Uniform);
    let by_flow = if all_pairs_alike { low.times(pairs, 1).map_or(0, in_64_bits) } else { 0 };
    let mut hosts: Vec<u64> = topology.nodes().map(|router| u64::from(topology.hosts(router))).collect();
    hosts.retain(|&count| count > 0);
    hosts.sort_unstable();
    let exchanged: u64 = hosts.iter().take(hosts.len() / 2).sum();
    let capacity = |load: Exact| Exact::new(load.denominator * u128::from(exchanged), load.numerator);
    let by_permutation = permutation.and_then(capacity).map_or(0, in_64_bits);
    HostBisection { by_flow, by_permutation, ..bisection }
}

fn count_senders(topology: &Topology) -> usize {
    topology.nodes().filter(|&router| topology.hosts(router) > 0).count()
}

fn reject<T>(violation: String) -> Result<T, CheckError> {
    Err(CheckError::Halves { violation })
}
