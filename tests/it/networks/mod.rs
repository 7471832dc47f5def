//! Networks: they are wired as the literature says, and a changed wiring is an error.
//!
//! Known answers stand in `tests/data/known_answers.csv`. Distances come from the search of this test.

mod boxes;
pub(crate) mod builds;
mod clos;
mod designs;
mod drawn;
mod ecmp;
mod facts;
mod formulas;
mod grouped;
mod host_halves;
mod huge;
mod lanes;
mod largest_page;
mod levels;
mod lists;
mod ordered;
mod random;
mod rests;
mod rewired;
mod samples;
mod scheduled;
mod seeds;
mod sends;
mod spray;
mod symmetric;
mod tight;
mod weights;

use fabc::check;
use fabc::compile::candidates;
use fabc::diag::Span;
use fabc::ids::{Id, LinkTypeId, NodeId};
use fabc::ir::{Link, LinkClass, Topology};
use fabc::model::{
    AllowedTurns, Arcs, Arrangement, Budget, Bundlefly, Capacities, Cayley, DeBruijn, Delorme, Demand,
    DemandComponent, Dragonfly, Fabric, Family, FatTree, Faults, GenKautz, HyperX, Hypercube, Kautz,
    LinkType, Listed, ListedLink, ListedRouter, Megafly, Mesh, Network, Plant, PolarFly, PolarStar,
    Quadrangle, QuadranglePairs, Router, RoutingChoice, SlimFly, SpectralFly, StarGraph, Supernode, Torus,
};
use fixedbitset::FixedBitSet;
use levels::level;
use rayon::prelude::*;
use samples::samples;
use std::collections::BTreeMap;

/// Local links have type 0, global ones type 1.
const LOCAL: LinkTypeId = LinkTypeId(0);
const GLOBAL: LinkTypeId = LinkTypeId(1);

/// A fabric of this family, with so many hosts at a router and so many ports.
fn fabric(family: Family, hosts: u16, radix: u32) -> Fabric {
    let span = Span::default();
    let link = |name: &str| LinkType {
        name: name.to_owned(),
        bandwidth_bps: 100_000_000_000,
        latency_cycles: 20,
        per_metre_ps: 0,
        cost: [0, 0],
        power_mw: 0,
        optics: None,
        span,
    };
    let routers = family.router_count();
    Fabric {
        name: "network".to_owned(),
        clock_hz: 1_000_000_000,
        link_types: vec![link("local"), link("global")].into(),
        router: Router {
            radix,
            hosts,
            vcs: 4,
            flit_bytes: 64,
            buffer_flits: 64,
            latency_cycles: 20,
            cost: 0,
            power_mw: 0,
            arithmetic: Default::default(),
            host_link: None,
            span,
        },
        plant: Plant::Network(Network {
            family,
            local: LOCAL,
            global: GLOBAL,
            failures: None,
            tier_kinds: Vec::new(),
            span,
        }),
        floor: None,
        budget: Budget {
            vcs: 4,
            faults: Faults::Ocses(0),
            table_entries: None,
            vcs_span: span,
            faults_span: span,
            entries_span: span,
        },
        demand: Demand::uniform(routers),
        routing: RoutingChoice::AllowedTurns(AllowedTurns::default()),
        relays: 0,
        routing_span: span,
        simulations: Vec::new(),
        collectives: Vec::new(),
        jobs: Vec::new(),
        searched_for: Vec::new(),
        addresses: None,
        hosts: None,
        losses: None,
        slices: fabc::model::Slices::default(),
        requires: Vec::new(),
        capacities: Capacities::new(
            &[Some(100_000_000_000), Some(100_000_000_000)],
            fabc::limits::CAPACITY_PARTS,
        )
        .unwrap(),
        span,
    }
}

/// A fabric with ports for whatever its family needs.
fn roomy(family: Family) -> Fabric {
    fabric(family, 1, 4096)
}

fn wired(fabric: &Fabric) -> Topology {
    let Plant::Network(network) = &fabric.plant else { unreachable!("the builder makes networks") };
    candidates(fabric, network).expect("a draw").swap_remove(0)
}

fn dragonfly(a: u32, h: u32, g: u32, arrangement: Arrangement) -> Family {
    Family::Dragonfly(Dragonfly { a, h, g, arrangement, spare: false })
}

fn megafly(a: u32, rho: u32, arrangement: Arrangement) -> Family {
    Family::Megafly(Megafly { a, rho, arrangement })
}

fn delorme(q: u32, copies: u32) -> Family {
    Family::Delorme(Delorme { q, copies })
}

fn pairs(quadrangle: Quadrangle, q: u32, copies: u32) -> Family {
    Family::QuadranglePairs(QuadranglePairs { quadrangle, q, copies })
}

fn polarstar(q: u32, supernode: Supernode, degree: u32) -> Family {
    Family::PolarStar(PolarStar { q, supernode, degree })
}

fn kautz(degree: u32, length: u32, arcs: Arcs) -> Family {
    Family::Kautz(Kautz { degree, length, arcs })
}

/// A graph of so many routers with these links of the local type, and no ports of its own.
fn listed(routers: u32, links: &[[u32; 2]], arcs: Arcs) -> Listed {
    let router = |id: u32| ListedRouter { name: format!("r{id}"), hosts: None };
    let link = |&ends: &[u32; 2]| ListedLink { ends, link: LOCAL, ports: [None, None] };
    Listed {
        path: "lab.txt".to_owned(),
        text: String::new(),
        routers: (0..routers).map(router).collect(),
        links: links.iter().map(link).collect(),
        arcs,
    }
}

/// The numbers in a text such as `a=4 h=2 g=9 palmtree` or `4x4x2`.
fn numbers(text: &str) -> Vec<u32> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

/// The family of a row of the known answers.
fn family_of(row: &BTreeMap<&str, &str>) -> Family {
    let (name, parameters) = (row["family"], row["parameters"]);
    let of_dragonfly = |a, h, g| {
        let arrangement = match parameters.split(' ').next_back() {
            Some("palmtree") => Arrangement::Palmtree,
            Some("consecutive") => Arrangement::Consecutive,
            Some("fold") => Arrangement::Fold,
            other => panic!("no arrangement: {other:?}"),
        };
        dragonfly(a, h, g, arrangement)
    };
    match (name, numbers(parameters).as_slice()) {
        ("tsp-10440", _) => levels::racks(),
        ("dragonfly" | "tsp-264", &[a, h, g]) => of_dragonfly(a, h, g),
        ("table3", &[a, h]) if parameters.starts_with("DF") => of_dragonfly(a, h, a * h + 1),
        ("hyperx", sides) => Family::HyperX(HyperX(sides.to_vec())),
        ("table3", sides) if parameters.starts_with("HX") => Family::HyperX(HyperX(sides.to_vec())),
        ("complete", &[routers]) => Family::HyperX(HyperX(vec![routers])),
        ("torus", sides) => Family::Torus(Torus(sides.to_vec())),
        ("mesh", sides) => Family::Mesh(Mesh(sides.to_vec())),
        ("table3", &[levels, arity]) if parameters.starts_with("FT") => {
            Family::FatTree(FatTree { levels, arity })
        }
        ("fattree3", &[arity, ..]) => Family::FatTree(FatTree { levels: 3, arity }),
        ("hypercube", &[dimensions]) => Family::Hypercube(Hypercube { dimensions, folded: false }),
        ("folded-hypercube", &[dimensions]) => Family::Hypercube(Hypercube { dimensions, folded: true }),
        ("polarfly", &[q]) => Family::PolarFly(PolarFly { q, copies: 0 }),
        ("slimfly", &[q]) => Family::SlimFly(SlimFly { q }),
        ("bundlefly", &[q, p]) => Family::Bundlefly(Bundlefly { q, p }),
        ("table3", &[q, p]) if parameters.starts_with("BF") => Family::Bundlefly(Bundlefly { q, p }),
        ("spectralfly", &[rho, q]) => Family::SpectralFly(SpectralFly { rho, q }),
        ("table3", &[rho, q, ..]) if parameters.starts_with("SF") => {
            Family::SpectralFly(SpectralFly { rho, q })
        }
        ("megafly", &[rho, a]) => megafly(a, rho, Arrangement::Consecutive),
        ("table3", &[rho, a]) if parameters.starts_with("MF") => megafly(a, rho, Arrangement::Consecutive),
        ("polarstar-iq", &[q, degree] | &[_, q, degree]) => polarstar(q, Supernode::Iq, degree),
        ("polarstar-paley", &[_, q, degree] | &[q, degree, ..]) => polarstar(q, Supernode::Paley, degree),
        ("table3", &[q, degree]) if parameters.starts_with("PS-IQ") => polarstar(q, Supernode::Iq, degree),
        ("table3", &[q, degree]) if parameters.starts_with("PS-Pal") => {
            polarstar(q, Supernode::Paley, degree)
        }
        ("genkautz", &[degree, routers]) => {
            Family::GenKautz(GenKautz { degree, routers, arcs: Arcs::Simplex })
        }
        ("kautz", &[degree, length]) => kautz(degree, length, Arcs::Simplex),
        ("kautz-undirected", &[degree, length]) => kautz(degree, length, Arcs::Duplex),
        ("polarfly", &[q, copies]) => Family::PolarFly(PolarFly { q, copies }),
        ("delorme", &[q, copies]) => delorme(q, copies),
        ("pairs-symplectic", &[q, copies]) => pairs(Quadrangle::Symplectic, q, copies),
        ("pairs-hermitian", &[q, copies]) => pairs(Quadrangle::Hermitian, q, copies),
        ("pairs-hyperoval", &[q, copies]) => pairs(Quadrangle::Hyperoval, q, copies),
        ("pairs-ahrens_szekeres", &[q, copies]) => pairs(Quadrangle::AhrensSzekeres, q, copies),
        ("star_graph", &[symbols]) => Family::StarGraph(StarGraph { symbols }),
        ("cayley", &[m, n, r]) => Family::Cayley(Cayley { m, n, r, generators: vec![143, 148, 218, 243] }),
        ("debruijn", &[degree, length]) => {
            let arcs = if parameters.ends_with(" directed") { Arcs::Simplex } else { Arcs::Duplex };
            Family::DeBruijn(DeBruijn { degree, length, arcs })
        }
        _ => panic!("{name} {parameters}"),
    }
}

/// `[router]`: where its channels lead.
fn successors(topology: &Topology) -> Vec<Vec<u32>> {
    topology
        .nodes()
        .map(|node| topology.channels_from(node).map(|channel| topology.target(channel).node.0).collect())
        .collect()
}

/// Ordered pairs by distance, over all routers and over those with hosts. The sets of routers within so many
/// hops grow by a hop at a time.
fn histograms(topology: &Topology) -> [Vec<u64>; 2] {
    let (successors, routers) = (successors(topology), topology.node_count());
    let endpoints: FixedBitSet =
        topology.nodes().filter(|&node| topology.is_endpoint(node)).map(|node| node.index()).collect();
    let mut within: Vec<FixedBitSet> = (0..routers).map(|node| FixedBitSet::from_iter([node])).collect();
    let mut histograms = [Vec::new(), Vec::new()];
    let mut counted = [0, 0];
    while counted[0] < (routers * routers) as u64 {
        let all = within.iter().map(|set| set.count_ones(..) as u64).sum();
        let between_endpoints =
            endpoints.ones().map(|node| within[node].intersection_count(&endpoints) as u64).sum();
        assert!(all > counted[0], "a router is not reached");
        for (histogram, (now, before)) in
            histograms.iter_mut().zip([all, between_endpoints].into_iter().zip(counted))
        {
            histogram.push(now - before);
        }
        counted = [all, between_endpoints];
        let one_hop_more = |node: usize| {
            let mut set = within[node].clone();
            successors[node].iter().for_each(|&to| set.union_with(&within[to as usize]));
            set
        };
        within = (0..routers).into_par_iter().map(one_hop_more).collect();
    }
    histograms.map(|mut histogram| {
        histogram.truncate(histogram.iter().rposition(|&pairs| pairs > 0).map_or(0, |last| last + 1));
        histogram
    })
}

/// The sum of distances, and their mean over ordered pairs of distinct routers to six digits.
fn sum_and_mean(histogram: &[u64]) -> (u64, String) {
    let sum: u64 = histogram.iter().enumerate().map(|(hops, pairs)| hops as u64 * pairs).sum();
    let pairs: u64 = histogram[1..].iter().sum();
    (sum, format!("{:.6}", sum as f64 / pairs as f64))
}

fn degree(topology: &Topology, node: NodeId) -> usize {
    topology.channels_from(node).count()
}

/// Links beyond the first between two routers (of simplex links: in the same direction).
fn parallel_links(topology: &Topology) -> usize {
    let pair = |link: &Link| (link.a.node, link.b.node);
    let pairs: std::collections::BTreeSet<_> = topology.links().iter().map(pair).collect();
    topology.links().len() - pairs.len()
}

#[test]
fn the_answers_of_the_literature_come_out() {
    let text = include_str!("../../data/known_answers.csv");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let columns: Vec<&str> = lines.next().expect("the columns").split(',').collect();
    let mut compared = 0;
    for line in lines {
        let row: BTreeMap<&str, &str> = columns.iter().copied().zip(line.split(',')).collect();
        let fabric = roomy(family_of(&row));
        let topology = wired(&fabric);
        if let Err(error) = check::verify_wiring(&fabric, &topology, None) {
            panic!("{line}: {error}");
        }
        let [all, endpoints] = histograms(&topology);
        let degrees: Vec<usize> = topology.nodes().map(|node| degree(&topology, node)).collect();
        let inputs = topology.nodes().map(|node| topology.channels_into(node).count());
        assert!(inputs.eq(degrees.iter().copied()), "{line}");
        let (sum, mean) = sum_and_mean(&all);
        let joined = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(";");
        let mut facts = vec![
            ("routers", topology.node_count().to_string()),
            ("degree_min", degrees.iter().min().expect("a router").to_string()),
            ("degree_max", degrees.iter().max().expect("a router").to_string()),
            ("diameter", (all.len() - 1).to_string()),
            ("avg_hops", mean),
            ("links", topology.links().len().to_string()),
            ("parallel_links", parallel_links(&topology).to_string()),
            ("dist_sum_ordered", sum.to_string()),
            ("hist_ordered", joined(&all)),
        ];
        if !row["diameter_ep"].is_empty() {
            facts.push(("diameter_ep", (endpoints.len() - 1).to_string()));
            facts.push(("avg_hops_ep", sum_and_mean(&endpoints).1));
        }
        for (column, value) in facts {
            assert_eq!(row[column], value, "{column} of {line}");
        }
        compared += 1;
    }
    assert!(compared >= 230, "{compared} rows");
}

fn conviction(fabric: &Fabric, topology: &Topology) -> String {
    match check::verify_wiring(fabric, topology, None) {
        Ok(_) => panic!("{:?} is let through", fabric.plant),
        Err(error) => error.to_string(),
    }
}

#[test]
fn samples_are_what_their_parameters_say() {
    for family in samples() {
        let fabric = roomy(family);
        if let Err(error) = check::verify_wiring(&fabric, &wired(&fabric), None) {
            panic!("{:?}: {error}", fabric.plant);
        }
    }
}

#[test]
fn hosts_take_ports_of_the_router() {
    let family = || dragonfly(4, 2, 9, Arrangement::Palmtree);
    let fits = fabric(family(), 2, 7);
    check::verify_wiring(&fits, &wired(&fits), None).expect("5 ports and 2 hosts");
    let tight = fabric(family(), 3, 7);
    let message = conviction(&tight, &wired(&tight));
    assert!(message.contains("group0[0] uses 5 ports + 3 hosts, but a router has 7"), "{message}");
    // An endpoint inside the router takes none, and yet it sends.
    let inside = fabric(family(), 0, 5);
    let topology = wired(&inside);
    check::verify_wiring(&inside, &topology, None).expect("5 ports");
    assert!(topology.nodes().all(|node| topology.hosts(node) == 1));
    // Spines have no hosts: 2 p ports in the middle of a tree, p ports and the hosts at its leaves.
    let tree = fabric(Family::FatTree(FatTree { levels: 3, arity: 4 }), 4, 8);
    check::verify_wiring(&tree, &wired(&tree), None).expect("4 + 4 ports, at the leaves 4 and 4 hosts");
    // Outputs and inputs of single channels count apart.
    let directed = fabric(kautz(4, 2, Arcs::Simplex), 0, 4);
    check::verify_wiring(&directed, &wired(&directed), None).expect("4 out, 4 in");
}

#[test]
fn rotations_of_groups_keep_every_port() {
    for arrangement in [Arrangement::Palmtree, Arrangement::Consecutive, Arrangement::Fold] {
        for (a, h, g) in [(4, 2, 9), (4, 2, 5), (8, 4, 33), (4, 4, 7), (2, 2, 3), (6, 2, 13), (1, 4, 5)] {
            let fabric = roomy(dragonfly(a, h, g, arrangement));
            let topology = wired(&fabric);
            check::verify_wiring(&fabric, &topology, None).expect("rotations keep ports");
            let order = if arrangement == Arrangement::Consecutive { 1 } else { g as usize };
            assert_eq!(topology.symmetry().order(), order, "a={a} h={h} g={g} {arrangement:?}");
        }
    }
    // Rotations that the consecutive arrangement does not have.
    let fabric = roomy(dragonfly(4, 2, 9, Arrangement::Consecutive));
    let rotated = wired(&roomy(dragonfly(4, 2, 9, Arrangement::Palmtree))).symmetry().clone();
    assert!(conviction(&fabric, &wired(&fabric).with_symmetry(rotated)).contains("symmetry"));
}

#[test]
fn rotations_keep_the_demand_too() {
    // 9 groups of 4: an all-to-all over each 3 groups is kept by every third rotation, one over half of the
    // routers by none.
    for (size, order) in [(4, 9), (12, 3), (18, 1), (36, 9)] {
        let mut fabric = roomy(dragonfly(4, 2, 9, Arrangement::Palmtree));
        fabric.demand = Demand::groups(36, vec![DemandComponent { group: size, weight: 2 }]);
        let topology = wired(&fabric);
        check::verify_wiring(&fabric, &topology, None).expect("kept");
        assert_eq!(topology.symmetry().order(), order, "groups of {size}");
    }
}

#[test]
fn between_fewer_groups_run_more_links_and_what_is_left_is_dark() {
    for arrangement in [Arrangement::Palmtree, Arrangement::Consecutive, Arrangement::Fold] {
        // 8 global ports per group and 4 other groups: two links each. 6 other groups: one link each, 2 ports
        // dark.
        let [twice, once] = [5, 7].map(|g| wired(&roomy(dragonfly(4, 2, g, arrangement))));
        assert_eq!(twice.links().len(), 5 * 6 + 10 * 2);
        assert!(twice.nodes().all(|node| degree(&twice, node) == 5));
        assert_eq!(once.links().len(), 7 * 6 + 21);
        let degrees: Vec<usize> = once.nodes().take(4).map(|node| degree(&once, node)).collect();
        assert_eq!(degrees, [5, 5, 5, 3], "{arrangement:?}");
    }
}

#[test]
fn both_ends_of_a_folded_cable_stand_at_the_same_place() {
    let topology = wired(&roomy(dragonfly(8, 4, 33, Arrangement::Fold)));
    for link in topology.links().iter().filter(|link| link.class == LinkClass::Global) {
        let (a, b) = (link.a.node.0, link.b.node.0);
        assert_eq!(a % 8, b % 8);
        let ahead = (b / 8 - a / 8).min(33 + a / 8 - b / 8);
        assert_eq!(a % 8, (ahead - 1) / 2, "offset {ahead}");
    }
}

#[test]
fn ports_are_local_then_global_and_by_neighbor() {
    let to = |topology: &Topology, node: u32| -> Vec<u32> {
        topology.channels_from(NodeId(node)).map(|channel| topology.target(channel).node.0).collect()
    };
    let torus = wired(&roomy(Family::Torus(Torus(vec![3, 4]))));
    assert_eq!(to(&torus, 5), [1, 4, 6, 9]);
    assert_eq!(to(&torus, 0), [1, 3, 4, 8]);
    let palmtree = wired(&roomy(dragonfly(4, 2, 9, Arrangement::Palmtree)));
    // Router 1 of group 2 first has the links of its group. Then its global ports 2 and 3 lead to groups 2 -
    // 3 and 2 - 4, and meet ports 5 and 4 there.
    assert_eq!(to(&palmtree, 9), [8, 10, 11, 8 * 4 + 2, 7 * 4 + 2]);
    let tree = wired(&roomy(Family::FatTree(FatTree { levels: 3, arity: 2 })));
    // <1, 1>: down in digit 0, up in digit 1.
    assert_eq!(to(&tree, 5), [0, 1, 9, 11]);
    let words = wired(&roomy(kautz(2, 2, Arcs::Simplex)));
    // 01 02 10 12 20 21: 01 is followed by 10 and 12, and comes after 10 and 20.
    assert_eq!(to(&words, 0), [2, 3]);
    let before: Vec<u32> =
        words.channels_into(NodeId(0)).map(|channel| words.source(channel).node.0).collect();
    assert_eq!(before, [2, 4]);
    assert_eq!(words.name(NodeId(3)), "router[1,2]");
}

#[test]
fn sizes_of_machines_are_quick() {
    let families = [
        Family::Torus(Torus(vec![256, 256])),
        Family::Mesh(Mesh(vec![16, 16, 16, 16])),
        Family::HyperX(HyperX(vec![32, 32, 16])),
        dragonfly(32, 16, 513, Arrangement::Palmtree),
        dragonfly(64, 2, 127, Arrangement::Fold),
        levels::nested(&[level(16, 1, 15), level(16, 1, 1), level(16, 2, 1), level(16, 4, 1)]),
        Family::FatTree(FatTree { levels: 3, arity: 64 }),
        clos::clos(&[32, 64], &[32, 32], &[1, 1]),
        kautz(64, 2, Arcs::Simplex),
        kautz(2, 14, Arcs::Duplex),
    ];
    for family in families {
        let fabric = roomy(family);
        let topology = wired(&fabric);
        if let Err(error) = check::verify_wiring(&fabric, &topology, None) {
            panic!("{:?}: {error}", fabric.plant);
        }
    }
}
