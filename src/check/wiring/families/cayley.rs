//! The rule of Cayley graphs: one of two elements is the product of the other with a generator.

use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;
use fabc_model::Cayley;

/// The elements of a semidirect product of two cyclic groups, and what joins them.
pub(super) struct Products {
    m: u64,
    n: u64,
    /// `[e]`: the number by which (e, 0) multiplies.
    factors: Vec<u64>,
    /// `[element]`: whether it is a generator or the inverse of one.
    steps: Vec<bool>,
    degree: u32,
}

impl Products {
    pub(super) fn new(cayley: &Cayley) -> Self {
        let [m, n, r] = [cayley.m, cayley.n, cayley.r].map(u64::from);
        let factors = std::iter::successors(Some(1 % m), |factor| Some(factor * r % m)).take(n as usize);
        let mut products =
            Self { m, n, factors: factors.collect(), steps: vec![false; (m * n) as usize], degree: 0 };
        for &generator in &cayley.generators {
            let inverse = products.step(u64::from(generator), 0);
            [u64::from(generator), inverse].into_iter().for_each(|step| products.steps[step as usize] = true);
        }
        products.degree = products.steps.iter().filter(|&&is_step| is_step).count() as u32;
        products
    }

    /// The element by which `from` must be multiplied for `to`. With `from` = (e, i) and `to` = (f, j) it is
    /// (f - e, (j - i) / r^e), and 1 / r^e is r^(n - e).
    fn step(&self, from: u64, to: u64) -> u64 {
        let (e, i) = (from / self.m, from % self.m);
        let (f, j) = (to / self.m, to % self.m);
        let back = self.factors[((self.n - e) % self.n) as usize];
        (f + self.n - e) % self.n * self.m + (j + self.m - i) % self.m * back % self.m
    }
}

impl FamilyRule for Products {
    fn routers(&self) -> usize {
        self.steps.len()
    }

    fn links(&self) -> u64 {
        self.m * self.n * u64::from(self.degree) / 2
    }

    fn degree(&self, _: u32) -> u32 {
        self.degree
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let step = self.step(u64::from(from), u64::from(to));
        (from != to && self.steps[step as usize]).then_some((1, LinkClass::Local))
    }
}
