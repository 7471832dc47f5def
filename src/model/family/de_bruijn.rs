//! De Bruijn graphs: words joined to their shifts (de Bruijn, 1946).

use super::arcs::Arcs;
use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::closed_form::{ClosedForm, Farthest, ReachedFrom};
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("de_bruijn", "de_bruijn { degree = 4; length = 3; }");

/// The graph on all words, joined to their shifts. Arcs from a word to itself are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeBruijn {
    /// Number of letters, and of arcs out of a router whose letters are not all equal.
    pub degree: u32,
    /// Number of letters of a word, at least 2. It is the diameter.
    pub length: u32,
    /// Whether an arc is a channel or a duplex link.
    pub arcs: Arcs,
}

impl DeBruijn {
    /// The most duplex links of one router. Two words of two alternating letters lead to each other, and all
    /// words of two different letters are of this kind.
    fn most_links(&self) -> u32 {
        if self.length == 2 { 2 * self.degree - 1 } else { 2 * self.degree }
    }
}

impl FamilyFacts for DeBruijn {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("de_bruijn {{ degree = {}; length = {};{} }}", self.degree, self.length, self.arcs.written())
    }

    fn router_count(&self) -> usize {
        (self.degree as usize).pow(self.length)
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.degree - 1)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::by_arcs(FORM.0, self.arcs, self.degree, u64::from(self.most_links()))
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Grid(vec![self.degree; self.length as usize].into())
    }

    fn is_simplex(&self) -> bool {
        self.arcs == Arcs::Simplex
    }

    /// A word of other letters only is as far away as it is long.
    fn closed_form(&self) -> Option<ClosedForm> {
        let DeBruijn { degree, length, arcs } = *self;
        let (letters, routers) = (u64::from(degree), self.router_count() as u64);
        let all = routers * letters - letters;
        let form = ClosedForm::regular(routers, degree, Farthest::everywhere(length));
        Some(match arcs {
            Arcs::Simplex => ClosedForm { links: all, degrees: [degree - 1, degree], ..form },
            Arcs::Duplex => {
                let bound = Farthest { hops: length, reached: ReachedFrom::Unsaid };
                ClosedForm {
                    links: all - letters * (letters - 1) / 2,
                    degrees: [2 * degree - 2, self.most_links()],
                    diameter: bound,
                    router_diameter: bound,
                    ..form
                }
            }
        })
    }
}
