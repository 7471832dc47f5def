//! Collisions of flows under group tables whose members are chosen by a hash.
//!
//! Input: a scene, its group tables, the tiers and the flows of a pair of hosts. Output: [`Collisions`]. A
//! leaf sends every flow of its hosts by one of the members of a group, each with the same probability. The
//! fullest member then has more flows than the mean, so these flows are slower than the others.
//!
//! The expectation is exact. Let w_j(k) be the number of ways in which k flows choose among j members so that
//! none has more than m. It is the coefficient k! [x^k] of (1 + x + .. + x^m / m!)^j. Differentiation of that
//! power gives w_j(k + 1) = j (w_j(k) - C(k, m) w_{j-1}(k - m)): of the ways for one more flow on one of j
//! members, those are left out in which this member has m flows already. The recursion goes back m + 1 flows
//! with each member, so it takes F / m members at most. Cost: about F^2 ln n products of integers with
//! F log2 n bits.

use fabc_base::ids::{Id, NodeId, PortId};
use fabc_base::limits::COLLISION_FLOWS;
use fabc_ir::{COLLISION_PARTS, Collisions, GroupTables, HashedGroup, Scene};
use num_bigint::BigUint;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Destinations whose groups are found by one task.
const DESTINATIONS_PER_TASK: usize = 64;

/// Expectations of groups that were computed before. Many scenarios have the same groups.
#[derive(Default, Debug)]
pub struct KnownExpectations {
    /// As [`Collisions::expected`], for a single group.
    by_group: Mutex<BTreeMap<HashedGroup, u64>>,
}

/// Measures the collisions of a scenario. `tiers` is `[router]`: its tier in the healthy topology. `flows` is
/// the number of flows of every pair of hosts. `None` if no flow goes up.
pub fn collisions(
    scene: &Scene<'_>,
    tables: &GroupTables,
    tiers: &[u32],
    flows: u32,
    known: &KnownExpectations,
) -> Option<Collisions> {
    let groups = hashed_groups(scene, tables, tiers, flows);
    let worst = groups.iter().copied().reduce(|worst, next| if is_worse(next, worst) { next } else { worst });
    Some(Collisions { expected: largest_expectation(&groups, known), worst: worst? })
}

/// The largest expectation of all groups. `None` if one of them has too many flows.
fn largest_expectation(groups: &BTreeSet<HashedGroup>, known: &KnownExpectations) -> Option<u64> {
    if groups.iter().any(|group| group.flows > COLLISION_FLOWS) {
        return None;
    }
    let expectation = |&group: &HashedGroup| {
        let lock = || known.by_group.lock().expect("no holder of this lock panics");
        let found = lock().get(&group).copied();
        found.unwrap_or_else(|| {
            let value = expected_parts(group);
            lock().insert(group, value);
            value
        })
    };
    groups.iter().map(expectation).max()
}

/// All different groups by which flows go up, with the flows that come to them whatever the hashes choose.
/// These are the flows of the hosts of a leaf, and of routers below that have no other next hop.
pub fn hashed_groups(
    scene: &Scene<'_>,
    tables: &GroupTables,
    tiers: &[u32],
    flows: u32,
) -> BTreeSet<HashedGroup> {
    let mut by_tier: Vec<NodeId> = scene.topology.nodes().collect();
    by_tier.sort_by_key(|router| tiers[router.index()]);
    let find_task = |destinations: &[NodeId]| {
        let mut groups = BTreeSet::new();
        for &destination in destinations {
            let mut certain = vec![0u64; tiers.len()];
            for &router in by_tier.iter().filter(|&&router| router != destination) {
                let own = if scene.is_endpoint(router) { u64::from(scene.topology.hosts(router)) } else { 0 };
                let coming = certain[router.index()] + own * u64::from(flows);
                let ports = if coming > 0 { tables.group(router, destination) } else { &[] };
                let next = |port: &u16| scene.outgoing(router, PortId(*port));
                let heads: Vec<usize> =
                    ports.iter().filter_map(next).map(|id| scene.topology.target(id).node.index()).collect();
                let Some(&head) = heads.first().filter(|&&head| tiers[head] > tiers[router.index()]) else {
                    continue;
                };
                groups.insert(HashedGroup { flows: coming, members: heads.len() as u64 });
                if heads.iter().all(|&other| other == head) {
                    certain[head] += coming;
                }
            }
        }
        groups
    };
    let endpoints: Vec<NodeId> = scene.endpoints().collect();
    let found: Vec<_> = endpoints.par_chunks(DESTINATIONS_PER_TASK).map(find_task).collect();
    found.into_iter().flatten().collect()
}

/// Whether a group loses more than another one if all of its flows choose one member.
fn is_worse(group: HashedGroup, other: HashedGroup) -> bool {
    let least = |group: HashedGroup| u128::from(group.flows.div_ceil(group.members));
    u128::from(group.flows) * least(other) > u128::from(other.flows) * least(group)
}

/// Expected flows on the fullest member over the mean, in parts of 1 / [`COLLISION_PARTS`], rounded up.
///
/// With F flows and n members, the expectation is the sum over all m of the probability that the fullest
/// member has more than m flows.
fn expected_parts(group: HashedGroup) -> u64 {
    let HashedGroup { flows, members } = group;
    let all = BigUint::from(members).pow(flows as u32);
    // The sum over m of the ways in which some member has more than m flows.
    let mut exceeding = BigUint::ZERO;
    for most in 0..flows {
        let fits = most.saturating_mul(members) >= flows;
        exceeding += if fits { &all - ways_within(group, most as usize) } else { all.clone() };
    }
    let (over, under) = (exceeding * members * COLLISION_PARTS, all * flows);
    let parts = (over + &under - 1u8) / under;
    parts.try_into().expect("the fullest member has at most all flows")
}

/// The ways in which the flows of a group choose members so that none has more than `most`, where
/// 1 <= `most` < flows.
fn ways_within(group: HashedGroup, most: usize) -> BigUint {
    let (flows, members) = (group.flows as usize, group.members);
    // `[k - most]`: C(k, most).
    let mut binomials = vec![BigUint::from(1u8)];
    for k in most + 1..flows {
        let next = &binomials[k - 1 - most] * k as u64 / (k - most) as u64;
        binomials.push(next);
    }
    // `[k]`: w_{j-1}(k), as far as it is needed for j.
    let mut below: Vec<BigUint> = Vec::new();
    let deepest = (flows / (most + 1)).min(members as usize);
    for depth in (0..=deepest).rev() {
        let j = members - depth as u64;
        let length = flows - depth * (most + 1);
        let mut ways: Vec<BigUint> = (0..=most.min(length)).map(|k| BigUint::from(j).pow(k as u32)).collect();
        for k in most..length {
            let full = &binomials[k - most] * &below[k - most];
            let next = (&ways[k] - full) * j;
            ways.push(next);
        }
        below = ways;
    }
    below.swap_remove(flows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums the fullest member over all choices, one by one. The result is the expectation times n^F.
    fn fullest_of_all_choices(flows: u64, members: u64) -> u64 {
        let mut sum = 0;
        for mut choice in 0..members.pow(flows as u32) {
            let mut filled = vec![0u64; members as usize];
            for _ in 0..flows {
                filled[(choice % members) as usize] += 1;
                choice /= members;
            }
            sum += filled.into_iter().max().unwrap_or(0);
        }
        sum
    }

    #[test]
    fn expectations_are_those_of_all_choices() {
        for flows in 1..=8u64 {
            for members in 1..=5u64 {
                let sum = fullest_of_all_choices(flows, members);
                let all = u128::from(members.pow(flows as u32));
                let over = u128::from(sum) * u128::from(members) * u128::from(COLLISION_PARTS);
                let expected = over.div_ceil(all * u128::from(flows));
                let parts = expected_parts(HashedGroup { flows, members });
                assert_eq!(u128::from(parts), expected, "{flows} flows on {members} members");
            }
        }
    }

    /// Answers of independent programs, with as many digits as they gave.
    #[test]
    fn expectations_are_the_known_ones() {
        for (flows, members, known) in [
            (1, 1, "1.0000"),
            (2, 2, "1.5000"),
            (4, 4, "2.1250"),
            (8, 8, "2.5972"),
            (16, 16, "3.0782"),
            (32, 32, "3.532941"),
            (16, 4, "1.5348"),
            (32, 8, "1.7619"),
            (64, 16, "1.9701"),
            (128, 32, "2.162649"),
        ] {
            let parts = expected_parts(HashedGroup { flows, members });
            let digits = known.len() - 2;
            let value = parts as f64 / COLLISION_PARTS as f64;
            assert_eq!(format!("{value:.digits$}"), known, "{flows} flows on {members} members");
        }
        assert_eq!(expected_parts(HashedGroup { flows: 2, members: 2 }), COLLISION_PARTS / 2 * 3);
        assert_eq!(expected_parts(HashedGroup { flows: 4, members: 4 }), COLLISION_PARTS / 8 * 17);
        // The most flows that are counted.
        let parts = expected_parts(HashedGroup { flows: COLLISION_FLOWS, members: 64 });
        assert!((COLLISION_PARTS..3 * COLLISION_PARTS).contains(&parts));
    }
}
