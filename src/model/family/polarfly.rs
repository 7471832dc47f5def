//! PolarFlies: the points of a projective plane, joined where they are orthogonal (Lakhotia and others,
//! 2022).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::closed_form::{ClosedForm, Farthest};
use crate::design_space::DesignSpace;
use fabc_base::algebra::ProjectivePlane;

pub(super) const FORM: FamilyForm = ("polarfly", "polarfly { q = 13; }");

/// The points of a projective plane, joined where they are orthogonal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolarFly {
    /// Order of the field, a prime power.
    pub q: u32,
}

impl FamilyFacts for PolarFly {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("polarfly {{ q = {}; }}", self.q)
    }

    fn router_count(&self) -> usize {
        ProjectivePlane::count(self.q) as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.q)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(FORM.0, u64::from(self.q + 1))
    }

    fn plane(&self) -> Option<[u32; 2]> {
        Some([self.q, 1])
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let q = u64::from(self.q);
        let (routers, near) = (q * q + q + 1, q * (q + 1) * (q + 1));
        let layers = vec![0, near, routers * (routers - 1) - near];
        let form = ClosedForm::regular(routers, self.q + 1, Farthest::everywhere(2));
        Some(ClosedForm { links: near / 2, degrees: [self.q, self.q + 1], layers: Some(layers), ..form })
    }

    fn design_space(&self) -> Option<DesignSpace> {
        Some(DesignSpace::PolarFly)
    }

    fn design_radix(&self) -> Option<u32> {
        Some(self.q + 1)
    }
}
