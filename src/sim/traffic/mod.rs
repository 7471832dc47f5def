//! Traffic: which endpoint sends to which.
//!
//! In: a traffic and the endpoints of a fabric. Out: the pattern from which every endpoint draws its
//! destinations, or the list of messages, and the expected traffic between routers, in integers.

mod expected;
mod far;
mod messages;
mod named;
mod numbers;
mod pattern;
mod places;
mod rows;
mod spread;
mod trace;

pub(super) use expected::{ExpectedTraffic, RouterPairs};
pub(super) use messages::{EndpointMessage, MessageExit, MessageList, ends_of_line};
pub(super) use named::hot_endpoints;
pub(super) use pattern::{DetailedTraffic, Pattern};
pub use trace::read_trace;

/// The traffic that endpoints offer.
pub(super) enum OfferedTraffic {
    /// Packets at a rate, without end.
    Rates(Pattern),
    /// A list of messages, and then no more.
    Messages(MessageList),
}

impl OfferedTraffic {
    /// The messages, if the traffic ends.
    pub(super) fn messages(&self) -> Option<&MessageList> {
        match self {
            OfferedTraffic::Rates(_) => None,
            OfferedTraffic::Messages(messages) => Some(messages),
        }
    }
}
