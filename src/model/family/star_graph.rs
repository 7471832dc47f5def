//! Star graphs: permutations that differ by an exchange of the first symbol (Akers, Harel and Krishnamurthy,
//! 1987).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::closed_form::ClosedForm;
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("star_graph", "star_graph { symbols = 5; }");

/// All permutations of some symbols. Two are joined where one is the other with its first symbol exchanged
/// for another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StarGraph {
    /// Number of symbols, at least 3.
    pub symbols: u32,
}

impl StarGraph {
    /// `[h]`: number of routers at distance h. A permutation that moves m symbols in c cycles is m + c hops
    /// away from the sorted one, or m + c - 2 where the first symbol is among those m.
    fn view(self) -> Vec<u64> {
        let symbols = self.symbols as usize;
        // [m][c]: permutations of m symbols in c cycles of two symbols or more.
        let mut moved = vec![vec![0u64; symbols + 1]; symbols + 1];
        moved[0][0] = 1;
        for count in 2..=symbols {
            for cycles in 1..=count / 2 {
                let others = count as u64 - 1;
                moved[count][cycles] = others * (moved[count - 1][cycles] + moved[count - 2][cycles - 1]);
            }
        }
        let choose = |all: usize, some: usize| {
            (0..some).fold(1u64, |product, place| product * (all - place) as u64 / (place as u64 + 1))
        };
        let mut view = vec![0; 3 * (symbols - 1) / 2 + 1];
        for (count, row) in moved.iter().enumerate() {
            for (cycles, &permutations) in
                row.iter().enumerate().filter(|(_, permutations)| **permutations > 0)
            {
                if count < symbols {
                    view[count + cycles] += choose(symbols - 1, count) * permutations;
                }
                if count > 0 {
                    view[count + cycles - 2] += choose(symbols - 1, count - 1) * permutations;
                }
            }
        }
        view
    }
}

impl FamilyFacts for StarGraph {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("star_graph {{ symbols = {}; }}", self.symbols)
    }

    fn router_count(&self) -> usize {
        (1..=self.symbols as usize).product()
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.symbols - 1)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(FORM.0, u64::from(self.symbols - 1))
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Permutations { symbols: self.symbols }
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        Some(ClosedForm::from_view(self.symbols - 1, self.view()))
    }
}
