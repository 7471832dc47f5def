//! Loads at the bound, and bisections with true lower ends: what the certificates of networks prove, and what
//! the checker refuses of them.

use super::builds::built;
use super::{roomy, wired};
use fabc::check;
use fabc::ids::NodeId;
use fabc::ir::{Bisection, DualLengths, Scene};
use fabc::model::{Demand, Family, FatTree, Metric, Plant, Torus};
use fabc::passes::measure;

fn network(vcs: u32, topology: &str, routing: &str) -> String {
    format!(
        "fabric net {{ clock = 1 GHz; link wire {{ bandwidth = 100 Gbps; latency = 10 ns; }} \
         router {{ radix = 32; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }} \
         budget {{ vcs = {vcs}; }} topology = {topology} routing = {routing}; }}"
    )
}

#[test]
fn loads_of_shortest_routes_are_the_least_or_proved_to_be() {
    // (virtual channels, topology, load, bound on all routes, bound on shortest routes where it is higher).
    // Tori of side n have the load of their cut, n^3 / 8. The shortest path of every pair of a Kautz graph is
    // the only one, so that its load is given. On the dragonfly, 24 of 88 classes of channels have a mean
    // load of 67, whichever shortest routes are taken.
    let cases = [
        (8, "torus 4 x 4;", 8, 8, None),
        (8, "torus 6 x 6;", 27, 27, None),
        (8, "torus 8 x 8;", 64, 64, None),
        (2, "dragonfly { a = 8; h = 4; }", 67, 65, Some(67u32)),
        (3, "kautz { degree = 4; length = 3; }", 57, 55, Some(57)),
    ];
    for (vcs, topology, load, bound, shortest) in cases {
        let (compiled, files) = built(&network(vcs, topology, "minimal"));
        let nominal = &compiled.scenarios[0];
        let value = |metric| nominal.metrics.value(metric).expect("measured").as_f64();
        assert_eq!(value(Metric::MaxChannelLoad), f64::from(load), "{topology}");
        assert_eq!(nominal.metrics.load_bound().as_f64(), f64::from(bound), "{topology}");
        let proved = nominal.shortest_load_bound().map(|bound| bound.as_f64());
        assert_eq!(proved, shortest.map(f64::from), "{topology}");
        assert_eq!(value(Metric::HopsRatio), 1.0, "{topology}");
        let report: serde_json::Value = serde_json::from_slice(&files["report.json"]).unwrap();
        let reported = report["bounds"].get("shortest_load").and_then(serde_json::Value::as_u64);
        assert_eq!(reported, shortest.map(u64::from), "{topology}");
        let record = compiled.passes.iter().find(|pass| pass.name == "minimal").expect("a record");
        assert_eq!(record.stopped_by, if shortest.is_some() { "optimal" } else { "budget" });
    }
}

#[test]
fn allowed_turns_load_less_than_any_shortest_routes() {
    let (compiled, _) = built(&network(2, "dragonfly { a = 8; h = 4; }", "allowed_turns"));
    let load = compiled.scenarios[0].metrics.value(Metric::MaxChannelLoad).expect("routed");
    assert_eq!(load.as_f64(), 65.0);
}

#[test]
fn routes_are_as_long_as_their_detour_allows() {
    let longest = |routing: &str| {
        let topology = "random_regular { routers = 40; degree = 3; seed = 1; }";
        let (_, files) = built(&network(4, topology, routing));
        let report: serde_json::Value = serde_json::from_slice(&files["report.json"]).unwrap();
        let diameter = report["metrics"]["diameter"].as_u64().expect("measured");
        let hops = report["histograms"]["route_hops"].as_array().expect("routed");
        (hops.len() as u64 - 1, diameter)
    };
    for detour in [0, 1, 2] {
        let (hops, diameter) = longest(&format!("allowed_turns {{ detour = {detour}; }}"));
        assert!((diameter..=diameter + detour).contains(&hops), "{hops} hops for {diameter} and {detour}");
    }
    // Without the setting networks aim at two.
    let (hops, diameter) = longest("allowed_turns");
    assert!(hops <= diameter + 2, "{hops} hops for {diameter}");
}

#[test]
fn lengths_of_shortest_routes_are_added_up_again() {
    // A ring of five: the only shortest paths load each channel with 1 + 2 routes.
    let fabric = roomy(Family::Torus(Torus(vec![5])));
    let topology = wired(&fabric);
    let scene = Scene::healthy(&topology);
    let demand = Demand::uniform(5);
    let lengths = vec![1; topology.class_count(topology.symmetry())];
    let honest = DualLengths { lengths, volume: 10, distance: 30 };
    check::verify_shortest(&scene, &demand, &honest).expect("10 channels, 20 pairs of 1.5 hops");
    for claimed in
        [DualLengths { distance: 31, ..honest.clone() }, DualLengths { volume: 9, ..honest.clone() }]
    {
        assert!(check::verify_shortest(&scene, &demand, &claimed).is_err());
    }
    // A length that only long paths have: around the ring of four routers and a chord, paths of fewest hops
    // avoid nothing.
    let long = DualLengths { lengths: vec![0; honest.lengths.len()], ..honest };
    assert!(check::verify_shortest(&scene, &demand, &long).is_err());
}

/// A network, and its bisection before the flow is known.
fn bisection(family: Family) -> (fabc::ir::Topology, Demand, Bisection) {
    let fabric = roomy(family);
    let topology = wired(&fabric);
    let Plant::Network(network) = &fabric.plant else { panic!("a network") };
    let halves = network.family.facts().halves();
    let (metrics, _) = measure::measure(&topology, network, &fabric.demand, &halves, false);
    (topology, fabric.demand.clone(), metrics.bisection.expect("measured"))
}

#[test]
fn widths_of_small_networks_are_exact() {
    // A mesh of 3 x 5 has no straight cut: 4. The torus of 4 x 4 has 8, and 5 x 5 has 12 (two rings and a
    // step). A fat tree of two tiers and four routers in each.
    for (family, width) in [
        (Family::Torus(Torus(vec![4, 4])), 8),
        (Family::Torus(Torus(vec![5, 5])), 12),
        (Family::Torus(Torus(vec![3, 8])), 6),
        (Family::FatTree(FatTree { levels: 2, arity: 4 }), 8),
    ] {
        let name = format!("{family:?}");
        let (topology, demand, found) = bisection(family);
        assert_eq!((found.at_least(), found.at_most), (width, width), "{name}");
        check::verify_bisection(&topology, &demand, &found).unwrap_or_else(|error| panic!("{name}: {error}"));
        if found.by_search > 0 {
            let claimed = Bisection { by_search: width + 1, at_most: width + 1, ..found };
            assert!(check::verify_bisection(&topology, &demand, &claimed).is_err(), "{name}");
        }
    }
}

#[test]
fn weights_and_demands_prove_nine_tenths_of_a_megafly() {
    let (topology, demand, honest) = bisection(super::megafly(8, 4, fabc::model::Arrangement::Palmtree));
    let weights = honest.weights.clone().expect("weights");
    assert!(weights.least > honest.by_spectrum && !weights.demands.is_empty(), "{weights:?}");
    assert!(10 * honest.at_least() >= 9 * honest.at_most, "{} of {}", honest.at_least(), honest.at_most);
    check::verify_bisection(&topology, &demand, &honest).expect("proved");
    let refused = |reason: &str, change: &dyn Fn(&mut fabc::ir::CutWeights)| {
        let mut claimed = honest.clone();
        change(claimed.weights.as_mut().expect("weights"));
        let error = check::verify_bisection(&topology, &demand, &claimed).expect_err(reason);
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    };
    refused("adds up to less", &|weights| weights.least += 1);
    refused("positive definite", &|weights| weights.diagonal[3] += 8 << 20);
    // A demand of half a link for every pair of a kind.
    refused("positive definite", &|weights| weights.demands[0].amount = 1 << 19);
    refused("beyond 2^52", &|weights| weights.lift = 1 << 53);
    refused("for 136 routers", &|weights| weights.diagonal.truncate(135));
    refused("by rising kind", &|weights| weights.demands[0].hops = 1);
    refused("by rising kind", &|weights| weights.demands.push(weights.demands[0]));
    // Sides that are not halves of this width.
    let mut claimed = honest.clone();
    claimed.half = (0..68).map(NodeId).collect();
    assert!(check::verify_bisection(&topology, &demand, &claimed).is_err());
}
