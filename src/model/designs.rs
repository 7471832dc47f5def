//! The networks of a family that a radix allows. A goal chooses from these designs, and a report lists them.

use super::design_space::DesignSpace;
use super::family::{
    Bundlefly, Dragonfly, Family, HyperX, PolarFly, PolarStar, SlimFly, Supernode, slim_fly_degree,
};
use fabc_base::algebra::prime_power;
use std::cmp::Reverse;

/// The size that a goal asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DesignGoal {
    /// The design with the most routers.
    Largest,
    /// The fewest routers that are at least this many.
    AtLeast(u64),
}

impl DesignSpace {
    /// The design space that a network belongs to, if there is one.
    pub fn space_of(family: &Family) -> Option<Self> {
        family.facts().design_space()
    }

    /// The most network ports of one router of a design. `None` for a family without a design space.
    pub fn radix(family: &Family) -> Option<u32> {
        family.facts().design_radix()
    }

    /// Every design whose fullest router has `radix` network ports, by ascending number of routers. Of equal
    /// ones inductive quads come first, then the least q.
    pub fn of_radix(self, radix: u32) -> Vec<Family> {
        let orders = || (2..radix).filter(|&q| prime_power(q).is_some());
        let mut designs: Vec<Family> = match self {
            Self::PolarStar => {
                orders().flat_map(|q| PolarStar::of_radix(q, radix)).map(Family::PolarStar).collect()
            }
            Self::PolarFly => {
                orders().filter(|q| q + 1 == radix).map(|q| Family::PolarFly(PolarFly { q })).collect()
            }
            Self::SlimFly => orders()
                .filter(|&q| slim_fly_degree(q) == Some(radix))
                .map(|q| Family::SlimFly(SlimFly { q }))
                .collect(),
            Self::Bundlefly => {
                orders().filter_map(|q| Bundlefly::of_radix(q, radix)).map(Family::Bundlefly).collect()
            }
            Self::Dragonfly => Dragonfly::of_radix(radix).map(Family::Dragonfly).collect(),
            Self::HyperX(dimensions) => HyperX::of_radix(dimensions, radix).map(Family::HyperX).collect(),
        };
        designs.sort_by_key(|design| (design.router_count(), rank(design)));
        designs
    }

    /// The design that a goal asks for, among those of these radixes. Of equal numbers of routers it takes
    /// the least radix, then inductive quads before Paley graphs, then the least q.
    pub fn choose(self, radixes: impl Iterator<Item = u32>, size: DesignGoal) -> Option<Family> {
        let designs =
            radixes.flat_map(|radix| self.of_radix(radix).into_iter().map(move |design| (radix, design)));
        let key = |(radix, design): &(u32, Family)| (*radix, rank(design));
        match size {
            DesignGoal::Largest => {
                designs.min_by_key(|choice| (Reverse(choice.1.router_count()), key(choice)))
            }
            DesignGoal::AtLeast(least) => {
                let enough = designs.filter(|(_, design)| design.router_count() as u64 >= least);
                enough.min_by_key(|choice| (choice.1.router_count(), key(choice)))
            }
        }
        .map(|(_, design)| design)
    }
}

/// The order among designs with as many routers and ports.
fn rank(design: &Family) -> (Option<Supernode>, u32) {
    match design {
        Family::PolarStar(star) => (Some(star.supernode), star.q),
        Family::Bundlefly(bundlefly) => (None, bundlefly.q),
        Family::Dragonfly(dragonfly) => (None, dragonfly.h),
        _ => (None, 0),
    }
}
