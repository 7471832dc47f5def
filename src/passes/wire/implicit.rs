//! The neighbors of one router at a time, of networks that are too large to be wired whole.
//!
//! In: a network whose family formulas describe. Out: a function from a router to its neighbors, each as
//! often as it is joined; of simplex links, those that they lead to. They are those of [`wire`](super::wire),
//! in any order. Held is only what the network is a product of: points, supernodes, fields. Cost: linear in
//! the neighbors.

use super::grid::Axis;
use super::{bundlefly, dragonfly, fat_tree, grid, hypercube, kautz, megafly, polarfly, polarstar, slim_fly};
use fabc_base::algebra::Plane;
use fabc_model::{Family, Network};

/// Adds the neighbors of a router to a list.
pub type Neighbors<'a> = Box<dyn Fn(u32, &mut Vec<u32>) + Sync + 'a>;

/// The neighbors of every router; `None` of families that [`Family::closed_form`] does not describe.
pub fn neighbors(network: &Network) -> Option<Neighbors<'_>> {
    Some(match &network.family {
        Family::Torus(sides) => Box::new(|router, found| grid::neighbors(sides, Axis::Ring, router, found)),
        Family::Mesh(sides) => Box::new(|router, found| grid::neighbors(sides, Axis::Path, router, found)),
        Family::HyperX(sides) => Box::new(|router, found| grid::neighbors(sides, Axis::Complete, router, found)),
        Family::Hypercube { dimensions, folded } => Box::new(|router, found| hypercube::neighbors(*dimensions, *folded, router, found)),
        Family::PolarStar(star) => {
            let implicit = polarstar::Implicit::new(star);
            Box::new(move |router, found| implicit.neighbors(router, found))
        }
        Family::PolarFly { q } => {
            let plane = Plane::new(*q);
            Box::new(move |router, found| polarfly::neighbors(&plane, router, found))
        }
        Family::SlimFly { q } => {
            let implicit = slim_fly::Implicit::new(*q);
            Box::new(move |router, found| implicit.neighbors(router, found))
        }
        Family::Bundlefly { q, p } => {
            let implicit = bundlefly::Implicit::new(*q, *p);
            Box::new(move |router, found| implicit.neighbors(router, found))
        }
        Family::Dragonfly(dragonfly) => Box::new(|router, found| dragonfly::neighbors(dragonfly, router, found)),
        Family::Megafly(megafly) => {
            let spines = megafly.spines();
            Box::new(move |router, found| megafly::neighbors(&spines, router, found))
        }
        Family::FatTree { levels, arity } => Box::new(|router, found| fat_tree::neighbors(*levels, *arity, router, found)),
        Family::Kautz { degree, length, arcs } => Box::new(|router, found| kautz::neighbors(*degree, *length, *arcs, router, found)),
        _ => return None,
    })
}
