//! Points of the projective plane over a finite field.
//!
//! A point is a vector whose first non-zero coordinate is 1. Point (1, y, z) has number y q + z. Then come
//! (0, 1, z) and (0, 0, 1). Two points are orthogonal where their scalar product is 0. The quadrics are the
//! points that are orthogonal to themselves. Any two different points are orthogonal to exactly one point,
//! their cross product. Source: Brown 1966.

use super::field::FiniteField;

/// A projective plane: its points, by number.
pub struct ProjectivePlane(FiniteField);

impl ProjectivePlane {
    /// The plane over the field of `q` elements, a prime power.
    pub fn new(q: u32) -> Self {
        Self(FiniteField::new(q))
    }
    /// The field of the coordinates.
    pub fn field(&self) -> &FiniteField {
        &self.0
    }
    /// The number of points: q^2 + q + 1.
    pub fn count(q: u32) -> u32 {
        q * q + q + 1
    }
    /// The points that are orthogonal to a point, ascending. A quadric is in its own list.
    pub fn orthogonal(&self, point: u32) -> Vec<u32> {
        let Self(field) = self;
        let (q, [u, v, w]) = (field.order(), self.coordinates(point));
        let quotient = |a: u32, b: u32| field.product(field.negative(a), field.inverse(b));
        let mut points = Vec::new();
        // Of (1, y, z): u + v y + w z = 0.
        match (u, v, w) {
            (_, _, w) if w != 0 => {
                points.extend((0..q).map(|y| y * q + quotient(field.sum(u, field.product(v, y)), w)))
            }
            (_, v, _) if v != 0 => points.extend((0..q).map(|z| quotient(u, v) * q + z)),
            _ => {}
        }
        // Of (0, 1, z): v + w z = 0. Of (0, 0, 1): w = 0.
        match (v, w) {
            (v, w) if w != 0 => points.push(q * q + quotient(v, w)),
            (0, _) => points.extend((0..=q).map(|z| q * q + z)),
            _ => points.push(q * q + q),
        }
        points
    }
    /// Whether two points are orthogonal.
    pub fn are_orthogonal(&self, one: u32, other: u32) -> bool {
        let ([a, b, c], [d, e, f]) = (self.coordinates(one), self.coordinates(other));
        let Self(field) = self;
        field.sum(field.sum(field.product(a, d), field.product(b, e)), field.product(c, f)) == 0
    }
    /// `[point]`: its cluster. The quadrics are cluster 0. Each non-quadric neighbor of the first quadric,
    /// ascending, makes one more cluster with its own non-quadric neighbors. For an even `q` one of these
    /// stays alone: the one to which all quadrics are orthogonal.
    pub fn clusters(&self) -> Vec<u32> {
        let count = Self::count(self.0.order());
        let quadrics: Vec<u32> = (0..count).filter(|&point| self.are_orthogonal(point, point)).collect();
        let plain = |point: &u32| quadrics.binary_search(point).is_err();
        let mut clusters = vec![0; count as usize];
        let middles = self.orthogonal(quadrics[0]).into_iter().filter(plain);
        for (cluster, middle) in (1..).zip(middles) {
            clusters[middle as usize] = cluster;
            self.orthogonal(middle)
                .into_iter()
                .filter(plain)
                .for_each(|point| clusters[point as usize] = cluster);
        }
        clusters
    }
    /// The sizes of the clusters: the quadrics first, the others in no fixed order.
    pub fn cluster_sizes(q: u32) -> Vec<u32> {
        let rest =
            if q % 2 == 1 { vec![q; q as usize] } else { [vec![1], vec![q + 1; q as usize - 1]].concat() };
        [vec![q + 1], rest].concat()
    }
    /// The point that is orthogonal to two different points.
    pub fn cross(&self, one: u32, other: u32) -> u32 {
        let ([a, b, c], [d, e, f]) = (self.coordinates(one), self.coordinates(other));
        let Self(field) = self;
        let minor = |a: u32, b: u32, c: u32, d: u32| {
            field.sum(field.product(a, d), field.negative(field.product(b, c)))
        };
        self.point([minor(b, c, e, f), minor(c, a, f, d), minor(a, b, d, e)])
    }
    /// The coordinates of a point.
    pub fn coordinates(&self, point: u32) -> [u32; 3] {
        let q = self.0.order();
        match point {
            point if point < q * q => [1, point / q, point % q],
            point if point < q * q + q => [0, 1, point - q * q],
            _ => [0, 0, 1],
        }
    }
    /// The number of the point that a non-zero vector stands for.
    fn point(&self, coordinates: [u32; 3]) -> u32 {
        let [a, b, c] = coordinates;
        let Self(field) = self;
        let (q, over) =
            (field.order(), |number: u32, first: u32| field.product(number, field.inverse(first)));
        match (a, b) {
            (0, 0) => q * q + q,
            (0, b) => q * q + over(c, b),
            (a, b) => over(b, a) * q + over(c, a),
        }
    }
}
