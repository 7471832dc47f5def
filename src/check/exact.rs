//! Ratios of integers. Comparisons are exact, by products of 256 bits.
//!
//! This file shares nothing with `ir/fraction.rs`, which the compiler counts with. An error in one of them
//! makes the two differ.

use std::cmp::Ordering;

/// A ratio of integers, not in lowest terms. The denominator is positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub(super) numerator: u128,
    pub(super) denominator: u128,
}

impl Exact {
    /// The ratio of two integers. `None` if the denominator is 0.
    pub(super) fn new(numerator: u128, denominator: u128) -> Option<Self> {
        (denominator > 0).then_some(Self { numerator, denominator })
    }
    /// The ratio as (numerator, denominator).
    pub(super) fn parts(self) -> (u128, u128) {
        (self.numerator, self.denominator)
    }
    /// The ratio of an integer and 1.
    pub(super) fn integer(value: u64) -> Self {
        Self { numerator: u128::from(value), denominator: 1 }
    }
    /// Reads a plain decimal such as `0.0625`. `None` for other texts, and for more digits than a report
    /// prints.
    pub(super) fn decimal(text: &str) -> Option<Self> {
        let (before, after) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(before) || !digits(after) {
            return None;
        }
        let denominator = 10u128.checked_pow(u32::try_from(after.len()).ok()?)?;
        let numerator =
            before.parse::<u128>().ok()?.checked_mul(denominator)?.checked_add(after.parse().ok()?)?;
        Some(Self { numerator, denominator })
    }
    /// The product with another ratio. `None` beyond 128 bits.
    pub(super) fn times(self, numerator: u128, denominator: u128) -> Option<Self> {
        let product = |ratio: Self| {
            Some(Self {
                numerator: ratio.numerator.checked_mul(numerator)?,
                denominator: ratio.denominator.checked_mul(denominator)?,
            })
        };
        product(self).filter(|_| denominator > 0).or_else(|| {
            let (left, right) = (self.reduced(), Self::new(numerator, denominator)?.reduced());
            let (left, right) = (
                Self { numerator: left.numerator, denominator: right.denominator }.reduced(),
                Self { numerator: right.numerator, denominator: left.denominator }.reduced(),
            );
            Some(Self {
                numerator: left.numerator.checked_mul(right.numerator)?,
                denominator: left.denominator.checked_mul(right.denominator)?,
            })
        })
    }
    /// The quotient by another ratio. `None` beyond 128 bits, and for a divisor of zero.
    pub(super) fn divided_by(self, other: Self) -> Option<Self> {
        if other.numerator == 0 { None } else { self.times(other.denominator, other.numerator) }
    }
    /// The smallest integer that is not below the ratio.
    pub(super) fn rounded_up(self) -> u128 {
        self.numerator / self.denominator + u128::from(!self.numerator.is_multiple_of(self.denominator))
    }
    /// The value, if it is an integer.
    pub(super) fn as_integer(self) -> Option<u128> {
        self.numerator.is_multiple_of(self.denominator).then(|| self.numerator / self.denominator)
    }
    /// The nearest float, up to rounding.
    pub(super) fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
    pub(super) fn compare_exact(self, other: Self) -> Ordering {
        product_of(self.numerator, other.denominator).cmp(&product_of(other.numerator, self.denominator))
    }

    fn reduced(self) -> Self {
        // Stein's algorithm, which only halves and subtracts.
        let (mut a, mut b) = (self.numerator, self.denominator);
        if a == 0 {
            return Self { numerator: 0, denominator: 1 };
        }
        let twos = (a | b).trailing_zeros();
        a >>= a.trailing_zeros();
        while b > 0 {
            b >>= b.trailing_zeros();
            if a > b {
                std::mem::swap(&mut a, &mut b);
            }
            b -= a;
        }
        Self { numerator: self.numerator / (a << twos), denominator: self.denominator / (a << twos) }
    }
}

/// The product of two integers, as (upper, lower) 128 bits.
fn product_of(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a_high, a_low, b_high, b_low) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let (low, first_cross, second_cross, high) =
        (a_low * b_low, a_high * b_low, a_low * b_high, a_high * b_high);
    let middle = (low >> 64) + (first_cross & LOW) + (second_cross & LOW);
    (high + (first_cross >> 64) + (second_cross >> 64) + (middle >> 64), (middle << 64) | (low & LOW))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_are_read_to_the_last_digit() {
        let exact = |text: &str| Exact::decimal(text).unwrap();
        assert_eq!(exact("0.1").compare_exact(Exact::new(1, 10).unwrap()), Ordering::Equal);
        assert_eq!(exact("0.333333333").compare_exact(Exact::new(1, 3).unwrap()), Ordering::Less);
        assert_eq!(exact("512").rounded_up(), 512);
        assert_eq!(exact("512.000000000000000001").rounded_up(), 513);
        for none in ["", ".", "1.", ".5", "-1", "1e3", "inf", "0x1", "1.2.3"] {
            assert!(Exact::decimal(none).is_none(), "{none}");
        }
    }

    #[test]
    fn what_does_not_fit_is_none() {
        let large = Exact::new(u128::MAX, 1).unwrap();
        assert!(large.times(2, 1).is_none());
        assert_eq!(large.times(2, 2).unwrap().compare_exact(large), Ordering::Equal);
        assert_eq!(large.times(3, u128::MAX).unwrap().rounded_up(), 3);
        assert!(large.times(1, 0).is_none() && large.divided_by(Exact::integer(0)).is_none());
        assert_eq!(large.compare_exact(Exact::new(u128::MAX - 1, 1).unwrap()), Ordering::Greater);
    }

    proptest! {
        #[test]
        fn ratios_compare_as_their_terms_multiply(a in 0u128.., b in 1u128.., c in 0u128.., d in 1u128..) {
            let (one, two) = (Exact::new(a, b).unwrap(), Exact::new(c, d).unwrap());
            prop_assert_eq!(one.compare_exact(two), two.compare_exact(one).reverse());
            prop_assert_eq!(one.compare_exact(one.reduced()), Ordering::Equal);
            prop_assert_eq!(one.reduced().compare_exact(two), one.compare_exact(two));
            // The floats agree where they can tell.
            if (one.to_f64() / two.to_f64() - 1.0).abs() > 1e-12 {
                prop_assert_eq!(one.compare_exact(two), one.to_f64().total_cmp(&two.to_f64()));
            }
        }
    }
}
