//! Who sends to whom, worked out for the endpoints of a fabric.

use super::endpoints::Endpoints;
use super::errors::SimError;
use super::layout::NONE;
use crate::model::Traffic;
use crate::random::Stream;

/// The destinations of every endpoint.
pub(super) enum Pattern {
    /// Any other endpoint, of so many.
    Uniform(u32),
    /// `[endpoint]`: one other, or [`NONE`].
    Fixed(Vec<u32>),
}

impl Pattern {
    /// Works a traffic out.
    ///
    /// # Errors
    /// Nobody would send anything.
    pub(super) fn of(traffic: Traffic, endpoints: &Endpoints, seed: u64) -> Result<Self, SimError> {
        let count = endpoints.count();
        let missing = |why: String| Err(SimError::NoTraffic { traffic: traffic.name(), why });
        if count < 2 {
            return missing(format!("it takes two endpoints, and there are {count}"));
        }
        if traffic == Traffic::Uniform {
            return Ok(Pattern::Uniform(count));
        }
        // Of a power of two endpoints, every number of so many bits is one.
        let bits = count.ilog2();
        let to = |source: u32| match traffic {
            Traffic::Uniform | Traffic::Permutation | Traffic::EndpointPermutation => unreachable!("these are not by bits"),
            Traffic::BitComplement => !source & ((1 << bits) - 1),
            Traffic::BitReverse => source.reverse_bits() >> (u32::BITS - bits),
            Traffic::BitShuffle => (source << 1 | source >> (bits - 1)) & ((1 << bits) - 1),
            Traffic::Transpose => transposed(source, bits),
        };
        let mut targets: Vec<u32> = match traffic {
            Traffic::Permutation => routers_permuted(endpoints, seed),
            Traffic::EndpointPermutation => permuted(count as usize, seed),
            _ => (0..count).map(|source| if source < 1 << bits { to(source) } else { NONE }).collect(),
        };
        targets.iter_mut().zip(0..).filter(|(target, source)| **target == *source).for_each(|(target, _)| *target = NONE);
        match targets.iter().all(|target| *target == NONE) {
            true => missing("every endpoint would send to itself".to_owned()),
            false => Ok(Pattern::Fixed(targets)),
        }
    }

    /// Where an endpoint sends a packet, by a random number.
    pub(super) fn draw(&self, source: u32, random: u64) -> u32 {
        match self {
            Pattern::Uniform(count) => {
                let other = (random % u64::from(count - 1)) as u32;
                other + u32::from(other >= source)
            }
            Pattern::Fixed(targets) => targets[source as usize],
        }
    }

    /// Whether an endpoint sends at all.
    pub(super) fn sends(&self, source: u32) -> bool {
        match self {
            Pattern::Uniform(_) => true,
            Pattern::Fixed(targets) => targets[source as usize] != NONE,
        }
    }
}

/// The halves of so many bits exchanged; where there is one in the middle, it stays.
fn transposed(source: u32, bits: u32) -> u32 {
    let half = bits / 2;
    let low = source & ((1 << half) - 1);
    let high = source >> (bits - half);
    let middle = if bits % 2 == 1 { source & 1 << half } else { 0 };
    low << (bits - half) | middle | high
}

/// A permutation of so many things.
fn permuted(count: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    Stream::new(seed, PERMUTATION).shuffle(&mut order);
    order
}

/// The stream of random numbers that permutations are drawn from.
const PERMUTATION: u64 = 3;

/// A permutation of the routers with endpoints: the endpoints of each send to those in the same places of
/// another one, round and round where that has fewer.
fn routers_permuted(endpoints: &Endpoints, seed: u64) -> Vec<u32> {
    let routers: Vec<usize> = (0..endpoints.first.len() - 1).filter(|&router| !endpoints.at(router).is_empty()).collect();
    let order = permuted(routers.len(), seed);
    let mut targets = vec![NONE; endpoints.router.len()];
    for (&from, &to) in routers.iter().zip(&order) {
        let there = endpoints.at(routers[to as usize]);
        for (place, source) in endpoints.at(from).enumerate() {
            // A router that stays where it is would have its endpoints send to themselves, or to neighbors.
            targets[source as usize] = if routers[to as usize] == from { source } else { there.start + place as u32 % there.len() as u32 };
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(traffic: Traffic, hosts: &[u32]) -> Vec<u32> {
        let (mut router, mut first) = (Vec::new(), vec![0]);
        for (at, &hosts) in (0..).zip(hosts) {
            router.extend((0..hosts).map(|_| at));
            first.push(router.len() as u32);
        }
        match Pattern::of(traffic, &Endpoints { router, first }, 1).unwrap() {
            Pattern::Fixed(targets) => targets,
            Pattern::Uniform(_) => panic!("{traffic:?} is not uniform"),
        }
    }

    #[test]
    fn patterns_by_hand() {
        let none = NONE;
        // Nine endpoints: the ninth is in no pattern of bits.
        let nine = [1; 9];
        assert_eq!(of(Traffic::BitComplement, &nine), [7, 6, 5, 4, 3, 2, 1, 0, none]);
        assert_eq!(of(Traffic::BitReverse, &nine), [none, 4, none, 6, 1, none, 3, none, none]);
        assert_eq!(of(Traffic::BitShuffle, &nine), [none, 2, 4, 6, 1, 3, 5, none, none]);
        // Three bits: the outer ones change places.
        assert_eq!(of(Traffic::Transpose, &nine), [none, 4, none, 6, 1, none, 3, none, none]);
        let sixteen = of(Traffic::Transpose, &[1; 16]);
        assert_eq!((sixteen[0b0111], sixteen[0b1101], sixteen[0b0101]), (0b1101, 0b0111, none));
    }

    #[test]
    fn permutations_reach_everybody_once() {
        let mut targets = of(Traffic::EndpointPermutation, &[1; 64]);
        targets.iter_mut().zip(0..).filter(|(target, _)| **target == NONE).for_each(|(target, source)| *target = source);
        targets.sort_unstable();
        assert!(targets.iter().zip(0..).all(|(target, source)| *target == source));
        // Hosts keep their places at their routers, and a router without hosts is left out.
        let by_router = of(Traffic::Permutation, &[2, 0, 2, 2, 2]);
        for pair in by_router.chunks(2).filter(|pair| pair[0] != NONE) {
            assert_eq!((pair[0] % 2, pair[1]), (0, pair[0] + 1));
        }
    }

    #[test]
    fn uniform_skips_the_source() {
        let pattern = Pattern::Uniform(4);
        let drawn: Vec<u32> = (0..6).map(|random| pattern.draw(1, random)).collect();
        assert_eq!(drawn, [0, 2, 3, 0, 2, 3]);
    }
}
