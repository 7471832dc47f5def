//! Slim flies: the graphs of McKay, Miller and Siran (Besta and Hoefler, 2014).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::closed_form::ClosedForm;
use crate::design_space::DesignSpace;
use fabc_base::algebra::prime_power;
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("slim_fly", "slim_fly { q = 13; }");

/// The graph of McKay, Miller and Siran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlimFly {
    /// Order of the field, a prime power that is not 2 modulo 4.
    pub q: u32,
}

/// Number of links of a router of a slim fly. `None` where there is no slim fly of this order.
pub fn slim_fly_degree(q: u32) -> Option<u32> {
    prime_power(q)?;
    match q % 4 {
        0 => Some(3 * q / 2),
        1 => Some((3 * q - 1) / 2),
        3 => Some((3 * q).div_ceil(2)),
        _ => None,
    }
}

impl FamilyFacts for SlimFly {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("slim_fly {{ q = {}; }}", self.q)
    }

    fn router_count(&self) -> usize {
        2 * self.q as usize * self.q as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.q + self.q / 4 * 2)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(FORM.0, u64::from(slim_fly_degree(self.q).unwrap_or(0)))
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Grid([2, self.q, self.q].as_slice().into())
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let degree = slim_fly_degree(self.q)?;
        let others = u64::from(degree);
        Some(ClosedForm::from_view(degree, vec![1, others, self.router_count() as u64 - 1 - others]))
    }

    fn design_space(&self) -> Option<DesignSpace> {
        Some(DesignSpace::SlimFly)
    }

    fn design_radix(&self) -> Option<u32> {
        slim_fly_degree(self.q)
    }
}
