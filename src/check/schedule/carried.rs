//! What schedules of repeated pieces put on a channel.

/// What a channel carries per piece.
#[derive(Clone, Copy, Default)]
pub(super) struct Carried {
    /// Number of parts, each of them the same share of the data.
    pub(super) parts: u128,
    /// Number of messages in which these parts come.
    pub(super) messages: u128,
}
