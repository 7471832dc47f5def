//! Kautz graphs: words without equal neighbors, joined to their shifts (Kautz, 1968).

use super::arcs::Arcs;
use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::closed_form::{ClosedForm, Farthest, ReachedFrom};
use fabc_topology::RouterNames;

pub(super) const FORM: FamilyForm = ("kautz", "kautz { degree = 4; length = 3; }");

/// The graph on words in which no two neighboring letters are equal, joined to their shifts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kautz {
    /// Number of arcs out of a router, and into it.
    pub degree: u32,
    /// Number of letters of a word. It is the diameter.
    pub length: u32,
    /// Whether an arc is a channel or a duplex link.
    pub arcs: Arcs,
}

impl Kautz {
    /// The most duplex links of one router. A word of two alternating letters and its shift lead to each
    /// other. Those two arcs are one link.
    fn most_links(&self) -> u32 {
        match self.length {
            1 => self.degree,
            2 => 2 * self.degree - 1,
            _ => 2 * self.degree,
        }
    }
}

impl FamilyFacts for Kautz {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!("kautz {{ degree = {}; length = {};{} }}", self.degree, self.length, self.arcs.written())
    }

    fn router_count(&self) -> usize {
        (self.degree as usize + 1) * (self.degree as usize).pow(self.length - 1)
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.degree)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::by_arcs(FORM.0, self.arcs, self.degree, u64::from(self.most_links()))
    }

    fn router_names(&self) -> RouterNames {
        RouterNames::Words { degree: self.degree, length: self.length }
    }

    fn is_simplex(&self) -> bool {
        self.arcs == Arcs::Simplex
    }

    fn closed_form(&self) -> Option<ClosedForm> {
        let Kautz { degree, length, arcs } = *self;
        let routers = self.router_count() as u64;
        let arcs_in_all = routers * u64::from(degree);
        // Pairs of opposite arcs: between words of two alternating letters.
        let opposite = u64::from(degree) * (u64::from(degree) + 1) / 2;
        let form = ClosedForm::regular(routers, degree, Farthest::everywhere(length));
        Some(match (arcs, length) {
            (Arcs::Simplex, _) => ClosedForm { links: arcs_in_all, ..form },
            (Arcs::Duplex, 1) => form,
            (Arcs::Duplex, _) => {
                let bound = Farthest { hops: length, reached: ReachedFrom::Unsaid };
                let degrees = [2 * degree - 1, self.most_links()];
                ClosedForm {
                    links: arcs_in_all - opposite,
                    degrees,
                    diameter: bound,
                    router_diameter: bound,
                    ..form
                }
            }
        })
    }
}
