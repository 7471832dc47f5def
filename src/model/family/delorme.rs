//! Delorme graphs: the points of the quadrangle W(q), joined where a polarity says so (Delorme, 1985).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter, copies_setting, tier_of_names};
use crate::closed_form::{ClosedForm, Farthest, ball_of_two};
use crate::design_space::DesignSpace;
use fabc_base::algebra::TitsPolarity;
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("delorme", "delorme { q = 8; copies = 2; }");

/// The points of W(q), joined where one is on the line that a polarity gives to the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delorme {
    /// Order of the field, an odd power of 2.
    pub q: u32,
    /// How many more routers there are with the links of each absolute point.
    pub copies: u32,
}

impl Delorme {
    /// Number of points of the quadrangle. Their routers come first, and copies behind them.
    pub fn points(&self) -> u32 {
        TitsPolarity::count(self.q)
    }

    /// Number of absolute points, which are on their own line.
    pub fn absolute_points(&self) -> u32 {
        self.q * self.q + 1
    }

    /// The designs with `radix` network ports.
    pub(crate) fn of_radix(radix: u32) -> impl Iterator<Item = Delorme> {
        let orders = (2..radix).filter(|&q| TitsPolarity::exists(q));
        orders.map(move |q| Delorme { q, copies: radix - q - 1 })
    }
}

impl FamilyFacts for Delorme {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("delorme {{ q = {};{} }}", self.q, copies_setting(self.copies))
    }

    fn router_count(&self) -> usize {
        self.points() as usize + self.copies as usize * self.absolute_points() as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.q)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(FORM.0, u64::from(self.q + 1 + self.copies))
    }

    fn router_names(&self) -> RouterNames {
        let q = self.q;
        let pairs = q * q * q;
        let mut tiers = vec![
            tier_of_names("outer", 0, &[q, q, q]),
            tier_of_names("middle", pairs, &[q, q]),
            tier_of_names("inner", pairs + q * q, &[q]),
            tier_of_names("center", pairs + q * q + q, &[1]),
        ];
        if self.copies > 0 {
            tiers.push(tier_of_names("copy", self.points(), &[self.copies, self.absolute_points()]));
        }
        RouterNames::Tiers(tiers.into())
    }

    fn may_be_permuted(&self) -> bool {
        true
    }

    /// Two points of a common neighborhood are on a line. No three points are joined to each other, so a pair
    /// at distance 1 has a common neighbor only where one of the two is absolute, and its own neighbor.
    fn closed_form(&self) -> Option<ClosedForm> {
        let (q, copies) = (u64::from(self.q), u64::from(self.copies));
        let (points, absolute) = (u64::from(self.points()), u64::from(self.absolute_points()));
        let routers = points + copies * absolute;
        let near = points * (q + 1) - absolute;
        let middle = points * q * (q + 1) - 2 * absolute * q;
        let layers = vec![0, near, middle, points * (points - 1) - near - middle];
        let radix = self.q + 1 + self.copies;
        let diameter = Farthest::at_most(3, ball_of_two(radix), routers);
        Some(ClosedForm {
            links: near / 2 + copies * absolute * q,
            degrees: [self.q, radix],
            layers: (self.copies == 0).then_some(layers),
            ..ClosedForm::regular(routers, radix, diameter)
        })
    }

    fn design_space(&self) -> Option<DesignSpace> {
        Some(DesignSpace::Delorme)
    }

    fn design_radix(&self) -> Option<u32> {
        Some(self.q + 1 + self.copies)
    }
}
