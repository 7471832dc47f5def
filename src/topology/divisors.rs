//! Divisors and multiples of integers.

use std::ops::Rem;

/// The greatest common divisor, by Euclid. That of 0 and another number is the other number.
pub fn greatest_common_divisor<T: Copy + Default + PartialEq + Rem<Output = T>>(mut a: T, mut b: T) -> T {
    while b != T::default() {
        (a, b) = (b, a % b);
    }
    a
}

/// The least common multiple of two numbers, of which the first is 1 or more. `None` beyond `most`.
pub fn least_common_multiple(a: u128, b: u128, most: u128) -> Option<u128> {
    let divisor = match (u64::try_from(a), u64::try_from(b)) {
        // Divisions of 64 bits are much faster.
        (Ok(a), Ok(b)) => u128::from(greatest_common_divisor(a, b)),
        _ => greatest_common_divisor(a, b),
    };
    (a / divisor).checked_mul(b).filter(|&multiple| multiple <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_and_multiples_of_small_numbers() {
        assert_eq!(greatest_common_divisor(12u16, 18), 6);
        assert_eq!([greatest_common_divisor(0u64, 7), greatest_common_divisor(7, 0)], [7, 7]);
        assert_eq!(least_common_multiple(4, 6, 12), Some(12));
        assert_eq!(least_common_multiple(4, 6, 11), None);
        assert_eq!(least_common_multiple(1 << 127, 3, u128::MAX), None);
    }
}
