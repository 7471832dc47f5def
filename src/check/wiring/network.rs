//! Whether a network is the one of its parameters: every link is one that the family has, of its class and
//! type, on its ports; none is missing; hosts stand where they must.
//!
//! Each family is a predicate, "are u and v joined, how often, by which class of link", with closed forms for
//! what must be there in all. Every link satisfies the predicate, no two routers are joined more often than
//! it says, and there are as many links as the closed form says: then no link is missing either.

use super::rule::by_rule;
use super::{algebraic, dragonfly, drawn, fat_tree, gen_kautz, grid, hypercube, kautz, levels, listed, products, quaternions};
use crate::check::CheckError;
use crate::ids::Id;
use crate::ir::{Names, Topology};
use crate::model::{Arcs, Fabric, Family, Network};

/// Checks routers, links and ports of a network whose [`names`] were checked.
pub(super) fn wiring(fabric: &Fabric, network: &Network, topology: &Topology) -> Result<(), CheckError> {
    let found = match &network.family {
        Family::Torus(sides) => by_rule(fabric, network, topology, &grid::torus(sides)),
        Family::Mesh(sides) => by_rule(fabric, network, topology, &grid::mesh(sides)),
        Family::HyperX(sides) => by_rule(fabric, network, topology, &grid::hyperx(sides)),
        &Family::Hypercube { dimensions, folded } => by_rule(fabric, network, topology, &hypercube::Cube { dimensions, folded }),
        Family::PolarStar(star) => by_rule(fabric, network, topology, &products::Star::new(*star)),
        Family::PolarFly { q } => by_rule(fabric, network, topology, &algebraic::Plane::new(*q)),
        Family::SlimFly { q } => by_rule(fabric, network, topology, &algebraic::SlimFly::new(*q)),
        Family::Bundlefly { q, p } => by_rule(fabric, network, topology, &products::Bundles::new(*q, *p)),
        Family::SpectralFly { rho, q } => by_rule(fabric, network, topology, &quaternions::Quaternions::new(*rho, *q)),
        Family::Levels(levels) => by_rule(fabric, network, topology, &levels::Nested::new(levels)),
        Family::Megafly(megafly) => by_rule(fabric, network, topology, &dragonfly::LeavesAndSpines(*megafly)),
        Family::GenKautz { degree, routers, arcs } => {
            by_rule(fabric, network, topology, &gen_kautz::Residues::new(*degree, *routers, *arcs))
        }
        Family::Dragonfly(dragonfly) => by_rule(fabric, network, topology, &dragonfly::Groups(*dragonfly)),
        &Family::FatTree { levels, arity } => by_rule(fabric, network, topology, &fat_tree::Tree { levels, arity }),
        &Family::Kautz { degree, length, arcs } => by_rule(fabric, network, topology, &kautz::Words { degree, length, arcs }),
        &Family::RandomRegular { routers, degree, .. } => {
            by_rule(fabric, network, topology, &drawn::Regular { routers, degree, simplex: false })
        }
        &Family::Xpander { degree, lift, .. } => {
            let regular = drawn::Regular { routers: (degree + 1) * lift, degree, simplex: false };
            by_rule(fabric, network, topology, &regular).and_then(|()| drawn::matched(topology, lift))
        }
        Family::Synthesized(free) => {
            let simplex = free.arcs == Arcs::Simplex;
            by_rule(fabric, network, topology, &drawn::Regular { routers: free.routers, degree: free.degree, simplex })
        }
        Family::Listed(listed) => listed::wiring(fabric, listed, topology),
    };
    found.and_then(|()| last_port(topology)).map_err(|what| CheckError::Wiring { what, span: Some(network.span) })?;
    let (moved, block) = (topology.symmetry().block_size(), network.family.blocks().0 as usize);
    if moved != block {
        return Err(CheckError::symmetry(format!("it moves blocks of {moved} routers, but those of the network have {block}")));
    }
    Ok(())
}

/// Checks the number of routers and what they are called: only then has every router a name that errors can
/// say.
pub(super) fn names(fabric: &Fabric, network: &Network, topology: &Topology) -> Result<(), CheckError> {
    let wrong = |what: String| Err(CheckError::Wiring { what, span: Some(network.span) });
    let (has, must) = (topology.node_count(), network.router_count());
    if has != must {
        return wrong(format!("{has} routers, but the spec has {must}"));
    }
    if *topology.names() != Names::of(fabric) {
        return wrong("the routers have the names of another network".to_owned());
    }
    Ok(())
}

/// The last port that the topology counts is in use.
fn last_port(topology: &Topology) -> Result<(), String> {
    let ends = topology.links().iter().flat_map(|link| [link.a.port, link.b.port]);
    match ends.max().map_or(0, |port| port.index() + 1) {
        used if used == topology.ports() => Ok(()),
        used => Err(format!("routers have {} ports, but {used} are in use", topology.ports())),
    }
}
