//! The price of load, in integers.
//!
//! Input: the load to normalize by, and a width. Output: for every load x the sum of
//! `exp((i - limit) / width)` over i <= x, in fixed point. So moving k routes at once has an exact closed
//! form, and no machine rounds differently.

/// Fixed-point one: the price of the step from `limit - 1` to `limit`.
pub(super) const ONE: u64 = 1 << 28;
/// The largest exponent. Steps above it cost the same.
const STEEPEST: f64 = 10.0;
/// The largest sum of prices, low enough to add up the prices of all channels of a path.
const MAX_SUM: u64 = u64::MAX >> 8;

/// The potential of a channel by its load.
pub(super) struct LoadPotential {
    sums: Vec<u64>,
}

impl LoadPotential {
    /// The sum of `exp((i - limit) / width)` over all loads i up to `longest`.
    pub(super) fn exponential(limit: u32, width: f64, longest: usize) -> Self {
        let step = |load: usize| {
            let exponent = (load as f64 - f64::from(limit)) / width;
            (libm::exp(exponent.min(STEEPEST)) * ONE as f64) as u64
        };
        Self::from_steps(step, longest)
    }

    /// Nearly free up to the limit and prohibitive above it, as trimming needs.
    pub(super) fn wall(limit: u32, longest: usize) -> Self {
        let step = |load: usize| {
            if load > limit as usize {
                ONE << 20
            } else {
                (load as u64 * (ONE >> 8)) / u64::from(limit.max(1))
            }
        };
        Self::from_steps(step, longest)
    }

    /// Sums the steps. Where the sum exceeds [`MAX_SUM`], each step is capped at an equal share of it.
    fn from_steps(step: impl Fn(usize) -> u64, longest: usize) -> Self {
        let share = MAX_SUM / longest.max(1) as u64;
        let sums = sums_of(&step, longest).or_else(|| sums_of(&|load| step(load).min(share), longest));
        Self { sums: sums.expect("equal shares come to no more than all") }
    }

    /// The price of `count` more routes on a channel with this load.
    #[inline]
    pub(super) fn rise(&self, load: u32, count: u32) -> u64 {
        let (from, to, top) = (load as usize, (load + count) as usize, self.sums.len() - 1);
        if to <= top {
            self.sums[to] - self.sums[from]
        } else {
            u64::from(count) * (self.sums[top] - self.sums[top - 1])
        }
    }
}

/// `[load]`: the sum of the steps up to it, or `None` where it exceeds [`MAX_SUM`].
fn sums_of(step: &impl Fn(usize) -> u64, longest: usize) -> Option<Vec<u64>> {
    let mut sums = Vec::with_capacity(longest + 1);
    let mut sum = 0u64;
    sums.push(0);
    for load in 1..=longest {
        sum = sum.checked_add(step(load)).filter(|&sum| sum <= MAX_SUM)?;
        sums.push(sum);
    }
    Some(sums)
}
