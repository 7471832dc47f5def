//! Who sends to whom: in, a traffic and the endpoints of a fabric; out, what every endpoint draws its
//! destinations from, or which messages there are, and what that comes to between routers, in integers.

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

pub(super) use expected::{Expected, Pairs};
pub(super) use messages::{Message, Messages, ends_of_line};
pub(super) use pattern::{DetailedTraffic, Pattern};
pub use trace::read_trace;

/// What endpoints send.
pub(super) enum Offer {
    /// Packets at a rate, for ever.
    Rates(Pattern),
    /// Messages, and then no more.
    Messages(Messages),
}

impl Offer {
    /// The messages, if there are any.
    pub(super) fn messages(&self) -> Option<&Messages> {
        match self {
            Offer::Rates(_) => None,
            Offer::Messages(messages) => Some(messages),
        }
    }
}
