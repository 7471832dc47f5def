//! The rule of tori, meshes and HyperX: two routers are connected if they differ in one coordinate, by an
//! amount that the family allows.

use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;

/// A grid: which coordinates are neighbors, and how many links a line of `side` routers has.
pub(super) struct GridRule<'a> {
    sides: &'a [u32],
    neighbors: fn(side: u32, low: u32, high: u32) -> bool,
    links_of_line: fn(side: u64) -> u64,
    neighbors_of: fn(side: u32, at: u32) -> u32,
}

/// Neighbors along a ring. The two directions around a ring of two are one link.
pub(super) fn torus(sides: &[u32]) -> GridRule<'_> {
    GridRule {
        sides,
        neighbors: |side, low, high| high - low == 1 || high - low == side - 1,
        links_of_line: |side| if side < 3 { side - 1 } else { side },
        neighbors_of: |side, _| (side - 1).min(2),
    }
}

/// Neighbors along a path without wrap-around.
pub(super) fn mesh(sides: &[u32]) -> GridRule<'_> {
    GridRule {
        sides,
        neighbors: |_, low, high| high - low == 1,
        links_of_line: |side| side - 1,
        neighbors_of: |side, at| u32::from(at > 0) + u32::from(at + 1 < side),
    }
}

/// All routers of a line are neighbors.
pub(super) fn hyperx(sides: &[u32]) -> GridRule<'_> {
    GridRule {
        sides,
        neighbors: |_, _, _| true,
        links_of_line: |side| side * (side - 1) / 2,
        neighbors_of: |side, _| side - 1,
    }
}

impl FamilyRule for GridRule<'_> {
    fn routers(&self) -> usize {
        self.sides.iter().map(|&side| side as usize).product()
    }

    fn links(&self) -> u64 {
        let lines = |side: u32| self.routers() as u64 / u64::from(side);
        self.sides.iter().map(|&side| lines(side) * (self.links_of_line)(u64::from(side))).sum()
    }

    fn degree(&self, mut router: u32) -> u32 {
        let mut degree = 0;
        for &side in self.sides.iter().rev() {
            degree += (self.neighbors_of)(side, router % side);
            router /= side;
        }
        degree
    }

    fn joined(&self, mut from: u32, mut to: u32) -> Option<(u32, LinkClass)> {
        let mut differing = None;
        for &side in self.sides.iter().rev() {
            let (low, high) = ((from % side).min(to % side), (from % side).max(to % side));
            if low != high && differing.replace((side, low, high)).is_some() {
                return None;
            }
            (from, to) = (from / side, to / side);
        }
        let (side, low, high) = differing?;
        (self.neighbors)(side, low, high).then_some((1, LinkClass::Local))
    }
}
