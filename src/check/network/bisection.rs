//! Verifies the bisection of a network: its halves, the links between them, and the lower bound on the links
//! between any halves.
//!
//! Input: a topology of two-way links, one half, and the lower bound. Output: the links across, counted one
//! by one, and their capacity. The lower bound holds if lambda2 floor(N / 2) ceil(N / 2) / N is above the
//! integer before it. [`super::definite`] proves that. Weights of routers ([`super::cut_weights`]) and a
//! search of all halves of small networks ([`super::small_halves`]) may prove more. Nothing depends on how
//! the compiler found the halves or the bounds.

use super::{cut_weights, definite, small_halves};
use crate::CheckError;
use crate::exact::Exact;
use fabc_base::ids::{Id, LinkId, NodeId};
use fabc_base::limits;
use fabc_ir::{Bisection, CutWeights, Topology};
use fabc_model::Demand;

/// Whether a network has its bisection measured: it has two routers or more, and no single channel.
pub(super) fn is_measured(topology: &Topology) -> bool {
    topology.node_count() >= 2 && topology.links().iter().all(|link| !link.simplex)
}

/// Recounts a bisection, and compares it with the claims.
///
/// # Errors
/// An invalid half, another number than claimed, or a lower bound that cannot be proved.
pub fn verify_bisection(topology: &Topology, demand: &Demand, claimed: &Bisection) -> Result<(), CheckError> {
    let claim = BisectionClaim {
        half: claimed.half.clone(),
        by_spectrum: claimed.by_spectrum,
        by_search: claimed.by_search,
        weights: claimed.weights.clone(),
    };
    let counted = recount_bisection(topology, demand, &claim)?;
    let compare = |quantity: &str, claimed: u64, counted: u64| {
        let violation = format!("{quantity} is claimed to be {claimed}, but it is {counted}");
        if claimed == counted { Ok(()) } else { Err(CheckError::Halves { violation }) }
    };
    compare("the number of links across", claimed.at_most, counted.at_most)?;
    compare("the number of links across at routers with hosts", claimed.at_endpoints, counted.at_endpoints)?;
    compare("the capacity across", claimed.capacity, counted.capacity)?;
    compare("the demand across", claimed.demand, counted.demand)
}

/// One half, and lower bounds on the links between any two halves.
pub(crate) struct BisectionClaim {
    pub(crate) half: Vec<NodeId>,
    /// By the second eigenvalue. 1 where that proves nothing.
    pub(crate) by_spectrum: u64,
    /// By a search of all halves. 0 where there was none.
    pub(crate) by_search: u64,
    /// By weights of the routers.
    pub(crate) weights: Option<CutWeights>,
}

/// The links and the demand across a half, if the half is valid and the lower bounds are proved.
pub(super) fn recount_bisection(
    topology: &Topology,
    demand: &Demand,
    claim: &BisectionClaim,
) -> Result<Bisection, CheckError> {
    let half = &claim.half;
    let routers = topology.node_count();
    let reject = |violation: String| Err(CheckError::Halves { violation });
    if !half.is_sorted_by(|a, b| a < b) || half.last().is_some_and(|last| last.index() >= routers) {
        return reject("the routers of a half are not listed once each, ascending".to_owned());
    }
    let (size, expected) = (half.len(), routers / 2);
    if size != expected {
        return reject(format!("a half has {size} routers, but it is one of {routers} with {expected}"));
    }
    if routers.is_multiple_of(2) && half.first() != Some(&NodeId(0)) {
        return reject("of two equal halves, the one with router 0 must be listed".to_owned());
    }
    let mut in_half = vec![false; routers];
    half.iter().for_each(|router| in_half[router.index()] = true);
    let (mut across, mut at_endpoints, mut capacity) = (0, 0, 0);
    for (id, link) in topology.links().enumerate() {
        let [a, b] = [link.a.node, link.b.node];
        if in_half[a.index()] == in_half[b.index()] {
            continue;
        }
        if link.simplex {
            return reject(
                "a link between the halves runs one way: a bisection needs links that run both ways"
                    .to_owned(),
            );
        }
        across += 1;
        capacity += topology.capacity(id);
        at_endpoints += u64::from(topology.hosts(a) > 0 || topology.hosts(b) > 0);
    }
    let senders = |inside: bool| {
        let in_half = &in_half;
        (0..routers)
            .map(NodeId::new)
            .filter(move |&router| topology.hosts(router) > 0 && in_half[router.index()] == inside)
    };
    let sent = |from: bool| match demand.is_uniform() {
        // Both directions have the same number of pairs.
        true => senders(true).count() as u64 * senders(false).count() as u64,
        false => {
            let weight_from =
                |router| senders(!from).map(|other| u64::from(demand.weight(router, other))).sum::<u64>();
            senders(from).map(weight_from).sum()
        }
    };
    // The capacity back is the same. So the direction with more demand counts.
    let demand = sent(true).max(sent(false));
    prove_lower_ends(topology, claim, across)?;
    let bandwidth = |link: LinkId| topology.capacity(link) * topology.capacities().unit_bps();
    let narrowest_bps = topology.links().ids().map(bandwidth).min().unwrap_or_default();
    Ok(Bisection {
        by_spectrum: claim.by_spectrum,
        by_flow: 0,
        by_search: claim.by_search,
        weights: claim.weights.clone(),
        at_most: across,
        at_endpoints,
        half: half.clone(),
        capacity,
        demand,
        narrowest_bps,
    })
}

/// Proves all lower bounds of a claim whose half has `across` links to the other one.
fn prove_lower_ends(topology: &Topology, claim: &BisectionClaim, across: u64) -> Result<(), CheckError> {
    let BisectionClaim { by_spectrum, by_search, weights, .. } = claim;
    let (routers, most) = (topology.node_count(), limits::SPECTRUM_ROUTERS);
    let reject = |violation: String| Err(CheckError::Halves { violation });
    let by_weights = weights.as_ref().map_or(0, |weights| weights.least);
    let highest = (*by_spectrum).max(*by_search).max(by_weights);
    if highest > across {
        return reject(format!("the lower bound {highest} is above the {across} links across"));
    }
    // In a connected network at least one link runs across.
    if (*by_spectrum > 1 || weights.is_some()) && routers > most {
        return reject(format!("a lower bound can be proved for at most {most} routers"));
    }
    if *by_spectrum > 1 && !is_lower_bound_proved(topology, *by_spectrum) {
        return reject(format!(
            "the lower bound is not proved: two halves may have fewer than {by_spectrum} links between them"
        ));
    }
    let searched = if *by_search > 0 { small_halves::verify_width(topology, *by_search) } else { Ok(()) };
    let weighed = weights.as_ref().map_or(Ok(()), |weights| cut_weights::verify_weights(topology, weights));
    searched.and(weighed).map_err(|violation| CheckError::Halves { violation })
}

/// Whether more than `lower_bound - 1` links run between any two halves.
fn is_lower_bound_proved(topology: &Topology, lower_bound: u64) -> bool {
    let routers = topology.node_count();
    let (below, above) = ((routers / 2) as f64, routers.div_ceil(2) as f64);
    definite::is_second_eigenvalue_above(
        topology,
        (lower_bound - 1) as f64 * routers as f64 / (below * above),
    )
}

/// Adds to a recounted bisection what a proved rate implies. Every pair sends `low` at once. So any two
/// halves have capacity for all pairs across, and no link has more than the widest.
pub(crate) fn with_flow(topology: &Topology, demand: &Demand, bisection: Bisection, low: Exact) -> Bisection {
    let is_symmetric = demand.is_uniform() && topology.links().iter().all(|link| !link.simplex);
    let routers = topology.node_count();
    let senders = topology.nodes().filter(|&router| topology.hosts(router) > 0).count();
    let widest = topology.links().ids().map(|link| topology.capacity(link)).max().unwrap_or(1);
    // Number of senders that the smaller half may have.
    let pairs = (0..=senders.min(routers / 2)).filter(|inside| routers / 2 - inside <= routers - senders);
    let pairs = pairs.map(|inside| inside as u128 * (senders - inside) as u128).min().unwrap_or(0);
    let links = low.times(pairs, widest.into()).map_or(0, Exact::rounded_up);
    Bisection { by_flow: if is_symmetric { u64::try_from(links).unwrap_or(0) } else { 0 }, ..bisection }
}
