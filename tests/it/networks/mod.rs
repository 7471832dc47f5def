//! Networks: wired as the literature says, and convicted where they are not.
//!
//! Known answers stand in `tests/data/known_answers.csv`. Distances come from the breadth-first search of
//! this test.

mod builds;
mod designs;
mod drawn;
mod facts;
mod formulas;
mod grouped;
mod huge;
mod lanes;
mod levels;
mod random;
mod rests;
mod scheduled;
mod sends;

use fabc::check;
use fabc::compile::candidates;
use fabc::diag::Span;
use fabc::ids::{ChannelId, Id, IdVec, LinkId, LinkTypeId, NodeId, PortId};
use fabc::ir::{End, Link, LinkClass, RouterNames, Symmetry, Topology};
use fabc::model::{
    AllowedTurns, Arcs, Arrangement, Budget, Bundlefly, Capacities, Demand, DemandComponent, Dragonfly, Draw,
    Fabric, Family, FatTree, Faults, FreeGraph, GenKautz, HyperX, Hypercube, Kautz, LinkType, Listed,
    ListedLink, ListedRouter, Megafly, Mesh, Network, PermuteMethod, Plant, PolarFly, PolarStar,
    RandomRegular, Router, RoutingChoice, ShortcutReach, SlimFly, SpectralFly, Supernode, Torus, Xpander,
};
use fabc::passes::wire;
use fabc::units::Decimal;
use levels::level;
use rayon::prelude::*;
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
        span,
    };
    let routers = family.router_count();
    Fabric {
        name: "network".to_owned(),
        clock_hz: 1_000_000_000,
        link_types: vec![link("local"), link("global")].into(),
        router: Router { radix, hosts, vcs: 4, flit_bytes: 64, buffer_flits: 64, latency_cycles: 20, span },
        plant: Plant::Network(Network { family, local: LOCAL, global: GLOBAL, failures: None, span }),
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
        routing_span: span,
        simulations: Vec::new(),
        collectives: Vec::new(),
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
        ("polarfly", &[q]) => Family::PolarFly(PolarFly { q }),
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

/// Hops from a router to every other.
fn hops_from(successors: &[Vec<u32>], source: usize) -> Vec<u32> {
    let mut hops = vec![u32::MAX; successors.len()];
    hops[source] = 0;
    let mut queue = vec![source as u32];
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        let further = hops[node as usize] + 1;
        for &to in &successors[node as usize] {
            if hops[to as usize] == u32::MAX {
                hops[to as usize] = further;
                queue.push(to);
            }
        }
    }
    hops
}

/// Ordered pairs by distance, over all routers and over those with hosts.
fn histograms(topology: &Topology) -> [Vec<u64>; 2] {
    let (successors, routers) = (successors(topology), topology.node_count());
    let endpoint: Vec<bool> = topology.nodes().map(|node| topology.is_endpoint(node)).collect();
    let count = |source: usize| {
        let mut counts = [vec![0u64; routers], vec![0; routers]];
        for (node, hops) in hops_from(&successors, source).into_iter().enumerate() {
            counts[0][hops as usize] += 1;
            counts[1][hops as usize] += u64::from(endpoint[source] && endpoint[node]);
        }
        counts
    };
    let sum = |mut one: [Vec<u64>; 2], other: [Vec<u64>; 2]| {
        for (one, other) in one.iter_mut().zip(other) {
            one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
        }
        one
    };
    let totals = (0..routers).into_par_iter().map(count).reduce(|| [vec![0; routers], vec![0; routers]], sum);
    totals.map(|mut histogram| {
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

/// One of each family, small.
fn samples() -> Vec<Family> {
    let ring: Vec<[u32; 2]> = (0..7).map(|router| [router, (router + 1) % 7]).collect();
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
        Family::PolarFly(PolarFly { q: 4 }),
        Family::SlimFly(SlimFly { q: 3 }),
        Family::SlimFly(SlimFly { q: 4 }),
        Family::SlimFly(SlimFly { q: 5 }),
        Family::Bundlefly(Bundlefly { q: 3, p: 5 }),
        Family::SpectralFly(SpectralFly { rho: 3, q: 5 }),
        Family::SpectralFly(SpectralFly { rho: 5, q: 7 }),
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
        }),
        Family::Synthesized(FreeGraph {
            routers: 12,
            degree: 3,
            arcs: Arcs::Duplex,
            effort: 1,
            seed: 1,
            cable: None,
        }),
        kautz(2, 3, Arcs::Simplex),
        kautz(3, 2, Arcs::Duplex),
        kautz(3, 1, Arcs::Duplex),
        Family::Listed(listed(7, &ring, Arcs::Simplex)),
        Family::Listed(listed(7, &ring, Arcs::Duplex)),
        Family::Listed(listed(4, &[[0, 1], [3, 0], [1, 0], [2, 1]], Arcs::Duplex)),
    ]
}

/// The same topology with other links. `ports` as before or more.
fn rewired(topology: &Topology, links: Vec<Link>, ports: usize) -> Topology {
    let hosts = topology.nodes().map(|node| topology.hosts(node)).collect();
    Topology::new(ports, links, topology.symmetry().to_trivial())
        .with_hosts(hosts)
        .named(topology.names().clone())
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
fn a_link_that_is_missing_is_seen() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        for dropped in topology.links().ids() {
            let links = topology
                .links()
                .enumerate()
                .filter(|&(id, _)| id != dropped)
                .map(|(_, &link)| link)
                .collect();
            conviction(&fabric, &rewired(&topology, links, topology.ports()));
        }
    }
}

#[test]
fn a_link_that_ends_elsewhere_is_seen() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        let (ports, simplex) = (topology.ports(), topology.has_simplex());
        // All of a small network, some of a larger one.
        let (of_links, of_nodes) = (1 + topology.links().len() / 40, 1 + topology.node_count() / 40);
        for moved in topology.links().ids().step_by(of_links) {
            for node in
                topology.nodes().step_by(of_nodes).filter(|&node| node != topology.links()[moved].a.node)
            {
                let mut links = topology.links().as_slice().to_vec();
                let link = &mut links[moved.index()];
                if node == link.b.node {
                    continue;
                }
                // The first port that is free there, one more than there are if need be.
                let taken = |port: &PortId| {
                    let is_here = |end: End| end == End { node, port: *port };
                    topology.links().iter().any(|link| is_here(link.b) || !simplex && is_here(link.a))
                };
                let port = (0..=ports).map(PortId::new).find(|port| !taken(port)).expect("one more is free");
                link.b = End { node, port };
                conviction(&fabric, &rewired(&topology, links, ports.max(port.index() + 1)));
            }
        }
    }
}

#[test]
fn two_ports_that_changed_places_are_seen() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        let nodes = topology
            .nodes()
            .flat_map(|node| topology.channels_from(node).zip(topology.channels_from(node).skip(1)));
        for (one, other) in nodes {
            let mut links = topology.links().as_slice().to_vec();
            let sources = [one, other].map(|channel| topology.source(channel));
            for (channel, port) in [(one, sources[1].port), (other, sources[0].port)] {
                let link = &mut links[topology.link_of(channel).index()];
                if channel == topology.forward(topology.link_of(channel)) {
                    link.a.port = port
                } else {
                    link.b.port = port
                }
            }
            let message = conviction(&fabric, &rewired(&topology, links, topology.ports()));
            assert!(message.contains("port") || message.contains("missing"), "{message}");
        }
    }
}

#[test]
fn parallel_links_that_are_exchanged_at_one_end_alone_are_seen() {
    // Two links between every two groups. Those of groups 0 and 1 exchange their ports at one end.
    let fabric = roomy(dragonfly(4, 2, 5, Arrangement::Palmtree));
    let topology = wired(&fabric);
    let between: Vec<LinkId> = topology
        .links()
        .enumerate()
        .filter(|(_, link)| link.a.node < NodeId(4) && (NodeId(4)..NodeId(8)).contains(&link.b.node))
        .map(|(id, _)| id)
        .collect();
    let &[one, other] = between.as_slice() else { panic!("two links: {between:?}") };
    let mut links = topology.links().as_slice().to_vec();
    (links[one.index()].b, links[other.index()].b) = (links[other.index()].b, links[one.index()].b);
    conviction(&fabric, &rewired(&topology, links, topology.ports()));
}

#[test]
fn a_link_of_the_wrong_class_or_type_is_seen() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        for changed in topology.links().ids() {
            let mut links = topology.links().as_slice().to_vec();
            let link = &mut links[changed.index()];
            link.class = if link.class == LinkClass::Local { LinkClass::Global } else { LinkClass::Local };
            conviction(&fabric, &rewired(&topology, links, topology.ports()));
            let mut links = topology.links().as_slice().to_vec();
            let link = &mut links[changed.index()];
            link.link_type = if link.link_type == LOCAL { GLOBAL } else { LOCAL };
            let message = conviction(&fabric, &rewired(&topology, links, topology.ports()));
            assert!(message.contains('`'), "{message}");
        }
    }
}

#[test]
fn one_channel_is_not_two() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        for changed in topology.links().ids() {
            let mut links = topology.links().as_slice().to_vec();
            let link = &mut links[changed.index()];
            let ports = if link.simplex {
                // What comes back needs ports that nobody has. It starts and ends beyond all others.
                (link.a.port, link.b.port) = (PortId::new(topology.ports()), PortId::new(topology.ports()));
                topology.ports() + 1
            } else {
                topology.ports()
            };
            link.simplex = !link.simplex;
            let message = conviction(&fabric, &rewired(&topology, links, ports));
            assert!(message.contains("must be"), "{message}");
        }
    }
}

#[test]
fn an_arc_that_runs_the_other_way_is_seen() {
    let fabric = roomy(kautz(2, 3, Arcs::Simplex));
    let topology = wired(&fabric);
    for turned in topology.links().ids() {
        let mut links = topology.links().as_slice().to_vec();
        let link = &mut links[turned.index()];
        let beyond = PortId::new(topology.ports());
        (link.a, link.b) = (End { node: link.b.node, port: beyond }, End { node: link.a.node, port: beyond });
        conviction(&fabric, &rewired(&topology, links, topology.ports() + 1));
    }
}

#[test]
fn hosts_and_names_are_those_of_the_family() {
    for family in samples() {
        let fabric = fabric(family, 3, 4096);
        let topology = wired(&fabric);
        check::verify_wiring(&fabric, &topology, None).expect("the topology as wired");
        for node in topology.nodes() {
            let mut hosts: Vec<u16> = topology.nodes().map(|node| topology.hosts(node)).collect();
            assert!([0, 3].contains(&hosts[node.index()]));
            hosts[node.index()] = if hosts[node.index()] == 0 { 3 } else { 2 };
            assert!(conviction(&fabric, &topology.clone().with_hosts(hosts)).contains("hosts"));
        }
        assert!(
            conviction(&fabric, &topology.clone().named(RouterNames::Cubes([1, 1, 1]))).contains("names")
        );
        assert!(
            conviction(
                &fabric,
                &topology.clone().with_symmetry(Symmetry::trivial(topology.node_count() as u32, 1))
            )
            .contains("blocks")
        );
    }
}

#[test]
fn more_routers_than_there_are_names_are_seen() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        let routers = topology.node_count() as u32 + 1;
        let links = topology.links().as_slice().to_vec();
        let more = Topology::new(topology.ports(), links, Symmetry::trivial(1, routers))
            .named(topology.names().clone());
        assert!(conviction(&fabric, &more).contains("routers, but"));
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
    // Router 1 of group 2: its group, then global ports 2 and 3, to groups 2 - 3 and 2 - 4, where they meet
    // ports 5 and 4.
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
fn a_star_a_wide_router_and_a_ring_are_wired_from_lists() {
    let star = listed(101, &(1..=100).map(|leaf| [leaf, 0]).collect::<Vec<_>>(), Arcs::Duplex);
    let mut hub = star.clone();
    hub.routers[0].hosts = Some(0);
    // The hub forwards alone: it fits 100 ports, where 4 hosts would not.
    let fabric = |family, hosts, radix| fabric(Family::Listed(family), hosts, radix);
    let tight = fabric(hub, 4, 100);
    let topology = wired(&tight);
    check::verify_wiring(&tight, &topology, None).expect("100 ports");
    assert_eq!((topology.ports(), topology.endpoints().count()), (100, 100));
    let [all, endpoints] = histograms(&topology);
    assert_eq!(all, [101, 200, 9_900]);
    assert_eq!(endpoints, [100, 0, 9_900]);
    let full = fabric(star, 4, 100);
    assert!(conviction(&full, &wired(&full)).contains("r0 uses 100 ports + 4 hosts, but a router has 100"));

    let wide =
        fabric(listed(129, &(1..=128).map(|leaf| [0, leaf]).collect::<Vec<_>>(), Arcs::Duplex), 0, 128);
    let topology = wired(&wide);
    check::verify_wiring(&wide, &topology, None).expect("128 ports");
    assert_eq!(topology.target(topology.outgoing(NodeId(0), PortId(127)).expect("a link")).node, NodeId(128));

    let ring: Vec<[u32; 2]> = (0..50).map(|router| [router, (router + 1) % 50]).collect();
    for (arcs, diameter, channels) in [(Arcs::Duplex, 25, 2), (Arcs::Simplex, 49, 1)] {
        let ring = fabric(listed(50, &ring, arcs), 1, 4);
        let topology = wired(&ring);
        check::verify_wiring(&ring, &topology, None).expect("a ring");
        assert_eq!(histograms(&topology)[0].len() - 1, diameter);
        assert!(topology.nodes().all(|node| degree(&topology, node) == channels));
        assert!(topology.links().iter().all(|link| link.class == LinkClass::Local));
    }
}

#[test]
fn a_list_says_ports_types_and_hosts() {
    let mut list = listed(3, &[[0, 1], [1, 0], [1, 2], [2, 0]], Arcs::Duplex);
    list.links[1].ports = [Some(0), Some(5)];
    list.links[2].link = GLOBAL;
    list.links[3].ports = [None, Some(1)];
    list.routers[2].hosts = Some(0);
    let fabric = fabric(Family::Listed(list), 2, 8);
    let topology = wired(&fabric);
    check::verify_wiring(&fabric, &topology, None).expect("as listed");
    let leads = |node: u32, port: u16| {
        let channel = topology.outgoing(NodeId(node), PortId(port)).expect("a link");
        let to = topology.target(channel);
        (to.node.0, to.port.0, topology.link(channel).link_type)
    };
    assert_eq!([leads(0, 0), leads(0, 1), leads(0, 5)], [(1, 1, LOCAL), (2, 0, LOCAL), (1, 0, LOCAL)]);
    assert_eq!(leads(1, 2), (2, 1, GLOBAL));
    assert_eq!(topology.nodes().map(|node| topology.hosts(node)).collect::<Vec<_>>(), [2, 2, 0]);
}

#[test]
fn what_lies_apart_is_seen() {
    let apart = roomy(Family::Listed(listed(4, &[[0, 1], [2, 3]], Arcs::Duplex)));
    assert!(conviction(&apart, &wired(&apart)).contains("no path leads from r0 to r2"));
    // Everything can be reached from r0, and nothing leads back.
    let one_way = roomy(Family::Listed(listed(3, &[[0, 1], [1, 2], [0, 2]], Arcs::Simplex)));
    assert!(conviction(&one_way, &wired(&one_way)).contains("no path leads from r1 to r0"));
}

#[test]
fn seeds_are_lengths_of_lit_channels() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        let symmetry = topology.symmetry();
        let lit: Vec<usize> = symmetry
            .canonical_nodes()
            .flat_map(|node| topology.channels_from(node).collect::<Vec<_>>())
            .map(|channel| topology.channel_class(symmetry, channel).index())
            .collect();
        let seeds = wire::start_lengths(&topology);
        assert!(lit.iter().all(|&class| seeds[0][class] == 1), "the first is all ones");
        for (at, seed) in seeds.iter().enumerate() {
            assert_eq!(seed.len(), topology.class_count(symmetry));
            assert!(seed.iter().any(|&length| length > 0) && !seeds[..at].contains(seed));
            assert!(
                (0..seed.len()).all(|class| seed[class] == 0 || lit.contains(&class)),
                "dark ports have no length"
            );
        }
    }
}

/// The largest flow that channel lengths allow between all endpoints: their sum over the sum of shortest
/// lengths.
fn bound(topology: &Topology, lengths: &[u32]) -> (u64, u64) {
    let length =
        |channel: ChannelId| u64::from(lengths[topology.channel_class(topology.symmetry(), channel).index()]);
    let volume = topology.nodes().flat_map(|node| topology.channels_from(node)).map(length).sum();
    let mut distances = 0;
    for source in topology.endpoints() {
        // Bellman and Ford's rounds. Small networks only.
        let mut best = IdVec::<NodeId, u64>::filled(u64::MAX, topology.node_count());
        best[source] = 0;
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for node in topology.nodes().filter(|&node| best[node] < u64::MAX).collect::<Vec<_>>() {
                for channel in topology.channels_from(node) {
                    let to = topology.target(channel).node;
                    let through = best[node] + length(channel);
                    if through < best[to] {
                        best[to] = through;
                        changed = true;
                    }
                }
            }
        }
        distances += topology.endpoints().map(|node| best[node]).sum::<u64>();
    }
    (volume, distances)
}

#[test]
fn seeds_prove_what_the_literature_says() {
    // The flow per ordered pair: of a torus n x n, 8 / n^3 (its bisection). Of a mesh 4 / n^3. Of a hyperx n
    // x n, 1 / n. Of a p-ary fat tree, what a leaf has up, p, over its p^(l-1) - 1 pairs. Of a Kautz graph,
    // its arcs over the sum of its distances.
    let cases: [(Family, [u64; 2]); 6] = [
        (Family::Torus(Torus(vec![8, 8])), [8, 512]),
        (Family::Torus(Torus(vec![4, 8])), [8, 256]),
        (Family::Mesh(Mesh(vec![8, 8])), [4, 512]),
        (Family::HyperX(HyperX(vec![4, 4])), [1, 4]),
        (Family::FatTree(FatTree { levels: 3, arity: 4 }), [4, 15]),
        (kautz(2, 3, Arcs::Simplex), [24, 306]),
    ];
    for (family, [above, below]) in cases {
        let fabric = roomy(family);
        let topology = wired(&fabric);
        let bounds = wire::start_lengths(&topology)
            .into_iter()
            .map(|seed| bound(&topology, &seed))
            .filter(|&(_, distances)| distances > 0);
        let least_cut =
            bounds.min_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1))).expect("all ones prove something");
        assert_eq!(least_cut.0 * below, above * least_cut.1, "{:?}: {least_cut:?}", fabric.plant);
    }
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
