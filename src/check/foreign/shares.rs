//! The loads of packets that choose among next hops, as exact fractions.
//!
//! A flow to a destination is counted in so many equal shares that every division among next hops comes out
//! even. Their number is the least common multiple, over the paths, of the products of the sums of weights.

use super::choices::Choices;
use super::groups::ForeignGroups;
use fabc_base::divisors::least_common_multiple;
use std::collections::BTreeMap;

/// The most shares of a flow. Sums over all pairs then fit 128 bits.
const MOST_SHARES: u128 = u64::MAX as u128;

/// Sums over destinations whose flows are counted in the same number of shares.
#[derive(Clone)]
struct ShareSums {
    /// `[slot]`: routes over the channel, in shares.
    loads: Vec<u128>,
    /// Hops of all routes, in shares.
    hops: u128,
}

/// Sums over the routes to all destinations so far.
#[derive(Default)]
pub(super) struct LoadSums {
    by_shares: BTreeMap<u128, ShareSums>,
    /// Hops of the longest choice of any pair.
    longest: u64,
    /// Hops of the longest choice of every leg to a relay or from one, by destination and source.
    leg_hops: BTreeMap<[usize; 2], u64>,
    /// Whether some flow needs more than [`MOST_SHARES`].
    is_too_fine: bool,
    /// Whether the choices of some router differ in the hops that remain.
    is_uneven: bool,
}

/// The loads of all routes together.
pub(super) struct Loads {
    /// The number of shares of a route.
    pub(super) shares: u128,
    /// `[slot]`: routes over the channel, in shares.
    pub(super) loads: Vec<u128>,
    /// Hops of all routes, in shares.
    pub(super) hops: u128,
    /// Hops of the longest choice of any pair.
    pub(super) longest: u64,
}

impl LoadSums {
    /// Counts the routes of packets to one destination. All of them must arrive.
    pub(super) fn count(&mut self, groups: &ForeignGroups, choices: &Choices<'_>) {
        let Some(all_shares) = shares_of(groups, choices).filter(|_| !self.is_too_fine) else {
            self.is_too_fine = true;
            return;
        };
        let endpoints = &groups.network.endpoints;
        // Once by number and once by weight.
        let mut passing = vec![[0u128; 2]; groups.network.routers()];
        for source in choices.sources() {
            let own = u128::from(endpoints[source].weight) * u128::from(endpoints[choices.endpoint].weight);
            let [pairs, weight] = groups.legs.over(source, choices.endpoint);
            let start = &mut passing[endpoints[source].router as usize];
            *start = [start[0] + (1 + pairs) * all_shares, start[1] + (own + weight) * all_shares];
        }
        let empty = || ShareSums { loads: vec![0; groups.network.next.len()], hops: 0 };
        let sums = self.by_shares.entry(all_shares).or_insert_with(empty);
        for router in choices.passed() {
            let total = total_weight(choices, router);
            let [routes, weight] = passing[router as usize].map(|shares| shares / total);
            for (port, part) in weighted_members(choices, router) {
                let next = &mut passing[choices.next(router, port) as usize];
                *next = [next[0] + routes * part, next[1] + weight * part];
                sums.loads[choices.slot(router, port)] += weight * part;
                sums.hops += routes * part;
            }
        }
        let mut hops = vec![0u64; groups.network.routers()];
        for &router in &choices.settled[1..] {
            let behind =
                || choices.members(router).iter().map(|&port| hops[choices.next(router, port) as usize]);
            self.is_uneven |= choices.is_passed[router as usize] && behind().min() != behind().max();
            hops[router as usize] = 1 + behind().max().unwrap_or(0);
        }
        let longest = choices.sources().map(|source| hops[endpoints[source].router as usize]).max();
        self.longest = self.longest.max(longest.unwrap_or(0));
        for source in groups.legs.to(choices.endpoint) {
            self.leg_hops.insert([choices.endpoint, source], hops[endpoints[source].router as usize]);
        }
    }

    /// Whether all paths from a router to a destination have the same number of hops.
    pub(super) fn has_even_paths(&self) -> bool {
        !self.is_uneven
    }

    /// Adds the sums over other destinations.
    pub(super) fn add(&mut self, other: Self) {
        self.longest = self.longest.max(other.longest);
        self.leg_hops.extend(other.leg_hops);
        self.is_too_fine |= other.is_too_fine;
        self.is_uneven |= other.is_uneven;
        for (shares, more) in other.by_shares {
            match self.by_shares.get_mut(&shares) {
                Some(sums) => {
                    sums.loads.iter_mut().zip(&more.loads).for_each(|(sum, more)| *sum += more);
                    sums.hops += more.hops;
                }
                None => drop(self.by_shares.insert(shares, more)),
            }
        }
    }

    /// Brings all sums to one number of shares, the least for which they are integers. `None` if the shares
    /// are too small to be counted.
    pub(super) fn into_loads(self, groups: &ForeignGroups) -> Option<Loads> {
        let (mut shares, slots) = (1, groups.network.next.len());
        for &part in self.by_shares.keys() {
            shares = least_common_multiple(shares, part, MOST_SHARES)?;
        }
        let (mut loads, mut hops) = (vec![0u128; slots], 0u128);
        for (part, sums) in self.by_shares {
            let scale = shares / part;
            for (load, more) in loads.iter_mut().zip(sums.loads) {
                *load = load.checked_add(more.checked_mul(scale)?)?;
            }
            hops = hops.checked_add(sums.hops.checked_mul(scale)?)?;
        }
        let longest = self.longest.max(groups.legs.longest(&self.leg_hops));
        (!self.is_too_fine).then_some(Loads { shares, loads, hops, longest })
    }
}

/// The number of shares of a flow to the destination. `None` beyond [`MOST_SHARES`].
fn shares_of(groups: &ForeignGroups, choices: &Choices<'_>) -> Option<u128> {
    let mut shares = vec![0u128; groups.network.routers()];
    for source in choices.sources() {
        shares[groups.network.endpoints[source].router as usize] = 1;
    }
    for router in choices.passed() {
        let divided = shares[router as usize] * total_weight(choices, router);
        for &port in choices.members(router) {
            let next = &mut shares[choices.next(router, port) as usize];
            *next = least_common_multiple((*next).max(1), divided, MOST_SHARES)?;
        }
    }
    Some(shares[choices.destination as usize].max(1))
}

/// The ports of a group with their weights.
fn weighted_members(choices: &Choices<'_>, router: u32) -> impl Iterator<Item = (u16, u128)> {
    let weights = choices.weights(router);
    let weight = move |member: usize| weights.get(member).map_or(1, |&weight| u128::from(weight));
    choices.members(router).iter().enumerate().map(move |(member, &port)| (port, weight(member)))
}

fn total_weight(choices: &Choices<'_>, router: u32) -> u128 {
    weighted_members(choices, router).map(|(_, weight)| weight).sum()
}
