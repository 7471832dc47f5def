//! What a packet is, and which virtual channels it may take.

/// Two bits of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Marks(u8);

impl Marks {
    /// A packet that may take general virtual channels.
    pub(super) const NONE: Self = Self(0);
    /// The same for a packet of one flit that reports arrivals.
    pub(super) const ACK: Self = Self(2);

    /// Whether it has left the general virtual channels for good.
    pub(super) fn is_escaped(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether it has one flit and reports arrivals.
    pub(super) fn is_ack(self) -> bool {
        self.0 & 2 == 2
    }

    /// The same packet, which has or has not left the general virtual channels for good.
    pub(super) fn escaped(self, escaped: bool) -> Self {
        Self(self.0 & 2 | u8::from(escaped))
    }
}
