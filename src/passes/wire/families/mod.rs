//! The generator of every family: its links, and the neighbors of one router at a time.
//!
//! The neighbors are those of [`edges`], in any order. They serve networks that are too large to be wired
//! completely. Only the factors of the network are stored: points, supernodes, fields. Cost: linear in the
//! neighbors.

mod boxes;
mod bundlefly;
mod clos;
mod dragonfly;
mod fat_tree;
mod gen_kautz;
mod grid;
mod hypercube;
mod kautz;
mod levels;
mod listed;
mod megafly;
mod polarfly;
mod polarstar;
mod slim_fly;
mod spectralfly;

use crate::wire::edge::UnnumberedLink;
use fabc_base::algebra::ProjectivePlane;
use fabc_model::{
    Bundlefly, Family, FatTree, GenKautz, HyperX, Hypercube, Kautz, Mesh, Network, PolarFly, SlimFly,
    SpectralFly, Torus,
};
use grid::AxisJoin;

/// The links of a family whose parameters determine them.
pub(super) fn edges(network: &Network, family: &Family) -> Vec<UnnumberedLink> {
    match family {
        Family::Torus(Torus(sides)) => grid::edges(network, sides, AxisJoin::Ring),
        Family::Mesh(Mesh(sides)) => grid::edges(network, sides, AxisJoin::Path),
        Family::HyperX(HyperX(sides)) => grid::edges(network, sides, AxisJoin::Complete),
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
        Family::Clos(clos) => clos::edges(clos),
        Family::Boxes(boxes) => boxes::edges(boxes),
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

/// A function that adds the neighbors of a router to a list.
pub type NeighborLister<'a> = Box<dyn Fn(u32, &mut Vec<u32>) + Sync + 'a>;

/// The function that lists the neighbors of every router. `None` for families that [`Family::closed_form`]
/// does not describe.
pub fn neighbors(network: &Network) -> Option<NeighborLister<'_>> {
    Some(match &network.family {
        Family::Torus(Torus(sides)) => {
            Box::new(|router, list| grid::neighbors(sides, AxisJoin::Ring, router, list))
        }
        Family::Mesh(Mesh(sides)) => {
            Box::new(|router, list| grid::neighbors(sides, AxisJoin::Path, router, list))
        }
        Family::HyperX(HyperX(sides)) => {
            Box::new(|router, list| grid::neighbors(sides, AxisJoin::Complete, router, list))
        }
        Family::Hypercube(Hypercube { dimensions, folded }) => {
            Box::new(|router, list| hypercube::neighbors(*dimensions, *folded, router, list))
        }
        Family::PolarStar(star) => {
            let implicit = polarstar::ImplicitPolarStar::new(star);
            Box::new(move |router, list| implicit.neighbors(router, list))
        }
        Family::PolarFly(PolarFly { q }) => {
            let plane = ProjectivePlane::new(*q);
            Box::new(move |router, list| polarfly::neighbors(&plane, router, list))
        }
        Family::SlimFly(SlimFly { q }) => {
            let implicit = slim_fly::ImplicitSlimFly::new(*q);
            Box::new(move |router, list| implicit.neighbors(router, list))
        }
        Family::Bundlefly(Bundlefly { q, p }) => {
            let implicit = bundlefly::ImplicitBundlefly::new(*q, *p);
            Box::new(move |router, list| implicit.neighbors(router, list))
        }
        Family::Dragonfly(dragonfly) => {
            Box::new(|router, list| dragonfly::neighbors(dragonfly, router, list))
        }
        Family::Megafly(megafly) => {
            let spines = megafly.spines();
            Box::new(move |router, list| megafly::neighbors(&spines, router, list))
        }
        Family::FatTree(FatTree { levels, arity }) => {
            Box::new(|router, list| fat_tree::neighbors(*levels, *arity, router, list))
        }
        Family::Clos(clos) => {
            let tiers = clos::tiers(clos);
            Box::new(move |router, list| clos::neighbors(clos, &tiers, router, list))
        }
        Family::Kautz(Kautz { degree, length, arcs }) => {
            Box::new(|router, list| kautz::neighbors(*degree, *length, *arcs, router, list))
        }
        _ => return None,
    })
}
