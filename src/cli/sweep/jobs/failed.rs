//! What the engines share: how often they look, and how a process of a job ended.

use std::time::Duration;

/// How often the disk is asked what is open while others work.
pub(crate) const ASKED_EVERY: Duration = Duration::from_millis(100);

/// The words of one process where something is open in the end.
pub(crate) struct Failed {
    /// Which shard, from 1.
    pub(crate) shard: usize,
    /// How it ended, as far as that is known.
    pub(crate) how: String,
}
