//! Next hops in PolarStars, from the vectors of the points and the graph of a supernode.

use super::next::Formula;
use crate::field::LogField;
use fabc_ir::read::{FieldLine, SupernodeLine};
use std::collections::BTreeMap;

/// A supernode in every point of a projective plane.
pub(super) struct PolarStarFormula {
    size: u32,
    /// The bijection between the places of two supernodes.
    f: Vec<u32>,
    f_inverse: Vec<u32>,
    /// `[a * size + b]`: whether two places are connected in every supernode.
    joined: Vec<bool>,
    plane: PointTable,
}

/// The orthogonality of two points x and y, at `[x * points + y]`.
struct PointTable {
    points: u32,
    orthogonal: Vec<bool>,
    /// The point that is orthogonal to both x and y. It is x where they are the same.
    third: Vec<u32>,
}

impl PolarStarFormula {
    /// # Errors
    /// The part of the input that does not make a PolarStar.
    pub(super) fn new(
        field: &FieldLine,
        supernode: SupernodeLine,
        vectors: &[[u32; 3]],
        routers: u32,
    ) -> Result<Self, String> {
        let field = LogField::from_line(field)?;
        let SupernodeLine { f, links } = supernode;
        let (size, points) = (f.len() as u32, vectors.len() as u32);
        if size == 0 || u64::from(size) * u64::from(points) != u64::from(routers) {
            return Err(format!(
                "`vectors`: {points} points with {size} places each are not {routers} routers"
            ));
        }
        let mut f_inverse = vec![size; size as usize];
        f.iter().zip(0..).filter(|(b, _)| **b < size).for_each(|(&b, a)| f_inverse[b as usize] = a);
        if f_inverse.contains(&size) {
            return Err("`supernode.f` is not a permutation of its places".to_owned());
        }
        let mut joined = vec![false; (size * size) as usize];
        for &[a, b] in &links {
            if a >= size || b >= size || a == b {
                return Err(format!("`supernode.links`: {a} and {b} are not two places of a supernode"));
            }
            joined[(a * size + b) as usize] = true;
            joined[(b * size + a) as usize] = true;
        }
        Ok(Self { size, f, f_inverse, joined, plane: PointTable::new(&field, vectors)? })
    }

    fn position(&self, router: u32) -> (u32, u32) {
        (router / self.size, router % self.size)
    }
    fn number(&self, point: u32, place: u32) -> u32 {
        point * self.size + place
    }
    /// The place in supernode y that a global link connects to place `a` of x.
    fn global_neighbor(&self, x: u32, y: u32, a: u32) -> u32 {
        if x < y { self.f[a as usize] } else { self.f_inverse[a as usize] }
    }
    /// Whether two places of a supernode are connected. In a quadric, f also connects places.
    fn are_joined_inside(&self, point: u32, a: u32, b: u32) -> bool {
        let by_f = || {
            a != b
                && self.plane.are_orthogonal(point, point)
                && (self.f[a as usize] == b || self.f[b as usize] == a)
        };
        self.joined[(a * self.size + b) as usize] || by_f()
    }
}

impl PointTable {
    /// # Errors
    /// Vectors that do not represent every point once.
    fn new(field: &LogField, vectors: &[[u32; 3]]) -> Result<Self, String> {
        let mut numbers = BTreeMap::new();
        for (vector, number) in vectors.iter().zip(0u32..) {
            let leads = vector.iter().find(|coordinate| **coordinate != 0) == Some(&1);
            if !leads
                || vector.iter().any(|&coordinate| coordinate >= field.order())
                || numbers.insert(*vector, number).is_some()
            {
                return Err(format!(
                    "`vectors`: {vector:?} does not begin with 1, occurs twice, or is not over the field of {} elements",
                    field.order()
                ));
            }
        }
        // Tables of the field operations, since every pair of points needs a dozen of them.
        let order = field.order();
        let table = |operation: &dyn Fn(u32, u32) -> u32| {
            (0..order * order).map(|pair| operation(pair / order, pair % order)).collect::<Vec<u32>>()
        };
        let (sums, differences) = (table(&|a, b| field.sum(a, b)), table(&|a, b| field.difference(a, b)));
        let products = table(&|a, b| field.product(a, b));
        let inverses: Vec<u32> = (0..order).map(|a| if a == 0 { 0 } else { field.inverse(a) }).collect();
        let lookup = |table: &[u32], a: u32, b: u32| table[(a * order + b) as usize];
        let times = |a: u32, b: u32| lookup(&products, a, b);
        let minor = |a, b, c, d| lookup(&differences, times(a, d), times(b, c));
        let (mut third, mut orthogonal) = (Vec::new(), Vec::new());
        for (&[a, b, c], x) in vectors.iter().zip(0u32..) {
            for (&[d, e, f], y) in vectors.iter().zip(0u32..) {
                orthogonal.push(lookup(&sums, lookup(&sums, times(a, d), times(b, e)), times(c, f)) == 0);
                let product = [minor(b, c, e, f), minor(c, a, f, d), minor(a, b, d, e)];
                let over = product
                    .iter()
                    .find(|coordinate| **coordinate != 0)
                    .map_or(0, |&first| inverses[first as usize]);
                let point = product.map(|coordinate| times(coordinate, over));
                match numbers.get(&point) {
                    _ if x == y => third.push(x),
                    Some(&number) => third.push(number),
                    None => {
                        return Err(format!(
                            "`vectors`: {point:?} is missing, which is orthogonal to two of them"
                        ));
                    }
                }
            }
        }
        Ok(Self { points: vectors.len() as u32, orthogonal, third })
    }
    fn are_orthogonal(&self, x: u32, y: u32) -> bool {
        self.orthogonal[(x * self.points + y) as usize]
    }
    fn third(&self, x: u32, y: u32) -> u32 {
        self.third[(x * self.points + y) as usize]
    }
    /// The other points that are orthogonal to x.
    fn orthogonal_points(&self, x: u32) -> impl Iterator<Item = u32> {
        (0..self.points).filter(move |&y| y != x && self.are_orthogonal(x, y))
    }
}

impl Formula for PolarStarFormula {
    fn next_router(&self, from: u32, to: u32) -> Option<u32> {
        let ((x, a), (y, b)) = (self.position(from), self.position(to));
        if x == y {
            let middle =
                (0..self.size).find(|&m| self.are_joined_inside(x, a, m) && self.are_joined_inside(x, m, b));
            return match middle {
                _ if self.are_joined_inside(x, a, b) => Some(to),
                Some(middle) => Some(self.number(x, middle)),
                None => {
                    let beside = self.plane.orthogonal_points(x).next()?;
                    Some(self.number(beside, self.global_neighbor(x, beside, a)))
                }
            };
        }
        let third = self.plane.third(x, y);
        let neighbor = self.global_neighbor(x, y, a);
        let twice_is_none = || self.f == self.f_inverse;
        Some(if !self.plane.are_orthogonal(x, y) {
            self.number(third, self.global_neighbor(x, third, a))
        } else if neighbor == b {
            to
        } else if a == b && twice_is_none() {
            self.number(third, neighbor)
        } else if self.joined[(neighbor * self.size + b) as usize] {
            self.number(y, neighbor)
        } else {
            self.number(x, self.global_neighbor(y, x, b))
        })
    }

    fn neighbors_by_port(&self, router: u32) -> Vec<Option<u32>> {
        let (x, a) = self.position(router);
        let local = (0..self.size).filter(|&b| self.are_joined_inside(x, a, b)).map(|b| (x, b));
        let global = self.plane.orthogonal_points(x).map(|y| (y, self.global_neighbor(x, y, a)));
        local.chain(global).map(|(point, place)| Some(self.number(point, place))).collect()
    }
}
