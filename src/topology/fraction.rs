//! Ratios of integers, compared and rounded without error.
//!
//! Certified bounds are ratios of sums of integers. Comparisons of them, such as which fault is the worst or
//! whether a `require` holds, are decided here in integers. Floats would not do: once the sums are large, an
//! epsilon is larger than the distance to the next integer.

use crate::divisors::greatest_common_divisor;
use std::cmp::Ordering;

/// A non-negative ratio of integers in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fraction {
    numerator: u128,
    denominator: u128,
}

impl Fraction {
    /// The fraction 0, as 0 / 1.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// `numerator / denominator`, reduced to lowest terms.
    ///
    /// # Panics
    /// The denominator is zero.
    pub fn new(numerator: impl Into<u128>, denominator: impl Into<u128>) -> Self {
        let (numerator, denominator) = (numerator.into(), denominator.into());
        assert!(denominator > 0, "a ratio to nothing");
        let divisor = greatest_common_divisor(numerator, denominator);
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }
    /// The fraction of an integer.
    pub fn integer(value: impl Into<u128>) -> Self {
        Self { numerator: value.into(), denominator: 1 }
    }

    /// The numerator, in lowest terms.
    pub fn numerator(self) -> u128 {
        self.numerator
    }
    /// The denominator, in lowest terms. It is positive.
    pub fn denominator(self) -> u128 {
        self.denominator
    }
    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        self.numerator.is_multiple_of(self.denominator)
    }
    /// Whether the fraction is 0.
    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }
    /// The nearest float, up to the last bit.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
    /// The largest integer that is at most the fraction.
    pub fn floor(self) -> u128 {
        self.numerator / self.denominator
    }
    /// The least integer that is at least the fraction.
    pub fn ceil(self) -> u128 {
        self.numerator.div_ceil(self.denominator)
    }

    /// The product.
    ///
    /// # Panics
    /// It does not fit 128 bits. No counts of a pod reach that: dual lengths and units per weight have 22
    /// bits, weights 20, bandwidths 53.
    pub fn times(self, other: Self) -> Self {
        // Both cross pairs are reduced first, so the product has no common divisor.
        let (one, two) =
            (Self::new(self.numerator, other.denominator), Self::new(other.numerator, self.denominator));
        let product = |a: u128, b: u128| a.checked_mul(b).expect("products of counts fit 128 bits");
        Self {
            numerator: product(one.numerator, two.numerator),
            denominator: product(one.denominator, two.denominator),
        }
    }
    /// The quotient.
    ///
    /// # Panics
    /// The other fraction is zero, and as [`Fraction::times`].
    pub fn over(self, other: Self) -> Self {
        self.times(Self::new(other.denominator, other.numerator))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        // The integer parts decide. If they are equal, the reciprocals of the remainders are compared in
        // reverse order. Nothing can overflow.
        let (mut one, mut two) = (*self, *other);
        let mut order = Ordering::Less;
        loop {
            match (
                one.floor().cmp(&two.floor()),
                one.numerator % one.denominator,
                two.numerator % two.denominator,
            ) {
                (Ordering::Equal, 0, 0) => return Ordering::Equal,
                (Ordering::Equal, 0, _) => return order,
                (Ordering::Equal, _, 0) => return order.reverse(),
                (Ordering::Equal, left, right) => {
                    one = Self { numerator: one.denominator, denominator: left };
                    two = Self { numerator: two.denominator, denominator: right };
                    order = order.reverse();
                }
                (Ordering::Less, ..) => return order,
                (Ordering::Greater, ..) => return order.reverse(),
            }
        }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_next_integer_is_a_unit_in_the_last_place_away() {
        // Two parts in 10^15 apart: an epsilon swallows the difference or invents one.
        let exact = Fraction::new(510_580_224u64 * 997_227, 997_227u64);
        let more = Fraction::new(510_580_224u64 * 997_227 + 1, 997_227u64);
        assert_eq!((exact.ceil(), more.ceil(), more.floor()), (510_580_224, 510_580_225, 510_580_224));
        assert!(exact < more && exact == Fraction::integer(510_580_224u64));
        let large = u128::MAX;
        assert!(Fraction::new(large - 1, large) < Fraction::new(large, large));
        assert!(Fraction::new(large - 2, large - 1) < Fraction::new(large - 1, large));
        assert_eq!(Fraction::new(large, large - 1).ceil(), 2);
    }

    proptest! {
        #[test]
        fn order_and_products_are_those_of_cross_multiplication(a in 0u64.., b in 1u64.., c in 0u64.., d in 1u64..) {
            let (one, two) = (Fraction::new(a, b), Fraction::new(c, d));
            let wide = |x: u64, y: u64| u128::from(x) * u128::from(y);
            prop_assert_eq!(one.cmp(&two), wide(a, d).cmp(&wide(c, b)));
            prop_assert_eq!(one == two, one.cmp(&two) == Ordering::Equal);
            let product = one.times(two);
            prop_assert_eq!(product, Fraction::new(wide(a, c), wide(b, d)));
            if c > 0 {
                prop_assert_eq!(product.over(two), one);
            }
        }
    }
}
