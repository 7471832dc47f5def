//! The results of runs, as counts. Ratios are computed where they are needed.

use super::setting::Setting;
use fabc_ir::Fraction;
use fabc_model::Rate;

/// The result of one run at one rate. Counts are of packets unless stated otherwise. The measured cycles
/// follow the warm-up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// Flits offered per cycle and sending endpoint.
    pub rate: Rate,
    /// The seed of births and destinations.
    pub seed: u64,
    /// Packets born in the measured cycles.
    pub born: u64,
    /// Packets delivered in the measured cycles, whenever they were born.
    pub delivered: u64,
    /// Packets delivered in the second half of the measured cycles.
    pub delivered_late: u64,
    /// Packets born in the whole run.
    pub born_ever: u64,
    /// Packets delivered in the whole run.
    pub delivered_ever: u64,
    /// Packets in flight when the run ended: at sources, in queues, on channels.
    pub in_flight: u64,
    /// Flits delivered in the whole run, including those of packets whose tail is still inside.
    pub flits_delivered_ever: u64,
    /// Flits in flight when the run ended.
    pub flits_in_flight: u64,
    /// The cycles of the whole run.
    pub cycles: u32,
    /// The delays of the packets born in the measured cycles that arrived before the run ended. `None` if
    /// none did.
    pub delays: Option<Delays>,
    /// Packets born in the measured cycles that did not arrive before the run ended.
    pub unfinished: u64,
    /// Packets in flight at the start, in the middle and at the end of the measured cycles.
    pub inside_at: [u64; 3],
    /// Packets in flight, summed over the measured cycles.
    pub inside_sum: u64,
    /// The sending endpoint with the fewest packets delivered in the measured cycles, and their number.
    pub worst_source: (u32, u32),
    /// The sending endpoint with the most packets delivered in the measured cycles, and their number.
    pub best_source: (u32, u32),
    /// The busiest channel, and the measured cycles in which it moved a flit.
    pub busiest: (u32, u32),
    /// `[channel]`: the measured cycles in which it moved a flit. Empty in a report that was read from a
    /// file.
    pub busy: Vec<u32>,
    /// `[class of channels]`: the same cycles, summed over the class.
    pub busy_by_class: Vec<u64>,
    /// Hops begun in the measured cycles.
    pub hops: u64,
    /// Those of these hops that go into general virtual channels.
    pub general_hops: u64,
    /// `[virtual channel]`: the use of its queues.
    pub vcs: Vec<VcUse>,
    /// Digests of all counts, one every thousand cycles. Of long runs only some are kept.
    pub digests: Vec<u64>,
}

/// The delays of packets, in cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delays {
    /// The number of packets that arrived.
    pub packets: u64,
    /// The sum of the times from birth to last flit.
    pub sum: u64,
    /// Half of the packets took at most this time.
    pub median: u64,
    /// 99 in 100 packets took at most this time.
    pub p99: u64,
    /// The time of the slowest packet.
    pub most: u64,
    /// The part of the sum in which packets waited at their routers to leave.
    pub waited: u64,
    /// The sum of their hops.
    pub hops: u64,
}

/// The use of the queues of one virtual channel, over all ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VcUse {
    /// Hops into the virtual channel that began in the measured cycles.
    pub hops: u64,
    /// Flits of booked room, summed over queues and measured cycles.
    pub flit_cycles: u64,
    /// In 99 of 100 cycles, at most this many flits were booked in a queue.
    pub p99: u64,
    /// Cycles in which a queue had no room for a packet (in the flit model for a flit), summed over queues.
    pub full_cycles: u64,
    /// All measured cycles, summed over queues.
    pub queue_cycles: u64,
}

impl Point {
    /// The accepted traffic, in flits per cycle and sending endpoint, over the measured cycles.
    pub fn accepted(&self, setting: &Setting, senders: u32) -> Fraction {
        setting.per_cycle(self.delivered, setting.measure, senders)
    }
    /// The accepted traffic in the second half of the measured cycles.
    pub fn accepted_late(&self, setting: &Setting, senders: u32) -> Fraction {
        setting.per_cycle(self.delivered_late, setting.measure - setting.measure / 2, senders)
    }
    /// The traffic that was really offered.
    pub fn offered(&self, setting: &Setting, senders: u32) -> Fraction {
        setting.per_cycle(self.born, setting.measure, senders)
    }
    /// Whether the rate is stable: at most one in a hundred of the packets born in the measured cycles is
    /// missing among those delivered.
    pub fn is_stable(&self) -> bool {
        self.delivered * 100 >= self.born * 99
    }
}

impl Delays {
    /// The mean delay in cycles.
    pub fn mean(&self) -> Fraction {
        Fraction::new(self.sum, self.packets)
    }
}
