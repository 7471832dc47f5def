//! The rule by which one run decides whether a rate is stable, and its result.
//!
//! A run begins with an empty network. A rate is stable if packets in flight do not grow in the measured
//! cycles by more than they grow at the largest stable rate. Even there they grow for a while. A channel that
//! carries all it can, fed by packets that come at random, has sqrt(2 n / pi) packets in its queue on average
//! after a time in which it moves n (reflected Brownian motion with a variance of a packet per packet;
//! Harrison, Brownian Motion and Stochastic Flow Systems, 1985). Relative to the packets born, that growth
//! falls with the root of n. So the tolerated growth falls with the length of the run, and long runs are
//! strict. Lengths count in packets that the busiest channel moves.

use super::setting::{RunCycles, Setting};

/// The result of one run of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    /// Packets delivered in the measured cycles.
    pub(super) delivered: u64,
    /// Whether the rate is stable.
    pub(super) is_stable: bool,
}

/// The run of a trial.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrialRun {
    pub(super) seed: u64,
    pub(super) cycles: RunCycles,
    pub(super) end: TrialEnd,
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
