//! What callers choose.

/// How a schedule is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Parts of a shard, positive; without, as many as [`natural_chunks`](super::natural_chunks) says. Parts
    /// of a message in an all-to-all; trees to a link.
    pub chunks: Option<u32>,
    /// For ties.
    pub seed: u64,
    /// Slots that a chunk is on its way beyond the one in which it is sent ([`by_slots`](super::by_slots),
    /// [`pull`](super::pull), [`direct`](super::direct)).
    pub latency: u32,
}

impl Default for Asked {
    fn default() -> Self {
        Self { chunks: None, seed: 1, latency: 0 }
    }
}
