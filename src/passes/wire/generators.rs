//! The generator of every family: its links, and the neighbors of one router at a time.
//!
//! Neighbors are those of [`edges`], in any order: of networks that are too large to be wired whole. Held is
//! only what the network is a product of: points, supernodes, fields. Cost: linear in the neighbors.

use super::edge::Edge;
use super::grid::Axis;
use super::{
    bundlefly, dragonfly, fat_tree, gen_kautz, grid, hypercube, kautz, levels, listed, megafly, polarfly,
    polarstar, slim_fly, spectralfly,
};
use fabc_base::algebra::Plane;
use fabc_model::{
    Bundlefly, Family, FatTree, GenKautz, HyperX, Hypercube, Kautz, Mesh, Network, PolarFly, SlimFly,
    SpectralFly, Torus,
};

/// The links of a family whose parameters tell them.
pub(super) fn edges(network: &Network, family: &Family) -> Vec<Edge> {
    match family {
        Family::Torus(Torus(sides)) => grid::edges(network, sides, Axis::Ring),
        Family::Mesh(Mesh(sides)) => grid::edges(network, sides, Axis::Path),
        Family::HyperX(HyperX(sides)) => grid::edges(network, sides, Axis::Complete),
        Family::Hypercube(Hypercube { dimensions, folded }) => {
            hypercube::edges(network, *dimensions, *folded)
        }
        Family::PolarStar(star) => polarstar::edges(network, star),
        Family::PolarFly(PolarFly { q }) => polarfly::edges(network, *q),
        Family::SlimFly(SlimFly { q }) => slim_fly::edges(network, *q),
        Family::Bundlefly(Bundlefly { q, p }) => bundlefly::edges(network, *q, *p),
        Family::SpectralFly(SpectralFly { rho, q }) => spectralfly::edges(network, *rho, *q),
        Family::Dragonfly(dragonfly) => dragonfly::edges(network, dragonfly),
        Family::Levels(levels) => levels::edges(levels),
        Family::Megafly(megafly) => megafly::edges(network, megafly),
        Family::FatTree(FatTree { levels, arity }) => fat_tree::edges(network, *levels, *arity),
        Family::Kautz(Kautz { degree, length, arcs }) => kautz::edges(network, *degree, *length, *arcs),
        Family::GenKautz(GenKautz { degree, routers, arcs }) => {
            gen_kautz::edges(network, *degree, *routers, *arcs)
        }
        Family::Listed(listed) => listed::edges(listed),
        Family::Xpander(_)
        | Family::RandomRegular(_)
        | Family::Shortcuts(_)
        | Family::Permuted(_)
        | Family::Synthesized(_) => {
            unreachable!("`draw` makes the links of a {}", family.name())
        }
    }
}

/// Adds the neighbors of a router to a list.
pub type Neighbors<'a> = Box<dyn Fn(u32, &mut Vec<u32>) + Sync + 'a>;

/// The neighbors of every router; `None` of families that [`Family::closed_form`] does not describe.
pub fn neighbors(network: &Network) -> Option<Neighbors<'_>> {
    Some(match &network.family {
        Family::Torus(Torus(sides)) => {
            Box::new(|router, found| grid::neighbors(sides, Axis::Ring, router, found))
        }
        Family::Mesh(Mesh(sides)) => {
            Box::new(|router, found| grid::neighbors(sides, Axis::Path, router, found))
        }
        Family::HyperX(HyperX(sides)) => {
            Box::new(|router, found| grid::neighbors(sides, Axis::Complete, router, found))
        }
        Family::Hypercube(Hypercube { dimensions, folded }) => {
            Box::new(|router, found| hypercube::neighbors(*dimensions, *folded, router, found))
        }
        Family::PolarStar(star) => {
            let implicit = polarstar::Implicit::new(star);
            Box::new(move |router, found| implicit.neighbors(router, found))
        }
        Family::PolarFly(PolarFly { q }) => {
            let plane = Plane::new(*q);
            Box::new(move |router, found| polarfly::neighbors(&plane, router, found))
        }
        Family::SlimFly(SlimFly { q }) => {
            let implicit = slim_fly::Implicit::new(*q);
            Box::new(move |router, found| implicit.neighbors(router, found))
        }
        Family::Bundlefly(Bundlefly { q, p }) => {
            let implicit = bundlefly::Implicit::new(*q, *p);
            Box::new(move |router, found| implicit.neighbors(router, found))
        }
        Family::Dragonfly(dragonfly) => {
            Box::new(|router, found| dragonfly::neighbors(dragonfly, router, found))
        }
        Family::Megafly(megafly) => {
            let spines = megafly.spines();
            Box::new(move |router, found| megafly::neighbors(&spines, router, found))
        }
        Family::FatTree(FatTree { levels, arity }) => {
            Box::new(|router, found| fat_tree::neighbors(*levels, *arity, router, found))
        }
        Family::Kautz(Kautz { degree, length, arcs }) => {
            Box::new(|router, found| kautz::neighbors(*degree, *length, *arcs, router, found))
        }
        _ => return None,
    })
}
