//! The rule of star graphs: two permutations differ at the first place and at one more.

use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;

/// All permutations of some symbols, in lexicographic order.
pub(super) struct Exchanges {
    pub(super) symbols: u32,
}

impl Exchanges {
    fn permutation(&self, router: u32) -> Vec<u32> {
        let mut arrangements: u32 = (1..=self.symbols).product();
        let (mut rest, mut remaining) = (router, (0..self.symbols).collect::<Vec<u32>>());
        let mut permutation = Vec::new();
        while !remaining.is_empty() {
            arrangements /= remaining.len() as u32;
            permutation.push(remaining.remove((rest / arrangements) as usize));
            rest %= arrangements;
        }
        permutation
    }
}

impl FamilyRule for Exchanges {
    fn routers(&self) -> usize {
        (1..=self.symbols as usize).product()
    }

    fn links(&self) -> u64 {
        self.routers() as u64 * u64::from(self.symbols - 1) / 2
    }

    fn degree(&self, _: u32) -> u32 {
        self.symbols - 1
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let (first, second) = (self.permutation(from), self.permutation(to));
        let places: Vec<usize> = (0..first.len()).filter(|&place| first[place] != second[place]).collect();
        (places.len() == 2 && places[0] == 0).then_some((1, LinkClass::Local))
    }
}
