//! What runs of traffic that ends found.

use super::point::{Delays, VcUse};
use fabc_ir::Fraction;

/// One run until everything has arrived: counts of packets where nothing else is said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// Seed of choices on the way; where packets go by the tables it does not show.
    pub seed: u64,
    /// From the first cycle to the last delivery.
    pub cycles: u32,
    /// Delivered: all.
    pub packets: u64,
    /// How long they took. Of messages that are there from the start, from when the packet before began to
    /// leave; of a trace, from the cycle of its message.
    pub delays: Option<Delays>,
    /// The busiest channel, and in how many cycles it moved a flit.
    pub busiest: (u32, u32),
    /// `[channel]`: the same of all; empty where a report was read.
    pub busy: Vec<u32>,
    /// `[class of channels]`: the same of all of a class, summed.
    pub busy_by_class: Vec<u64>,
    /// Hops of all packets.
    pub hops: u64,
    /// Those of them into general virtual channels.
    pub general_hops: u64,
    /// `[virtual channel]`
    pub vcs: Vec<VcUse>,
    /// Digests of all that was counted, one every thousand cycles; of long runs some of them.
    pub digests: Vec<u64>,
}

/// What a run of traffic that ends sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Volume {
    /// Messages.
    pub messages: u64,
    /// Their packets.
    pub packets: u64,
    /// Bytes of the messages, without what fills their last packets up.
    pub bytes: u64,
    /// No run takes fewer cycles: what the busiest channel, or a port of a host, has to move.
    pub least_cycles: u64,
}

impl Volume {
    /// The lower bound of the cycles over those of a run, at most 1.
    pub fn share(&self, run: &Completion) -> Fraction {
        Fraction::new(self.least_cycles, u64::from(run.cycles.max(1)))
    }

    /// Bytes of the messages in flits of so many bytes, per cycle: of the whole fabric.
    pub fn per_cycle(&self, run: &Completion, flit_bytes: u64) -> Fraction {
        Fraction::new(self.bytes, u128::from(flit_bytes) * u128::from(run.cycles.max(1)))
    }
}
