//! The price of load, in integers.
//!
//! Comes in: the load to normalize by and a width. Goes out: for every load x the sum of `exp((i - limit) /
//! width)` over i <= x, in fixed point, so that moving k routes at once has an exact closed form and no
//! machine rounds differently.

/// Fixed-point one: the price of the step from `limit - 1` to `limit`.
pub(super) const ONE: u64 = 1 << 28;
/// Largest exponent; steps above it cost the same.
const STEEPEST: f64 = 10.0;

/// Potential of a channel by its load.
pub(super) struct Potential {
    sums: Vec<u64>,
}

impl Potential {
    /// `exp((load - limit) / width)`, summed.
    pub(super) fn exponential(limit: u32, width: f64, longest: usize) -> Self {
        let step = |load: usize| {
            let exponent = (load as f64 - f64::from(limit)) / width;
            (libm::exp(exponent.min(STEEPEST)) * ONE as f64) as u64
        };
        Self::from_steps(step, longest)
    }

    /// Nearly free up to the limit, prohibitive above it: what trimming needs.
    pub(super) fn wall(limit: u32, longest: usize) -> Self {
        let step = |load: usize| if load > limit as usize { ONE << 20 } else { (load as u64 * (ONE >> 8)) / u64::from(limit.max(1)) };
        Self::from_steps(step, longest)
    }

    /// Prices whose steps are cut, where they would not add up in 64 bits, to what fits.
    fn from_steps(step: impl Fn(usize) -> u64, longest: usize) -> Self {
        let sums = added(&step, longest, u64::MAX);
        let fitting = || added(&step, longest, u64::MAX / longest.max(1) as u64);
        Self { sums: sums.or_else(fitting).expect("so many steps of this size fit") }
    }

    /// What `count` more routes cost on a channel with this load.
    #[inline]
    pub(super) fn rise(&self, load: u32, count: u32) -> u64 {
        let (from, to, top) = (load as usize, (load + count) as usize, self.sums.len() - 1);
        if to <= top { self.sums[to] - self.sums[from] } else { u64::from(count) * (self.sums[top] - self.sums[top - 1]) }
    }
}

/// `[load]`: the sum of the steps up to it, none of them above `most`; `None` where the sum does not fit.
fn added(step: &impl Fn(usize) -> u64, longest: usize, most: u64) -> Option<Vec<u64>> {
    let mut sums = Vec::with_capacity(longest + 1);
    let mut sum = 0u64;
    sums.push(0);
    for load in 1..=longest {
        sum = sum.checked_add(step(load).min(most))?;
        sums.push(sum);
    }
    Some(sums)
}
