//! What happens in the packet model without anybody deciding it.

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// The first packet of this queue may compete.
    Eligible(u32),
    /// The tail of a packet has left this queue.
    Left(u32),
    /// Room for a packet in this queue is known again where it is booked.
    Credit(u32),
    /// The tail of this packet has arrived.
    Delivered(u32),
    /// An output of this router is free again.
    Wake(u32),
}
