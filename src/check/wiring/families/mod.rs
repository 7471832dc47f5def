//! The rule of every family: how often two routers are connected, by which class of link, and closed forms
//! for the totals. Each file judges one family, or a few that share their algebra.

mod algebraic;
mod boxes;
mod cayley;
mod clos;
mod de_bruijn;
mod dragonfly;
mod drawn;
mod fat_tree;
mod form_space;
mod gen_kautz;
mod grid;
mod hypercube;
mod kautz;
mod levels;
mod listed;
mod permuted;
mod polarity;
mod products;
mod quadrangles;
mod quaternions;
mod shortcuts;
mod star_graph;

use super::rule::{FamilyRule, verify_by_rule};
use fabc_base::ids::Id;
use fabc_ir::Topology;
use fabc_model::{
    Arcs, Bundlefly, Fabric, Family, FatTree, GenKautz, HyperX, Hypercube, Kautz, Mesh, Network,
    RandomRegular, SlimFly, SpectralFly, StarGraph, Torus, Xpander,
};

/// The rule of a family. `None` for a list of links.
pub(super) fn rule_of(family: &Family) -> Option<Box<dyn FamilyRule + Sync + '_>> {
    Some(match family {
        Family::Torus(Torus(sides)) => Box::new(grid::torus(sides)),
        Family::Mesh(Mesh(sides)) => Box::new(grid::mesh(sides)),
        Family::HyperX(HyperX(sides)) => Box::new(grid::hyperx(sides)),
        &Family::Hypercube(Hypercube { dimensions, folded }) => {
            Box::new(hypercube::HypercubeRule { dimensions, folded })
        }
        Family::PolarStar(star) => Box::new(products::StarProduct::new(*star)),
        Family::PolarFly(fly) => Box::new(algebraic::CopiedPlane::new(fly)),
        Family::Delorme(delorme) => Box::new(polarity::PolarityRule::new(delorme)),
        Family::QuadranglePairs(pairs) => Box::new(quadrangles::PairsRule::new(pairs)),
        Family::Cayley(cayley) => Box::new(cayley::Products::new(cayley)),
        &Family::StarGraph(StarGraph { symbols }) => Box::new(star_graph::Exchanges { symbols }),
        &Family::DeBruijn(graph) => Box::new(de_bruijn::Shifts(graph)),
        Family::SlimFly(SlimFly { q }) => Box::new(algebraic::SlimFlyGraph::new(*q)),
        Family::Bundlefly(Bundlefly { q, p }) => Box::new(products::PaleyBundles::new(*q, *p)),
        Family::SpectralFly(SpectralFly { rho, q }) => Box::new(quaternions::Quaternions::new(*rho, *q)),
        Family::Levels(levels) => Box::new(levels::Nested::new(levels)),
        Family::Megafly(megafly) => Box::new(dragonfly::LeavesAndSpines(*megafly)),
        Family::GenKautz(GenKautz { degree, routers, arcs }) => {
            Box::new(gen_kautz::Residues::new(*degree, *routers, *arcs))
        }
        Family::Dragonfly(dragonfly) => Box::new(dragonfly::DragonflyGroups(*dragonfly)),
        &Family::FatTree(FatTree { levels, arity }) => Box::new(fat_tree::FatTreeLevels { levels, arity }),
        Family::Clos(clos) => Box::new(clos::DigitTiers::new(clos)),
        Family::Boxes(boxes) => Box::new(boxes::BoxRule::new(boxes)),
        &Family::Kautz(Kautz { degree, length, arcs }) => Box::new(kautz::Words { degree, length, arcs }),
        &Family::RandomRegular(RandomRegular { routers, degree, .. }) => {
            Box::new(drawn::Regular { routers, degree, simplex: false, symmetric: false })
        }
        &Family::Xpander(Xpander { degree, lift, .. }) => Box::new(drawn::Regular {
            routers: (degree + 1) * lift,
            degree,
            simplex: false,
            symmetric: false,
        }),
        Family::Permuted(permuted) => {
            Box::new(permuted::ExchangedLinks { base: rule_of(&permuted.base)?, permuted })
        }
        Family::Shortcuts(shortcuts) => Box::new(shortcuts::ShortcutRing::new(shortcuts)),
        Family::Synthesized(free) => {
            let simplex = free.arcs == Arcs::Simplex;
            let symmetric = free.seeks_symmetry();
            Box::new(drawn::Regular { routers: free.routers, degree: free.degree, simplex, symmetric })
        }
        Family::Listed(_) => return None,
    })
}

/// Verifies that a network has the links of its family.
///
/// # Errors
/// The first contradiction, in words.
pub(super) fn verify_family(fabric: &Fabric, network: &Network, topology: &Topology) -> Result<(), String> {
    match (&network.family, rule_of(&network.family)) {
        (Family::Listed(listed), _) => listed::verify_wiring(fabric, listed, topology)?,
        (_, Some(rule)) => verify_by_rule(fabric, network, topology, &*rule)?,
        (_, None) => return Err("its family has no rule".to_owned()),
    }
    match &network.family {
        Family::Xpander(Xpander { lift, .. }) => drawn::verify_matched(topology, *lift),
        Family::Shortcuts(declared) => shortcuts::verify_matched(topology, declared),
        Family::Permuted(declared) => {
            let base = rule_of(&declared.base).ok_or("its base has no rule")?;
            let exchanged = permuted::ExchangedLinks { base, permuted: declared };
            permuted::verify_conserved(fabric, network, topology, &exchanged)
        }
        _ => Ok(()),
    }
}

/// The shortfall of a random draw, by the name of its counter: duplicate links, including dropped ones, or
/// routers with fewer links than the degree.
pub fn draw_shortfall(network: &Network, topology: &Topology) -> Option<(&'static str, u64)> {
    match &network.family {
        Family::Permuted(declared) => {
            let base = rule_of(&declared.base)?.links();
            let distinct = topology.nodes().map(|node| {
                let mut neighbors: Vec<u32> =
                    topology.channels_from(node).map(|channel| topology.target(channel).node.0).collect();
                neighbors.sort_unstable();
                neighbors.dedup();
                neighbors.len() as u64
            });
            Some(("duplicates", base.saturating_sub(distinct.sum::<u64>() / 2)))
        }
        Family::Shortcuts(declared) => {
            let mut degrees = vec![0u32; declared.routers as usize];
            for link in topology.links().iter() {
                [link.a, link.b].into_iter().for_each(|end| degrees[end.node.index()] += 1);
            }
            Some((
                "short_routers",
                degrees.into_iter().filter(|&count| count < declared.degree).count() as u64,
            ))
        }
        _ => None,
    }
}
