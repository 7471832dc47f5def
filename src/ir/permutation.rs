//! The worst permutation of hosts on one channel, with the numbers that prove it.

use super::Fraction;
use fabc_base::ids::NodeId;

/// The largest load that a permutation of hosts puts on a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Permutation {
    /// The load over the capacity of the channel is `load / parts`, in lowest terms. A flow of a host is 1.
    pub load: u64,
    /// Number of parts of a flow that the load is counted in. It is positive.
    pub parts: u64,
    /// The channel, as router and output port.
    pub channel: (NodeId, u16),
    /// The flows that load it: source, destination, and the number of hosts, by source and destination.
    pub flows: Vec<(NodeId, NodeId, u32)>,
    /// Bounds on channels for which the largest share of every source, or of every destination, proves too
    /// little.
    pub duals: Vec<PermutationDual>,
}

impl Permutation {
    /// The load over the capacity of the channel.
    ///
    /// # Panics
    /// `parts` is 0, which the checker refuses.
    pub fn value(&self) -> Fraction {
        Fraction::new(self.load, self.parts)
    }
}

/// A bound on the load of a channel under every permutation, by linear-programming duality: the price of a
/// source and that of a destination together are at least the share of the channel in the flow between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PermutationDual {
    /// The channel, as router and output port.
    pub channel: (NodeId, u16),
    /// The number that all prices are divided by.
    pub denominator: u64,
    /// `[living endpoint]`: its price as a source.
    pub sources: Vec<u64>,
    /// `[living endpoint]`: its price as a destination.
    pub destinations: Vec<u64>,
}
