//! The trade-off between flow and cable: the graphs that a search finds for different weights.

use super::Fraction;

/// The graph that was found for one weight of cables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TradeOff {
    /// The weight of cables, in thousandths.
    pub weight: u32,
    /// The sum of the distances of all ordered pairs.
    pub distances: u64,
    /// Length of all cables if the routers stand in cabinets in order, 0.1 m.
    pub cable: u64,
    /// The flow that a few rounds certify, as a rate of every pair, as printed.
    pub flow: Fraction,
}
