//! Rings with random shortcuts, and how far those reach.

use super::facts::{FamilyFacts, FamilyForm, FullestRouter};
use crate::draw::Draw;
use fabc_base::units::Decimal;

pub(super) const RING_N: FamilyForm = ("ring_n", "ring_n { routers = 256; degree = 8; }");
pub(super) const NBR: FamilyForm = ("nbr", "nbr { routers = 256; degree = 8; p = 0.5; }");
pub(super) const GAU: FamilyForm = ("gau", "gau { routers = 256; degree = 8; alpha = 0.5; }");

/// `ring_n { .. }`, `nbr { .. }`, `gau { .. }`: a ring, and `degree - 2` random matchings of its routers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortcuts {
    /// Number of routers, 3 or more.
    pub routers: u32,
    /// Number of links of a router, 2 or more. Some routers have fewer, where a matching leaves them out.
    pub degree: u32,
    /// The rule that says which routers a shortcut may join.
    pub reach: ShortcutReach,
    /// The random choice of the matchings.
    pub draw: Draw,
}

/// The rule that says which routers a shortcut may join, by their distance along the ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShortcutReach {
    /// Any two routers, with equal probability.
    Any,
    /// Routers nearer than half of this share of all routers, with equal probability.
    Within(Decimal),
    /// Any two routers. The distance is normally distributed, with half of this share of all routers as its
    /// deviation.
    Normal(Decimal),
}

impl Shortcuts {
    /// The largest distance along the ring that a shortcut may have. 1 or 0 where there are no shortcuts.
    pub fn farthest(&self) -> u32 {
        match self.reach {
            // Strictly nearer: one less than the least integer that is not below the bound.
            ShortcutReach::Within(share) => {
                let (digits, scale) = share.parts();
                let bound = (digits * u128::from(self.routers)).div_ceil(2 * 10u128.pow(scale));
                bound.saturating_sub(1).min(u128::from(self.routers / 2)) as u32
            }
            ShortcutReach::Any | ShortcutReach::Normal(_) => self.routers / 2,
        }
    }
}

impl FamilyFacts for Shortcuts {
    fn name(&self) -> &'static str {
        match self.reach {
            ShortcutReach::Any => RING_N.0,
            ShortcutReach::Within(_) => NBR.0,
            ShortcutReach::Normal(_) => GAU.0,
        }
    }

    fn written(&self) -> String {
        let reach = match self.reach {
            ShortcutReach::Any => String::new(),
            ShortcutReach::Within(share) => format!(" p = {share};"),
            ShortcutReach::Normal(share) => format!(" alpha = {share};"),
        };
        let Shortcuts { routers, degree, draw, .. } = self;
        format!("{} {{ routers = {routers}; degree = {degree};{reach} {} }}", self.name(), draw.written())
    }

    fn router_count(&self) -> usize {
        self.routers as usize
    }

    fn fewest_links(&self) -> u64 {
        u64::from(self.degree)
    }

    fn fullest_routers(&self) -> Vec<FullestRouter> {
        FullestRouter::any(self.name(), u64::from(self.degree))
    }

    fn is_drawn(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_strictly_nearer_than_half_of_the_share() {
        let of = |routers, share: &str| {
            let reach = ShortcutReach::Within(Decimal::parse(share).expect("a number"));
            Shortcuts { routers, degree: 4, reach, draw: Draw { seed: 1, attempts: 1, draws: 1 } }.farthest()
        };
        // 12.8 of 256, and exactly 12 of 240.
        assert_eq!(
            [of(256, "0.1"), of(240, "0.1"), of(256, "0.5"), of(256, "1"), of(257, "1")],
            [12, 11, 63, 127, 128]
        );
        assert_eq!(of(10, "0.2"), 0);
    }
}
