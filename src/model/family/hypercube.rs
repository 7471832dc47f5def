//! Hypercubes, plain and folded.

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use super::grids::halves_of_axes;
use crate::closed_form::ClosedForm;

pub(super) const PLAIN: FamilyForm = ("hypercube", "hypercube { dimensions = 8; }");
pub(super) const FOLDED: FamilyForm = ("folded_hypercube", "folded_hypercube { dimensions = 8; }");

/// A network that joins routers whose numbers differ in one bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hypercube {
    /// Number of bits of a router's number.
    pub dimensions: u32,
    /// Whether a router is also joined to the one with all bits inverted.
    pub folded: bool,
}

impl Hypercube {
    fn degree(&self) -> u32 {
        self.dimensions + u32::from(self.folded)
    }

    /// `[h]`: number of routers at distance h. Folded, the link across counts as one hop.
    fn view(&self) -> Vec<u64> {
        let Hypercube { dimensions, folded } = *self;
        let mut view = vec![0; (if folded { dimensions.div_ceil(2) } else { dimensions }) as usize + 1];
        let mut binomial = 1u64;
        for weight in 0..=dimensions {
            let hops = if folded { weight.min(dimensions + 1 - weight) } else { weight };
            view[hops as usize] += binomial;
            binomial = binomial * u64::from(dimensions - weight) / u64::from(weight + 1);
        }
        view
    }
}

impl FamilyFacts for Hypercube {
    fn name(&self) -> &'static str {
        if self.folded { FOLDED.0 } else { PLAIN.0 }
    }

    fn written(&self) -> String {
        format!("{} {{ dimensions = {}; }}", self.name(), self.dimensions)
    }

    fn router_count(&self) -> usize {
        1 << self.dimensions
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.degree())
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(self.name(), u64::from(self.degree()))
    }

    fn has_formula(&self) -> bool {
        true
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    fn halves(&self) -> Vec<Vec<bool>> {
        halves_of_axes(&vec![2; self.dimensions as usize])
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        Some(ClosedForm::from_view(self.degree(), self.view()))
    }
}
