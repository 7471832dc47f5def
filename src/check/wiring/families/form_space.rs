//! A space of three dimensions over a field, with a symplectic or a Hermitian form.

use crate::field::LogField;

/// Homogeneous coordinates of a point of a space of three dimensions, or of an affine point behind a 1.
pub(super) type Vector = [u32; 4];

/// A space with a form u0 v3 - u3 v0 + u1 v2 - u2 v1, where v is taken to the power `bar`.
pub(super) struct FormSpace {
    pub(super) field: LogField,
    /// `[a]`: a to the power of the bar. All of them, for a symplectic form.
    bars: Vec<u32>,
}

impl FormSpace {
    pub(super) fn new(order: u32, bar: u32) -> Self {
        let field = LogField::new(order);
        let power = |a: u32| (1..bar).fold(a, |power, _| field.product(power, a));
        let bars = (0..order).map(power).collect();
        Self { field, bars }
    }
    pub(super) fn bar(&self, a: u32) -> u32 {
        self.bars[a as usize]
    }
    pub(super) fn negative(&self, a: u32) -> u32 {
        self.field.difference(0, a)
    }
    /// Whether the form of two vectors is 0.
    pub(super) fn are_orthogonal(&self, u: Vector, v: Vector) -> bool {
        let term = |i: usize, j: usize| self.field.product(u[i], self.bar(v[j]));
        let [first, second] =
            [self.field.difference(term(0, 3), term(3, 0)), self.field.difference(term(1, 2), term(2, 1))];
        self.field.sum(first, second) == 0
    }
}

/// The quotient and the remainder of a number, as two coordinates.
pub(super) fn split(number: u32, side: u32) -> (u32, u32) {
    (number / side, number % side)
}
