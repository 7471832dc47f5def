//! Which networks of a family a radix allows: the designs that a goal chooses from, and that a report lists.

use super::arrangement::Arrangement;
use super::family::{Dragonfly, Family, PolarStar, Supernode};
use fabc_base::algebra::prime_power;
use std::cmp::Reverse;

/// Families whose parameters a goal may choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DesignSpace {
    /// Inductive quads and Paley graphs as supernodes.
    PolarStar,
    /// One design per radix at most.
    PolarFly,
    /// One design per radix at most.
    SlimFly,
    /// Every slim fly with every Paley graph.
    Bundlefly,
    /// As many groups as there can be.
    Dragonfly,
    /// Of so many dimensions.
    HyperX(u32),
}

/// What a goal asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// As many routers as there can be.
    Largest,
    /// As few routers as suffice, but so many at least.
    AtLeast(u64),
}

impl DesignSpace {
    /// The most network ports of a router that goals and reports look at: there are half a million HyperXs of
    /// four dimensions up to it.
    pub const LARGEST_RADIX: u32 = 128;

    /// That of a network, if its family has one and it belongs there.
    pub fn of(family: &Family) -> Option<Self> {
        match family {
            Family::PolarStar(star) if star.supernode != Supernode::Complete => Some(Self::PolarStar),
            Family::PolarFly { .. } => Some(Self::PolarFly),
            Family::SlimFly { .. } => Some(Self::SlimFly),
            Family::Bundlefly { .. } => Some(Self::Bundlefly),
            Family::Dragonfly(Dragonfly { a, h, g, .. }) if *g == a * h + 1 => Some(Self::Dragonfly),
            Family::HyperX(sides) if (2..=3).contains(&sides.len()) && sides.iter().all(|&side| side > 1) => {
                Some(Self::HyperX(sides.len() as u32))
            }
            _ => None,
        }
    }

    /// Network ports of the fullest router of a design; `None` for a family without a design space.
    pub fn radix(family: &Family) -> Option<u32> {
        match family {
            Family::PolarStar(star) => Some(star.q + 1 + star.degree),
            Family::PolarFly { q } => Some(q + 1),
            Family::SlimFly { q } => slim_fly_degree(*q),
            Family::Bundlefly { q, p } => Some(slim_fly_degree(*q)? + (p - 1) / 2),
            Family::Dragonfly(Dragonfly { a, h, .. }) => Some(a - 1 + h),
            Family::HyperX(sides) => Some(sides.iter().map(|side| side - 1).sum()),
            _ => None,
        }
    }

    /// Hops that are enough between any two routers of a design.
    pub fn hops(self) -> u32 {
        match self {
            Self::PolarFly | Self::SlimFly => 2,
            Self::PolarStar | Self::Bundlefly | Self::Dragonfly => 3,
            Self::HyperX(dimensions) => dimensions,
        }
    }

    /// Every design whose fullest router has so many network ports, by rising number of routers; of equal
    /// ones inductive quads first, then the least q.
    pub fn of_radix(self, radix: u32) -> Vec<Family> {
        let orders = || (2..radix).filter(|&q| prime_power(q).is_some());
        let mut designs: Vec<Family> = match self {
            Self::PolarStar => orders().flat_map(|q| polarstars(q, radix)).collect(),
            Self::PolarFly => orders().filter(|q| q + 1 == radix).map(|q| Family::PolarFly { q }).collect(),
            Self::SlimFly => orders().filter(|&q| slim_fly_degree(q) == Some(radix)).map(|q| Family::SlimFly { q }).collect(),
            Self::Bundlefly => orders().filter_map(|q| bundlefly(q, radix)).collect(),
            Self::Dragonfly => (1..radix).map(|h| (radix + 1 - h, h)).filter(|&(a, _)| a > 1).map(|(a, h)| dragonfly(a, h)).collect(),
            Self::HyperX(dimensions) => hyperx(dimensions, radix),
        };
        designs.sort_by_key(|design| (design.router_count(), rank(design)));
        designs
    }

    /// The design that a goal asks for, among those of these radixes: the most routers, or the fewest that
    /// suffice; then the least radix, inductive quads before Paley graphs, and the least q.
    pub fn choose(self, radixes: impl Iterator<Item = u32>, size: Size) -> Option<Family> {
        let designs = radixes.flat_map(|radix| self.of_radix(radix).into_iter().map(move |design| (radix, design)));
        let key = |(radix, design): &(u32, Family)| (*radix, rank(design));
        match size {
            Size::Largest => designs.min_by_key(|found| (Reverse(found.1.router_count()), key(found))),
            Size::AtLeast(least) => {
                let enough = designs.filter(|(_, design)| design.router_count() as u64 >= least);
                enough.min_by_key(|found| (found.1.router_count(), key(found)))
            }
        }
        .map(|(_, design)| design)
    }
}

/// The order of designs of as many routers and ports.
fn rank(design: &Family) -> (Option<Supernode>, u32) {
    match design {
        Family::PolarStar(star) => (Some(star.supernode), star.q),
        Family::Bundlefly { q, .. } => (None, *q),
        Family::Dragonfly(dragonfly) => (None, dragonfly.h),
        _ => (None, 0),
    }
}

fn polarstars(q: u32, radix: u32) -> impl Iterator<Item = Family> {
    let degree = radix.checked_sub(q + 1);
    let fitting = Supernode::ALL.into_iter().filter(|&supernode| supernode != Supernode::Complete);
    let stars = degree.into_iter().flat_map(move |degree| fitting.clone().map(move |supernode| PolarStar { q, supernode, degree }));
    stars.filter(PolarStar::has_supernode).map(Family::PolarStar)
}

impl PolarStar {
    /// Whether there is a supernode of this kind and degree: inductive quads have a degree of 0 or 3 modulo
    /// 4, Paley graphs a prime power of routers that is 1 modulo 4.
    pub fn has_supernode(&self) -> bool {
        match self.supernode {
            Supernode::Iq => matches!(self.degree % 4, 0 | 3),
            Supernode::Paley => is_paley_order(self.supernode_size()),
            Supernode::Complete => true,
        }
    }
}

/// Whether there is a Paley graph of so many routers.
pub fn is_paley_order(p: u32) -> bool {
    p % 4 == 1 && prime_power(p).is_some()
}

/// Links of a router of a slim fly; `None` where there is none of this order.
pub fn slim_fly_degree(q: u32) -> Option<u32> {
    prime_power(q)?;
    match q % 4 {
        0 => Some(3 * q / 2),
        1 => Some((3 * q - 1) / 2),
        3 => Some((3 * q).div_ceil(2)),
        _ => None,
    }
}

fn bundlefly(q: u32, radix: u32) -> Option<Family> {
    let p = 2 * radix.checked_sub(slim_fly_degree(q)?)? + 1;
    (p > 1 && is_paley_order(p)).then_some(Family::Bundlefly { q, p })
}

fn dragonfly(a: u32, h: u32) -> Family {
    Family::Dragonfly(Dragonfly { a, h, g: a * h + 1, arrangement: Arrangement::default(), spare: false })
}

/// Sides that fall, of which as many as there are dimensions have so many links together.
fn hyperx(dimensions: u32, radix: u32) -> Vec<Family> {
    let mut found = vec![(Vec::new(), radix)];
    for left in (0..dimensions).rev() {
        let longer = |(sides, links): (Vec<u32>, u32)| {
            let most = sides.last().map_or(links, |&side: &u32| links.min(side - 1));
            // The later sides have at most as many links each, and one at least.
            let range = (1..=most).filter(move |&own| links - own >= left && links - own <= own * left);
            range.map(move |own| (sides.iter().copied().chain([own + 1]).collect::<Vec<u32>>(), links - own)).collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(longer).collect();
    }
    found.into_iter().map(|(sides, _)| Family::HyperX(sides)).collect()
}
