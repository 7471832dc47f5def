//! Pairs of a point and a line of a generalized quadrangle, and copies of some of them.
//!
//! Pair (point, line) has number point * lines + line. Its neighbors are the pairs of a point on its line and
//! a line through its point. Source: Delorme 1985. Cost: linear in the links.

use super::copied::Copies;
use fabc_base::algebra::GeneralizedQuadrangle;
use fabc_model::QuadranglePairs;

/// The state that is needed to list neighbors: the quadrangle, and the pairs that have copies.
pub(super) struct ImplicitPairs {
    geometry: GeneralizedQuadrangle,
    lines: u32,
    copies: Copies,
}

impl ImplicitPairs {
    pub(super) fn new(pairs: &QuadranglePairs) -> Self {
        let (geometry, size) = (pairs.geometry(), pairs.size());
        let GeneralizedQuadrangle { ovoid, spread, .. } = &geometry;
        let members = ovoid.iter().flat_map(|point| spread.iter().map(move |line| point * size.lines + line));
        let copies = Copies::new(size.pairs(), members.collect(), pairs.copies);
        Self { geometry, lines: size.lines, copies }
    }
    /// Adds the neighbors of a router.
    pub(super) fn neighbors(&self, router: u32, list: &mut Vec<u32>) {
        let original = self.copies.original(router);
        let (point, line) = (original / self.lines, original % self.lines);
        let through = &self.geometry.lines_through[point as usize];
        let on = &self.geometry.points_on[line as usize];
        let near: Vec<u32> =
            on.iter().flat_map(|point| through.iter().map(move |line| point * self.lines + line)).collect();
        self.copies.push_neighbors(router, &near, list);
    }
}
