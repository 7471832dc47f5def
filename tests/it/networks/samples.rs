//! One small network of each family.

use super::levels::level;
use super::{boxes, clos, dragonfly, kautz, levels, listed, megafly, pairs, polarstar, random};
use fabc::model::{
    Arcs, Arrangement, Bundlefly, Cayley, DeBruijn, Delorme, Draw, Family, FatTree, FreeGraph, GenKautz,
    GraphSymmetry, HyperX, Hypercube, Mesh, PermuteMethod, PolarFly, Quadrangle, RandomRegular,
    ShortcutReach, SlimFly, SpectralFly, StarGraph, Supernode, Torus, Xpander,
};
use fabc::units::Decimal;

/// One of each family, small.
pub(super) fn samples() -> Vec<Family> {
    let mut samples = formula_samples();
    samples.extend(clos::samples());
    samples.extend(boxes::samples());
    samples.extend(level_samples());
    samples.extend(drawn_samples());
    samples.extend(list_samples());
    samples
}

/// Families whose wiring is a formula.
fn formula_samples() -> Vec<Family> {
    vec![
        Family::Torus(Torus(vec![4, 2, 3])),
        Family::Torus(Torus(vec![2, 1, 5])),
        Family::Mesh(Mesh(vec![3, 4])),
        Family::HyperX(HyperX(vec![3, 4, 2])),
        dragonfly(4, 2, 9, Arrangement::Palmtree),
        dragonfly(4, 2, 9, Arrangement::Consecutive),
        dragonfly(4, 2, 9, Arrangement::Fold),
        dragonfly(4, 2, 5, Arrangement::Palmtree),
        dragonfly(3, 3, 5, Arrangement::Consecutive),
        dragonfly(4, 4, 7, Arrangement::Fold),
        dragonfly(4, 2, 2, Arrangement::Palmtree),
        Family::FatTree(FatTree { levels: 3, arity: 3 }),
        Family::FatTree(FatTree { levels: 2, arity: 4 }),
        Family::Hypercube(Hypercube { dimensions: 3, folded: false }),
        Family::Hypercube(Hypercube { dimensions: 3, folded: true }),
        Family::Hypercube(Hypercube { dimensions: 2, folded: true }),
        polarstar(2, Supernode::Iq, 0),
        polarstar(2, Supernode::Iq, 3),
        polarstar(3, Supernode::Paley, 2),
        polarstar(2, Supernode::Complete, 2),
        Family::PolarFly(PolarFly { q: 4, copies: 0 }),
        Family::PolarFly(PolarFly { q: 4, copies: 1 }),
        Family::Delorme(Delorme { q: 2, copies: 0 }),
        Family::Delorme(Delorme { q: 2, copies: 2 }),
        pairs(Quadrangle::Symplectic, 2, 1),
        pairs(Quadrangle::Hyperoval, 2, 0),
        Family::StarGraph(StarGraph { symbols: 4 }),
        Family::Cayley(Cayley { m: 7, n: 3, r: 2, generators: vec![1, 7] }),
        Family::SlimFly(SlimFly { q: 3 }),
        Family::SlimFly(SlimFly { q: 4 }),
        Family::SlimFly(SlimFly { q: 5 }),
        Family::Bundlefly(Bundlefly { q: 3, p: 5 }),
        Family::SpectralFly(SpectralFly { rho: 3, q: 5 }),
        Family::SpectralFly(SpectralFly { rho: 5, q: 7 }),
    ]
}

/// Groups of groups, megaflies and generalized Kautz graphs.
fn level_samples() -> Vec<Family> {
    vec![
        levels::nested(&[level(4, 1, 3)]),
        levels::nested(&[level(3, 2, 4)]),
        levels::nested(&[level(4, 1, 3), level(5, 2, 2).arranged(Arrangement::Consecutive)]),
        levels::nested(&[
            level(3, 1, 2),
            level(4, 1, 2).arranged(Arrangement::Consecutive).spare(),
            level(5, 1, 2).arranged(Arrangement::Fold),
        ]),
        levels::nested(&[
            level(2, 2, 2),
            level(3, 1, 2).arranged(Arrangement::Fold),
            level(3, 4, 2).arranged(Arrangement::Fold),
        ]),
        levels::nested(&[
            level(3, 1, 2),
            level(3, 1, 1),
            level(4, 2, 1).arranged(Arrangement::Consecutive).spare(),
        ]),
        megafly(4, 2, Arrangement::Palmtree),
        megafly(4, 2, Arrangement::Fold),
        megafly(6, 1, Arrangement::Consecutive),
        Family::GenKautz(GenKautz { degree: 3, routers: 10, arcs: Arcs::Simplex }),
        Family::GenKautz(GenKautz { degree: 3, routers: 11, arcs: Arcs::Duplex }),
    ]
}

/// Families that are drawn or searched.
fn drawn_samples() -> Vec<Family> {
    vec![
        Family::Xpander(Xpander { degree: 4, lift: 4, draw: Draw { seed: 1, attempts: 100, draws: 1 } }),
        Family::RandomRegular(RandomRegular {
            routers: 14,
            degree: 3,
            draw: Draw { seed: 1, attempts: 100, draws: 1 },
        }),
        random::permuted(Family::Torus(Torus(vec![4, 6])), PermuteMethod::Partial),
        random::permuted(Family::Torus(Torus(vec![4, 8])), PermuteMethod::Full),
        random::ring(14, 3, ShortcutReach::Any, 1),
        random::ring(13, 3, ShortcutReach::Normal(Decimal::ratio(1, 2).expect("a number")), 1),
        random::ring(18, 3, ShortcutReach::Within(Decimal::ratio(3, 5).expect("a number")), 1),
        Family::Synthesized(FreeGraph {
            routers: 12,
            degree: 3,
            arcs: Arcs::Simplex,
            effort: 1,
            seed: 1,
            cable: None,
            symmetry: GraphSymmetry::None,
        }),
        Family::Synthesized(FreeGraph {
            routers: 12,
            degree: 3,
            arcs: Arcs::Duplex,
            effort: 1,
            seed: 1,
            cable: None,
            symmetry: GraphSymmetry::None,
        }),
    ]
}

/// Kautz graphs, and lists of links.
fn list_samples() -> Vec<Family> {
    let ring: Vec<[u32; 2]> = (0..7).map(|router| [router, (router + 1) % 7]).collect();
    vec![
        kautz(2, 3, Arcs::Simplex),
        kautz(3, 2, Arcs::Duplex),
        kautz(3, 1, Arcs::Duplex),
        Family::DeBruijn(DeBruijn { degree: 2, length: 3, arcs: Arcs::Simplex }),
        Family::DeBruijn(DeBruijn { degree: 3, length: 2, arcs: Arcs::Duplex }),
        Family::Listed(listed(7, &ring, Arcs::Simplex)),
        Family::Listed(listed(7, &ring, Arcs::Duplex)),
        Family::Listed(listed(4, &[[0, 1], [3, 0], [1, 0], [2, 1]], Arcs::Duplex)),
    ]
}
