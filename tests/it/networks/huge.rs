//! Networks that are too large to be wired: formulas against whole networks where those are small, and the
//! sampled check, which convicts formulas and neighbors that are wrong.

use super::{delorme, dragonfly, histograms, kautz, megafly, pairs, polarstar, roomy, successors, wired};
use fabc::check::{self, Sampled};
use fabc::compile::{Stage, check_early, compile, describe};
use fabc::diag::Failure;
use fabc::emit;
use fabc::model::{
    Arcs, Arrangement, Bundlefly, Cayley, ClosedForm, DeBruijn, Dragonfly, Fabric, Family, Farthest, FatTree,
    HyperX, Hypercube, Mesh, Network, Plant, PolarFly, Quadrangle, ReachedFrom, SlimFly, StarGraph,
    Supernode, Torus,
};
use fabc::passes::wire;
use fabc::progress::Silent;
use fabc::verify;

/// Small ones of every family that formulas describe, the odd cases among them.
fn described() -> Vec<Family> {
    let mut families = vec![
        Family::Torus(Torus(vec![4, 2, 3])),
        Family::Torus(Torus(vec![2, 1, 5])),
        Family::Torus(Torus(vec![7])),
        Family::Mesh(Mesh(vec![3, 4])),
        Family::Mesh(Mesh(vec![2, 1, 5])),
        Family::HyperX(HyperX(vec![3, 4, 2])),
        Family::HyperX(HyperX(vec![1, 6])),
        Family::FatTree(FatTree { levels: 2, arity: 4 }),
        Family::FatTree(FatTree { levels: 3, arity: 3 }),
        Family::FatTree(FatTree { levels: 4, arity: 2 }),
    ];
    families.extend(super::clos::samples());
    for dimensions in 2..=7 {
        families.extend([false, true].map(|folded| Family::Hypercube(Hypercube { dimensions, folded })));
    }
    families.extend([2, 3, 4, 5, 7, 8, 9].map(|q| Family::PolarFly(PolarFly { q, copies: 0 })));
    families.extend([2, 4, 8].map(|q| Family::PolarFly(PolarFly { q, copies: 1 })));
    families.extend([(2, 0), (2, 1), (2, 5), (8, 0), (8, 2)].map(|(q, copies)| delorme(q, copies)));
    for copies in [0, 1, 3] {
        families.push(pairs(Quadrangle::Symplectic, 2, copies));
        families.push(pairs(Quadrangle::Hyperoval, 2, copies));
    }
    families.extend([0, 1].map(|copies| pairs(Quadrangle::Symplectic, 3, copies)));
    families.extend([0, 2].map(|copies| pairs(Quadrangle::Hermitian, 2, copies)));
    families.extend([0, 2].map(|copies| pairs(Quadrangle::AhrensSzekeres, 3, copies)));
    families.extend([3, 4, 5, 6].map(|symbols| Family::StarGraph(StarGraph { symbols })));
    families.extend(
        [
            (23, 11, 2, vec![143, 148, 218, 243]),
            (7, 3, 2, vec![1, 7]),
            (5, 1, 1, vec![1]),
            (4, 2, 3, vec![4, 5]),
        ]
        .map(|(m, n, r, generators)| Family::Cayley(Cayley { m, n, r, generators })),
    );
    for (degree, length) in [(2, 2), (2, 3), (2, 6), (3, 2), (3, 3), (4, 3)] {
        families.extend(
            [Arcs::Simplex, Arcs::Duplex].map(|arcs| Family::DeBruijn(DeBruijn { degree, length, arcs })),
        );
    }
    families.extend([3, 4, 5, 7, 8, 9, 11, 13].map(|q| Family::SlimFly(SlimFly { q })));
    families.extend(
        [(3, 5), (4, 5), (5, 5), (4, 9), (5, 13)].map(|(q, p)| Family::Bundlefly(Bundlefly { q, p })),
    );
    for q in [2, 3, 4, 5, 7] {
        families.extend([0, 3, 4, 7, 8].map(|degree| polarstar(q, Supernode::Iq, degree)));
        families.extend([2, 4, 6].map(|degree| polarstar(q, Supernode::Paley, degree)));
        families.extend([0, 1, 2, 5].map(|degree| polarstar(q, Supernode::Complete, degree)));
    }
    for arrangement in [Arrangement::Palmtree, Arrangement::Consecutive, Arrangement::Fold] {
        families.extend(
            [(4, 2, 9), (8, 4, 33), (4, 4, 7), (4, 2, 5), (3, 2, 3)]
                .map(|(a, h, g)| dragonfly(a, h, g, arrangement)),
        );
        families.extend([(4, 2), (8, 4), (2, 2), (6, 4)].map(|(a, rho)| megafly(a, rho, arrangement)));
    }
    families.extend(
        [(3, 3, 5), (4, 2, 2), (1, 3, 4), (2, 1, 2), (5, 1, 6)]
            .map(|(a, h, g)| dragonfly(a, h, g, Arrangement::Palmtree)),
    );
    families.push(Family::Dragonfly(Dragonfly {
        a: 4,
        h: 2,
        g: 9,
        arrangement: Arrangement::Palmtree,
        spare: true,
    }));
    for (degree, length) in [(2, 1), (2, 2), (2, 5), (3, 1), (3, 2), (3, 4), (4, 3)] {
        families.extend([Arcs::Simplex, Arcs::Duplex].map(|arcs| kautz(degree, length, arcs)));
    }
    families
}

fn network(fabric: &Fabric) -> &Network {
    let Plant::Network(network) = &fabric.plant else { panic!("a network") };
    network
}

#[test]
fn formulas_are_those_of_whole_networks() {
    for family in described() {
        let fabric = roomy(family);
        let family = &network(&fabric).family;
        let form = family.closed_form().unwrap_or_else(|| panic!("{family:?}"));
        let topology = wired(&fabric);
        let degrees: Vec<u32> =
            topology.nodes().map(|node| topology.channels_from(node).count() as u32).collect();
        assert_eq!(form.routers, topology.node_count() as u64, "{family:?}");
        assert_eq!(form.endpoints, topology.endpoints().count() as u64, "{family:?}");
        assert_eq!(form.links, topology.links().len() as u64, "{family:?}");
        let degree_range = [degrees.iter().min(), degrees.iter().max()].map(|degree| *degree.unwrap());
        assert_eq!(form.degrees, degree_range, "{family:?}");
        let [all, mut endpoints] = histograms(&topology);
        for (farthest, reached) in
            [(form.router_diameter, all.len() as u32 - 1), (form.diameter, endpoints.len() as u32 - 1)]
        {
            assert!(
                if farthest.is_exact() { farthest.hops == reached } else { farthest.hops >= reached },
                "{family:?}: {farthest:?}, {reached}"
            );
        }
        if let Some(layers) = &form.layers {
            endpoints[0] = 0;
            assert_eq!(*layers, endpoints, "{family:?}");
        }
    }
}

#[test]
fn neighbors_are_those_of_whole_networks() {
    for family in described() {
        let fabric = roomy(family);
        let neighbors = wire::neighbors(network(&fabric)).expect("described");
        let mut names = Vec::new();
        for (router, mut wired) in (0..).zip(successors(&wired(&fabric))) {
            names.clear();
            neighbors(router, &mut names);
            names.sort_unstable();
            wired.sort_unstable();
            assert_eq!(names, wired, "{:?}: router {router}", network(&fabric).family);
        }
    }
}

#[test]
fn families_are_described_or_not() {
    for family in super::samples::samples() {
        let fabric = roomy(family);
        let family = &network(&fabric).family;
        // Boxes have the word of the network that joins them, but no formulas.
        let is = Family::DESCRIBED.contains(&family.name()) && !matches!(family, Family::Boxes(_));
        assert_eq!(family.closed_form().is_some(), is, "{family:?}");
        assert_eq!(wire::neighbors(network(&fabric)).is_some(), is, "{family:?}");
    }
}

/// The sampled check of a network with these formulas and neighbors.
fn checked(
    family: &Family,
    form: &ClosedForm,
    change: &(dyn Fn(u32, &mut Vec<u32>) + Sync),
) -> Result<Sampled, String> {
    let fabric = roomy(family.clone());
    let neighbors = wire::neighbors(network(&fabric)).expect("described");
    let changed = |router: u32, list: &mut Vec<u32>| {
        neighbors(router, list);
        change(router, list);
    };
    check::verify_sample(network(&fabric), form, &changed).map_err(|error| error.to_string())
}

#[test]
fn the_sample_agrees_with_formulas() {
    for family in described() {
        let form = family.closed_form().unwrap();
        let sampled =
            checked(&family, &form, &|_, _| {}).unwrap_or_else(|error| panic!("{family:?}: {error}"));
        assert_eq!(sampled.routers, form.routers.min(64), "{family:?}");
        assert!(sampled.searches.len() as u64 >= form.routers.min(2));
    }
}

#[test]
fn wrong_formulas_are_convicted() {
    for family in described() {
        let form = family.closed_form().unwrap();
        let convicted = |change_name: &str, change: &dyn Fn(&mut ClosedForm)| {
            let mut changed = form.clone();
            change(&mut changed);
            assert!(checked(&family, &changed, &|_, _| {}).is_err(), "{family:?}: {change_name}");
        };
        convicted("routers", &|form| form.routers += 1);
        convicted("endpoints", &|form| form.endpoints -= 1);
        convicted("links", &|form| form.links += 1);
        convicted("fewest", &|form| form.degrees[0] -= 1);
        convicted("most", &|form| form.degrees[1] += 1);
        // The claimed distance is one hop less than the true one, and one more.
        if form.router_diameter.is_exact() {
            convicted("nearer", &|form| form.router_diameter.hops -= 1);
        }
        if let ReachedFrom::Everywhere | ReachedFrom::From(_) = form.diameter.reached {
            convicted("farther", &|form| form.diameter.hops += 1);
        }
        if form.layers.is_some() {
            convicted("pairs", &|form| *form.layers.as_mut().unwrap().last_mut().unwrap() += 1);
        }
        if form.alike && form.diameter.hops > 1 {
            let moved = |form: &mut ClosedForm| {
                let layers = form.layers.as_mut().unwrap();
                let last = layers.len() - 1;
                (layers[last], layers[last - 1]) = (layers[last] - 1, layers[last - 1] + 1);
            };
            convicted("layers", &moved);
        }
    }
}

#[test]
fn wrong_neighbors_are_convicted() {
    for family in described() {
        let form = family.closed_form().unwrap();
        let routers = form.routers as u32;
        let convicted = |what: &str, change: &(dyn Fn(u32, &mut Vec<u32>) + Sync)| {
            assert!(checked(&family, &form, change).is_err(), "{family:?}: {what}");
        };
        convicted("one less", &|_, neighbors| _ = neighbors.pop());
        convicted("one twice", &|_, neighbors| neighbors.push(neighbors[0]));
        convicted("one twice for another", &|_, neighbors| {
            let last = neighbors.len() - 1;
            if last > 0 { neighbors[last] = neighbors[0] } else { neighbors.clear() }
        });
        convicted("itself", &|router, neighbors| neighbors[0] = router);
        convicted("nobody", &|_, neighbors| neighbors[0] = routers);
        // At the last router alone, which is in every sample.
        convicted("one less at the last", &|router, neighbors| {
            if router + 1 == routers {
                neighbors.truncate(neighbors.len() - 1)
            }
        });
    }
}

const RADIX_128: &str =
    "fabric huge { link near { bandwidth = 100 Gbps; latency = 10 ns; } link far { bandwidth = 100 Gbps; latency = 20 ns; }
    router { radix = 160; hosts = 32; vcs = 4; } topology = polarstar { radix = 128; routers = largest; local = near; global = far; }
    require diameter <= 3; require routers == 627570; require average_hops < 3; require injection >= 0.0001; require links < 40; }";

fn loaded(text: &str) -> Fabric {
    let loader = |path: &str| if path == "huge.fab" { Ok(text.to_owned()) } else { Err(path.to_owned()) };
    fabc::lang::read_normal("huge.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{failure:?}")).0
}

#[test]
fn the_largest_polarstar_of_radix_128_is_described() {
    let fabric = loaded(RADIX_128);
    assert!(fabric.is_too_large());
    let described = describe(&fabric).unwrap_or_else(|failure| panic!("{failure:?}")).expect("formulas");
    let form = &described.form;
    assert_eq!((form.routers, form.links, form.degrees), (627_570, 627_570 * 64, [128, 128]));
    assert_eq!(form.diameter, Farthest { hops: 3, reached: ReachedFrom::Everywhere });
    assert_eq!(form.moore_bound(false), Some(2_080_897));
    let sampled = &described.sampled;
    assert_eq!(sampled.routers, 64);
    assert!(sampled.scanned >= 16 && sampled.searches.len() >= 8, "{sampled:?}");
    assert!(sampled.searches.iter().all(|search| search.hops == 3));
    let outcomes: Vec<(String, Option<bool>)> =
        described.requires.iter().map(|outcome| (outcome.require.metric_text(), outcome.holds())).collect();
    let expected = [
        ("average_hops", Some(true)),
        ("diameter", Some(true)),
        ("injection", None),
        ("links", Some(false)),
        ("routers", Some(true)),
    ];
    let mut results: Vec<(&str, Option<bool>)> =
        outcomes.iter().map(|(name, holds)| (name.as_str(), *holds)).collect();
    results.sort();
    assert_eq!(results, expected);
    // The text says what is a formula, what a sample, and what is left open.
    let text = emit::described_text(&fabric, &described);
    for line in [
        "described by formulas and looked at in a sample, not built",
        "routers       627,570, all with hosts: 20,082,240",
        "Moore bound   2,080,897 routers of degree 128 and diameter 3; these are 30.1 % of it",
        "average hops  2.976634 (distances of all 393,843,477,330 ordered pairs: 1,172,327,804,558)",
        "SAMPLED CHECK   seed 1; what was not looked at is not checked",
        "the farthest router is 3 hops away",
        "injection >= 0.0001             not decided: no formula says it",
        "links < 40                      BROKEN",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    // Nothing builds it, and no directory can hold it.
    let errors = verify::directory(&check::Files::new(), &fabric, "").expect_err("nothing is built");
    assert!(errors[0].to_string().contains("more than are ever built"), "{errors:?}");
    assert!(matches!(check_early(&fabric, Stage::Analyze), Err(Failure::Infeasible(_))));
    assert!(matches!(compile(fabric, Stage::Analyze, &Silent), Err(Failure::Infeasible(_))));
}

#[test]
fn whatever_is_larger_than_can_be_built_is_described() {
    let largest_of = |topology: &str, radix: u32| {
        let semicolon = if topology.ends_with('}') { "" } else { ";" };
        loaded(&format!(
            "fabric huge {{ link wire {{ bandwidth = 100 Gbps; latency = 10 ns; }} router {{ radix = {radix}; hosts = 1; vcs = 4; }}
            topology = {topology}{semicolon} }}"
        ))
    };
    for (topology, radix) in [
        ("torus 64 x 64 x 32", 7),
        ("mesh 256 x 257", 5),
        ("hyperx 44 x 44 x 43", 130),
        ("hypercube { dimensions = 17; }", 18),
        ("folded_hypercube { dimensions = 18; }", 20),
        ("polarfly { q = 257; }", 259),
        ("quadrangle_pairs { quadrangle = symplectic; q = 7; }", 65),
        ("quadrangle_pairs { quadrangle = hyperoval; q = 8; copies = 1; }", 82),
        ("quadrangle_pairs { quadrangle = ahrens_szekeres; q = 7; }", 64),
        ("network { radix = 128; diameter = 3; routers = largest; }", 129),
        ("star_graph { symbols = 9; }", 9),
        ("de_bruijn { degree = 3; length = 11; arcs = duplex; }", 7),
        ("slim_fly { q = 211; }", 320),
        ("bundlefly { radix = 96; routers = largest; }", 97),
        ("dragonfly { radix = 96; routers = largest; }", 97),
        ("megafly { a = 64; rho = 34; }", 67),
        ("fat_tree { levels = 4; arity = 32; }", 65),
        ("kautz { degree = 4; length = 8; }", 5),
        ("kautz { degree = 4; length = 8; arcs = duplex; }", 9),
    ] {
        let fabric = largest_of(topology, radix);
        assert!(fabric.is_too_large(), "{topology}: {}", fabric.node_count());
        let described =
            describe(&fabric).unwrap_or_else(|failure| panic!("{topology}: {failure:?}")).expect("formulas");
        assert_eq!(described.form.routers, fabric.node_count() as u64);
    }
}
