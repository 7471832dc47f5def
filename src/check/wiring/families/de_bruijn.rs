//! The rule of de Bruijn graphs: an arc leads from a word to each other word that begins with its last
//! letters.

use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;
use fabc_model::{Arcs, DeBruijn};

/// All words of some length, in lexicographic order.
pub(super) struct Shifts(pub(super) DeBruijn);

impl Shifts {
    fn letters(&self, router: u32) -> Vec<u32> {
        let mut rest = router;
        let mut letters: Vec<u32> =
            (0..self.0.length).map(|_| (rest % self.0.degree, rest /= self.0.degree).0).collect();
        letters.reverse();
        letters
    }

    fn is_arc(&self, from: u32, to: u32) -> bool {
        let (first, second) = (self.letters(from), self.letters(to));
        from != to && first[1..] == second[..second.len() - 1]
    }
}

impl FamilyRule for Shifts {
    fn routers(&self) -> usize {
        (0..self.0.length).map(|_| self.0.degree as usize).product()
    }

    fn links(&self) -> u64 {
        let degree = u64::from(self.0.degree);
        // Words of one letter, and pairs of words of two alternating letters.
        let (loops, opposite) = (degree, degree * (degree - 1) / 2);
        degree * self.routers() as u64 - loops - if self.simplex() { 0 } else { opposite }
    }

    fn degree(&self, router: u32) -> u32 {
        let word = self.letters(router);
        let is_constant = word.iter().all(|&letter| letter == word[0]);
        let alternates = word.iter().zip(word.iter().skip(2)).all(|(letter, later)| letter == later);
        match self.0.arcs {
            Arcs::Simplex => self.0.degree - u32::from(is_constant),
            Arcs::Duplex if is_constant => 2 * self.0.degree - 2,
            Arcs::Duplex => 2 * self.0.degree - u32::from(alternates),
        }
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let arc = self.is_arc(from, to) || !self.simplex() && self.is_arc(to, from);
        arc.then_some((1, LinkClass::Local))
    }

    fn simplex(&self) -> bool {
        self.0.arcs == Arcs::Simplex
    }
}
