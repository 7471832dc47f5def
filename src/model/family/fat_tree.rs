//! Fat trees: k-ary n-trees (Petrini and Vanneschi, 1997).

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::closed_form::{ClosedForm, Farthest};
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("fat_tree", "fat_tree { levels = 3; arity = 18; }");

/// Levels of equally many routers, the leaves first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FatTree {
    /// Number of levels of routers, 2 or more.
    pub levels: u32,
    /// Number of links up and of links down of every router. The top level has no links up, the leaves no
    /// links down.
    pub arity: u32,
}

impl FatTree {
    /// Number of routers of a level.
    fn width(&self) -> u32 {
        self.arity.pow(self.levels - 1)
    }
}

impl FamilyFacts for FatTree {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("fat_tree {{ levels = {}; arity = {}; }}", self.levels, self.arity)
    }

    fn router_count(&self) -> usize {
        self.levels as usize * (self.arity as usize).pow(self.levels - 1)
    }

    fn fewest_links(&self) -> u64 {
        2 * u64::from(self.arity) * u64::from(self.levels - 1) / u64::from(self.levels)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        let arity = u64::from(self.arity);
        let leaf = FullestRouter::new("a leaf of this `fat_tree`".to_owned(), &[(arity, "links up")]);
        let above = match self.levels {
            2 => FullestRouter::new("a root of this `fat_tree`".to_owned(), &[(arity, "links down")]),
            _ => {
                let links = [(arity, "links down"), (arity, "links up")];
                FullestRouter::new("a router of this `fat_tree` above the leaves".to_owned(), &links)
            }
        };
        vec![leaf, above.without_hosts()]
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Blocks { word: "level", size: self.width() }
    }

    fn has_hosts(&self, router: u32) -> bool {
        router < self.width()
    }

    fn has_tiers(&self) -> bool {
        true
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let (levels, arity) = (self.levels, u64::from(self.arity));
        let width = arity.pow(levels - 1);
        // Leaves whose numbers differ in digit j, and in none above, meet at level j + 1.
        let mut layers = vec![0; 2 * levels as usize - 1];
        (0..levels - 1)
            .for_each(|digit| layers[2 * digit as usize + 2] = width * (arity - 1) * arity.pow(digit));
        let diameter = Farthest::everywhere(2 * (levels - 1));
        Some(ClosedForm {
            endpoints: width,
            links: u64::from(levels - 1) * width * arity,
            degrees: [self.arity, self.arity * levels.min(3).div_ceil(2)],
            layers: Some(layers),
            alike: true,
            ..ClosedForm::regular(u64::from(levels) * width, 0, diameter)
        })
    }
}
