//! Cayley graphs of semidirect products of two cyclic groups: an element is joined to its products with the
//! generators.
//!
//! Cost: linear in the links.

use fabc_model::Cayley;

/// The state that is needed to list neighbors: the group, and all generators.
pub(super) struct ImplicitCayley {
    cayley: Cayley,
    generators: Vec<u32>,
}

impl ImplicitCayley {
    pub(super) fn new(cayley: &Cayley) -> Self {
        Self { generators: cayley.all_generators(), cayley: cayley.clone() }
    }
    /// Adds the neighbors of a router.
    pub(super) fn neighbors(&self, router: u32, list: &mut Vec<u32>) {
        list.extend(self.generators.iter().map(|&generator| self.cayley.product(router, generator)));
    }
}
