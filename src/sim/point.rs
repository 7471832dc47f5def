//! The results of runs, as counts. Ratios are computed where they are needed.

use super::setting::{RunCycles, Setting};
use super::statistics::batch_half_width;
use super::trial::tolerated_growth;
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
    /// The cycles of the warm-up.
    pub warmup: u32,
    /// Whether the measured cycles began in the steady state, or where the setting says.
    pub is_settled: bool,
    /// The counts of equal parts of the measured cycles. Empty where these are few.
    pub batches: Vec<Batch>,
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
    /// Measured cycles in which channels moved acknowledgements, summed over channels.
    pub moved_acks: u64,
    /// Digests of all counts, one every thousand cycles. Of long runs only some are kept.
    pub digests: Vec<u64>,
}

/// The counts of one part of the measured cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    /// Packets delivered in its cycles.
    pub delivered: u64,
    /// Packets born in its cycles that arrived before the run ended.
    pub arrived: u64,
    /// The sum of their latencies.
    pub sum: u64,
    /// 99 in 100 of them took at most this time.
    pub p99: u64,
}

/// Half the widths of the confidence intervals around the figures of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HalfWidths {
    /// Of the accepted traffic, in flits per cycle and sending endpoint.
    pub accepted: f64,
    /// Of the mean latency, in cycles.
    pub mean: f64,
    /// Of the 99th percentile of latencies, in cycles. `None` where batches have few packets.
    pub p99: Option<f64>,
}

/// The fewest packets of a batch from which a 99th percentile is taken: five of them are above it.
const PACKETS_OF_P99: u64 = 500;

/// The growth of the packets in flight that does not count as saturation, as a share of the packets born.
const ONE_IN_A_HUNDRED: f64 = 0.01;

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
    /// Whether the rate is stable: packets in flight grew no more in the measured cycles than they do at the
    /// largest stable rate, or by no more than one in a hundred of the packets born. The latter keeps chance
    /// apart from growth in long runs of few sources.
    pub fn is_stable(&self, setting: &Setting) -> bool {
        let tolerated = tolerated_growth(setting, self.run(setting)).max(ONE_IN_A_HUNDRED);
        self.born as f64 - self.delivered as f64 <= tolerated * self.born as f64
    }
    /// The cycles of the run.
    pub(super) fn run(&self, setting: &Setting) -> RunCycles {
        RunCycles { warmup: self.warmup, measure: setting.measure }
    }
    /// The confidence intervals, by batch means. `None` where the run has no steady state, or is too short.
    pub fn half_widths(&self, setting: &Setting, senders: u32) -> Option<HalfWidths> {
        let delays = self.delays.filter(|_| self.is_settled && self.is_stable(setting))?;
        if self.batches.is_empty()
            || self.unfinished > 0
            || self.batches.iter().any(|batch| batch.arrived == 0)
        {
            return None;
        }
        let confidence = setting.confidence.as_f64();
        let half_width = |value: &dyn Fn(&Batch) -> f64| {
            batch_half_width(&self.batches.iter().map(value).collect::<Vec<f64>>(), confidence)
        };
        let count = self.batches.len() as f64;
        let flits = f64::from(setting.packet) * count / (f64::from(setting.measure) * f64::from(senders));
        // The mean is a ratio of two sums. Batches enter by their deviation from it.
        let (mean, packets) = (delays.sum as f64 / delays.packets as f64, delays.packets as f64 / count);
        let p99 = self.batches.iter().all(|batch| batch.arrived >= PACKETS_OF_P99);
        Some(HalfWidths {
            accepted: half_width(&|batch| batch.delivered as f64 * flits)?,
            mean: half_width(&|batch| (batch.sum as f64 - mean * batch.arrived as f64) / packets)?,
            p99: if p99 { half_width(&|batch| batch.p99 as f64) } else { None },
        })
    }
}

impl Delays {
    /// The mean delay in cycles.
    pub fn mean(&self) -> Fraction {
        Fraction::new(self.sum, self.packets)
    }
}
