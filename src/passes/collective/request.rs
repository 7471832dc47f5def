//! The options of a schedule.

/// What a caller chooses about a schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduleRequest {
    /// Parts of a shard, positive. `None` stands for [`natural_chunks`](super::natural_chunks). In an
    /// all-to-all these are parts of a message, in an all-reduce by trees the number of trees that share a
    /// link.
    pub chunks: Option<u32>,
    /// Seed of the random numbers that break ties.
    pub seed: u64,
    /// Slots that a chunk is in flight beyond the slot in which it is sent. Only
    /// [`by_slots`](super::by_slots), [`pull`](super::pull) and [`direct`](super::direct) use it.
    pub latency: u32,
}

impl Default for ScheduleRequest {
    fn default() -> Self {
        Self { chunks: None, seed: 1, latency: 0 }
    }
}
