//! Random numbers: one counter-based stream per seed and purpose, the same on every machine.
//!
//! In: a seed and the number of a stream. Out: numbers. The drawn numbers are part of what fabc claims: the
//! checker draws the same ones, and does its own work with them.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// A seeded stream. The modulo bias of `below` is far below anything that a search could notice, and it saves
/// a rejection loop.
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// Stream number `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Self(generator)
    }
    /// Puts a list in random order, all orders equally likely (Fisher and Yates, from the last place down).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
    /// A number in `0..bound`. `bound` must be positive.
    pub fn below(&mut self, bound: usize) -> usize {
        self.below_u64(bound as u64) as usize
    }

    /// A number in `0..bound`, for bounds that exceed the address size. `bound` must be positive.
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }
}

/// Random numbers by key instead of by turn. The number that one thing draws does not depend on what others
/// drew before.
#[derive(Clone, Copy, Debug)]
pub struct KeyedStream {
    key: u64,
}

impl KeyedStream {
    /// Stream number `stream` of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self {
            key: scatter(scatter(seed.wrapping_add(GOLDEN)) ^ stream.wrapping_add(1).wrapping_mul(GOLDEN)),
        }
    }
    /// The random number with index `count` of an entity.
    pub fn number(self, entity: u32, count: u32) -> u64 {
        let place = u64::from(entity) << 32 | u64::from(count);
        scatter(scatter(place.wrapping_mul(GOLDEN) ^ self.key).wrapping_add(self.key))
    }
    /// The stream of a thing that draws several numbers: the thing with index `count` of an entity.
    pub fn substream(self, entity: u32, count: u32) -> Self {
        Self { key: self.number(entity, count) }
    }
}

/// The next random number, derived from one.
pub fn next_bits(bits: u64) -> u64 {
    scatter(bits.wrapping_add(GOLDEN))
}

/// A number in `0..count` from 64 random bits, uniform up to a part in 2^64 / `count`. `count` must be
/// positive.
pub fn pick(bits: u64, count: u64) -> u64 {
    ((u128::from(bits) * u128::from(count)) >> 64) as u64
}

/// 2^64 over the golden ratio, the increment of SplitMix64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): a permutation of 64 bits that scatters
/// neighbors.
fn scatter(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_place_spread_evenly() {
        let keyed = KeyedStream::new(1, 1);
        let mut bins = [0u32; 64];
        for entity in 0..256 {
            for count in 0..256 {
                bins[(keyed.number(entity, count) % 64) as usize] += 1;
            }
        }
        // Each is expected to have 1,024. Six sigma are 192.
        assert!(bins.iter().all(|&bin| bin.abs_diff(1024) < 192), "{bins:?}");
        let others = [KeyedStream::new(2, 1), KeyedStream::new(1, 2)].map(|other| other.number(7, 7));
        assert!(!others.contains(&keyed.number(7, 7)) && others[0] != others[1]);
    }
}
