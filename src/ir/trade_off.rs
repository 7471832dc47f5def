//! What flow costs in cable: the graphs that a search finds for different weights.

use super::Fraction;

/// A graph that was found for a weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TradeOff {
    /// The weight of cables, in thousandths.
    pub weight: u32,
    /// The sum of the distances of all ordered pairs.
    pub distances: u64,
    /// Length of all cables with the routers in cabinets in order, 0.1 m.
    pub cable: u64,
    /// What a few rounds certify that it carries, as a rate of every pair; as printed.
    pub flow: Fraction,
}
