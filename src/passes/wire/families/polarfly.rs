//! PolarFlies: the points of a projective plane over a finite field, joined where they are orthogonal.
//!
//! Sources: Brown 1966 (ER_q); Lakhotia and others 2022 (PolarFly). Cost: linear in the links.

use super::copied::Copies;
use fabc_base::algebra::ProjectivePlane;
use fabc_model::PolarFly;

/// The state that is needed to list neighbors: the points, and the one that has copies.
pub(super) struct ImplicitPolarFly {
    plane: ProjectivePlane,
    copies: Copies,
}

impl ImplicitPolarFly {
    pub(super) fn new(fly: &PolarFly) -> Self {
        let plane = ProjectivePlane::new(fly.q);
        // For an even order all quadrics are orthogonal to (1, 1, 1).
        let copies = Copies::new(ProjectivePlane::count(fly.q), vec![fly.q + 1], fly.copies);
        Self { plane, copies }
    }
    /// Adds the neighbors of a router.
    pub(super) fn neighbors(&self, router: u32, list: &mut Vec<u32>) {
        let near = self.plane.orthogonal(self.copies.original(router));
        self.copies.push_neighbors(router, &near, list);
    }
}
