//! PolarFlies: the points of a projective plane, joined where they are orthogonal (Lakhotia and others,
//! 2022).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter, copies_setting};
use crate::closed_form::{ClosedForm, Farthest};
use crate::design_space::DesignSpace;
use fabc_base::algebra::{ProjectivePlane, prime_power};

pub(super) const FORM: FamilyForm = ("polarfly", "polarfly { q = 13; }");

/// The points of a projective plane, joined where they are orthogonal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PolarFly {
    /// Order of the field, a prime power.
    pub q: u32,
    /// For an even order, the number of further routers with the links of the nucleus, the point that all
    /// quadrics are orthogonal to: 0 or 1. A quadric has one port to spare, so that one costs none.
    pub copies: u32,
}

impl PolarFly {
    /// The designs with `radix` network ports.
    pub(crate) fn of_radix(radix: u32) -> impl Iterator<Item = PolarFly> {
        let q = radix.checked_sub(1).filter(|&q| q > 1 && prime_power(q).is_some());
        q.into_iter().flat_map(|q| (0..=(q + 1) % 2).map(move |copies| PolarFly { q, copies }))
    }
}

impl FamilyFacts for PolarFly {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("polarfly {{ q = {};{} }}", self.q, copies_setting(self.copies))
    }

    fn router_count(&self) -> usize {
        ProjectivePlane::count(self.q) as usize + self.copies as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.q)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(FORM.0, u64::from(self.q + 1))
    }

    fn plane(&self) -> Option<[u32; 2]> {
        (self.copies == 0).then_some([self.q, 1])
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let (q, copies) = (u64::from(self.q), u64::from(self.copies));
        let (routers, near) = (q * q + q + 1 + copies, q * (q + 1) * (q + 1) + copies * 2 * (q + 1));
        let layers = vec![0, near, routers * (routers - 1) - near];
        let form = ClosedForm::regular(routers, self.q + 1, Farthest::everywhere(2));
        Some(ClosedForm {
            links: near / 2,
            degrees: [self.q + self.copies, self.q + 1],
            layers: Some(layers),
            ..form
        })
    }

    fn design_space(&self) -> Option<DesignSpace> {
        Some(DesignSpace::PolarFly)
    }

    fn design_radix(&self) -> Option<u32> {
        Some(self.q + 1)
    }
}
