//! The rule by which one run decides whether a rate is stable, and its result.
//!
//! A run begins with an empty network. A rate is stable if packets in flight do not grow in the measured
//! cycles by more than they grow at the largest stable rate. Even there they grow for a while. A channel that
//! carries all it can, fed by packets that come at random, has sqrt(2 n / pi) packets in its queue on average
//! after a time in which it moves n (reflected Brownian motion with a variance of a packet per packet;
//! Harrison, Brownian Motion and Stochastic Flow Systems, 1985). Relative to the packets born, that growth
//! falls with the root of n. So the tolerated growth falls with the length of the run, and long runs are
//! strict. Lengths count in packets that the busiest channel moves.
//!
//! Where packets cross several channels at their limit, the queues of all of them grow so. How many these are
//! is seen in the run itself, by what has queued up when the warm-up ends: as that grew with the root of the
//! time, it goes on. Below the limit, growth comes to an end sooner.

use super::setting::{RunCycles, Setting};
use fabc_ir::Fraction;

/// The result of one run of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    /// Packets delivered in the measured cycles.
    pub(super) delivered: u64,
    /// Whether the rate is stable.
    pub(super) is_stable: bool,
}

/// When a trial may end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TrialEnd {
    /// As soon as the rate is certainly not stable.
    WhenCertain,
    /// After the measured cycles, whatever the outcome.
    Whole,
}

/// The tolerated growth of the packets in flight, as a share of the packets born in the measured cycles.
pub(super) fn tolerated_growth(setting: &Setting, run: RunCycles) -> f64 {
    let packets = |cycles: u32| f64::from(cycles) / f64::from(setting.busiest_cycles);
    let (start, end) = (packets(run.warmup), packets(run.end()));
    (2.0 / std::f64::consts::PI).sqrt() * (end.sqrt() - start.sqrt()) / (end - start)
}

/// The share of the growth at the limit that a stable rate may reach. Less than 1, since a run cannot tell
/// rates that are very near the limit from those beyond it.
const OF_GROWTH_AT_LIMIT: f64 = 0.95;

/// The growth that a trial tolerates in its measured cycles, in packets. `inside` packets were in flight when
/// the warm-up ended. `births_per_cycle` counts packets of the whole network, and `mean_cycles` is their mean
/// zero-load latency.
pub(super) fn tolerated_packets(
    setting: &Setting,
    mean_cycles: Fraction,
    inside: u64,
    births_per_cycle: f64,
) -> f64 {
    let run = setting.trial;
    let [warmup, measure, end] = [run.warmup.max(1), run.measure, run.end()].map(f64::from);
    let moving = births_per_cycle * mean_cycles.as_f64();
    let queued = (inside as f64 - moving).max(0.0);
    let growth_at_limit = queued * ((end / warmup).sqrt() - 1.0);
    let growth_of_a_queue = tolerated_growth(setting, run) * births_per_cycle * measure;
    growth_of_a_queue.max(OF_GROWTH_AT_LIMIT * growth_at_limit)
}
