//! Next hops in grids and hypercubes, from coordinates.

use super::next::Formula;

/// How the routers of a line are connected.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Ring,
    Path,
    Complete,
}

/// Routers by their coordinates. The last axis varies fastest.
pub(super) struct GridFormula {
    line: LineKind,
    sides: Vec<u32>,
}

impl GridFormula {
    /// # Errors
    /// Sides whose product is not the number of routers.
    pub(super) fn new(line: LineKind, sides: Vec<u32>, routers: u32) -> Result<Self, String> {
        let product = sides.iter().try_fold(1u32, |product, &side| product.checked_mul(side));
        if product != Some(routers) {
            return Err(format!("`sides`: {sides:?} are not those of {routers} routers"));
        }
        Ok(Self { line, sides })
    }
    fn coordinates(&self, router: u32) -> Vec<u32> {
        let mut rest = router;
        let mut coordinates: Vec<u32> =
            self.sides.iter().rev().map(|side| (rest % side, rest /= side).0).collect();
        coordinates.reverse();
        coordinates
    }
    fn number(&self, coordinates: &[u32]) -> u32 {
        coordinates.iter().zip(&self.sides).fold(0, |number, (coordinate, side)| number * side + coordinate)
    }
    /// The first axis along which two routers differ, as `(axis, side, coordinate of from, coordinate of
    /// to)`.
    fn first_difference(&self, from: u32, to: u32) -> Option<(usize, u32, u32, u32)> {
        let (from, to) = (self.coordinates(from), self.coordinates(to));
        let axis = (0..self.sides.len()).find(|&axis| from[axis] != to[axis])?;
        Some((axis, self.sides[axis], from[axis], to[axis]))
    }
}

/// Whether the route along a line goes to higher coordinates.
fn rises(line: LineKind, side: u32, start: u32, goal: u32) -> bool {
    let (ahead, behind) = ((side + goal - start) % side, (side + start - goal) % side);
    match line {
        LineKind::Ring if ahead == behind => start.is_multiple_of(2),
        LineKind::Ring => ahead < behind,
        _ => goal > start,
    }
}

impl Formula for GridFormula {
    fn next_router(&self, from: u32, to: u32) -> Option<u32> {
        let (axis, side, start, goal) = self.first_difference(from, to)?;
        let mut coordinates = self.coordinates(from);
        coordinates[axis] = match (self.line, rises(self.line, side, start, goal)) {
            (LineKind::Complete, _) => goal,
            (_, true) if start + 1 == side => 0,
            (_, true) => start + 1,
            (_, false) => start.checked_sub(1).unwrap_or(side - 1),
        };
        Some(self.number(&coordinates))
    }

    fn neighbors_by_port(&self, router: u32) -> Vec<Option<u32>> {
        let router_coordinates = self.coordinates(router);
        let mut neighbors = Vec::new();
        for (axis, &side) in self.sides.iter().enumerate() {
            let joined = |other: u32| match (self.line, router_coordinates[axis].abs_diff(other)) {
                (_, 0) => false,
                (LineKind::Complete, _) | (_, 1) => true,
                (line, difference) => line == LineKind::Ring && difference + 1 == side,
            };
            for other in (0..side).filter(|&other| joined(other)) {
                let mut coordinates = router_coordinates.clone();
                coordinates[axis] = other;
                neighbors.push(Some(self.number(&coordinates)));
            }
        }
        neighbors.sort_unstable();
        neighbors
    }

    /// VC 1 from the link between the last and the first router of a ring on. A packet may also use VC 1
    /// where packets that passed that link can come along.
    fn dateline_vc(&self, from: u32, to: u32) -> u8 {
        let Some((_, side, start, goal)) = self.first_difference(from, to) else { return 0 };
        let up = rises(LineKind::Ring, side, start, goal);
        let passed = if up { goal > start } else { goal < start };
        let from_link = if up { goal + 1 } else { side - goal };
        u8::from(passed && from_link <= side / 2)
    }
}

/// Routers as corners of a hypercube. Neighbors differ in one bit.
pub(super) struct HypercubeFormula {
    dimensions: u32,
    folded: bool,
}

impl HypercubeFormula {
    /// # Errors
    /// A number of routers that is not `2^dimensions`.
    pub(super) fn new(dimensions: u32, folded: bool, routers: u32) -> Result<Self, String> {
        if 1u32.checked_shl(dimensions) == Some(routers) {
            Ok(Self { dimensions, folded })
        } else {
            Err(format!("`dimensions`: {routers} routers do not have {dimensions} bits"))
        }
    }
    fn opposite(&self, router: u32) -> u32 {
        (1 << self.dimensions) - 1 - router
    }
}

impl Formula for HypercubeFormula {
    fn next_router(&self, from: u32, to: u32) -> Option<u32> {
        let differ = |router: u32| {
            (0..self.dimensions).filter(|bit| (router >> bit) % 2 != (to >> bit) % 2).collect::<Vec<u32>>()
        };
        let (near, far) = (differ(from), differ(self.opposite(from)));
        if self.folded && far.len() + 1 < near.len() {
            return Some(self.opposite(from));
        }
        near.first().map(|bit| from ^ (1 << bit))
    }

    fn neighbors_by_port(&self, router: u32) -> Vec<Option<u32>> {
        let mut neighbors: Vec<u32> = (0..self.dimensions).map(|bit| router ^ (1 << bit)).collect();
        neighbors.extend(self.folded.then(|| self.opposite(router)));
        neighbors.sort_unstable();
        neighbors.into_iter().map(Some).collect()
    }
}
