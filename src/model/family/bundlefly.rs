//! Bundleflies: slim flies whose routers are Paley graphs (Lei and others, 2020).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use super::slim_fly::slim_fly_degree;
use crate::closed_form::{ClosedForm, Farthest, ball_of_two};
use crate::design_space::DesignSpace;
use fabc_base::algebra::is_paley_order;
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("bundlefly", "bundlefly { q = 7; p = 9; }");

/// A slim fly whose routers are Paley graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bundlefly {
    /// Order of the field of the slim fly.
    pub q: u32,
    /// Order of the Paley graphs, a prime power that is 1 modulo 4.
    pub p: u32,
}

impl Bundlefly {
    fn local_links(&self) -> u32 {
        (self.p - 1) / 2
    }

    /// The design with this slim fly whose routers have `radix` network ports, if it exists.
    pub(crate) fn of_radix(q: u32, radix: u32) -> Option<Bundlefly> {
        let p = 2 * radix.checked_sub(slim_fly_degree(q)?)? + 1;
        (p > 1 && is_paley_order(p)).then_some(Bundlefly { q, p })
    }
}

impl FamilyFacts for Bundlefly {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("bundlefly {{ q = {}; p = {}; }}", self.q, self.p)
    }

    fn router_count(&self) -> usize {
        2 * self.q as usize * self.q as usize * self.p as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.q + self.q / 4 * 2 + self.local_links())
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any_grouped(
            FORM.0,
            u64::from(self.local_links()),
            u64::from(slim_fly_degree(self.q).unwrap_or(0)),
        )
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Blocks { word: "supernode", size: self.p }
    }

    fn routers_of_group(&self) -> u32 {
        self.p
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let (routers, degree) = (self.router_count() as u64, self.design_radix()?);
        Some(ClosedForm::regular(routers, degree, Farthest::at_most(3, ball_of_two(degree), routers)))
    }

    fn design_space(&self) -> Option<DesignSpace> {
        Some(DesignSpace::Bundlefly)
    }

    fn design_radix(&self) -> Option<u32> {
        Some(slim_fly_degree(self.q)? + self.local_links())
    }
}
