//! Measures of the graph of networks: exact widths of bisections, numbers of shortest paths, edge
//! connectivity, random failures, and what the checker refuses.

use fabc::check;
use fabc::compile::{Stage, compile};
use fabc::diag::Failure;
use fabc::ids::NodeId;
use fabc::ir::{Bisection, Fraction, Hardware, NetworkMetrics};
use fabc::model::HardwareMetric;
use fabc::passes::{measure, wire};
use fabc::progress::Silent;
use fabc::{diag::SourceMap, model};
use std::collections::BTreeSet;

/// Two complete graphs of five that one link joins.
const GRAPH: &str = "0 1\n0 2\n0 3\n0 4\n1 2\n1 3\n1 4\n2 3\n2 4\n3 4\n4 5\n5 6\n5 7\n5 8\n5 9\n6 7\n6 8\n6 9\n7 8\n7 9\n8 9\n";

/// A network of this topology. `graph` is what any file says that it reads.
fn fabric(topology: &str, more: &str, graph: &str) -> model::Fabric {
    let text = format!(
        "fabric net {{ link wire {{ bandwidth = 100 Gbps; latency = 20 ns; }} \
         router {{ radix = 64; hosts = 2; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 20 cycles; }} \
         topology = {topology} {more} }}"
    );
    resolved(&text, graph)
}

/// The fabric of a spec. `graph` is what any file says that it reads.
fn resolved(text: &str, graph: &str) -> model::Fabric {
    let read = |path: &str| -> Result<String, String> {
        Ok(if path == "net.fab" { text.to_owned() } else { graph.to_owned() })
    };
    let loaded: Result<(model::Fabric, _, SourceMap), (Failure, SourceMap)> =
        fabc::lang::read_normal("net.fab", &read);
    loaded.map(|(fabric, ..)| fabric).unwrap_or_else(|(failure, _)| panic!("{text}: {failure:?}"))
}

/// A wired network and what is measured of it, checked. Its bisection is searched from few starts.
fn measured(topology: &str) -> (model::Fabric, fabc::ir::Topology, NetworkMetrics) {
    measured_with(topology, "")
}

/// The same, with more items.
fn measured_with(topology: &str, more: &str) -> (model::Fabric, fabc::ir::Topology, NetworkMetrics) {
    measured_of(topology, fabric(topology, more, GRAPH), true)
}

/// The same of a fabric. `topology` is what it is called. Only if `brief`, few starts are made.
fn measured_of(
    topology: &str,
    fabric: model::Fabric,
    brief: bool,
) -> (model::Fabric, fabc::ir::Topology, NetworkMetrics) {
    let model::Plant::Network(network) = &fabric.plant else { panic!("a network") };
    let wired = wire::wire(&fabric, network);
    let hardware = Hardware::new(&fabric, &wired, None);
    check::verify_hardware(&fabric, &wired, None, &hardware)
        .unwrap_or_else(|error| panic!("{topology}: {error}"));
    let halves = network.family.facts().halves();
    let (metrics, _) = measure::measure(&wired, network, &fabric.demand, &halves, brief);
    if let Some(bisection) = &metrics.bisection {
        check::verify_bisection(&wired, &fabric.demand, bisection)
            .unwrap_or_else(|error| panic!("{topology}: {error}"));
    }
    check::verify_paths_and_failures(&wired, network.failures.as_ref(), &metrics)
        .unwrap_or_else(|error| panic!("{topology}: {error}"));
    (fabric, wired, metrics)
}

fn interval(topology: &str) -> (u64, u64) {
    let bisection = measured_of(topology, fabric(topology, "", GRAPH), false).2.bisection.expect("measured");
    (bisection.at_least(), bisection.at_most)
}

#[test]
fn widths_of_the_literature_come_out() {
    // Where both ends meet, the width is proved.
    assert_eq!(interval("torus 2 x 2 x 2 x 2 x 2 x 2 x 2 x 2;"), (128, 128));
    assert_eq!(interval("hyperx 9 x 9 x 8;"), (1296, 1296));
    // A torus of even sides: two rows of links across the longest axis (Leighton 1992).
    assert_eq!(interval("torus 8 x 8 x 8;"), (75, 128));
    assert_eq!(interval("torus 16 x 16;").1, 32);
    // A mesh with an odd side, which no plane halves: 25 + 5 + 1 (networks of 5^3 routers. Exact by
    // Leighton).
    assert_eq!(interval("mesh 5 x 5 x 5;").1, 31);
    assert_eq!(interval("mesh 7;"), (1, 1));
    assert_eq!(interval("mesh 4 x 5;"), (5, 5));
    assert_eq!(interval("hyperx 12;"), (36, 36));
}

#[test]
fn known_cuts_are_reached() {
    let cases = [
        // Lower ends before the flow is known. The spectrum alone proves 165, 793, 161, 784 and 1671.
        ("dragonfly { a = 8; h = 4; }", 175, 272),
        ("dragonfly { a = 12; h = 6; }", 794, 1332),
        ("dragonfly { a = 8; h = 4; arrangement = consecutive; }", 168, 272),
        ("dragonfly { a = 12; h = 6; arrangement = consecutive; }", 790, 1332),
        ("fat_tree { levels = 3; arity = 18; }", 2564, 2848),
    ];
    for (topology, least, most) in cases {
        let measured_interval = interval(topology);
        assert!(measured_interval.0 >= least, "{topology}: {measured_interval:?}");
        assert!(measured_interval.1 <= most, "{topology}: {measured_interval:?}");
    }
}

/// Edges of the IQ PolarStar of a prime q: ER_q times IQ of degree 3 or 4 (PolarStar, SPAA 2024).
fn polarstar(q: u32, degree: u32) -> String {
    let points: Vec<[u32; 3]> = (0..q * q)
        .map(|at| [1, at / q, at % q])
        .chain((0..q).map(|z| [0, 1, z]))
        .chain([[0, 0, 1]])
        .collect();
    // IQ_3, whose map f is i + 4. IQ_4 is a pair of points with IQ_3 beside it: each end of the pair is
    // joined to half of it.
    let first = if degree == 3 { 0 } else { 2 };
    let inner =
        [[0, 1], [0, 2], [0, 3], [4, 1], [4, 2], [4, 3], [1, 6], [5, 6], [2, 7], [6, 7], [3, 5], [7, 5]];
    let mut inside: Vec<[u32; 2]> = inner.map(|[a, b]| [first + a, first + b]).to_vec();
    let mut f: Vec<u32> = (0..8).map(|at| first + (at + 4) % 8).collect();
    if degree == 4 {
        inside.extend([0, 4, 1, 5].map(|at| [0, first + at]));
        inside.extend([2, 6, 3, 7].map(|at| [1, first + at]));
        f = [1, 0].into_iter().chain(f).collect();
    }
    let (size, mut edges) = (f.len() as u32, BTreeSet::new());
    let mut join = |a: u32, b: u32| _ = edges.insert([a.min(b), a.max(b)]);
    for (x, u) in (0..).zip(&points) {
        inside.iter().for_each(|[a, b]| join(x * size + a, x * size + b));
        for (y, v) in (0..).zip(&points).skip(x as usize) {
            if (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) % q == 0 {
                (0..size).for_each(|a| join(x * size + a, y * size + f[a as usize]));
            }
        }
    }
    edges.iter().map(|[a, b]| format!("{a} {b}\n")).collect()
}

#[test]
fn polarstars_are_cut_as_narrow_as_known() {
    // The split of every supernode into whole pairs {a, f(a)} cuts (q^2 + q + 1) (d' + 1)^2 / 2 links where
    // d' is 3 (mod 4). Lower ends by the spectrum with weights.
    for (q, degree, routers, least, most) in
        [(5, 3, 248, 233, 244), (5, 4, 310, 292, 306), (7, 3, 456, 440, 456), (11, 3, 1064, 1040, 1064)]
    {
        let name = format!("graph \"polarstar_{q}_{degree}.txt\";");
        let metrics = measured_of(&name, fabric(&name, "", &polarstar(q, degree)), false).2;
        let bisection = metrics.bisection.expect("measured");
        assert_eq!(metrics.routers, routers, "{name}");
        assert!(bisection.at_least() >= least, "{name}: {}", bisection.at_least());
        assert!(bisection.at_most <= most, "{name}: {}", bisection.at_most);
    }
}

#[test]
fn links_at_routers_with_hosts_are_counted_apart() {
    let bounds = measured("fat_tree { levels = 3; arity = 4; }").2;
    let bisection = bounds.bisection.expect("measured");
    assert_eq!((bounds.routers, bounds.hosts, bounds.links, bounds.endpoint_links), (48, 32, 128, 64));
    assert!(bisection.at_endpoints <= bisection.at_most && bisection.at_endpoints > 0);
}

#[test]
fn one_way_links_have_no_halves() {
    assert!(measured("kautz { degree = 2; length = 3; }").2.bisection.is_none());
    assert!(measured("kautz { degree = 2; length = 3; arcs = duplex; }").2.bisection.is_some());
}

#[test]
fn the_checker_refuses_what_is_not_so() {
    let (fabric, topology, metrics) = measured("hyperx 4 x 4;");
    let honest = metrics.bisection.expect("measured");
    let refused = |reason: &str, change: &dyn Fn(&mut Bisection)| {
        let mut claimed = honest.clone();
        change(&mut claimed);
        let error = check::verify_bisection(&topology, &fabric.demand, &claimed).expect_err(reason);
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    };
    assert_eq!((honest.at_least(), honest.at_most), (16, 16));
    refused("above the 16 links", &|claimed| claimed.by_spectrum = 17);
    refused("above the 16 links", &|claimed| claimed.by_search = 17);
    refused("number of links across", &|claimed| claimed.at_most = 15);
    refused("capacity", &|claimed| claimed.capacity += 1);
    refused("demand", &|claimed| claimed.demand -= 1);
    refused("at routers with hosts", &|claimed| claimed.at_endpoints -= 1);
    refused("has 7 routers", &|claimed| claimed.half.truncate(7));
    refused("ascending", &|claimed| claimed.half.swap(0, 1));
    refused("the one with router 0", &|claimed| claimed.half = (1..9).map(NodeId).collect());
    // A cut that is wider allows a lower end that is not proved.
    let lifted = |claimed: &mut Bisection| {
        claimed.half = (0..16).step_by(2).map(NodeId).collect();
        (claimed.by_spectrum, claimed.at_most, claimed.at_endpoints, claimed.capacity) =
            (17, 16 + 16, 32, 32);
    };
    let mut claimed = honest.clone();
    lifted(&mut claimed);
    assert!(check::verify_bisection(&topology, &fabric.demand, &claimed).is_err());
}

#[test]
fn cuts_bound_the_flow_and_the_bound_is_certified() {
    // Two complete graphs that two links join.
    let text = "dragonfly { a = 12; h = 1; g = 2; }";
    let compiled = compile(fabric(text, "", GRAPH), Stage::Analyze, &Silent).expect("compiles");
    let bisection =
        compiled.network.as_ref().and_then(|network| network.bisection.as_ref()).expect("measured");
    let flow = bisection.flow().expect("all send to all");
    assert!(compiled.scenarios[0].metrics.flow_ceiling() <= flow);
}

/// Mean, share of pairs with one path, and (mean, fewest, most) by distance.
type Diversity = (f64, f64, Vec<(f64, u64, u64)>);

#[test]
fn shortest_paths_are_those_of_the_literature() {
    let cases: [(&str, Diversity); 4] = [
        ("hyperx 9 x 9 x 8;", (4.7342, 0.0355, vec![(1.0, 1, 1), (2.0, 2, 2), (6.0, 6, 6)])),
        (
            "dragonfly { a = 12; h = 6; arrangement = consecutive; }",
            (2.0364, 0.8465, vec![(1.0, 1, 1), (1.1656, 1, 6), (2.2256, 1, 13)]),
        ),
        ("dragonfly { a = 8; h = 4; }", (1.9411, 0.7177, vec![(1.0, 1, 1), (1.1240, 1, 4), (2.2533, 1, 11)])),
        // A square of four: two ways to the corner across.
        ("torus 2 x 2;", (4.0 / 3.0, 2.0 / 3.0, vec![(1.0, 1, 1), (2.0, 2, 2)])),
    ];
    for (topology, (mean, single, by_distance)) in cases {
        let paths = measured(topology).2.paths.expect("measured");
        let near = |measured: Option<fabc::ir::Fraction>, wanted: f64| {
            (measured.expect("pairs").as_f64() - wanted).abs() < 6e-5
        };
        let distances = paths.at_any_distance();
        assert!(
            near(distances.mean(), mean) && near(distances.single_share(), single),
            "{topology}: {distances:?}"
        );
        assert_eq!(paths.by_distance.len(), by_distance.len(), "{topology}");
        for (at, (mean, fewest, most)) in paths.by_distance.iter().zip(by_distance) {
            assert!(near(at.mean(), mean), "{topology}: {at:?}");
            assert_eq!((at.fewest, at.most), (fewest, most), "{topology}");
        }
    }
    // From corner to corner: 138! / (69!)^2, beyond 64 bits.
    assert!(measured("mesh 70 x 70;").2.paths.is_none());
}

#[test]
fn edge_connectivity_is_the_least_degree_or_the_cut_that_decides() {
    let cases = [
        ("hyperx 4 x 4;", 6),
        ("dragonfly { a = 4; h = 2; }", 5),
        ("fat_tree { levels = 3; arity = 3; }", 3),
        ("mesh 3 x 4;", 2),
        ("kautz { degree = 3; length = 2; }", 3),
        ("graph \"two.txt\";", 1),
    ];
    for (topology, links) in cases {
        assert_eq!(measured(topology).2.edge_connectivity, Some(links), "{topology}");
    }
    let bounds = measured("graph \"two.txt\";").2.bisection.expect("measured");
    assert_eq!((bounds.at_least(), bounds.at_most), (1, 1));
}

#[test]
fn networks_fall_apart_where_the_literature_says() {
    let bands = [
        ("dragonfly { a = 12; h = 6; arrangement = consecutive; }", 0.650, 0.661),
        ("hyperx 9 x 9 x 8;", 0.740, 0.749),
        ("fat_tree { levels = 3; arity = 18; }", 0.699, 0.716),
    ];
    for (topology, low, high) in bands {
        let metrics = measured_with(topology, "failures { links <= 40 %; seeds = 100; }").2;
        let failures = metrics.failures.as_ref().expect("asked for");
        let share = failures.median() as f64 / metrics.links as f64;
        assert!((low - 0.02..=high + 0.02).contains(&share), "{topology}: {share}");
        assert_eq!(failures.parts_at.len(), 100);
        let curve = failures.curve.as_ref().expect("measured");
        let percents: Vec<u32> = curve.iter().map(|point| point.percent).collect();
        assert_eq!(percents, [0, 5, 10, 15, 20, 25, 30, 35, 40]);
        let hops: Vec<f64> =
            curve.iter().map(|point| point.reach.expect("in one piece").average_hops().as_f64()).collect();
        assert!(hops.is_sorted(), "{topology}: {hops:?}");
    }
}

#[test]
fn a_path_falls_apart_with_its_first_link() {
    let metrics = measured_with("mesh 9;", "failures { links <= 12 %; seeds = 3; }").2;
    let failures = metrics.failures.expect("asked for");
    assert_eq!(failures.parts_at, [1, 1, 1]);
    // 12 % of 8 links is none yet.
    let curve = failures.curve.expect("measured");
    assert_eq!(
        curve.iter().map(|point| (point.percent, point.links)).collect::<Vec<_>>(),
        [(0, 0), (5, 0), (10, 0), (12, 0)]
    );
    let apart = measured_with("mesh 9;", "failures { links <= 13 %; }").2.failures.expect("asked for");
    assert_eq!(apart.curve.expect("measured").last().expect("a point").reach, None);
    assert_eq!(apart.parts_at.len(), 100);
}

#[test]
fn cables_and_oversubscription_of_known_networks_come_out() {
    // Al-Fares et al., SIGCOMM 2008: k^3 / 4 cables of every stage and of hosts. DGX SuperPOD reference
    // architecture: as many cables of nodes as of every stage. Two to one: half as many uplinks as hosts.
    let cases = [
        ("fat_tree { k = 8; }", 4, 128, 256, (1u64, 1u64)),
        ("fat_tree { k = 16; }", 8, 1_024, 2_048, (1u64, 1u64)),
        ("leaf_spine { leaves = 32; spines = 16; parallel = 2; }", 32, 1_024, 1_024, (1u64, 1u64)),
        ("leaf_spine { leaves = 32; spines = 18; parallel = 4; }", 72, 2_304, 2_304, (1u64, 1u64)),
        ("leaf_spine { leaves = 8; spines = 4; }", 8, 64, 32, (2u64, 1u64)),
        ("clos { down = 4 x 4; up = 4 x 2; parallel = 1 x 1; }", 6, 96, 96, (2u64, 1u64)),
        ("clos { down = 4 x 4; up = 2 x 4; parallel = 2 x 3; }", 4, 64, 160, (1u64, 1u64)),
    ];
    for (topology, hosts, host_cables, router_cables, (below, up)) in cases {
        let router = format!("router {{ radix = 256; hosts = {hosts}; vcs = 4; cost = 10; }}");
        let spec = format!(
            "fabric parts {{ link wire {{ bandwidth = 100 Gbps; cost = 1; power = 2 W; }} {router} \
             topology = {topology} }}"
        );
        let fabric = resolved(&spec, "");
        let (fabric, wired, _) = measured_of(topology, fabric, true);
        let hardware = Hardware::new(&fabric, &wired, None);
        assert_eq!(
            (hardware.host_cables, hardware.router_cables),
            (host_cables, router_cables),
            "{topology}"
        );
        let value = |metric| hardware.value(metric).unwrap_or_else(|| panic!("{topology}: {metric:?}"));
        assert_eq!(value(HardwareMetric::Oversubscription), Fraction::new(below, up), "{topology}");
        assert_eq!(
            value(HardwareMetric::PowerPerHost),
            Fraction::new(2 * (host_cables + router_cables), host_cables),
            "{topology}"
        );
    }
}
