//! The polarity graph of the quadrangle W(q), for q = 2, 8, 32, ..: an odd power of 2.
//!
//! A polarity exchanges points and lines and keeps incidence. Two points are joined where one is on the line
//! that the polarity gives to the other. In the coordinates below, with x^s for the power whose square is
//! the power 2, (x, y, z) and (u, v, w) are joined where z + v = x u^s and w + y = u x^s. The rest is a tree:
//! a last point is joined to all (x), (x) to all (x, y), and (x, y) to all (x, y, z). Absolute points are on
//! their own line: the last one, and those with z + y = x x^s. Every neighborhood has one, itself included.
//!
//! Sources: Tits 1962; Delorme, Grands graphes de degré et diamètre donnés, 1985.

use super::field::FiniteField;

/// The points of W(q) with a polarity. Point (x, y, z) has number (x q + y) q + z. Then come (x, y), (x) and
/// a last one.
pub struct TitsPolarity {
    field: FiniteField,
    /// `[x]`: the power s of x. Its square is the power 2.
    roots: Vec<u32>,
}

impl TitsPolarity {
    /// The polarity over the field of `q` elements, an odd power of 2.
    pub fn new(q: u32) -> Self {
        let field = FiniteField::new(q);
        let squarings = q.ilog2().div_ceil(2);
        let roots = (0..q).map(|x| (0..squarings).fold(x, |x, _| field.product(x, x))).collect();
        Self { field, roots }
    }
    /// Whether W(q) has a polarity.
    pub fn exists(q: u32) -> bool {
        q.is_power_of_two() && q.ilog2() % 2 == 1
    }
    /// The number of points: (q + 1) (q^2 + 1).
    pub fn count(q: u32) -> u32 {
        (q + 1) * (q * q + 1)
    }
    /// Adds the points on the line of a point. An absolute point is among them.
    pub fn push_polar_line(&self, point: u32, list: &mut Vec<u32>) {
        let q = self.field.order();
        let (pairs, singles) = (q * q * q, q * q * q + q * q);
        let last = singles + q;
        if point == last {
            list.extend(singles..=last);
        } else if point >= singles {
            let x = point - singles;
            list.extend((0..q).map(|y| pairs + x * q + y).chain([last]));
        } else if point >= pairs {
            let pair = point - pairs;
            list.extend((0..q).map(|z| pair * q + z).chain([singles + pair / q]));
        } else {
            let [x, y, z] = [point / q / q, point / q % q, point % q];
            let root = self.roots[x as usize];
            list.extend((0..q).map(|u| {
                let v = self.field.sum(z, self.field.product(x, self.roots[u as usize]));
                let w = self.field.sum(y, self.field.product(u, root));
                (u * q + v) * q + w
            }));
            list.push(pairs + point / q);
        }
    }
    /// The absolute points, ascending: q^2 + 1.
    pub fn absolute_points(&self) -> Vec<u32> {
        let q = self.field.order();
        let absolute = |pair: u32| {
            let (x, y) = (pair / q, pair % q);
            pair * q + self.field.sum(y, self.field.product(x, self.roots[x as usize]))
        };
        (0..q * q).map(absolute).chain([Self::count(q) - 1]).collect()
    }
}
