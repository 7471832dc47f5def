//! Rates as shares of other values.

use fabc_ir::Fraction;
use fabc_model::Rate;

/// The rate that is a share of a value. It is rounded down to ten-thousandths of a flit per cycle, and is at
/// least one of them.
pub(crate) fn rate_of_share(share: Fraction, value: Fraction) -> Rate {
    let ten_thousandths = value.times(share).times(Fraction::integer(10_000u32));
    Rate::millionths(u64::try_from(ten_thousandths.floor()).unwrap_or(u64::MAX / 100).max(1) * 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_down() {
        let percent = |percent: u8| Fraction::new(percent, 100u8);
        assert_eq!(rate_of_share(percent(10), Fraction::new(127u8, 72u8)).to_string(), "0.1763");
        assert_eq!(rate_of_share(percent(120), Fraction::integer(1u8)).to_string(), "1.20");
    }
}
