//! What a rank computes in a step, and how long it waits for its pipeline.

use super::training_job::{Recompute, TrainingJob};
use fabc_base::divisors::greatest_common_divisor;

impl TrainingJob {
    /// Floating-point operations of a rank in a step, rounded up. A multiplication and an addition are two.
    pub fn flops(&self) -> u128 {
        let (model, batch) = (&self.model, &self.batch);
        let tokens = u128::from(batch.sequences) * u128::from(batch.length);
        // Forward once and backward twice, or forward twice with full recomputation.
        let passes = if self.settings.recompute == Recompute::Full { 4 } else { 3 };
        let of_weights = 2 * passes * model.active_weights() * tokens;
        let attended = 4
            * passes
            * u128::from(model.layers)
            * u128::from(model.heads)
            * u128::from(model.head)
            * u128::from(batch.length)
            * tokens;
        let of_attention = attended / if model.causal { 2 } else { 1 };
        (of_weights + of_attention).div_ceil(self.sizes.ranks().max(1))
    }

    /// Picoseconds that a rank computes in a step, rounded up. `rate` is in FLOP/s, and `share` says in
    /// millionths how much of it is used. `None` if the time exceeds 64 bits, or if nothing is computed.
    pub fn compute_ps(&self, rate: u64, share: u32) -> Option<u64> {
        // Picoseconds per second, times millionths.
        let scale = 10u128.pow(18);
        let divisor = u128::from(rate) * u128::from(share);
        if divisor == 0 {
            return None;
        }
        let common = greatest_common_divisor(scale, divisor);
        let time = self.flops().checked_mul(scale / common)?.div_ceil(divisor / common);
        u64::try_from(time).ok()
    }

    /// Picoseconds that a rank waits in a step while its pipeline fills and drains, rounded up.
    pub fn idle_ps(&self, compute_ps: u64) -> u64 {
        let waiting = u128::from(self.sizes.pipeline.saturating_sub(1));
        let running = u128::from(self.micro_batches()) * u128::from(self.settings.virtual_stages);
        u64::try_from((u128::from(compute_ps) * waiting).div_ceil(running.max(1))).unwrap_or(u64::MAX)
    }
}
