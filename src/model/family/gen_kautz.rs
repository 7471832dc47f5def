//! Generalized Kautz graphs of any number of routers (Imase and Itoh, 1983).

use super::arcs::Arcs;
use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use fabc_base::algebra::kautz_targets;

pub(super) const FORM: FamilyForm = ("gen_kautz", "gen_kautz { degree = 4; routers = 60; }");

/// A generalized Kautz graph, of any number of routers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GenKautz {
    /// Number of arcs out of a router, and into it. Arcs to itself are left out.
    pub degree: u32,
    /// Number of routers, more than `degree`.
    pub routers: u32,
    /// Whether an arc is a channel or a duplex link.
    pub arcs: Arcs,
}

impl GenKautz {
    /// The most routers that arcs in either direction join to one router.
    fn most_neighbors(&self) -> u64 {
        let mut neighbors = vec![Vec::new(); self.routers as usize];
        for from in 0..self.routers {
            for to in kautz_targets(self.degree, self.routers, from).filter(|&to| to != from) {
                neighbors[from as usize].push(to);
                neighbors[to as usize].push(from);
            }
        }
        let count = |mut routers: Vec<u32>| {
            routers.sort_unstable();
            routers.dedup();
            routers.len() as u64
        };
        neighbors.into_iter().map(count).max().unwrap_or(0)
    }
}

impl FamilyFacts for GenKautz {
    fn name(&self) -> &'static str {
        FORM.0
    }

    fn written(&self) -> String {
        format!(
            "gen_kautz {{ degree = {}; routers = {};{} }}",
            self.degree,
            self.routers,
            self.arcs.written()
        )
    }

    fn router_count(&self) -> usize {
        self.routers as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.degree) - 1
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::by_arcs(FORM.0, self.arcs, self.degree, self.most_neighbors())
    }

    fn is_simplex(&self) -> bool {
        self.arcs == Arcs::Simplex
    }
}
