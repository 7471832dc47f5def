//! Verifies the weights of next-hop groups against what the spec asks for.
//!
//! Input: a scene, and group tables whose members the kernel has proved. By `weights = capacity` the weights
//! of a group must be in proportion to `capacity * min(1, carried / entering)` of its members, and have no
//! common divisor. Carried is what the router behind a member sends on at most, and entering is the capacity
//! of all members that lead to it. Otherwise no group may have weights.
//!
//! This file shares no code with the pass. It goes from the destination outwards, one layer of routers after
//! the other.

use crate::CheckError;
use fabc_base::divisors::greatest_common_divisor;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{GroupTables, Scene};
use fabc_model::MemberWeights;
use rayon::prelude::*;

/// Verifies all weights.
///
/// # Errors
/// The first group whose weights differ from the rule of the spec.
pub(crate) fn verify_weights(
    scene: &Scene<'_>,
    tables: &GroupTables,
    rule: MemberWeights,
) -> Result<(), CheckError> {
    let topology = scene.topology;
    let refused = |router: NodeId, to: NodeId, violation: &str| CheckError::BadEntry {
        scenario: tables.scenario.clone(),
        router: topology.name(router),
        violation: format!("the weights of its next hops to {} {violation}", topology.name(to)),
    };
    if rule == MemberWeights::Equal {
        let weighted = |router: NodeId| {
            let entries = tables.routers[router.index()].iter();
            entries.map(|entry| entry.first).find(|&to| !tables.group_weights(router, to).is_empty())
        };
        let first = topology.nodes().find_map(|router| Some((router, weighted(router)?)));
        return first.map_or(Ok(()), |(router, to)| {
            Err(refused(router, to, "must be equal, as the spec has no `weights = capacity`"))
        });
    }
    let endpoints: Vec<NodeId> = scene.endpoints().collect();
    let differing = |&to: &NodeId| {
        let router = first_differing(scene, tables, to)?;
        Some(refused(router, to, "are not in proportion to what they can carry"))
    };
    let found: Vec<Option<CheckError>> = endpoints.par_iter().map(differing).collect();
    found.into_iter().flatten().next().map_or(Ok(()), Err)
}

/// A member of a group: the router behind it, and the capacity of its channel.
struct Member {
    next: usize,
    capacity: u128,
}

/// The first router whose weights for packets to `to` differ from the rule.
fn first_differing(scene: &Scene<'_>, tables: &GroupTables, to: NodeId) -> Option<NodeId> {
    let topology = scene.topology;
    let members = |router: NodeId| -> Vec<Member> {
        let channels = tables.group(router, to).iter().map(|&port| scene.outgoing(router, PortId(port)));
        let member = |channel| Member {
            next: topology.target(channel).node.index(),
            capacity: topology.channel_capacity(channel).into(),
        };
        channels.flatten().map(member).collect()
    };
    let groups: Vec<Vec<Member>> = topology.nodes().map(members).collect();
    let mut entering = vec![0u128; groups.len()];
    groups.iter().flatten().for_each(|member| entering[member.next] += member.capacity);
    // What a router sends is known once that of all its members is.
    let mut sends: Vec<Option<u128>> = vec![None; groups.len()];
    sends[to.index()] = Some(u128::MAX);
    loop {
        let known = |router: &usize| groups[*router].iter().all(|member| sends[member.next].is_some());
        let layer: Vec<usize> = (0..groups.len())
            .filter(|&router| sends[router].is_none() && !groups[router].is_empty())
            .filter(known)
            .collect();
        if layer.is_empty() {
            break;
        }
        for router in layer {
            let through = |member: &Member| sends[member.next].unwrap_or(0).min(member.capacity);
            sends[router] = Some(groups[router].iter().map(through).sum());
        }
    }
    let differs = |router: &NodeId| {
        let group = &groups[router.index()];
        let weights: Vec<u128> = tables.members(*router, to).map(|(_, weight)| weight.into()).collect();
        let listed = tables.group_weights(*router, to);
        let is_short = listed.is_empty()
            || (listed.iter().copied().fold(0, greatest_common_divisor) == 1
                && listed.iter().any(|w| *w != listed[0]));
        // Two members are in proportion if the products across are equal.
        let carries = |member: &Member| {
            let (sends, entering) = (sends[member.next].unwrap_or(0), entering[member.next].max(1));
            if sends >= entering { (member.capacity, 1) } else { (member.capacity * sends, entering) }
        };
        let in_proportion = group.windows(2).zip(weights.windows(2)).all(|(pair, weights)| {
            let ((a, over_a), (b, over_b)) = (carries(&pair[0]), carries(&pair[1]));
            a * over_b * weights[1] == b * over_a * weights[0]
        });
        !(is_short && in_proportion)
    };
    topology.nodes().filter(|router| !groups[router.index()].is_empty() && *router != to).find(differs)
}
