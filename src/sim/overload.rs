//! Long runs beyond saturation: what the fabric sustains, and how sources fare.
//!
//! A run offers a multiple of the saturation from an empty network on. It lasts until queues have filled up
//! and unfairness has built up, which takes far longer than the runs of the search. Only the last part of it
//! is counted.

use super::elsewhere::Elsewhere;
use super::setting::Setting;
use fabc_ir::Fraction;
use fabc_model::Rate;

/// The result of a run beyond saturation. Counts are of packets in the measured cycles unless stated
/// otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overload {
    /// The multiple of the saturation that is offered.
    pub multiple: Rate,
    /// Flits offered per cycle and sending endpoint.
    pub rate: Rate,
    /// Packets born at all sources.
    pub born: u64,
    /// Packets delivered, whenever they were born.
    pub delivered: u64,
    /// The hops of the packets delivered.
    pub hops: u64,
    /// The source that fared worst.
    pub worst: SourceCount,
    /// The source that fared best.
    pub best: SourceCount,
    /// Cycles in which channels moved flits, summed over channels.
    pub moved: u64,
    /// Those of them in which the flit was an acknowledgement.
    pub moved_acks: u64,
    /// Of hotspot traffic: the packets for all endpoints but the hot ones.
    pub elsewhere: Option<Elsewhere>,
}

/// A sending endpoint and its part of what was delivered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceCount {
    /// The number of the endpoint.
    pub endpoint: u32,
    /// Its packets that were delivered.
    pub packets: u64,
    /// What it offers, in parts. Equal for sources that offer alike.
    pub parts: u64,
}

impl SourceCount {
    /// Compares the packets per offered part.
    pub(super) fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let scaled = |source: &Self, parts: u64| u128::from(source.packets) * u128::from(parts);
        scaled(self, other.parts).cmp(&scaled(other, self.parts))
    }
}

impl Overload {
    /// The accepted traffic, in flits per cycle and sending endpoint.
    pub fn accepted(&self, setting: &Setting, senders: u32) -> Fraction {
        setting.per_cycle(self.delivered, setting.overload_cycles.measure, senders)
    }

    /// The accepted traffic of one source, in flits per cycle.
    pub fn accepted_of(&self, setting: &Setting, source: SourceCount) -> Fraction {
        setting.per_cycle(source.packets, setting.overload_cycles.measure, 1)
    }

    /// The packets of the worst source over those of the best one, each per what it offers. 0 if nothing was
    /// delivered.
    pub fn fairness(&self) -> Fraction {
        let Self { worst, best, .. } = self;
        let of_best = u128::from(best.packets) * u128::from(worst.parts);
        Fraction::new(u128::from(worst.packets) * u128::from(best.parts), of_best.max(1))
    }

    /// The mean hops of the packets that were delivered. `None` if there were none.
    pub fn mean_hops(&self) -> Option<Fraction> {
        (self.delivered > 0).then(|| Fraction::new(self.hops, self.delivered))
    }

    /// The part of all moved flits that were acknowledgements.
    pub fn ack_share(&self) -> Fraction {
        Fraction::new(self.moved_acks, self.moved.max(1))
    }
}
