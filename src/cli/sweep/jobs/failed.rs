//! What the engines share: the polling interval, and how a process of a job ended.

use std::time::Duration;

/// The interval at which the disk is polled while others work.
pub(crate) const ASKED_EVERY: Duration = Duration::from_millis(100);

/// How one process ended, if its work is unfinished.
pub(crate) struct FailedShard {
    /// The number of the shard, from 1.
    pub(crate) shard: usize,
    /// A phrase, as far as anything is known.
    pub(crate) how: String,
}
