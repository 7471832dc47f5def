//! Rates as ratios.

use crate::ir::Fraction;
use crate::model::Rate;

impl Rate {
    /// The rate in ten-thousandths that is nearest below a share of a value.
    pub fn share(share: Fraction, of: Fraction) -> Self {
        let of = of.times(share).times(Fraction::whole(10_000u32));
        Self::millionths(u64::try_from(of.floor()).unwrap_or(u64::MAX / 100).max(1) * 100)
    }
    /// As a ratio.
    pub fn fraction(self) -> Fraction {
        Fraction::new(self.in_millionths(), 1_000_000u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_down() {
        let percent = |percent: u8| Fraction::new(percent, 100u8);
        assert_eq!(Rate::share(percent(10), Fraction::new(127u8, 72u8)).to_string(), "0.1763");
        assert_eq!(Rate::share(percent(120), Fraction::whole(1u8)).to_string(), "1.20");
    }
}
