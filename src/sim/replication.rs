//! The bracket with which one search for the largest stable rate ends.

use fabc_ir::Fraction;
use fabc_model::Rate;

pub(super) const MILLION: u64 = 1_000_000;

/// A search for the largest stable rate, with random numbers of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replication {
    /// The seed of its runs.
    pub seed: u64,
    /// The largest rate that was run and is stable. `None` if a 64th of the first rate is not stable.
    pub stable: Option<Rate>,
    /// The smallest rate above it that is not stable: it was run, or it is the static bound. `None` if hosts
    /// cannot offer the bound, and all that they can offer is stable.
    pub unstable: Option<Rate>,
    /// The number of runs of the search.
    pub runs: u32,
}

impl Replication {
    /// Both ends in millionths. Where an end is missing, the bracket ends at 0, or with its other end.
    pub(super) fn ends(&self) -> [u64; 2] {
        let stable = self.stable.map_or(0, Rate::in_millionths);
        [stable, self.unstable.map_or(stable, Rate::in_millionths)]
    }
}

/// A value in millionths, rounded down.
pub(super) fn in_millionths(value: Fraction) -> u64 {
    u64::try_from(value.times(Fraction::integer(MILLION)).floor()).unwrap_or(u64::MAX)
}
