//! The rule of Kautz graphs: an arc leads from a word to each other word that begins with its last letters.

use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;
use fabc_model::Arcs;

/// Words of `length` letters from an alphabet of degree + 1, without equal neighbors.
pub(super) struct Words {
    pub(super) degree: u32,
    pub(super) length: u32,
    pub(super) arcs: Arcs,
}

impl Words {
    /// The letters of a word, from its place in the lexicographic order.
    fn letters(&self, router: u32) -> Vec<u32> {
        let mut words = self.degree.pow(self.length - 1);
        let mut remaining = router;
        let mut letters: Vec<u32> = Vec::new();
        for _ in 0..self.length {
            let last = letters.last().copied();
            let mut allowed = (0..=self.degree).filter(|&letter| Some(letter) != last);
            letters.push(
                allowed.nth((remaining / words) as usize).expect("a router's number is below their count"),
            );
            remaining %= words;
            words /= self.degree;
        }
        letters
    }

    fn is_arc(&self, from: &[u32], to: &[u32]) -> bool {
        from[1..] == to[..to.len() - 1] && from != to
    }
}

impl FamilyRule for Words {
    fn routers(&self) -> usize {
        let degree = self.degree as usize;
        degree.pow(self.length) + degree.pow(self.length - 1)
    }

    fn links(&self) -> u64 {
        let degree = u64::from(self.degree);
        // Words of two alternating letters: an arc leads from one to the other and another leads back.
        let opposite = degree * (degree + 1) / 2;
        degree * self.routers() as u64 - if self.simplex() { 0 } else { opposite }
    }

    fn degree(&self, router: u32) -> u32 {
        let word = self.letters(router);
        let in_turn = word.iter().zip(word.iter().skip(2)).all(|(letter, later)| letter == later);
        match self.arcs {
            Arcs::Simplex => self.degree,
            // With one letter, every arc has its opposite.
            Arcs::Duplex if self.length == 1 => self.degree,
            Arcs::Duplex => 2 * self.degree - u32::from(in_turn),
        }
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let (from, to) = (self.letters(from), self.letters(to));
        let arc = self.is_arc(&from, &to) || !self.simplex() && self.is_arc(&to, &from);
        arc.then_some((1, LinkClass::Local))
    }

    fn simplex(&self) -> bool {
        self.arcs == Arcs::Simplex
    }
}
