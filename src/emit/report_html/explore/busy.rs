//! An event of a schedule: a channel is busy for a while.

use fabc_base::ids::ChannelId;

/// A channel that is busy for a while.
#[derive(Clone, Copy)]
pub(super) struct BusyChannel {
    pub(super) start: u64,
    pub(super) time: u64,
    pub(super) channel: ChannelId,
}
