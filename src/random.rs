//! Random numbers of the searches: one counter-based stream per restart, the same on every machine.

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
    /// A number in 0..`bound`; `bound` must be positive.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }
}
