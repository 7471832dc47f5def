//! Whether a network is the one of its parameters: every link is one that the family has, of its class and
//! type, on its ports; none is missing; hosts stand where they must.
//!
//! Each family is a predicate, "are u and v joined, how often, by which class of link", with closed forms for
//! what must be there in all. Every link satisfies the predicate, no two routers are joined more often than
//! it says, and there are as many links as the closed form says: then no link is missing either.

use super::rule::{Rule, by_rule};
use super::{
    algebraic, dragonfly, drawn, fat_tree, gen_kautz, grid, hypercube, kautz, levels, listed, permuted,
    products, quaternions, shortcuts,
};
use crate::CheckError;
use fabc_base::ids::Id;
use fabc_ir::{Topology, router_names};
use fabc_model::{
    Arcs, Bundlefly, Fabric, Family, FatTree, GenKautz, HyperX, Hypercube, Kautz, Mesh, Network, PolarFly,
    RandomRegular, SlimFly, SpectralFly, Torus, Xpander,
};

/// What the family of a network says of its routers and links; `None` of a list.
pub(super) fn rule_of(network: &Network) -> Option<Box<dyn Rule + Sync + '_>> {
    rule_of_family(&network.family)
}

fn rule_of_family(family: &Family) -> Option<Box<dyn Rule + Sync + '_>> {
    Some(match family {
        Family::Torus(Torus(sides)) => Box::new(grid::torus(sides)),
        Family::Mesh(Mesh(sides)) => Box::new(grid::mesh(sides)),
        Family::HyperX(HyperX(sides)) => Box::new(grid::hyperx(sides)),
        &Family::Hypercube(Hypercube { dimensions, folded }) => {
            Box::new(hypercube::Cube { dimensions, folded })
        }
        Family::PolarStar(star) => Box::new(products::Star::new(*star)),
        Family::PolarFly(PolarFly { q }) => Box::new(algebraic::Plane::new(*q)),
        Family::SlimFly(SlimFly { q }) => Box::new(algebraic::SlimFly::new(*q)),
        Family::Bundlefly(Bundlefly { q, p }) => Box::new(products::Bundles::new(*q, *p)),
        Family::SpectralFly(SpectralFly { rho, q }) => Box::new(quaternions::Quaternions::new(*rho, *q)),
        Family::Levels(levels) => Box::new(levels::Nested::new(levels)),
        Family::Megafly(megafly) => Box::new(dragonfly::LeavesAndSpines(*megafly)),
        Family::GenKautz(GenKautz { degree, routers, arcs }) => {
            Box::new(gen_kautz::Residues::new(*degree, *routers, *arcs))
        }
        Family::Dragonfly(dragonfly) => Box::new(dragonfly::Groups(*dragonfly)),
        &Family::FatTree(FatTree { levels, arity }) => Box::new(fat_tree::Tree { levels, arity }),
        &Family::Kautz(Kautz { degree, length, arcs }) => Box::new(kautz::Words { degree, length, arcs }),
        &Family::RandomRegular(RandomRegular { routers, degree, .. }) => {
            Box::new(drawn::Regular { routers, degree, simplex: false })
        }
        &Family::Xpander(Xpander { degree, lift, .. }) => {
            Box::new(drawn::Regular { routers: (degree + 1) * lift, degree, simplex: false })
        }
        Family::Permuted(of) => Box::new(permuted::Exchanged { base: rule_of_family(&of.base)?, of }),
        Family::Shortcuts(shortcuts) => Box::new(shortcuts::Ring::new(shortcuts)),
        Family::Synthesized(free) => {
            let simplex = free.arcs == Arcs::Simplex;
            Box::new(drawn::Regular { routers: free.routers, degree: free.degree, simplex })
        }
        Family::Listed(_) => return None,
    })
}

/// Checks routers, links and ports of a network whose [`names`] were checked.
pub(super) fn wiring(fabric: &Fabric, network: &Network, topology: &Topology) -> Result<(), CheckError> {
    let found = match (&network.family, rule_of(network)) {
        (Family::Listed(listed), _) => listed::wiring(fabric, listed, topology),
        (_, Some(rule)) => by_rule(fabric, network, topology, &*rule),
        (_, None) => Err("its family has no rule".to_owned()),
    };
    let matched = || match &network.family {
        Family::Xpander(Xpander { lift, .. }) => drawn::matched(topology, *lift),
        Family::Shortcuts(of) => shortcuts::matched(topology, of),
        Family::Permuted(of) => {
            let base = rule_of_family(&of.base).ok_or("its base has no rule")?;
            permuted::conserved(fabric, network, topology, &permuted::Exchanged { base, of })
        }
        _ => Ok(()),
    };
    let found = found.and_then(|()| matched()).and_then(|()| last_port(topology));
    found.map_err(|what| CheckError::Wiring { what, span: Some(network.span) })?;
    let (moved, block) = (topology.symmetry().block_size(), network.family.blocks().0 as usize);
    if moved != block {
        return Err(CheckError::symmetry(format!(
            "it moves blocks of {moved} routers, but those of the network have {block}"
        )));
    }
    Ok(())
}

/// What a draw has given that was not asked for, by the name of its counter: links that come twice, and those
/// that were dropped for it; routers with fewer links than the degree.
pub fn unasked(network: &Network, topology: &Topology) -> Option<(&'static str, u64)> {
    match &network.family {
        Family::Permuted(of) => {
            let base = rule_of_family(&of.base)?.links();
            let apart = topology.nodes().map(|node| {
                let mut met: Vec<u32> =
                    topology.channels_from(node).map(|channel| topology.target(channel).node.0).collect();
                met.sort_unstable();
                met.dedup();
                met.len() as u64
            });
            Some(("duplicates", base.saturating_sub(apart.sum::<u64>() / 2)))
        }
        Family::Shortcuts(of) => {
            let mut ends = vec![0u32; of.routers as usize];
            for link in topology.links().iter() {
                [link.a, link.b].into_iter().for_each(|end| ends[end.node.index()] += 1);
            }
            Some(("short_routers", ends.into_iter().filter(|&count| count < of.degree).count() as u64))
        }
        _ => None,
    }
}

/// Checks the number of routers and what they are called: only then has every router a name that errors can
/// say.
pub(super) fn names(fabric: &Fabric, network: &Network, topology: &Topology) -> Result<(), CheckError> {
    let wrong = |what: String| Err(CheckError::Wiring { what, span: Some(network.span) });
    let (has, must) = (topology.node_count(), network.router_count());
    if has != must {
        return wrong(format!("{has} routers, but the spec has {must}"));
    }
    if *topology.names() != router_names(fabric) {
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
