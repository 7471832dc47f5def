//! Finite fields by discrete logarithms.
//!
//! Elements are the integers below q = p^m, the digits of a number to base p the coefficients of a
//! polynomial. The modulus is the least monic polynomial of degree m that has a generator, an element whose
//! powers are all others but 0; that makes it irreducible. The least generator counts.

/// A finite field.
pub(super) struct Field {
    p: u32,
    order: u32,
    /// `[e]`: the generator to the power of e.
    powers: Vec<u32>,
    /// `[a]`: the exponent of a; of 0 without meaning.
    logs: Vec<u32>,
}

impl Field {
    /// The field of so many elements.
    pub(super) fn new(order: u32) -> Self {
        let p = (2..).find(|&p| order.is_multiple_of(p)).unwrap_or(order);
        // The modulus without its leading coefficient, then the generator.
        let candidates = (0..order).flat_map(|tail| (1..order).map(move |generator| (tail, generator)));
        let mut found = candidates.map(|(tail, generator)| powers(p, order, tail, generator));
        let powers = found.find(|powers| powers.len() as u32 == order - 1).unwrap_or_default();
        let mut logs = vec![0; order as usize];
        powers.iter().zip(0..).for_each(|(&power, exponent)| logs[power as usize] = exponent);
        Self { p, order, powers, logs }
    }
    pub(super) fn order(&self) -> u32 {
        self.order
    }
    /// The exponent of an element that is not 0.
    pub(super) fn log(&self, a: u32) -> u32 {
        self.logs[a as usize]
    }
    pub(super) fn product(&self, a: u32, b: u32) -> u32 {
        let exponent = || (self.log(a) + self.log(b)) % (self.order - 1);
        if a == 0 || b == 0 { 0 } else { self.powers[exponent() as usize] }
    }
    /// The generator times an element.
    pub(super) fn raised(&self, a: u32) -> u32 {
        if a == 0 { 0 } else { self.powers[(self.log(a) + 1) as usize % self.powers.len()] }
    }
    pub(super) fn sum(&self, a: u32, b: u32) -> u32 {
        sum(self.p, a, b)
    }
    /// a - b.
    pub(super) fn difference(&self, a: u32, b: u32) -> u32 {
        let mut negative = 0;
        let mut unit = 1;
        while unit < self.order {
            negative += (self.p - b / unit % self.p) % self.p * unit;
            unit *= self.p;
        }
        sum(self.p, a, negative)
    }
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

/// 1, g, g^2 .. up to the first power that is 0, 1 or has been met.
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

/// The product of two polynomials modulo x^m + tail, by the rule of Horner over the digits of `b`.
fn product(p: u32, order: u32, tail: u32, a: u32, b: u32) -> u32 {
    let times = |polynomial: u32, factor: u32| (0..factor).fold(0, |total, _| sum(p, total, polynomial));
    let (mut total, mut unit) = (0, order / p);
    while unit > 0 {
        // Times x: the lead, if there is one, becomes minus lead times the tail.
        let lead = total / (order / p);
        total = sum(p, total % (order / p) * p, times(tail, (p - lead) % p));
        total = sum(p, total, times(a, b / unit % p));
        unit /= p;
    }
    total
}
