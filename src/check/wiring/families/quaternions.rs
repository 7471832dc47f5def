//! The rule of spectralflies. Routers are integer quaternions modulo q up to scalars. Two are connected if
//! their quotient has norm rho.
//!
//! Quaternions multiply like their matrices, so no matrix is needed. Routers are numbered breadth first from
//! 1, by right factors of norm rho in the order of their coordinates.

use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;
use std::collections::{BTreeMap, BTreeSet};

type Quaternion = [u32; 4];

/// The group that the quaternions of norm rho generate.
pub(super) struct Quaternions {
    q: u32,
    routers: Vec<Quaternion>,
    factors: BTreeSet<Quaternion>,
}

impl Quaternions {
    pub(super) fn new(rho: u32, q: u32) -> Self {
        let factors = quaternions_of_norm(rho, q);
        let mut routers = vec![[1, 0, 0, 0]];
        let mut reached = BTreeMap::from([(routers[0], ())]);
        let mut next = 0;
        while next < routers.len() {
            for &factor in &factors {
                let product = normalize(multiply(routers[next], factor, q), q);
                if reached.insert(product, ()).is_none() {
                    routers.push(product);
                }
            }
            next += 1;
        }
        Self { q, routers, factors: factors.into_iter().collect() }
    }
}

/// The quaternions of norm rho, one of each pair up to sign, in the order of their coordinates, normalized
/// modulo q.
fn quaternions_of_norm(rho: u32, q: u32) -> Vec<Quaternion> {
    let rho = i64::from(rho);
    let bound = rho.isqrt();
    let mut quaternions = Vec::new();
    for a in -bound..=bound {
        for b in -bound..=bound {
            for c in -bound..=bound {
                let rest = rho - a * a - b * b - c * c;
                let root = if rest < 0 { -1 } else { rest.isqrt() };
                if root * root != rest {
                    continue;
                }
                for d in if root == 0 { vec![0] } else { vec![-root, root] } {
                    // The first coordinate is the only odd one, or the only even one.
                    let has_right_parity = a.rem_euclid(2) == if rho % 4 == 1 { 1 } else { 0 };
                    let sign = [a, b, c, d].into_iter().find(|&number| number != 0).unwrap_or(0);
                    if has_right_parity && sign > 0 {
                        let modulo = |number: i64| number.rem_euclid(i64::from(q)) as u32;
                        quaternions.push(normalize([a, b, c, d].map(modulo), q));
                    }
                }
            }
        }
    }
    quaternions
}

/// The product, by the rules i i = j j = k k = i j k = -1.
fn multiply(left: Quaternion, right: Quaternion, q: u32) -> Quaternion {
    let ([a, b, c, d], [e, f, g, h]) = (left, right);
    let minus = |number: u32| q - number % q;
    [
        (a * e + minus(b * f) + minus(c * g) + minus(d * h)) % q,
        (a * f + b * e + c * h + minus(d * g)) % q,
        (a * g + minus(b * h) + c * e + d * f) % q,
        (a * h + b * g + minus(c * f) + d * e) % q,
    ]
}

/// The scalar multiple whose first coordinate other than 0 is 1.
fn normalize(quaternion: Quaternion, q: u32) -> Quaternion {
    let first = quaternion.into_iter().find(|&number| number != 0).unwrap_or(1);
    // The inverse by Fermat's little theorem.
    let inverse = (0..q - 2).fold(1, |power, _| power * first % q);
    quaternion.map(|number| number * inverse % q)
}

impl FamilyRule for Quaternions {
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
        // The conjugate is the inverse up to a scalar.
        let [a, b, c, d] = *self.routers.get(from as usize)?;
        let conjugate = [a, self.q - b, self.q - c, self.q - d].map(|number| number % self.q);
        let quotient = normalize(multiply(conjugate, *self.routers.get(to as usize)?, self.q), self.q);
        self.factors.contains(&quotient).then_some((1, LinkClass::Local))
    }
}
