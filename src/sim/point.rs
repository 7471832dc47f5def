//! What runs found, as counts; ratios are worked out where they are asked for.

use super::setting::Setting;
use fabc_ir::Fraction;
use fabc_model::Rate;

/// One run: counts of packets where nothing else is said. The measured cycles follow the warm-up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// Flits offered per cycle and sending endpoint.
    pub rate: Rate,
    /// Seed of births and destinations.
    pub seed: u64,
    /// Born in the measured cycles.
    pub born: u64,
    /// Delivered in the measured cycles, whenever born.
    pub delivered: u64,
    /// The same in its second half.
    pub delivered_late: u64,
    /// Born in the whole run.
    pub born_ever: u64,
    /// Delivered in the whole run.
    pub delivered_ever: u64,
    /// Found inside when the run ended: at sources, in queues, on channels.
    pub in_flight: u64,
    /// Flits delivered in the whole run: also those of packets whose tail is still inside.
    pub flits_delivered_ever: u64,
    /// Flits found inside when it ended.
    pub flits_in_flight: u64,
    /// Cycles of the whole run.
    pub cycles: u32,
    /// Of the packets born in the measured cycles that arrived before the run ended; `None` if none did.
    pub delays: Option<Delays>,
    /// Packets born in the measured cycles that did not arrive before the run ended.
    pub unfinished: u64,
    /// Inside at the start, in the middle and at the end of the measured cycles.
    pub inside_at: [u64; 3],
    /// Inside, summed over the measured cycles.
    pub inside_sum: u64,
    /// The sending endpoint with the fewest packets delivered in the measured cycles, and how many.
    pub worst_source: (u32, u32),
    /// That with the most.
    pub best_source: (u32, u32),
    /// The busiest channel, and in how many of the measured cycles it moved a flit.
    pub busiest: (u32, u32),
    /// `[channel]`: the same of all; empty where a report was read.
    pub busy: Vec<u32>,
    /// `[class of channels]`: the same of all of a class, summed.
    pub busy_by_class: Vec<u64>,
    /// Hops begun in the measured cycles.
    pub hops: u64,
    /// Those of them into general virtual channels.
    pub general_hops: u64,
    /// `[virtual channel]`
    pub vcs: Vec<VcUse>,
    /// Digests of all that was counted, one every thousand cycles; of long runs some of them.
    pub digests: Vec<u64>,
}

/// How long packets took, cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delays {
    /// Packets.
    pub packets: u64,
    /// Birth to last flit, summed.
    pub sum: u64,
    /// Half of them took at most so long.
    pub median: u64,
    /// 99 in 100 took at most so long.
    pub p99: u64,
    /// The slowest.
    pub most: u64,
    /// What of it they waited at their routers to leave, summed.
    pub waited: u64,
    /// Hops, summed.
    pub hops: u64,
}

/// How full the queues of one virtual channel were, over all ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VcUse {
    /// Hops into it that began in the measured cycles.
    pub hops: u64,
    /// Flits of room that were booked, summed over queues and measured cycles.
    pub flit_cycles: u64,
    /// In 99 of 100 cycles a queue had at most so many flits booked.
    pub p99: u64,
    /// Cycles in which a queue had no room for a packet, in the flit model for a flit, summed over queues.
    pub full_cycles: u64,
    /// All cycles, summed over queues.
    pub queue_cycles: u64,
}

impl Point {
    /// Accepted of what was offered: flits per cycle and sending endpoint, in the measured cycles.
    pub fn accepted(&self, setting: &Setting, senders: u32) -> Fraction {
        setting.per_cycle(self.delivered, setting.measure, senders)
    }
    /// The same in the second half of the measured cycles.
    pub fn accepted_late(&self, setting: &Setting, senders: u32) -> Fraction {
        setting.per_cycle(self.delivered_late, setting.measure - setting.measure / 2, senders)
    }
    /// What was offered in truth.
    pub fn offered(&self, setting: &Setting, senders: u32) -> Fraction {
        setting.per_cycle(self.born, setting.measure, senders)
    }
    /// Whether at most one in a hundred of the packets born in the measured cycles is missing among those
    /// delivered.
    pub fn is_stable(&self) -> bool {
        self.delivered * 100 >= self.born * 99
    }
}

impl Delays {
    /// On average.
    pub fn mean(&self) -> Fraction {
        Fraction::new(self.sum, self.packets)
    }
}
