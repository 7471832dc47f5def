//! The networks of a family that a radix allows. A goal chooses from these designs, and a report lists them.

use super::design_space::DesignSpace;
use super::family::{
    Bundlefly, Cayley, Delorme, Dragonfly, Family, HyperX, PolarFly, PolarStar, QuadranglePairs, SlimFly,
    Supernode, slim_fly_degree,
};
use fabc_base::algebra::prime_power;
use std::cmp::Reverse;
use std::ops::RangeInclusive;

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
            Self::PolarFly => PolarFly::of_radix(radix).map(Family::PolarFly).collect(),
            Self::Delorme => Delorme::of_radix(radix).map(Family::Delorme).collect(),
            Self::QuadranglePairs => QuadranglePairs::of_radix(radix).map(Family::QuadranglePairs).collect(),
            Self::Cayley => Cayley::of_radix(radix).map(Family::Cayley).collect(),
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

/// The network of any family with the most routers, or with the fewest that suffice, for routers of so many
/// network ports and paths of at most `hops` hops. Of equal ones it takes the least radix, then the family
/// that [`DesignSpace::ALL`] lists first.
pub fn choose_network(radixes: RangeInclusive<u32>, hops: u32, size: DesignGoal) -> Option<Family> {
    let spaces = DesignSpace::ALL.into_iter().filter(|space| space.hops() <= hops);
    let designs = spaces.filter_map(|space| space.choose(radixes.clone(), size));
    designs.min_by_key(|design| {
        let routers = design.router_count();
        let rank = if size == DesignGoal::Largest { usize::MAX - routers } else { routers };
        (rank, DesignSpace::radix(design))
    })
}

/// The most routers of a network that is known to exist.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LargestKnown {
    /// Number of routers of that network.
    pub routers: u64,
    /// The network as a spec writes it. `None` for one that no family of fabc has.
    pub topology: Option<String>,
}

impl LargestKnown {
    /// The largest known network for routers of at most `radix` network ports and paths of at most `hops`
    /// hops. `None` beyond 3 hops, where the families of fabc are far from the records.
    pub fn find(radix: u32, hops: u32) -> Option<Self> {
        let family = choose_network(1..=radix, hops, DesignGoal::Largest).filter(|_| hops <= 3)?;
        let (routers, written) = (family.router_count() as u64, family.written());
        Some(match record(radix, hops).filter(|&record| record > routers) {
            Some(routers) => Self { routers, topology: None },
            None => Self { routers, topology: Some(written) },
        })
    }
}

/// The most routers of a graph of this degree and diameter, where the literature has more than the families
/// of fabc. Source: the table of the degree diameter problem of the Combinatorics Wiki, as of Comellas, 2024
/// (arXiv 2406.18994). Many of these graphs were found by searches.
fn record(degree: u32, diameter: u32) -> Option<u64> {
    match (degree, diameter) {
        (3, 2) => Some(10),
        (4, 2) => Some(15),
        (5, 2) => Some(24),
        (6, 2) => Some(32),
        (11, 2) => Some(104),
        (15, 2) => Some(187),
        (16, 2) => Some(200),
        (3, 3) => Some(20),
        (4, 3) => Some(41),
        (5, 3) => Some(72),
        (6, 3) => Some(111),
        (7, 3) => Some(168),
        (12, 3) => Some(786),
        (13, 3) => Some(856),
        (14, 3) => Some(916),
        _ => None,
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
