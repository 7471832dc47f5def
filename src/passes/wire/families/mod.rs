//! The generator of every family: its links, and the neighbors of one router at a time.
//!
//! The neighbors are those of [`edges`], in any order. They serve networks that are too large to be wired
//! completely. Only the factors of the network are stored: points, supernodes, fields. Cost: linear in the
//! neighbors.

mod boxes;
mod bundlefly;
mod cayley;
mod clos;
mod copied;
mod de_bruijn;
mod delorme;
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
mod quadrangle_pairs;
mod slim_fly;
mod spectralfly;
mod star_graph;

use crate::wire::edge::UnnumberedLink;
use fabc_model::{
    Bundlefly, Family, FatTree, GenKautz, HyperX, Hypercube, Kautz, Mesh, Network, SlimFly, SpectralFly,
    StarGraph, Torus,
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
        Family::PolarFly(_)
        | Family::Delorme(_)
        | Family::QuadranglePairs(_)
        | Family::Cayley(_)
        | Family::StarGraph(_) => edges_by_neighbors(network, family),
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
        Family::DeBruijn(graph) => de_bruijn::edges(network, graph),
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

/// The duplex links of a family, one for each pair of neighbors, by ascending router.
fn edges_by_neighbors(network: &Network, family: &Family) -> Vec<UnnumberedLink> {
    let Some(neighbors) = neighbors_of(family) else {
        unreachable!("a {} lists its neighbors", family.name());
    };
    let (mut edges, mut list) = (Vec::new(), Vec::new());
    for router in 0..family.router_count() as u32 {
        list.clear();
        neighbors(router, &mut list);
        list.sort_unstable();
        let above = list.iter().filter(|&&other| other > router);
        edges.extend(above.map(|&other| UnnumberedLink::local(network, [router, other])));
    }
    edges
}

/// A function that adds the neighbors of a router to a list.
pub type NeighborLister<'a> = Box<dyn Fn(u32, &mut Vec<u32>) + Sync + 'a>;

/// The function that lists the neighbors of every router. `None` for families that [`Family::closed_form`]
/// does not describe.
pub fn neighbors(network: &Network) -> Option<NeighborLister<'_>> {
    neighbors_of(&network.family)
}

fn neighbors_of(family: &Family) -> Option<NeighborLister<'_>> {
    Some(match family {
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
        Family::PolarFly(fly) => {
            let implicit = polarfly::ImplicitPolarFly::new(fly);
            Box::new(move |router, list| implicit.neighbors(router, list))
        }
        Family::Delorme(delorme) => {
            let implicit = delorme::ImplicitDelorme::new(delorme);
            Box::new(move |router, list| implicit.neighbors(router, list))
        }
        Family::QuadranglePairs(pairs) => {
            let implicit = quadrangle_pairs::ImplicitPairs::new(pairs);
            Box::new(move |router, list| implicit.neighbors(router, list))
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
        Family::Cayley(cayley) => {
            let implicit = cayley::ImplicitCayley::new(cayley);
            Box::new(move |router, list| implicit.neighbors(router, list))
        }
        &Family::StarGraph(StarGraph { symbols }) => {
            Box::new(move |router, list| star_graph::neighbors(symbols, router, list))
        }
        Family::DeBruijn(graph) => Box::new(|router, list| de_bruijn::neighbors(graph, router, list)),
        _ => return None,
    })
}
