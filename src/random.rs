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
        (self.0.next_u64() % bound as u64) as usize
    }
}
