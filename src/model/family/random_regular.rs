//! Random regular graphs: Jellyfish (Singla and others, 2012).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::draw::Draw;

pub(super) const FORM: FamilyForm = ("random_regular", "random_regular { routers = 240; degree = 11; }");
/// The same by the name of the paper.
pub(super) const JELLYFISH: FamilyForm = ("jellyfish", "jellyfish { routers = 240; degree = 11; }");

/// A random regular graph with its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomRegular {
    /// Number of routers, more than `degree`.
    pub routers: u32,
    /// Number of links of a router.
    pub degree: u32,
    /// The random choice of the graph.
    pub draw: Draw,
}

impl FamilyFacts for RandomRegular {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!(
            "random_regular {{ routers = {}; degree = {}; {} }}",
            self.routers,
            self.degree,
            self.draw.written()
        )
    }

    fn router_count(&self) -> usize {
        self.routers as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.degree)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(FORM.0, u64::from(self.degree))
    }

    fn is_drawn(&self) -> bool {
        true
    }
}
