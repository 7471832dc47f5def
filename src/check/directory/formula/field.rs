//! Arithmetic in the field of a file, by polynomials modulo the one that the file names.

use fabc_ir::read::FieldLine;

/// A field whose generator runs through all elements but 0, so that all of them can be inverted.
pub(super) struct Field {
    p: u32,
    order: u32,
    modulus: Vec<u32>,
}

impl Field {
    /// # Errors
    /// What is no field about it.
    pub(super) fn new(line: &FieldLine) -> Result<Self, String> {
        let &FieldLine { order, ref modulus, generator } = line;
        if !(2..=MOST_ELEMENTS).contains(&order) {
            return Err(format!("`field`: {order} elements are none that can be looked at"));
        }
        let p = (2..=order).find(|p| order.is_multiple_of(*p)).unwrap_or(order);
        let degree = modulus.len().saturating_sub(1) as u32;
        let elements = u64::from(p).checked_pow(degree);
        if elements != Some(u64::from(order)) || modulus.last() != Some(&1) || modulus.iter().any(|&digit| digit >= p) {
            return Err(format!("`field`: the modulus is no polynomial that makes {order} elements of numbers modulo {p}"));
        }
        let field = Self { p, order, modulus: modulus.clone() };
        let mut met = vec![false; order as usize];
        let (mut power, mut count) = (1, 0);
        while generator < order && !std::mem::replace(&mut met[power as usize], true) {
            power = field.times(power, generator);
            count += 1;
        }
        if count != order - 1 || met[0] {
            return Err(format!("`field`: the powers of {generator} are not all elements but 0"));
        }
        Ok(field)
    }
    pub(super) fn order(&self) -> u32 {
        self.order
    }
    pub(super) fn plus(&self, a: u32, b: u32) -> u32 {
        let digits = self.digits(a).zip(self.digits(b)).map(|(a, b)| (a + b) % self.p);
        self.number(&digits.collect::<Vec<_>>())
    }
    pub(super) fn minus(&self, a: u32, b: u32) -> u32 {
        let digits = self.digits(a).zip(self.digits(b)).map(|(a, b)| (a + self.p - b) % self.p);
        self.number(&digits.collect::<Vec<_>>())
    }
    pub(super) fn times(&self, a: u32, b: u32) -> u32 {
        let m = self.modulus.len() - 1;
        let mut product = vec![0; 2 * m];
        for (i, a) in self.digits(a).enumerate() {
            for (j, b) in self.digits(b).enumerate() {
                product[i + j] = (product[i + j] + a * b) % self.p;
            }
        }
        // x^m is minus the rest of the modulus.
        for at in (m..2 * m).rev() {
            let lead = std::mem::take(&mut product[at]);
            for (place, digit) in self.modulus[..m].iter().enumerate() {
                let slot = &mut product[at - m + place];
                *slot = (*slot + (self.p - lead) * digit) % self.p;
            }
        }
        self.number(&product[..m])
    }
    /// Of an element that is not 0.
    pub(super) fn inverse(&self, a: u32) -> u32 {
        (1..self.order).find(|&b| self.times(a, b) == 1).unwrap_or(0)
    }
    fn digits(&self, a: u32) -> impl Iterator<Item = u32> {
        let (p, m) = (self.p, self.modulus.len() as u32 - 1);
        (0..m).map(move |place| a / p.pow(place) % p)
    }
    fn number(&self, digits: &[u32]) -> u32 {
        digits.iter().rev().fold(0, |number, digit| number * self.p + digit)
    }
}

/// More are not looked at: no network has as many points.
const MOST_ELEMENTS: u32 = 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn field(order: u32, modulus: &[u32], generator: u32) -> Result<Field, String> {
        Field::new(&FieldLine { order, modulus: modulus.to_vec(), generator })
    }

    #[test]
    fn nine_elements_by_hand() {
        // x^2 = -1 = 2; x + 1 = 4 is a generator, x = 3 is of order 4.
        let nine = field(9, &[1, 0, 1], 4).unwrap();
        assert_eq!((nine.times(3, 3), nine.plus(5, 7), nine.minus(0, 4), nine.times(4, 4), nine.inverse(3)), (2, 0, 8, 6, 6));
        assert!(field(9, &[1, 0, 1], 3).is_err_and(|what| what.contains("the powers of 3")));
        // x^2 - 1 has roots.
        assert!((1..9).all(|generator| field(9, &[2, 0, 1], generator).is_err()));
    }

    #[test]
    fn what_is_no_field_is_told() {
        assert_eq!(field(7, &[0, 1], 3).unwrap().inverse(3), 5);
        for (order, modulus, generator) in
            [(6, &[0, 1][..], 5), (7, &[0, 2], 3), (7, &[0, 1], 7), (7, &[0, 1], 0), (8, &[0, 1], 3), (0, &[], 0), (9, &[3, 0, 1], 4)]
        {
            assert!(field(order, modulus, generator).is_err(), "{order} {modulus:?} {generator}");
        }
    }
}
