//! Light: what a transmitter sends, what is lost on the way, and what a receiver needs.
//!
//! Units: powers in thousandths of a dBm, losses in thousandths of a dB, lengths in 0.1 m. All of them are
//! integers, so sums of losses are the same on every machine.

use fabc_base::diag::Span;
use std::collections::BTreeMap;

/// The optical side of a declared link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Optics {
    /// Power that the transmitter launches.
    pub transmit: i32,
    /// The least power that the receiver can read.
    pub sensitivity: i32,
    /// Loss of a kilometre of fiber.
    pub loss_per_km: u32,
    /// Length of the fiber from end to end. `None` where a floor says it, or where fiber loses nothing.
    pub length: Option<u32>,
    /// Number of connectors from end to end.
    pub connectors: u32,
    /// Loss of a single connector, in thousandths of a dB.
    pub connector_loss: u32,
    /// The least margin: received power over the sensitivity.
    pub margin: u32,
}

/// The insertion losses of a switch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InsertionLoss {
    /// The same for every cross-connect.
    Same(u32),
    /// By pair of port indices, as [`crate::Ocs::faces`] takes them. With a fiber per direction, the larger
    /// loss of the two directions. Without sides, the smaller index comes first.
    ByPair(BTreeMap<[u32; 2], u32>),
}

/// The insertion losses that `losses = ..` names.
#[derive(Clone, Debug)]
pub struct LossTable {
    /// The text of the table, of which a built directory has a copy.
    pub text: String,
    /// The place of `losses = ..` in the spec.
    pub span: Span,
}
