//! Whether claimed halves of a network are halves, what runs between them, and whether no halves have fewer
//! links between them than is claimed.
//!
//! In: a topology of two-way links, one half, and the lower end. Out: the links across, counted from the
//! links one by one, and what they let through. The lower end holds if lambda2 floor(N / 2) ceil(N / 2) / N
//! is above the integer before it, which [`super::definite`] proves. Nothing of how the compiler found either
//! is used.

use super::definite;
use crate::CheckError;
use crate::exact::Exact;
use fabc_base::ids::{Id, LinkId, NodeId};
use fabc_base::limits;
use fabc_ir::{Bisection, Topology};
use fabc_model::Demand;

/// Recounts a bisection, and compares it with what is claimed.
///
/// # Errors
/// A half that is none, another number than is claimed, or a lower end that cannot be proved.
pub fn bisection(topology: &Topology, demand: &Demand, claimed: &Bisection) -> Result<(), CheckError> {
    let counted = recount(topology, demand, &claimed.half, claimed.by_spectrum)?;
    let differs = |what: &str, claimed: u64, counted: u64| {
        let what = format!("{what} is claimed to be {claimed}, but it is {counted}");
        if claimed == counted { Ok(()) } else { Err(CheckError::Halves { what }) }
    };
    differs("the number of links across", claimed.most, counted.most)?;
    differs("the number of links across at routers with hosts", claimed.at_endpoints, counted.at_endpoints)?;
    differs("the capacity across", claimed.capacity, counted.capacity)?;
    differs("the demand across", claimed.demand, counted.demand)
}

/// What lies between a half and the other routers, if the half is one and the lower end is proved.
pub(super) fn recount(
    topology: &Topology,
    demand: &Demand,
    half: &[NodeId],
    least: u64,
) -> Result<Bisection, CheckError> {
    let routers = topology.node_count();
    let wrong = |what: String| Err(CheckError::Halves { what });
    if !half.is_sorted_by(|a, b| a < b) || half.last().is_some_and(|last| last.index() >= routers) {
        return wrong("the routers of a half are not listed once each, ascending".to_owned());
    }
    if half.len() != routers / 2 {
        return wrong(format!(
            "a half has {} routers, but it is one of {} with {}",
            half.len(),
            routers,
            routers / 2
        ));
    }
    if routers.is_multiple_of(2) && half.first() != Some(&NodeId(0)) {
        return wrong("of equal halves that of router 0 is listed".to_owned());
    }
    let mut of_half = vec![false; routers];
    half.iter().for_each(|router| of_half[router.index()] = true);
    let (mut across, mut at_endpoints, mut capacity) = (0, 0, 0);
    for (id, link) in topology.links().enumerate() {
        let [a, b] = [link.a.node, link.b.node];
        if of_half[a.index()] == of_half[b.index()] {
            continue;
        }
        if link.simplex {
            return wrong("a link across runs one way: halves are of two-way links".to_owned());
        }
        across += 1;
        capacity += topology.capacity(id);
        at_endpoints += u64::from(topology.hosts(a) > 0 || topology.hosts(b) > 0);
    }
    let senders = |inside: bool| {
        let of_half = &of_half;
        (0..routers)
            .map(NodeId::new)
            .filter(move |&router| topology.hosts(router) > 0 && of_half[router.index()] == inside)
    };
    let sent = |from: bool| match demand.is_uniform() {
        // As many pairs either way.
        true => senders(true).count() as u64 * senders(false).count() as u64,
        false => {
            let of = |one| senders(!from).map(|other| u64::from(demand.weight(one, other))).sum::<u64>();
            senders(from).map(of).sum()
        }
    };
    // As much capacity leads back: what counts is the direction with more demand.
    let demand = sent(true).max(sent(false));
    if least > across {
        return wrong(format!("the lower end {least} is above the {across} links across"));
    }
    // In a connected network something always runs across.
    if least > 1 && routers > limits::SPECTRUM_ROUTERS {
        return wrong(format!("a lower end is proved of at most {} routers", limits::SPECTRUM_ROUTERS));
    }
    if least > 1 && !proved(topology, least) {
        return wrong(format!("that no halves have fewer than {least} links between them is not proved"));
    }
    let bandwidth = |link: LinkId| topology.capacity(link) * topology.capacities().unit_bps();
    let narrowest_bps = topology.links().ids().map(bandwidth).min().unwrap_or_default();
    Ok(Bisection {
        by_spectrum: least,
        by_flow: 0,
        most: across,
        at_endpoints,
        half: half.to_vec(),
        capacity,
        demand,
        narrowest_bps,
    })
}

/// Whether more than `least - 1` links run between any two halves.
fn proved(topology: &Topology, least: u64) -> bool {
    let routers = topology.node_count();
    let (below, above) = ((routers / 2) as f64, routers.div_ceil(2) as f64);
    definite::is_above(topology, (least - 1) as f64 * routers as f64 / (below * above))
}

/// A recounted bisection with what a proved rate says of it: every pair sends `low` at once, so any two
/// halves have room between them for all pairs across, and no link has room for more than the widest.
pub(crate) fn with_flow(topology: &Topology, demand: &Demand, of: Bisection, low: Exact) -> Bisection {
    let alike = demand.is_uniform() && topology.links().iter().all(|link| !link.simplex);
    let routers = topology.node_count();
    let senders = topology.nodes().filter(|&router| topology.hosts(router) > 0).count();
    let widest = topology.links().ids().map(|link| topology.capacity(link)).max().unwrap_or(1);
    // Senders that the smaller half may have.
    let pairs = (0..=senders.min(routers / 2)).filter(|inside| routers / 2 - inside <= routers - senders);
    let pairs = pairs.map(|inside| inside as u128 * (senders - inside) as u128).min().unwrap_or(0);
    let links = low.times(pairs, widest.into()).map_or(0, Exact::rounded_up);
    Bisection { by_flow: if alike { u64::try_from(links).unwrap_or(0) } else { 0 }, ..of }
}
