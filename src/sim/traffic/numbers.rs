//! Destinations that follow from the numbers of endpoints alone: patterns of bits, and permutations.

use super::super::endpoints::EndpointMap;
use super::super::layout::NONE;
use fabc_base::random::Stream;
use fabc_model::Traffic;

/// `[endpoint]`: its destination, or [`NONE`]. It is the endpoint itself where it would send to itself. The
/// result is `None` for traffics that need more than numbers.
pub(super) fn targets(traffic: Traffic, endpoints: &EndpointMap, seed: u64) -> Option<Vec<u32>> {
    let count = endpoints.count();
    // Patterns of bits use a power of two endpoints, so that every number of `bits` bits is an endpoint.
    let bits = count.ilog2();
    let by_bits = |to: &dyn Fn(u32) -> u32| {
        (0..count).map(|source| if source < 1 << bits { to(source) } else { NONE }).collect()
    };
    Some(match traffic {
        Traffic::Permutation => routers_permuted(endpoints, seed),
        Traffic::EndpointPermutation => permuted(count as usize, seed),
        Traffic::BitComplement => by_bits(&|source| !source & ((1 << bits) - 1)),
        Traffic::BitReverse => by_bits(&|source| source.reverse_bits() >> (u32::BITS - bits)),
        Traffic::BitShuffle => by_bits(&|source| (source << 1 | source >> (bits - 1)) & ((1 << bits) - 1)),
        Traffic::Transpose => by_bits(&|source| transposed(source, bits)),
        _ => return None,
    })
}

/// Exchanges the halves of `bits` bits. A middle bit stays.
fn transposed(source: u32, bits: u32) -> u32 {
    let half = bits / 2;
    let low = source & ((1 << half) - 1);
    let high = source >> (bits - half);
    let middle = if bits % 2 == 1 { source & 1 << half } else { 0 };
    low << (bits - half) | middle | high
}

/// A random permutation of `count` items.
fn permuted(count: usize, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    Stream::new(seed, PERMUTATION).shuffle(&mut order);
    order
}

/// The stream of random numbers that permutations are drawn from.
const PERMUTATION: u64 = 3;

/// A random permutation of the routers with endpoints. The endpoints of each send to those in the same places
/// of another one, round and round where that has fewer.
fn routers_permuted(endpoints: &EndpointMap, seed: u64) -> Vec<u32> {
    let routers: Vec<usize> =
        (0..endpoints.first.len() - 1).filter(|&router| !endpoints.of_router(router).is_empty()).collect();
    let order = permuted(routers.len(), seed);
    let mut targets = vec![NONE; endpoints.router.len()];
    for (&from, &to) in routers.iter().zip(&order) {
        let targets_there = endpoints.of_router(routers[to as usize]);
        for (place, source) in endpoints.of_router(from).enumerate() {
            // If a router is its own target, its endpoints send to themselves, not to neighbors.
            targets[source as usize] = if routers[to as usize] == from {
                source
            } else {
                targets_there.start + place as u32 % targets_there.len() as u32
            };
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
        let mut targets = targets(traffic, &EndpointMap { router, first }, 1).expect("it goes by numbers");
        targets
            .iter_mut()
            .zip(0..)
            .filter(|(target, source)| **target == *source)
            .for_each(|(target, _)| *target = NONE);
        targets
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
        targets
            .iter_mut()
            .zip(0..)
            .filter(|(target, _)| **target == NONE)
            .for_each(|(target, source)| *target = source);
        targets.sort_unstable();
        assert!(targets.iter().zip(0..).all(|(target, source)| *target == source));
        // Hosts keep their places at their routers, and a router without hosts is left out.
        let by_router = of(Traffic::Permutation, &[2, 0, 2, 2, 2]);
        for pair in by_router.chunks(2).filter(|pair| pair[0] != NONE) {
            assert_eq!((pair[0] % 2, pair[1]), (0, pair[0] + 1));
        }
    }
}
