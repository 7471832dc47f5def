//! Finite fields by discrete logarithms. They share no code with the fields of the compiler.
//!
//! Elements are the integers below q = p^m. The digits of a number to base p are the coefficients of a
//! polynomial. A monic polynomial of degree m is a modulus if it has a generator, an element whose powers
//! are all elements but 0. Such a modulus is irreducible.

use fabc_ir::read::FieldLine;

/// Limit on the order of a field in a file. No network has as many points.
const MOST_ELEMENTS: u32 = 256;

/// A finite field of `order` elements, with tables of powers and logarithms.
pub(crate) struct LogField {
    p: u32,
    order: u32,
    /// `[e]`: the generator to the power of e.
    powers: Vec<u32>,
    /// `[a]`: the exponent of a. The entry of 0 has no meaning.
    logs: Vec<u32>,
}

impl LogField {
    /// The field of `order` elements, by the least modulus and its least generator.
    pub(crate) fn new(order: u32) -> Self {
        let p = characteristic(order);
        // Candidates are pairs of a modulus without its leading coefficient and a generator.
        let candidates = (0..order).flat_map(|tail| (1..order).map(move |generator| (tail, generator)));
        let mut candidates_powers = candidates.map(|(tail, generator)| powers(p, order, tail, generator));
        let powers = candidates_powers.find(|powers| powers.len() as u32 == order - 1).unwrap_or_default();
        Self::from_powers(p, order, powers)
    }
    /// The field that a file describes.
    ///
    /// # Errors
    /// A description that does not define a field.
    pub(crate) fn from_line(line: &FieldLine) -> Result<Self, String> {
        let &FieldLine { order, ref modulus, generator } = line;
        if !(2..=MOST_ELEMENTS).contains(&order) {
            return Err(format!("`field`: no field of {order} elements can be examined"));
        }
        let p = characteristic(order);
        let degree = modulus.len().saturating_sub(1) as u32;
        let elements = u64::from(p).checked_pow(degree);
        if elements != Some(u64::from(order))
            || modulus.last() != Some(&1)
            || modulus.iter().any(|&digit| digit >= p)
        {
            return Err(format!(
                "`field`: the modulus is not a polynomial that defines {order} elements over the numbers modulo {p}"
            ));
        }
        let tail = modulus[..degree as usize].iter().rev().fold(0, |tail, digit| tail * p + digit);
        let powers =
            if (1..order).contains(&generator) { powers(p, order, tail, generator) } else { Vec::new() };
        if powers.len() as u32 != order - 1 {
            return Err(format!("`field`: the powers of {generator} do not give all nonzero elements"));
        }
        Ok(Self::from_powers(p, order, powers))
    }
    fn from_powers(p: u32, order: u32, powers: Vec<u32>) -> Self {
        let mut logs = vec![0; order as usize];
        powers.iter().zip(0..).for_each(|(&power, exponent)| logs[power as usize] = exponent);
        Self { p, order, powers, logs }
    }
    pub(crate) fn order(&self) -> u32 {
        self.order
    }
    /// The exponent of an element that is not 0.
    pub(crate) fn log(&self, a: u32) -> u32 {
        self.logs[a as usize]
    }
    pub(crate) fn product(&self, a: u32, b: u32) -> u32 {
        let exponent = || (self.log(a) + self.log(b)) % (self.order - 1);
        if a == 0 || b == 0 { 0 } else { self.powers[exponent() as usize] }
    }
    /// The inverse of an element that is not 0.
    pub(crate) fn inverse(&self, a: u32) -> u32 {
        self.powers[((self.order - 1 - self.log(a)) % (self.order - 1)) as usize]
    }
    /// The product of the generator and an element.
    pub(crate) fn times_generator(&self, a: u32) -> u32 {
        if a == 0 { 0 } else { self.powers[(self.log(a) + 1) as usize % self.powers.len()] }
    }
    pub(crate) fn sum(&self, a: u32, b: u32) -> u32 {
        sum(self.p, a, b)
    }
    /// The difference `a - b`, digit by digit.
    pub(crate) fn difference(&self, a: u32, b: u32) -> u32 {
        let mut negative = 0;
        let mut unit = 1;
        while unit < self.order {
            negative += (self.p - b / unit % self.p) % self.p * unit;
            unit *= self.p;
        }
        sum(self.p, a, negative)
    }
}

/// The prime that the order of a field is a power of.
fn characteristic(order: u32) -> u32 {
    (2..=order).find(|&p| order.is_multiple_of(p)).unwrap_or(order)
}

/// Adds digit by digit to base p.
fn sum(p: u32, mut a: u32, mut b: u32) -> u32 {
    let (mut total, mut unit) = (0, 1);
    while a > 0 || b > 0 {
        total += (a % p + b % p) % p * unit;
        (a, b, unit) = (a / p, b / p, unit * p);
    }
    total
}

/// 1, g, g^2 .. up to the first power that is 0 or 1.
fn powers(p: u32, order: u32, tail: u32, generator: u32) -> Vec<u32> {
    let mut powers = vec![1];
    while powers.len() < order as usize {
        let next = product(p, order, tail, powers[powers.len() - 1], generator);
        if next == 0 || next == 1 {
            break;
        }
        powers.push(next);
    }
    powers
}

/// The product of two polynomials modulo x^m + tail, by Horner's rule over the digits of `b`.
fn product(p: u32, order: u32, tail: u32, a: u32, b: u32) -> u32 {
    let times = |polynomial: u32, factor: u32| (0..factor).fold(0, |total, _| sum(p, total, polynomial));
    let (mut total, mut unit) = (0, order / p);
    while unit > 0 {
        // Multiplies by x. A leading coefficient becomes minus that coefficient times the tail.
        let lead = total / (order / p);
        total = sum(p, total % (order / p) * p, times(tail, (p - lead) % p));
        total = sum(p, total, times(a, b / unit % p));
        unit /= p;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(order: u32, modulus: &[u32], generator: u32) -> Result<LogField, String> {
        LogField::from_line(&FieldLine { order, modulus: modulus.to_vec(), generator })
    }

    #[test]
    fn nine_elements_by_hand() {
        // x^2 = -1 = 2; x + 1 = 4 is a generator, x = 3 is of order 4.
        let nine = field(9, &[1, 0, 1], 4).unwrap();
        assert_eq!(
            (nine.product(3, 3), nine.sum(5, 7), nine.difference(0, 4), nine.product(4, 4), nine.inverse(3)),
            (2, 0, 8, 6, 6)
        );
        assert!(field(9, &[1, 0, 1], 3).is_err_and(|what| what.contains("the powers of 3")));
        // x^2 - 1 has roots.
        assert!((1..9).all(|generator| field(9, &[2, 0, 1], generator).is_err()));
    }

    #[test]
    fn what_is_no_field_is_told() {
        assert_eq!(field(7, &[0, 1], 3).unwrap().inverse(3), 5);
        for (order, modulus, generator) in [
            (6, &[0, 1][..], 5),
            (7, &[0, 2], 3),
            (7, &[0, 1], 7),
            (7, &[0, 1], 0),
            (8, &[0, 1], 3),
            (0, &[], 0),
            (9, &[3, 0, 1], 4),
        ] {
            assert!(field(order, modulus, generator).is_err(), "{order} {modulus:?} {generator}");
        }
    }
}
