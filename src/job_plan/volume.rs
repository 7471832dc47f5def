//! The least times of busiest channels, and what follows from them for a phase.

use fabc_ir::Fraction;

/// How many times finer nanoseconds are than seconds, and attoseconds than nanoseconds.
const NANO: u128 = 1_000_000_000;

/// The least times of the busiest channel, in attoseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BoundVolume {
    /// That of all operations of a phase.
    pub(super) together: u128,
    /// `[operation]`: what it needs if it runs by itself.
    pub(super) alone: Vec<u128>,
}

impl BoundVolume {
    /// The least time of the phase. `wait` is that of one more hop, and `runs` has those of each operation.
    pub(super) fn time(&self, wait: u128, runs: impl Iterator<Item = u64>) -> u128 {
        let alone = self.alone.iter().zip(runs).map(|(volume, runs)| volume + wait * u128::from(runs));
        alone.max().map_or(0, |alone| alone.max(self.together + wait))
    }
}

/// The time of a lane for some bytes, rounded down.
pub(super) fn time_of(bytes: Fraction, unit_bps: u64) -> u128 {
    let seconds = bytes.times(Fraction::new(8u8, unit_bps.max(1)));
    let (mut rest, below) = (seconds.numerator(), seconds.denominator());
    let mut time = 0;
    // Seconds, then nanoseconds, then attoseconds, so that no product overflows.
    for finer in [1, NANO, NANO] {
        rest *= finer;
        time = time * finer + rest / below;
        rest %= below;
    }
    time
}
