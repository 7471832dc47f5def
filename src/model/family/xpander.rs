//! Xpanders: random lifts of the complete graph (Valadarsky and others, 2016).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::draw::Draw;
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("xpander", "xpander { degree = 11; lift = 20; }");

/// A random lift of the complete graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Xpander {
    /// Number of links of a router. There are `degree + 1` meta-nodes.
    pub degree: u32,
    /// Number of routers of a meta-node.
    pub lift: u32,
    /// The random choice of the lift.
    pub draw: Draw,
}

impl FamilyFacts for Xpander {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("xpander {{ degree = {}; lift = {}; {} }}", self.degree, self.lift, self.draw.written())
    }

    fn router_count(&self) -> usize {
        (self.degree as usize + 1) * self.lift as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.degree)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(FORM.0, u64::from(self.degree))
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Blocks { word: "node", size: self.lift }
    }

    fn routers_of_group(&self) -> u32 {
        self.lift
    }

    fn is_drawn(&self) -> bool {
        true
    }
}
