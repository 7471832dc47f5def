//! Primes and their powers: the orders that finite fields have.

/// The `(p, m)` with n = p^m, p prime and m at least 1. `None` if n is no prime power.
pub fn prime_power(n: u32) -> Option<(u32, u32)> {
    let p = (2..=n).find(|&p| n.is_multiple_of(p) || u64::from(p) * u64::from(p) > u64::from(n))?;
    let p = if n.is_multiple_of(p) { p } else { n };
    let mut rest = n;
    let mut m = 0;
    while rest.is_multiple_of(p) {
        rest /= p;
        m += 1;
    }
    (rest == 1).then_some((p, m))
}

/// Whether n is a prime.
pub fn is_prime(n: u32) -> bool {
    prime_power(n).is_some_and(|(_, m)| m == 1)
}

/// Whether a Paley graph of `p` vertices exists.
pub fn is_paley_order(p: u32) -> bool {
    p % 4 == 1 && prime_power(p).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_primes_are_told_apart() {
        let up_to_32: Vec<u32> = (0..=32).filter(|&n| prime_power(n).is_some()).collect();
        assert_eq!(up_to_32, [2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32]);
        assert_eq!(
            [64, 81, 127, 2187, 65_521, 4_294_967_291].map(prime_power),
            [(2, 6), (3, 4), (127, 1), (3, 7), (65_521, 1), (4_294_967_291, 1)].map(Some)
        );
        assert!(is_prime(2) && is_prime(97) && !is_prime(1) && !is_prime(9));
    }
}
