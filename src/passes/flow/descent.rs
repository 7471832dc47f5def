//! The descent of the upper bound by multiplicative weights.
//!
//! Input: lengths to start from. Output: the tightest lengths found, and the rounds with their loads. Every
//! round routes all demand by soft splitting and raises the prices of overloaded classes. Tau falls
//! geometrically.

use super::lengths;
use super::quotient::FlowQuotient;
use super::settings::{FlowSettings, StartLengths};
use super::split::{UNIT, busiest, split};
use fabc_base::progress::Progress;
use fabc_ir::{DualLengths, StopReason};

const LONGEST: f64 = 4.0e6;
const TAU_START: f64 = 0.3;
const TAU_END: f64 = 0.01;
/// Starting price beside a cut, relative to the cut.
const BESIDE_CUT: f64 = 0.05;
const KAPPA: f64 = 2.2;
/// Momentum of the prices. A value of 0.5 leaves a gap ten times larger after the same rounds (measured at
/// 128..1024 chips).
const MOMENTUM: f64 = 0.9;
/// Prices swing if a cut decides. A round swings if its busiest channel is this many times as far above the
/// target as that of the running mean. Then the steps shrink by DAMPING a round, otherwise they grow again.
/// This closes the gap of cube pods with two open dimensions from 4.5 % to 0.02 %.
const SWING: f64 = 5.0;
const LEAST_SWING: f64 = 0.002;
const DAMPING: f64 = 0.9;
const RECOVERY: f64 = 1.05;
const LEAST_STEP: f64 = 0.05;
/// A price changes too fast if its exponent exceeds the first number. Then the largest exponent becomes the
/// second.
const STEEPEST: f64 = 30.0;
const CALM: f64 = 2.0;

/// The prices of one round and the loads that they led to.
pub(super) struct FlowRound {
    pub(super) prices: Vec<u32>,
    pub(super) tau: f64,
    pub(super) loads: Vec<f64>,
}

/// The prices of all classes while they move.
struct MovingPrices {
    lit: Vec<usize>,
    /// `[class]`: the current price of its channels.
    prices: Vec<f64>,
    /// `[class]`: the momentum of its price.
    velocity: Vec<f64>,
    /// `[class]`: the running mean of its loads.
    mean: Vec<f64>,
    /// The factor of all steps.
    step: f64,
}

impl MovingPrices {
    fn new(quotient: &FlowQuotient, lengths: &DualLengths) -> Self {
        // A length of 0 cannot grow by factors. So channels beside the deciding cut start at a small part of
        // its length.
        let floor = lengths.lengths.iter().copied().max().unwrap_or(1).max(1) as f64 * BESIDE_CUT;
        Self {
            lit: (0..quotient.classes).filter(|&class| quotient.is_lit(class)).collect(),
            prices: lengths.lengths.iter().map(|&length| (length as f64).max(floor)).collect(),
            velocity: vec![0.0; quotient.classes],
            mean: Vec::new(),
            step: 1.0,
        }
    }

    /// Scales the prices to a mean of [`UNIT`] over lit classes, and rounds them to integers.
    fn normalized(&mut self) -> Vec<u32> {
        let Self { lit, prices, .. } = self;
        let scale = UNIT * lit.len() as f64 / lit.iter().map(|&class| prices[class]).sum::<f64>();
        let mut integer = vec![0u32; prices.len()];
        for &class in &*lit {
            prices[class] *= scale;
            integer[class] = prices[class].round().clamp(1.0, LONGEST) as u32;
        }
        integer
    }

    /// Raises the prices of classes that bear more than `target`, and lowers the others.
    fn follow(&mut self, loads: &[f64], target: f64, tau: f64) {
        let Self { lit, prices, velocity, mean, step } = self;
        for &class in &*lit {
            velocity[class] = MOMENTUM * velocity[class] + (loads[class] / target - 1.0);
        }
        // If few pairs send, a channel may bear thousands of times the mean. Then all steps shrink by the
        // same factor.
        let largest = KAPPA * *step * tau * lit.iter().map(|&class| velocity[class]).fold(0.0, f64::max);
        let shortening = if largest > STEEPEST { CALM / largest } else { 1.0 };
        for &class in &*lit {
            prices[class] *= libm::exp(KAPPA * *step * tau * velocity[class] * shortening);
        }
        if mean.is_empty() {
            *mean = loads.to_vec();
        }
        for &class in &*lit {
            mean[class] += 0.15 * (loads[class] - mean[class]);
        }
        let (swing, settled) = (busiest(loads) / target - 1.0, busiest(mean) / target - 1.0);
        *step = if swing > SWING * settled.max(LEAST_SWING) {
            (*step * DAMPING).max(LEAST_STEP)
        } else {
            (*step * RECOVERY).min(1.0)
        };
    }
}

/// Returns the tightest lengths, the number of rounds, why they ended, and the rounds.
pub(super) fn descend(
    quotient: &FlowQuotient,
    settings: FlowSettings,
    start: StartLengths<'_>,
    progress: &dyn Progress,
) -> (DualLengths, u32, StopReason, Vec<FlowRound>) {
    // Given lengths have already won against the known families, on almost the same links.
    let mut best = match start {
        StartLengths::Lengths(start) => {
            let lengths: Vec<u32> = start.lengths.iter().map(|&length| length as u32).collect();
            lengths::bound(quotient, &lengths)
        }
        StartLengths::Seeds(seeds) => lengths::tightest(quotient, seeds),
    };
    let mut moving = MovingPrices::new(quotient, &best);
    let (parts, lit) = (quotient.parts as f64, moving.lit.clone());
    let capacity = lit.iter().map(|&class| quotient.capacity[class] as f64).sum::<f64>();
    let mut history: Vec<FlowRound> = Vec::new();
    let mut best_primal = 0.0f64;
    let mut rounds = 0;
    let mut stopped_by = StopReason::Budget;
    let tau_start: f64 = if matches!(start, StartLengths::Lengths(_)) { 0.02 } else { TAU_START };
    for round in 0..settings.rounds {
        let progressed = f64::from(round) / f64::from(settings.rounds.max(2) - 1);
        let tau = tau_start * libm::pow(TAU_END / tau_start, progressed);
        let integer = moving.normalized();
        let (loads, distance) = split(quotient, &integer, tau * UNIT);
        let dual = lengths::from_distance(quotient, &integer, distance);
        if lengths::is_tighter(&dual, &best) {
            best = dual;
        }
        // The target load of a channel is the mean load. If a cut decides, it is the least load that the
        // busiest channel must bear.
        let average =
            lit.iter().map(|&class| loads[class] * quotient.capacity[class] as f64).sum::<f64>() / capacity;
        let target = average.max(parts / best.bound());
        moving.follow(&loads, target, tau);
        best_primal = best_primal.max(parts / busiest(&loads)).max(parts / busiest(&moving.mean));
        history.push(FlowRound { prices: integer, tau, loads });
        rounds = round + 1;
        progress.advance();
        if best_primal * (1.0 + f64::from(settings.gap_ppm) * 1e-6) >= best.bound() {
            stopped_by = StopReason::Gap;
            break;
        }
    }
    if let Some(cut) =
        lengths::best_cut(quotient, &history.iter().map(|round| &round.loads[..]).collect::<Vec<_>>())
        && lengths::is_tighter(&cut, &best)
    {
        best = cut;
    }
    (best, rounds, stopped_by, history)
}
