//! The predicate of spectralflies: routers are integer quaternions modulo q up to scalars, two of them joined
//! where one over the other is of norm rho.
//!
//! No matrix is made: a quaternion and its matrix multiply alike. Routers are numbered breadth first from 1,
//! by right factors of norm rho in the order of their coordinates.

use super::rule::Rule;
use fabc_ir::LinkClass;
use std::collections::{BTreeMap, BTreeSet};

type Quaternion = [u32; 4];

/// The quaternions that those of norm rho generate.
pub(super) struct Quaternions {
    q: u32,
    routers: Vec<Quaternion>,
    factors: BTreeSet<Quaternion>,
}

impl Quaternions {
    pub(super) fn new(rho: u32, q: u32) -> Self {
        let factors = of_norm(rho, q);
        let mut routers = vec![[1, 0, 0, 0]];
        let mut known = BTreeMap::from([(routers[0], ())]);
        let mut next = 0;
        while next < routers.len() {
            for &factor in &factors {
                let product = reduced(times(routers[next], factor, q), q);
                if known.insert(product, ()).is_none() {
                    routers.push(product);
                }
            }
            next += 1;
        }
        Self { q, routers, factors: factors.into_iter().collect() }
    }
}

/// Those of norm rho, one of each up to sign, in the order of their coordinates; reduced modulo q.
fn of_norm(rho: u32, q: u32) -> Vec<Quaternion> {
    let rho = i64::from(rho);
    let bound = rho.isqrt();
    let mut found = Vec::new();
    for a in -bound..=bound {
        for b in -bound..=bound {
            for c in -bound..=bound {
                let rest = rho - a * a - b * b - c * c;
                let root = if rest < 0 { -1 } else { rest.isqrt() };
                if root * root != rest {
                    continue;
                }
                for d in if root == 0 { vec![0] } else { vec![-root, root] } {
                    // The first coordinate is the only odd, or the only even one.
                    let alone = a.rem_euclid(2) == if rho % 4 == 1 { 1 } else { 0 };
                    let sign = [a, b, c, d].into_iter().find(|&number| number != 0).unwrap_or(0);
                    if alone && sign > 0 {
                        let modulo = |number: i64| number.rem_euclid(i64::from(q)) as u32;
                        found.push(reduced([a, b, c, d].map(modulo), q));
                    }
                }
            }
        }
    }
    found
}

/// By the rules i i = j j = k k = i j k = -1.
fn times([a, b, c, d]: Quaternion, [e, f, g, h]: Quaternion, q: u32) -> Quaternion {
    let less = |number: u32| q - number % q;
    [
        (a * e + less(b * f) + less(c * g) + less(d * h)) % q,
        (a * f + b * e + c * h + less(d * g)) % q,
        (a * g + less(b * h) + c * e + d * f) % q,
        (a * h + b * g + less(c * f) + d * e) % q,
    ]
}

/// The multiple whose first coordinate that is not 0 is 1.
fn reduced(quaternion: Quaternion, q: u32) -> Quaternion {
    let first = quaternion.into_iter().find(|&number| number != 0).unwrap_or(1);
    // By Fermat's little theorem.
    let inverse = (0..q - 2).fold(1, |power, _| power * first % q);
    quaternion.map(|number| number * inverse % q)
}

impl Rule for Quaternions {
    fn routers(&self) -> usize {
        self.routers.len()
    }

    fn links(&self) -> u64 {
        self.routers.len() as u64 * self.factors.len() as u64 / 2
    }

    fn degree(&self, _: u32) -> u32 {
        self.factors.len() as u32
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        // The conjugate is the inverse, up to a scalar.
        let [a, b, c, d] = *self.routers.get(from as usize)?;
        let conjugate = [a, self.q - b, self.q - c, self.q - d].map(|number| number % self.q);
        let quotient = reduced(times(conjugate, *self.routers.get(to as usize)?, self.q), self.q);
        self.factors.contains(&quotient).then_some((1, LinkClass::Local))
    }
}
