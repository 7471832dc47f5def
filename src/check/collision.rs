//! Counts the collisions of flows again, under group tables that are proved.
//!
//! Input: a scene, its group tables, and the flows of every pair of hosts. Output: [`Collisions`]. This file
//! shares no code with the pass. Flows are followed from every leaf upwards, as long as one router takes all
//! of them. The ways in which some member has more than m flows are counted by inclusion and exclusion, over
//! sets of members that all have more.

use crate::CheckError;
use crate::exact::Exact;
use crate::tiers::tiers_of_routers;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_base::limits::COLLISION_FLOWS;
use fabc_ir::{COLLISION_PARTS, Collisions, GroupTables, HashedGroup, Scene};
use num_bigint::{BigInt, BigUint};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Expectations of groups that were counted in earlier scenarios.
#[derive(Default, Debug)]
pub struct CountedExpectations(Mutex<BTreeMap<HashedGroup, u64>>);

/// Counts the collisions of a scenario. `None` if no flow goes up.
pub(crate) fn count_collisions(
    scene: &Scene<'_>,
    tables: &GroupTables,
    flows: u32,
    counted: &CountedExpectations,
) -> Option<Collisions> {
    let groups = groups_of_flows(scene, tables, flows);
    // The flows that the fullest member has at least.
    let least = |group: &HashedGroup| u128::from(group.flows.div_ceil(group.members));
    let compare = |one: &HashedGroup, two: &HashedGroup| {
        let ratios = (u128::from(one.flows) * least(two)).cmp(&(u128::from(two.flows) * least(one)));
        // Of equals the smallest group counts.
        ratios.then_with(|| two.cmp(one))
    };
    let worst = groups.iter().copied().max_by(compare)?;
    let is_countable = groups.iter().all(|group| group.flows <= COLLISION_FLOWS);
    let expected = is_countable.then(|| groups.iter().map(|group| counted.expectation(*group)).max());
    Some(Collisions { expected: expected.flatten(), worst })
}

/// Verifies the claimed collisions of a scenario.
///
/// # Errors
/// A claim that differs from the count.
pub fn verify_collisions(
    scene: &Scene<'_>,
    tables: &GroupTables,
    flows: u32,
    claimed: Option<&Collisions>,
    counted: &CountedExpectations,
) -> Result<(), CheckError> {
    let recount = count_collisions(scene, tables, flows, counted);
    if claimed == recount.as_ref() {
        return Ok(());
    }
    let violation = format!("the collisions of flows are {recount:?}, but the build measured {claimed:?}");
    Err(CheckError::Shape { scenario: tables.scenario.clone(), violation })
}

/// The value of `collision`. `None` where a group has too many flows.
pub(crate) fn expected_collision(counted: Collisions) -> Option<Exact> {
    Exact::new(counted.expected?.into(), COLLISION_PARTS.into())
}

/// The value of `collision_worst`: all flows on one member, over the least that the fullest has.
pub(crate) fn worst_collision(counted: Collisions) -> Option<Exact> {
    let HashedGroup { flows, members } = counted.worst;
    Exact::new(flows.into(), flows.div_ceil(members).into())
}

/// The groups by which flows leave a router upwards, where all of these flows are sure to come to it.
fn groups_of_flows(scene: &Scene<'_>, tables: &GroupTables, flows: u32) -> BTreeSet<HashedGroup> {
    let tiers = tiers_of_routers(scene.topology);
    let endpoints: Vec<NodeId> = scene.endpoints().collect();
    // The routers that the members of a group lead to. Empty for a group that leads down.
    let heads_above = |router: NodeId, to: NodeId| -> Vec<NodeId> {
        let ports = tables.group(router, to).iter();
        let channels = ports.filter_map(|port| scene.outgoing(router, PortId(*port)));
        let heads = channels.map(|channel| scene.topology.target(channel).node);
        heads.filter(|head| tiers[head.index()] > tiers[router.index()]).collect()
    };
    let of_destination = |&to: &NodeId| {
        let mut coming: BTreeMap<NodeId, HashedGroup> = BTreeMap::new();
        for &source in endpoints.iter().filter(|&&source| source != to) {
            let own = u64::from(scene.topology.hosts(source)) * u64::from(flows);
            let mut next = Some(source);
            while let Some(router) = next {
                let heads = heads_above(router, to);
                let members = heads.len() as u64;
                if members > 0 {
                    coming.entry(router).or_insert(HashedGroup { flows: 0, members }).flows += own;
                }
                next = heads.first().copied().filter(|first| heads.iter().all(|head| head == first));
            }
        }
        coming.into_values().collect::<BTreeSet<_>>()
    };
    endpoints.par_iter().map(of_destination).reduce(BTreeSet::new, |mut groups, more| {
        groups.extend(more);
        groups
    })
}

impl CountedExpectations {
    /// As [`Collisions::expected`], for a single group.
    fn expectation(&self, group: HashedGroup) -> u64 {
        let known = self.0.lock().expect("counts do not panic").get(&group).copied();
        known.unwrap_or_else(|| {
            let parts = expected_parts(group);
            self.0.lock().expect("counts do not panic").insert(group, parts);
            parts
        })
    }
}

/// Expected flows on the fullest member over the mean, in parts of 1 / [`COLLISION_PARTS`], rounded up.
fn expected_parts(group: HashedGroup) -> u64 {
    let choices = BigUint::from(group.members).pow(group.flows as u32);
    // The fullest member, summed over all choices: it is 1 for every number that it exceeds.
    let sum: BigUint = (0..group.flows)
        .map(|most| match group.flows > most * group.members {
            true => choices.clone(),
            false => choices_exceeding(group, most as usize),
        })
        .sum();
    let (numerator, denominator) = (sum * group.members * COLLISION_PARTS, choices * group.flows);
    let whole = &numerator / &denominator;
    let rest = numerator - &whole * denominator;
    let parts = u64::try_from(whole).expect("no member has more than all flows");
    parts + u64::from(rest.cmp(&BigUint::ZERO) == Ordering::Greater)
}

/// The choices of a group in which some member has more than `most` flows.
fn choices_exceeding(group: HashedGroup, most: usize) -> BigUint {
    let (flows, members) = (group.flows as usize, group.members);
    let row = binomial_row(flows);
    let mut sum = BigInt::ZERO;
    let mut sets = BigUint::from(1u8);
    // `[k]`: the ways in which k flows go to a number of given members so that each gets more than `most`.
    let mut ways: Vec<BigUint> = vec![BigUint::ZERO; flows + 1];
    ways[0] = BigUint::from(1u8);
    for given in 1..=members.min((flows / (most + 1)) as u64) {
        ways = ways_with_one_more(&ways, given, most);
        sets = sets * (members + 1 - given) / given;
        // The other flows go to any of the other members.
        let others = members - given;
        let choices =
            row.iter().zip(&ways).fold(BigUint::ZERO, |sum, (binomial, ways)| sum * others + binomial * ways);
        let signed = BigInt::from(choices * &sets);
        sum += if given % 2 == 1 { signed } else { -signed };
    }
    sum.try_into().expect("a number of choices is not negative")
}

/// Adds a member to those that all get more than `most` flows. One more flow goes to one of `given` members:
/// it has more than `most` flows already, or exactly `most` of all k flows.
fn ways_with_one_more(ways: &[BigUint], given: u64, most: usize) -> Vec<BigUint> {
    let mut more = vec![BigUint::ZERO; ways.len()];
    // C(k, most).
    let mut binomial = BigUint::from(1u8);
    for k in most..ways.len() - 1 {
        if k > most {
            binomial = binomial * k as u64 / (k - most) as u64;
        }
        more[k + 1] = (&more[k] + &binomial * &ways[k - most]) * given;
    }
    more
}

/// `[k]`: the number of sets of k flows.
fn binomial_row(flows: usize) -> Vec<BigUint> {
    let mut row = vec![BigUint::from(1u8)];
    for k in 1..=flows {
        let next = &row[k - 1] * (flows + 1 - k) as u64 / k as u64;
        row.push(next);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The choices by the flows of every member, each counted by its multinomial coefficient.
    fn exceeding_by_partitions(flows: u64, members: u64, most: u64) -> u128 {
        fn choices(flows: u64, members: u64, most: u64, exceeds: bool) -> u128 {
            if members == 0 {
                return u128::from(flows == 0 && exceeds);
            }
            let mut binomial = 1u128;
            let mut sum = 0;
            for own in 0..=flows {
                sum += binomial * choices(flows - own, members - 1, most, exceeds || own > most);
                binomial = binomial * u128::from(flows - own) / u128::from(own + 1);
            }
            sum
        }
        choices(flows, members, most, false)
    }

    #[test]
    fn inclusion_and_exclusion_counts_every_choice() {
        for flows in 1..=9u64 {
            for members in 1..=6 {
                for most in flows.div_ceil(members)..flows {
                    let counted = choices_exceeding(HashedGroup { flows, members }, most as usize);
                    let wanted = exceeding_by_partitions(flows, members, most);
                    assert_eq!(counted, BigUint::from(wanted), "{flows} flows, {members} members, {most}");
                }
            }
        }
    }

    #[test]
    fn expectations_are_the_known_ones() {
        for (flows, members, known) in [
            (1, 7, "7.0000"),
            (7, 1, "1.0000"),
            (2, 2, "1.5000"),
            (4, 4, "2.1250"),
            (8, 8, "2.5972"),
            (32, 32, "3.532941"),
            (16, 4, "1.5348"),
            (128, 32, "2.162649"),
        ] {
            let value = expected_parts(HashedGroup { flows, members }) as f64 / COLLISION_PARTS as f64;
            assert_eq!(format!("{value:.*}", known.len() - 2), known, "{flows} flows on {members} members");
        }
        let parts = expected_parts(HashedGroup { flows: COLLISION_FLOWS, members: 64 });
        assert!((COLLISION_PARTS..3 * COLLISION_PARTS).contains(&parts));
    }
}
