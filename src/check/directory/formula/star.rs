//! PolarStars, by the vectors of their points and the graph in each.

use super::next::Formula;
use crate::field::Field;
use fabc_ir::read::{FieldLine, SupernodeLine};
use std::collections::BTreeMap;

/// Supernodes in the points of a plane.
pub(super) struct Star {
    size: u32,
    /// f, and its inverse.
    f: Vec<u32>,
    back: Vec<u32>,
    /// `[a * size + b]`: whether places are joined in every supernode.
    joined: Vec<bool>,
    plane: Plane,
}

/// How points stand to each other, `[x * points + y]`.
struct Plane {
    points: u32,
    orthogonal: Vec<bool>,
    /// The point orthogonal to both; x itself where they are the same.
    third: Vec<u32>,
}

impl Star {
    /// # Errors
    /// What is no PolarStar about it.
    pub(super) fn new(
        field: &FieldLine,
        supernode: SupernodeLine,
        vectors: &[[u32; 3]],
        routers: u32,
    ) -> Result<Self, String> {
        let field = Field::of_line(field)?;
        let SupernodeLine { f, links } = supernode;
        let (size, points) = (f.len() as u32, vectors.len() as u32);
        if size == 0 || u64::from(size) * u64::from(points) != u64::from(routers) {
            return Err(format!(
                "`vectors`: {points} points with {size} places each are not {routers} routers"
            ));
        }
        let mut back = vec![size; size as usize];
        f.iter().zip(0..).filter(|(b, _)| **b < size).for_each(|(&b, a)| back[b as usize] = a);
        if back.contains(&size) {
            return Err("`supernode.f` is no permutation of its places".to_owned());
        }
        let mut joined = vec![false; (size * size) as usize];
        for &[a, b] in &links {
            if a >= size || b >= size || a == b {
                return Err(format!("`supernode.links`: {a} and {b} are no two places"));
            }
            joined[(a * size + b) as usize] = true;
            joined[(b * size + a) as usize] = true;
        }
        Ok(Self { size, f, back, joined, plane: Plane::new(&field, vectors)? })
    }

    fn place(&self, router: u32) -> (u32, u32) {
        (router / self.size, router % self.size)
    }
    fn number(&self, (point, place): (u32, u32)) -> u32 {
        point * self.size + place
    }
    /// The place of y that place a of x meets, of points that are joined.
    fn met(&self, x: u32, y: u32, a: u32) -> u32 {
        if x < y { self.f[a as usize] } else { self.back[a as usize] }
    }
    /// Whether two places of one supernode are joined; those of a quadric also by f.
    fn inside(&self, point: u32, a: u32, b: u32) -> bool {
        let by_f = || {
            a != b
                && self.plane.are_orthogonal(point, point)
                && (self.f[a as usize] == b || self.f[b as usize] == a)
        };
        self.joined[(a * self.size + b) as usize] || by_f()
    }
}

impl Plane {
    /// # Errors
    /// Vectors that are not one for every point.
    fn new(field: &Field, vectors: &[[u32; 3]]) -> Result<Self, String> {
        let mut numbers = BTreeMap::new();
        for (vector, number) in vectors.iter().zip(0u32..) {
            let leads = vector.iter().find(|coordinate| **coordinate != 0) == Some(&1);
            if !leads
                || vector.iter().any(|&coordinate| coordinate >= field.order())
                || numbers.insert(*vector, number).is_some()
            {
                return Err(format!(
                    "`vectors`: {vector:?} does not begin with 1, or is there twice, or of no field of {}",
                    field.order()
                ));
            }
        }
        // What pairs of points ask for a dozen times, once.
        let order = field.order();
        let table = |of: &dyn Fn(u32, u32) -> u32| {
            (0..order * order).map(|pair| of(pair / order, pair % order)).collect::<Vec<u32>>()
        };
        let (sums, differences) = (table(&|a, b| field.sum(a, b)), table(&|a, b| field.difference(a, b)));
        let products = table(&|a, b| field.product(a, b));
        let inverses: Vec<u32> = (0..order).map(|a| if a == 0 { 0 } else { field.inverse(a) }).collect();
        let of = |table: &[u32], a: u32, b: u32| table[(a * order + b) as usize];
        let times = |a: u32, b: u32| of(&products, a, b);
        let minor = |a, b, c, d| of(&differences, times(a, d), times(b, c));
        let (mut third, mut orthogonal) = (Vec::new(), Vec::new());
        for (&[a, b, c], x) in vectors.iter().zip(0u32..) {
            for (&[d, e, f], y) in vectors.iter().zip(0u32..) {
                orthogonal.push(of(&sums, of(&sums, times(a, d), times(b, e)), times(c, f)) == 0);
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
    /// The other points that are orthogonal to one.
    fn around(&self, x: u32) -> impl Iterator<Item = u32> {
        (0..self.points).filter(move |&y| y != x && self.are_orthogonal(x, y))
    }
}

impl Formula for Star {
    fn next(&self, from: u32, to: u32) -> Option<u32> {
        let ((x, a), (y, b)) = (self.place(from), self.place(to));
        if x == y {
            let middle = (0..self.size).find(|&m| self.inside(x, a, m) && self.inside(x, m, b));
            return match middle {
                _ if self.inside(x, a, b) => Some(to),
                Some(middle) => Some(self.number((x, middle))),
                None => {
                    let beside = self.plane.around(x).next()?;
                    Some(self.number((beside, self.met(x, beside, a))))
                }
            };
        }
        let third = self.plane.third(x, y);
        let met = self.met(x, y, a);
        let twice_is_none = || self.f == self.back;
        Some(if !self.plane.are_orthogonal(x, y) {
            self.number((third, self.met(x, third, a)))
        } else if met == b {
            to
        } else if a == b && twice_is_none() {
            self.number((third, met))
        } else if self.joined[(met * self.size + b) as usize] {
            self.number((y, met))
        } else {
            self.number((x, self.met(y, x, b)))
        })
    }

    fn by_port(&self, router: u32) -> Vec<Option<u32>> {
        let (x, a) = self.place(router);
        let local = (0..self.size).filter(|&b| self.inside(x, a, b)).map(|b| (x, b));
        let global = self.plane.around(x).map(|y| (y, self.met(x, y, a)));
        local.chain(global).map(|place| Some(self.number(place))).collect()
    }
}
