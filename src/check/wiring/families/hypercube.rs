//! The rule of hypercubes: numbers that differ in one bit are connected. In folded ones also those that
//! differ in all bits.

use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;

/// Routers numbered by `dimensions` bits.
pub(super) struct HypercubeRule {
    pub(super) dimensions: u32,
    pub(super) folded: bool,
}

impl FamilyRule for HypercubeRule {
    fn routers(&self) -> usize {
        1 << self.dimensions
    }

    fn links(&self) -> u64 {
        u64::from(self.degree(0)) << (self.dimensions - 1)
    }

    fn degree(&self, _: u32) -> u32 {
        self.dimensions + u32::from(self.folded)
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let bits = (from ^ to).count_ones();
        (bits == 1 || self.folded && bits == self.dimensions).then_some((1, LinkClass::Local))
    }
}
