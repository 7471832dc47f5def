//! What a packet is, which virtual channels it may take, and whether it has met a long queue.

/// Three bits of a packet.
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
        Self(self.0 & !1 | u8::from(escaped))
    }

    /// Whether it has joined a queue that was long.
    pub(super) fn is_marked(self) -> bool {
        self.0 & 4 == 4
    }

    /// The same packet, with a mark.
    pub(super) fn marked(self) -> Self {
        Self(self.0 | 4)
    }
}
