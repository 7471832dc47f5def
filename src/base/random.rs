//! Random numbers: one counter-based stream per seed and purpose, the same on every machine.
//!
//! In: a seed and the number of a stream. Out: numbers. What is drawn from them is part of what is claimed:
//! the checker draws the same ones, and does its own work with them.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// A seeded stream; the modulo bias of `below` is far under anything a search could notice and costs no
/// rejection loop.
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// Stream number `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Self(generator)
    }
    /// Puts a list in random order, all orders alike (Fisher & Yates, from the last place down).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
    /// A number in 0..`bound`; `bound` must be positive.
    pub fn below(&mut self, bound: usize) -> usize {
        self.below_u64(bound as u64) as usize
    }

    /// A number in `0..bound`, also where that is more than an address of the machine.
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }
}

/// Random numbers by place instead of by turn: what is drawn for one thing does not depend on what was drawn
/// for others before.
#[derive(Clone, Copy, Debug)]
pub struct Keyed {
    key: u64,
}

impl Keyed {
    /// Stream number `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self {
            key: scattered(
                scattered(seed.wrapping_add(GOLDEN)) ^ stream.wrapping_add(1).wrapping_mul(GOLDEN),
            ),
        }
    }
    /// Number `count` of an entity.
    pub fn at(self, entity: u32, count: u32) -> u64 {
        let place = u64::from(entity) << 32 | u64::from(count);
        scattered(scattered(place.wrapping_mul(GOLDEN) ^ self.key).wrapping_add(self.key))
    }
    /// The numbers of a thing that draws several: number `count` of an entity, taken for a stream.
    pub fn of(self, entity: u32, count: u32) -> Self {
        Self { key: self.at(entity, count) }
    }
}

/// Another random number from one.
pub fn again(bits: u64) -> u64 {
    scattered(bits.wrapping_add(GOLDEN))
}

/// One of `count` from 64 random bits, all alike but for a part in 2^64 / `count`; `count` must be positive.
pub fn one_of(bits: u64, count: u64) -> u64 {
    ((u128::from(bits) * u128::from(count)) >> 64) as u64
}

/// 2^64 over the golden ratio: what SplitMix64 steps by.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): a permutation of 64 bits that scatters
/// neighbors.
fn scattered(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_place_spread_evenly() {
        let keyed = Keyed::new(1, 1);
        let mut bins = [0u32; 64];
        for entity in 0..256 {
            for count in 0..256 {
                bins[(keyed.at(entity, count) % 64) as usize] += 1;
            }
        }
        // 1,024 expected in each; six sigma are 192.
        assert!(bins.iter().all(|&bin| bin.abs_diff(1024) < 192), "{bins:?}");
        let others = [Keyed::new(2, 1), Keyed::new(1, 2)].map(|other| other.at(7, 7));
        assert!(!others.contains(&keyed.at(7, 7)) && others[0] != others[1]);
    }
}
