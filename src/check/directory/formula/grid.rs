//! Grids and hypercubes, by their coordinates.

use super::next::Formula;

/// How the routers of a line are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Ring,
    Path,
    Complete,
}

/// Routers by their coordinates, the last axis the fastest.
pub(super) struct Grid {
    line: Line,
    sides: Vec<u32>,
}

impl Grid {
    /// # Errors
    /// Sides of no network.
    pub(super) fn new(line: Line, sides: Vec<u32>, routers: u32) -> Result<Self, String> {
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
    /// The first axis along which two routers differ, and where they stand on it: (axis, side, here, there).
    fn first(&self, from: u32, to: u32) -> Option<(usize, u32, u32, u32)> {
        let (from, to) = (self.coordinates(from), self.coordinates(to));
        let axis = (0..self.sides.len()).find(|&axis| from[axis] != to[axis])?;
        Some((axis, self.sides[axis], from[axis], to[axis]))
    }
}

/// Whether the way along a line is that of rising coordinates.
fn rises(line: Line, side: u32, here: u32, there: u32) -> bool {
    let (ahead, behind) = ((side + there - here) % side, (side + here - there) % side);
    match line {
        Line::Ring if ahead == behind => here.is_multiple_of(2),
        Line::Ring => ahead < behind,
        _ => there > here,
    }
}

impl Formula for Grid {
    fn next(&self, from: u32, to: u32) -> Option<u32> {
        let (axis, side, here, there) = self.first(from, to)?;
        let mut coordinates = self.coordinates(from);
        coordinates[axis] = match (self.line, rises(self.line, side, here, there)) {
            (Line::Complete, _) => there,
            (_, true) if here + 1 == side => 0,
            (_, true) => here + 1,
            (_, false) => here.checked_sub(1).unwrap_or(side - 1),
        };
        Some(self.number(&coordinates))
    }

    fn by_port(&self, router: u32) -> Vec<Option<u32>> {
        let own = self.coordinates(router);
        let mut neighbors = Vec::new();
        for (axis, &side) in self.sides.iter().enumerate() {
            let joined = |other: u32| match (self.line, own[axis].abs_diff(other)) {
                (_, 0) => false,
                (Line::Complete, _) | (_, 1) => true,
                (line, apart) => line == Line::Ring && apart + 1 == side,
            };
            for other in (0..side).filter(|&other| joined(other)) {
                let mut coordinates = own.clone();
                coordinates[axis] = other;
                neighbors.push(Some(self.number(&coordinates)));
            }
        }
        neighbors.sort_unstable();
        neighbors
    }

    /// VC 1 from the link between the last and the first router of a ring on, and from wherever packets that
    /// have passed it may come along.
    fn dateline(&self, from: u32, to: u32) -> u8 {
        let Some((_, side, here, there)) = self.first(from, to) else { return 0 };
        let up = rises(Line::Ring, side, here, there);
        let passed = if up { there > here } else { there < here };
        let from_link = if up { there + 1 } else { side - there };
        u8::from(passed && from_link <= side / 2)
    }
}

/// Routers by their bits.
pub(super) struct Bits {
    dimensions: u32,
    folded: bool,
}

impl Bits {
    /// # Errors
    /// Bits of no network.
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

impl Formula for Bits {
    fn next(&self, from: u32, to: u32) -> Option<u32> {
        let differ = |one: u32| {
            (0..self.dimensions).filter(|bit| (one >> bit) % 2 != (to >> bit) % 2).collect::<Vec<u32>>()
        };
        let (near, far) = (differ(from), differ(self.opposite(from)));
        if self.folded && far.len() + 1 < near.len() {
            return Some(self.opposite(from));
        }
        near.first().map(|bit| from ^ (1 << bit))
    }

    fn by_port(&self, router: u32) -> Vec<Option<u32>> {
        let mut neighbors: Vec<u32> = (0..self.dimensions).map(|bit| router ^ (1 << bit)).collect();
        neighbors.extend(self.folded.then(|| self.opposite(router)));
        neighbors.sort_unstable();
        neighbors.into_iter().map(Some).collect()
    }
}
