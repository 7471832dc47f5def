//! Cayley graphs of products of two cyclic groups, one of which acts on the other.

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::closed_form::ClosedForm;
use crate::design_space::DesignSpace;
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm =
    ("cayley", "cayley { m = 23; n = 11; r = 2; generators = [143, 148, 218, 243]; }");

/// The elements (e, i) of a semidirect product of the numbers modulo m and modulo n, joined to their products
/// with generators. The product (e, i) (f, j) is (e + f, i + r^e j).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cayley {
    /// Order of the group that is acted on.
    pub m: u32,
    /// Order of the group that acts.
    pub n: u32,
    /// The number by which (1, 0) multiplies, with r^n = 1 modulo m.
    pub r: u32,
    /// Generators, ascending, each as the number e m + i of its element. Their inverses are generators too.
    pub generators: Vec<u32>,
}

impl Cayley {
    /// The product of two elements.
    pub fn product(&self, first: u32, second: u32) -> u32 {
        let (m, n) = (u64::from(self.m), u64::from(self.n));
        let [(e, i), (f, j)] =
            [first, second].map(|element| (u64::from(element) / m, u64::from(element) % m));
        let (mut power, mut square, mut rest) = (1 % m, u64::from(self.r) % m, e);
        while rest > 0 {
            power = if rest % 2 == 1 { power * square % m } else { power };
            (square, rest) = (square * square % m, rest / 2);
        }
        ((e + f) % n * m + (i + power * j) % m) as u32
    }

    /// The generators and their inverses, ascending, each once.
    pub fn all_generators(&self) -> Vec<u32> {
        let inverse = |generator: u32| {
            // The powers of an element end with its inverse and the neutral element 0.
            let mut power = generator;
            loop {
                let next = self.product(power, generator);
                if next == 0 {
                    return power;
                }
                power = next;
            }
        };
        let mut all: Vec<u32> =
            self.generators.iter().flat_map(|&generator| [generator, inverse(generator)]).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// `[h]`: number of elements at distance h of any element. They are all elements where the generators
    /// generate the group.
    pub fn view(&self) -> Vec<u64> {
        let generators = self.all_generators();
        let mut seen = vec![false; self.router_count()];
        seen[0] = true;
        let (mut view, mut reached) = (vec![1], vec![0]);
        while !reached.is_empty() {
            let mut next = Vec::new();
            for &element in &reached {
                for &generator in &generators {
                    let other = self.product(element, generator);
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        next.push(other);
                    }
                }
            }
            view.push(next.len() as u64);
            reached = next;
        }
        view.pop();
        view
    }

    /// The designs with `radix` network ports: the largest of diameter 3 that are known for few ports.
    pub(crate) fn of_radix(radix: u32) -> impl Iterator<Item = Cayley> {
        let listed = LISTED.iter().filter(move |(ports, ..)| *ports == radix);
        listed.map(|&(_, [m, n, r], generators)| Cayley { m, n, r, generators: generators.to_vec() })
    }
}

/// (ports, [m, n, r], generators) of Cayley graphs of diameter 3, found by a random search. That of 253
/// routers has the group and the size of Comellas and Mitjana, 1994.
const LISTED: [(u32, [u32; 3], &[u32]); 1] = [(8, [23, 11, 2], &[143, 148, 218, 243])];

impl FamilyFacts for Cayley {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        let Cayley { m, n, r, generators } = self;
        let generators: Vec<String> = generators.iter().map(u32::to_string).collect();
        format!("cayley {{ m = {m}; n = {n}; r = {r}; generators = [{}]; }}", generators.join(", "))
    }

    fn router_count(&self) -> usize {
        self.m as usize * self.n as usize
    }

    fn fewest_links(&self) -> u64 {
        self.all_generators().len() as u64
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(FORM.0, self.all_generators().len() as u64)
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Grid([self.n, self.m].as_slice().into())
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        Some(ClosedForm::from_view(self.all_generators().len() as u32, self.view()))
    }

    fn design_space(&self) -> Option<DesignSpace> {
        (self.view().len() == 4).then_some(DesignSpace::Cayley)
    }

    fn design_radix(&self) -> Option<u32> {
        Some(self.all_generators().len() as u32)
    }
}
