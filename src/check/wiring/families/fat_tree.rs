//! The rule of fat trees: routers of neighboring levels are connected if their numbers agree in every digit
//! but that of the lower level.

use crate::wiring::rule::FamilyRule;
use fabc_ir::LinkClass;

/// The levels of routers of a fat tree.
pub(super) struct FatTreeLevels {
    pub(super) levels: u32,
    pub(super) arity: u32,
}

impl FatTreeLevels {
    fn width(&self) -> u32 {
        self.arity.pow(self.levels - 1)
    }
}

impl FamilyRule for FatTreeLevels {
    fn routers(&self) -> usize {
        self.levels as usize * self.width() as usize
    }

    fn links(&self) -> u64 {
        u64::from(self.levels - 1) * u64::from(self.arity).pow(self.levels)
    }

    fn degree(&self, router: u32) -> u32 {
        let level = router / self.width();
        self.arity * (u32::from(level > 0) + u32::from(level + 1 < self.levels))
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let (low, high) = (from.min(to), from.max(to));
        let level = low / self.width();
        if high / self.width() != level + 1 {
            return None;
        }
        let (mut low, mut high) = (low % self.width(), high % self.width());
        for digit in 0..self.levels - 1 {
            if digit != level && low % self.arity != high % self.arity {
                return None;
            }
            (low, high) = (low / self.arity, high / self.arity);
        }
        Some((1, LinkClass::Local))
    }

    fn has_hosts(&self, router: u32) -> bool {
        router < self.width()
    }
}
