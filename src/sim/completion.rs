//! The results of runs of traffic that ends.

use super::point::{Delays, VcUse};
use fabc_ir::Fraction;

/// The result of one run until everything has arrived. Counts are of packets unless stated otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The seed of choices on the way. It has no effect where packets follow the tables.
    pub seed: u64,
    /// The cycles from the first one to the last delivery.
    pub cycles: u32,
    /// The packets delivered, which are all packets.
    pub packets: u64,
    /// The delays of the packets. For messages that are there from the start, they begin when the packet
    /// before began to leave. For a trace, they begin with the cycle of the message.
    pub delays: Option<Delays>,
    /// The busiest channel, and the cycles in which it moved a flit.
    pub busiest: (u32, u32),
    /// `[channel]`: the cycles in which it moved a flit. Empty in a report that was read from a file.
    pub busy: Vec<u32>,
    /// `[class of channels]`: the same cycles, summed over the class.
    pub busy_by_class: Vec<u64>,
    /// The hops of all packets.
    pub hops: u64,
    /// Those of these hops that go into general virtual channels.
    pub general_hops: u64,
    /// `[virtual channel]`: the use of its queues.
    pub vcs: Vec<VcUse>,
    /// Digests of all counts, one every thousand cycles. Of long runs only some are kept.
    pub digests: Vec<u64>,
}

/// Everything that a run of traffic that ends sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Volume {
    /// The number of messages in all.
    pub messages: u64,
    /// The packets of these messages.
    pub packets: u64,
    /// The bytes of the messages, without the padding of their last packets.
    pub bytes: u64,
    /// A lower bound on the cycles of any run: the flits of the busiest channel, or of a port of a host.
    pub least_cycles: u64,
}

impl Volume {
    /// The lower bound on the cycles over those of a run, at most 1.
    pub fn share(&self, run: &Completion) -> Fraction {
        Fraction::new(self.least_cycles, u64::from(run.cycles.max(1)))
    }

    /// The bytes of the messages in flits of `flit_bytes`, per cycle, for the whole fabric.
    pub fn per_cycle(&self, run: &Completion, flit_bytes: u64) -> Fraction {
        Fraction::new(self.bytes, u128::from(flit_bytes) * u128::from(run.cycles.max(1)))
    }
}
