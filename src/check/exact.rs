//! Ratios of integers as the checker compares them: exact, by products of 256 bits, never with an epsilon.
//!
//! Nothing here is shared with `ir/fraction.rs`, which the compiler counts with: an error there or here makes
//! the two differ.

use std::cmp::Ordering;

/// A ratio of integers, as it came: not in lowest terms. The second one is positive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    pub(super) over: u128,
    pub(super) under: u128,
}

impl Exact {
    /// `over / under`; `None` where that is no number.
    pub(super) fn new(over: u128, under: u128) -> Option<Self> {
        (under > 0).then_some(Self { over, under })
    }
    /// What stands over the line, and under it.
    pub(super) fn parts(self) -> (u128, u128) {
        (self.over, self.under)
    }
    /// An integer.
    pub(super) fn integer(value: u64) -> Self {
        Self { over: u128::from(value), under: 1 }
    }
    /// A plain decimal text, such as `0.0625`; `None` where it is none, or one that no report has reason to
    /// write.
    pub(super) fn decimal(text: &str) -> Option<Self> {
        let (before, after) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(before) || !digits(after) {
            return None;
        }
        let under = 10u128.checked_pow(u32::try_from(after.len()).ok()?)?;
        let over = before.parse::<u128>().ok()?.checked_mul(under)?.checked_add(after.parse().ok()?)?;
        Some(Self { over, under })
    }
    /// Times another ratio; `None` past 128 bits.
    pub(super) fn times(self, over: u128, under: u128) -> Option<Self> {
        let product = |one: Self| {
            Some(Self { over: one.over.checked_mul(over)?, under: one.under.checked_mul(under)? })
        };
        product(self).filter(|_| under > 0).or_else(|| {
            let (mine, other) = (self.reduced(), Self::new(over, under)?.reduced());
            let (left, right) = (
                Self { over: mine.over, under: other.under }.reduced(),
                Self { over: other.over, under: mine.under }.reduced(),
            );
            Some(Self {
                over: left.over.checked_mul(right.over)?,
                under: left.under.checked_mul(right.under)?,
            })
        })
    }
    /// Divided by another ratio; `None` past 128 bits, and where that is zero.
    pub(super) fn by(self, other: Self) -> Option<Self> {
        if other.over == 0 { None } else { self.times(other.under, other.over) }
    }
    /// The least integer that is not below it.
    pub(super) fn rounded_up(self) -> u128 {
        self.over / self.under + u128::from(!self.over.is_multiple_of(self.under))
    }
    /// The value, if it is whole.
    pub(super) fn whole(self) -> Option<u128> {
        self.over.is_multiple_of(self.under).then(|| self.over / self.under)
    }
    /// About as much.
    pub(super) fn about(self) -> f64 {
        self.over as f64 / self.under as f64
    }
    /// How it compares with another one.
    pub(super) fn against(self, other: Self) -> Ordering {
        product_of(self.over, other.under).cmp(&product_of(other.over, self.under))
    }

    fn reduced(self) -> Self {
        // Stein's algorithm: halves and differences only.
        let (mut a, mut b) = (self.over, self.under);
        if a == 0 {
            return Self { over: 0, under: 1 };
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
        Self { over: self.over / (a << twos), under: self.under / (a << twos) }
    }
}

/// The product as (upper, lower) 128 bits.
fn product_of(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a_high, a_low, b_high, b_low) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let (low, one, two, high) = (a_low * b_low, a_high * b_low, a_low * b_high, a_high * b_high);
    let middle = (low >> 64) + (one & LOW) + (two & LOW);
    (high + (one >> 64) + (two >> 64) + (middle >> 64), (middle << 64) | (low & LOW))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_are_read_to_the_last_digit() {
        let exact = |text: &str| Exact::decimal(text).unwrap();
        assert_eq!(exact("0.1").against(Exact::new(1, 10).unwrap()), Ordering::Equal);
        assert_eq!(exact("0.333333333").against(Exact::new(1, 3).unwrap()), Ordering::Less);
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
        assert_eq!(large.times(2, 2).unwrap().against(large), Ordering::Equal);
        assert_eq!(large.times(3, u128::MAX).unwrap().rounded_up(), 3);
        assert!(large.times(1, 0).is_none() && large.by(Exact::integer(0)).is_none());
        assert_eq!(large.against(Exact::new(u128::MAX - 1, 1).unwrap()), Ordering::Greater);
    }

    proptest! {
        #[test]
        fn ratios_compare_as_their_terms_multiply(a in 0u128.., b in 1u128.., c in 0u128.., d in 1u128..) {
            let (one, two) = (Exact::new(a, b).unwrap(), Exact::new(c, d).unwrap());
            prop_assert_eq!(one.against(two), two.against(one).reverse());
            prop_assert_eq!(one.against(one.reduced()), Ordering::Equal);
            prop_assert_eq!(one.reduced().against(two), one.against(two));
            // The floats agree where they can tell.
            if (one.about() / two.about() - 1.0).abs() > 1e-12 {
                prop_assert_eq!(one.against(two), one.about().total_cmp(&two.about()));
            }
        }
    }
}
