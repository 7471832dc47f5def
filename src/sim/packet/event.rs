//! Events of the packet model that happen without a decision, and the packets that were sent.

/// An event in a coming cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// The first packet of this queue may compete.
    Eligible(u32),
    /// The tail of a packet has left this queue.
    Left(u32),
    /// Room for a packet in this queue is known again at the sender.
    Credit(u32),
    /// A packet of one flit has left this queue.
    AckLeft(u32),
    /// Room for one flit in this queue is known again at the sender.
    AckCredit(u32),
    /// News of arrivals of this pair has waited for its time.
    AckDue(u32),
    /// The tail of this packet has arrived.
    Delivered(u32),
    /// An output of this router is free again.
    Wake(u32),
    /// A packet between these endpoints, which has arrived, is no longer in flight.
    Released { from: u32, to: u32, marked: bool },
    /// The rate of this endpoint allows another packet.
    Paced(u32),
}

/// A packet that was sent over a channel.
#[derive(Clone, Copy)]
pub(super) struct SentPacket {
    pub(super) place: u32,
    pub(super) channel: u32,
    /// The queue in which it has booked room.
    pub(super) queue: u32,
    /// Cycles until its head is there.
    pub(super) ahead: u32,
}
