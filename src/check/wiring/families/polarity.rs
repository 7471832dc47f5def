//! The rule of polarity graphs of the quadrangle W(q).

use super::form_space::{FormSpace, Vector, split};
use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;
use fabc_model::Delorme;

/// The points of W(q), joined where one is on the polar line of the other. A copy of an absolute point is
/// joined to the neighbors of that point.
pub(super) struct PolarityRule {
    space: FormSpace,
    /// `[point]`: the vector that stands for it.
    vectors: Vec<Vector>,
    /// `[point]`: two vectors that span its polar line.
    polars: Vec<[Vector; 2]>,
    /// The points on their own polar line, ascending.
    absolute: Vec<u32>,
    copies: u32,
}

impl PolarityRule {
    /// Point (x, y, z) is (1, x, z, y^s + x z), where the square of s is 2. (x, y) is (0, 1, x^s, y), and (x)
    /// is (0, 0, 1, x). Their polar lines are [x^s, y, z^s], [x, y^s] and [x^s] in the notation of W(q).
    pub(super) fn new(delorme: &Delorme) -> Self {
        let q = delorme.q;
        let space = FormSpace::new(q, 1);
        let field = &space.field;
        let power = |x: u32| {
            // s is the power 2^(e + 1) of a field of 2^(2 e + 1) elements.
            let doublings = q.trailing_zeros().div_ceil(2);
            (0..doublings).fold(x, |power, _| field.product(power, power))
        };
        let count = (q + 1) * (q * q + 1);
        let (vectors, polars): (Vec<Vector>, Vec<[Vector; 2]>) = (0..count)
            .map(|point| match point.checked_sub(q * q * q) {
                None => {
                    let [x, y, z] = [point / q / q, point / q % q, point % q];
                    let vector = [1, x, z, field.sum(power(y), field.product(x, z))];
                    (vector, [[0, 1, power(x), y], [1, 0, y, power(z)]])
                }
                Some(pair) if pair < q * q => {
                    let (x, y) = split(pair, q);
                    ([0, 1, power(x), y], [[0, 0, 1, x], [1, x, 0, power(y)]])
                }
                Some(single) if single < q * q + q => {
                    let x = single - q * q;
                    ([0, 0, 1, x], [[0, 1, power(x), 0], [0, 0, 0, 1]])
                }
                Some(_) => ([0, 0, 0, 1], [[0, 0, 1, 0], [0, 0, 0, 1]]),
            })
            .unzip();
        let mut rule = Self { space, vectors, polars, absolute: Vec::new(), copies: delorme.copies };
        rule.absolute = (0..count).filter(|&point| rule.is_on_polar(point, point)).collect();
        rule
    }
    fn is_on_polar(&self, point: u32, other: u32) -> bool {
        let vector = self.vectors[point as usize];
        self.polars[other as usize].iter().all(|&span| self.space.are_orthogonal(vector, span))
    }
    fn points(&self) -> u32 {
        self.vectors.len() as u32
    }
    fn original(&self, router: u32) -> u32 {
        match router.checked_sub(self.points()) {
            None => router,
            Some(copy) => self.absolute[copy as usize % self.absolute.len()],
        }
    }
    fn is_absolute(&self, point: u32) -> bool {
        self.absolute.binary_search(&point).is_ok()
    }
}

impl FamilyRule for PolarityRule {
    fn routers(&self) -> usize {
        self.vectors.len() + self.copies as usize * self.absolute.len()
    }

    fn links(&self) -> u64 {
        let (q, absolute) = (u64::from(self.space.field.order()), self.absolute.len() as u64);
        (self.vectors.len() as u64 * (q + 1) - absolute) / 2 + u64::from(self.copies) * absolute * q
    }

    /// Every polar line has one absolute point. That of an absolute point is the point itself.
    fn degree(&self, router: u32) -> u32 {
        let q = self.space.field.order();
        if self.is_absolute(self.original(router)) { q } else { q + 1 + self.copies }
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let (first, second) = (self.original(from), self.original(to));
        let are_copies = from.min(to) >= self.points();
        (!are_copies && first != second && self.is_on_polar(first, second)).then_some((1, LinkClass::Local))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polarity_keeps_incidence_and_every_line_has_one_absolute_point() {
        for q in [2, 8] {
            let rule = PolarityRule::new(&Delorme { q, copies: 0 });
            assert_eq!(rule.absolute.len() as u32, q * q + 1);
            for point in 0..rule.points() {
                let on: Vec<u32> =
                    (0..rule.points()).filter(|&other| rule.is_on_polar(other, point)).collect();
                assert_eq!(on.len() as u32, q + 1);
                assert!(on.iter().all(|&other| rule.is_on_polar(point, other)));
                assert_eq!(on.iter().filter(|&&other| rule.is_absolute(other)).count(), 1);
            }
        }
    }
}
