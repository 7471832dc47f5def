//! Finite fields by tables.
//!
//! The elements of GF(p^m) are the integers below q = p^m. Element c_0 + c_1 p + c_2 p^2 .. stands for the
//! polynomial with these coefficients over the integers modulo p. The modulus is the monic irreducible
//! polynomial of degree m with the least code. The generator is the least element that generates all others
//! but 0. For q = 4, 8, 9 the arithmetic differs from that of the integers modulo q, which make another
//! graph. Source: Lidl and Niederreiter 1997. Cost: q^2 m steps.
//! 0. For q = 4, 8, 9 these are other numbers than the integers modulo q, which make another graph. Source:
//! Lidl and Niederreiter 1997. Cost: q^2 m steps.

use super::prime::prime_power;

/// A finite field GF(q), with its operations as tables.
pub struct FiniteField {
    order: u32,
    /// Coefficients of the modulus, the constant one first.
    modulus: Vec<u32>,
    sums: Vec<u32>,
    products: Vec<u32>,
    /// `[a]`: the b with a + b = 0.
    negatives: Vec<u32>,
    /// `[e]`: the generator to the power of e < order - 1.
    powers: Vec<u32>,
    /// `[a]`: 1 / a, and 0 for a = 0.
    inverses: Vec<u32>,
}

impl FiniteField {
    /// The field of `order` elements, a prime power.
    ///
    /// # Panics
    /// `order` is no prime power.
    pub fn new(order: u32) -> Self {
        let (p, m) = prime_power(order).expect("the order of a field is a prime power");
        let digits = |code: u32| (0..m).map(move |place| code / p.pow(place) % p);
        let code = |digits: &[u32]| digits.iter().rev().fold(0, |code, digit| code * p + digit);
        let modulus = (order..2 * order)
            .find(|&modulus| is_irreducible(p, m, modulus))
            .expect("there is one of every degree");
        let (size, count) = (order as usize, m as usize);
        let (mut sums, mut products) = (vec![0; size * size], vec![0; size * size]);
        for a in 0..order {
            // a x^i, for i = 0, 1, ..
            let mut shifted: Vec<Vec<u32>> = vec![digits(a).collect()];
            for place in 1..count {
                let mut next = vec![0];
                next.extend(&shifted[place - 1]);
                let lead = next.pop().expect("a digit more than there are places");
                next.iter_mut()
                    .zip(digits(modulus))
                    .for_each(|(digit, of_modulus)| *digit = (*digit + (p - lead) * of_modulus) % p);
                shifted.push(next);
            }
            for b in 0..order {
                let cell = (a * order + b) as usize;
                let sum: Vec<u32> = digits(a).zip(digits(b)).map(|(a, b)| (a + b) % p).collect();
                let times = |place: usize| {
                    digits(b).zip(&shifted).map(|(b, shifted)| b * shifted[place]).sum::<u32>() % p
                };
                sums[cell] = code(&sum);
                products[cell] = code(&(0..count).map(times).collect::<Vec<u32>>());
            }
        }
        let negatives =
            (0..order).map(|a| code(&digits(a).map(|a| (p - a) % p).collect::<Vec<u32>>())).collect();
        let powers_of = |base: u32| {
            let powers = std::iter::successors(Some(1), |&power| {
                Some(products[(power * order + base) as usize]).filter(|&power| power != 1)
            });
            powers.collect::<Vec<u32>>()
        };
        let powers: Vec<u32> = (1..order)
            .map(powers_of)
            .find(|powers| powers.len() as u32 == order - 1)
            .expect("a field has a generator");
        let mut inverses = vec![0; size];
        powers
            .iter()
            .zip(powers[..1].iter().chain(powers[1..].iter().rev()))
            .for_each(|(&a, &inverse)| inverses[a as usize] = inverse);
        let modulus = digits(modulus).chain([1]).collect();
        Self { order, modulus, sums, products, negatives, powers, inverses }
    }
    /// The number of elements of the field.
    pub fn order(&self) -> u32 {
        self.order
    }
    /// The coefficients of the polynomial that elements are taken modulo, the constant one first.
    pub fn modulus(&self) -> &[u32] {
        &self.modulus
    }
    /// The sum a + b.
    pub fn sum(&self, a: u32, b: u32) -> u32 {
        self.sums[(a * self.order + b) as usize]
    }
    /// The product of a and b.
    pub fn product(&self, a: u32, b: u32) -> u32 {
        self.products[(a * self.order + b) as usize]
    }
    /// The b with a + b = 0.
    pub fn negative(&self, a: u32) -> u32 {
        self.negatives[a as usize]
    }
    /// The generator to the power of `exponent`.
    pub fn power(&self, exponent: u32) -> u32 {
        self.powers[exponent as usize % self.powers.len()]
    }
    /// The `1 / a` of an element that is not 0.
    pub fn inverse(&self, a: u32) -> u32 {
        self.inverses[a as usize]
    }
}

/// Whether no polynomial of degree 1 to m / 2 divides a monic polynomial of degree m.
fn is_irreducible(p: u32, m: u32, polynomial: u32) -> bool {
    let divides = |divisor: u32, degree: u32| {
        let mut rest = polynomial;
        for place in (degree..=m).rev() {
            // Takes the lead away, coefficient by coefficient.
            let lead = rest / p.pow(place) % p;
            for term in 0..=degree {
                let (unit, taken) = (p.pow(term + place - degree), lead * (divisor / p.pow(term) % p));
                let digit = rest / unit % p;
                rest = rest - digit * unit + (digit + p * p - taken) % p * unit;
            }
        }
        rest == 0
    };
    (1..=m / 2).all(|degree| (p.pow(degree)..2 * p.pow(degree)).all(|divisor| !divides(divisor, degree)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axioms_hold_for_every_prime_power_up_to_128() {
        let orders: Vec<u32> = (2..=128).filter(|&order| prime_power(order).is_some()).collect();
        assert_eq!(orders.len(), 31 + 13, "31 primes, and 4 8 16 32 64 128 9 27 81 25 125 49 121");
        for order in orders {
            let field = FiniteField::new(order);
            for a in 0..order {
                assert_eq!((field.sum(a, 0), field.product(a, 1), field.product(a, 0)), (a, a, 0));
                assert_eq!(field.sum(a, field.negative(a)), 0);
                assert!(a == 0 || field.product(a, field.inverse(a)) == 1);
                for b in 0..order {
                    assert_eq!(field.sum(a, b), field.sum(b, a));
                    assert_eq!(field.product(a, b), field.product(b, a));
                    for c in 0..order {
                        assert_eq!(field.sum(field.sum(a, b), c), field.sum(a, field.sum(b, c)));
                        assert_eq!(
                            field.product(field.product(a, b), c),
                            field.product(a, field.product(b, c))
                        );
                        assert_eq!(
                            field.product(a, field.sum(b, c)),
                            field.sum(field.product(a, b), field.product(a, c))
                        );
                    }
                }
            }
            let mut powers: Vec<u32> = (0..order - 1).map(|exponent| field.power(exponent)).collect();
            powers.sort_unstable();
            assert!(powers.iter().copied().eq(1..order), "the generator of {order} generates");
        }
    }

    #[test]
    fn generators_and_moduli_are_the_least() {
        // The moduli are x^2 + x + 1, x^3 + x + 1, x^2 + 1 and x^4 + x + 1. For 9, x + 1 is the least
        // generator.
        for (order, generator) in [(3, 2), (5, 2), (7, 3), (11, 2), (13, 2), (4, 2), (8, 2), (9, 4), (16, 2)]
        {
            assert_eq!(FiniteField::new(order).power(1), generator, "{order}");
        }
    }
}
