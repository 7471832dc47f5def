//! Measures of the graphs of networks against tables of separate code: bisections
//! (`tests/data/bisection.csv`), random failures (`link_failures.csv`), shortest paths
//! (`path_diversity.csv`).
//!
//! Networks of more than [`AFFORDABLE`] routers are compared by `cargo bench --bench families -- bisection`.

use super::{dragonfly, megafly, polarstar, roomy, wired};
use fabc::check;
use fabc::ir::{Fraction, NetworkMetrics};
use fabc::model::{
    Arrangement, Bundlefly, Fabric, Family, FatTree, HyperX, Hypercube, LinkFailures, Plant, PolarFly,
    SlimFly, SpectralFly, Supernode, Torus,
};
use fabc::passes::measure;
use std::collections::BTreeMap;

/// Routers of a network whose bisection is measured here.
const AFFORDABLE: usize = 700;

/// The rows of a table, each by its columns.
fn rows(text: &str) -> Vec<BTreeMap<&str, &str>> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let columns: Vec<&str> = lines.next().expect("the columns").split(',').collect();
    lines.map(|line| columns.iter().copied().zip(line.split(',')).collect()).collect()
}

/// A network that the tables call by its name.
fn named(name: &str) -> Family {
    let consecutive = |a, h| dragonfly(a, h, a * h + 1, Arrangement::Consecutive);
    match name.trim_end_matches(" endpoint routers") {
        "PS-IQ 1064" => polarstar(11, Supernode::Iq, 3),
        "PS-Pal 949" => polarstar(8, Supernode::Paley, 6),
        "bundlefly 882" | "BF 882" => Family::Bundlefly(Bundlefly { q: 7, p: 9 }),
        "hyperx 9x9x8" | "HX 9x9x8" | "HX 648" => Family::HyperX(HyperX(vec![9, 9, 8])),
        "dragonfly 876" | "DF 876" => consecutive(12, 6),
        "spectralfly 1092" | "SF 1092" => Family::SpectralFly(SpectralFly { rho: 23, q: 13 }),
        "megafly 1040" | "MF 1040" => megafly(16, 8, Arrangement::Consecutive),
        "fat_tree 972" | "FT 972" => Family::FatTree(FatTree { levels: 3, arity: 18 }),
        "polarfly 13" | "PolarFly 13" => Family::PolarFly(PolarFly { q: 13, copies: 0 }),
        "slimfly 13" | "SlimFly 13" => Family::SlimFly(SlimFly { q: 13 }),
        "tsp264 palmtree" | "TSP264 palm" => dragonfly(8, 4, 33, Arrangement::Palmtree),
        "tsp264 consecutive" => consecutive(8, 4),
        "hypercube-8" => Family::Hypercube(Hypercube { dimensions: 8, folded: false }),
        "torus 8x8x8" => Family::Torus(Torus(vec![8, 8, 8])),
        other => panic!("no network `{other}`"),
    }
}

/// A network, measured and checked. Its bisection is searched from few starts only, if `brief`.
fn measured(family: Family, failures: Option<LinkFailures>, brief: bool) -> (Fabric, NetworkMetrics) {
    let mut fabric = roomy(family);
    let Plant::Network(network) = &mut fabric.plant else { unreachable!("the builder makes networks") };
    network.failures = failures;
    let network = network.clone();
    let topology = wired(&fabric);
    let halves = network.family.facts().halves();
    let (metrics, _) = measure::measure(&topology, &network, &fabric.demand, &halves, brief);
    if let Some(bisection) = &metrics.bisection {
        check::verify_bisection(&topology, &fabric.demand, bisection)
            .unwrap_or_else(|error| panic!("{:?}: {error}", network.family));
    }
    check::verify_paths_and_failures(&topology, network.failures.as_ref(), &metrics)
        .unwrap_or_else(|error| panic!("{:?}: {error}", network.family));
    (fabric, metrics)
}

#[test]
fn bisections_are_as_narrow_as_known() {
    let mut compared = 0;
    for row in rows(include_str!("../../data/bisection.csv")) {
        let number = |column: &str| row[column].parse::<u64>().ok();
        let family = match (row["kind"], number("q"), number("dprime")) {
            ("iq", Some(q), Some(degree)) => polarstar(q as u32, Supernode::Iq, degree as u32),
            ("paley", Some(q), Some(degree)) => polarstar(q as u32, Supernode::Paley, degree as u32),
            (name, ..) => named(name),
        };
        assert_eq!(number("routers"), Some(family.router_count() as u64), "{row:?}");
        if family.router_count() > AFFORDABLE {
            continue;
        }
        let (_, metrics) = measured(family, None, false);
        let bisection = metrics.bisection.expect("measured");
        assert_eq!(number("links"), Some(metrics.links), "{row:?}");
        assert_eq!(Some(bisection.by_spectrum), number("spectral_lower_bound"), "{row:?}");
        let known = [number("own_cut"), number("pair_split_cut")].into_iter().flatten().min().expect("a cut");
        assert!(bisection.at_most <= known, "{} of {row:?}", bisection.at_most);
        compared += 1;
    }
    assert_eq!(compared, 18);
}

#[test]
fn networks_fall_apart_and_widen_within_the_bands() {
    let table = rows(include_str!("../../data/link_failures.csv"));
    let mut compared = 0;
    for row in table.iter().filter(|row| !row["links"].is_empty()) {
        let (_, metrics) =
            measured(named(row["topology"]), Some(LinkFailures { percent: 60, seeds: 100 }), true);
        assert_eq!(
            [metrics.routers, metrics.links].map(|count| count.to_string()),
            [row["routers"], row["links"]],
            "{row:?}"
        );
        let failures = metrics.failures.expect("asked for");
        let share = |links: u64| links as f64 / metrics.links as f64;
        let batches: Vec<f64> =
            row["median_batches"].split(';').map(|share| share.parse().unwrap()).collect();
        let (least, most) = batches
            .iter()
            .fold((1.0f64, 0.0f64), |(least, most), &batch| (least.min(batch), most.max(batch)));
        let median = share(failures.median());
        assert!((least - 0.02..=most + 0.02).contains(&median), "{median}: {row:?}");
        // Extremes of 500 runs. These are 100 others.
        let runs = failures.parts_at.iter().map(|&links| share(links));
        let [low, high] = ["min", "max"].map(|column| row[column].parse::<f64>().unwrap());
        assert!(runs.clone().all(|run| (low - 0.1..=high + 0.05).contains(&run)), "{row:?}");
        let points = table
            .iter()
            .filter(|point| point["topology"] == row["topology"] && !point["diameter_min"].is_empty());
        for point in points {
            let value_at = |column: &str| point[column].parse::<f64>().unwrap();
            let curve = failures.curve.as_ref().expect("measured");
            let curve_points = curve
                .iter()
                .find(|reached| f64::from(reached.percent) == value_at("failed_percent"))
                .expect("every 5 percent");
            // One run of the many: the median one, which may have fallen apart by then.
            let Some(reach) = curve_points.reach else {
                assert!(
                    value_at("disconnected_of_20") > 0.0 || median <= value_at("failed_percent") / 100.0,
                    "{point:?}"
                );
                continue;
            };
            let hops = reach.average_hops().as_f64();
            let slack = 0.02 + (value_at("avg_hops_max") - value_at("avg_hops_min")) / 2.0;
            assert!((value_at("avg_hops_mean") - hops).abs() <= slack, "{hops}: {point:?}");
            let diameter = f64::from(reach.diameter);
            assert!(
                (value_at("diameter_min") - 1.0..=value_at("diameter_max") + 1.0).contains(&diameter),
                "{diameter}: {point:?}"
            );
        }
        compared += 1;
    }
    assert_eq!(compared, 8);
}

#[test]
fn shortest_paths_are_as_many_as_known() {
    let table = rows(include_str!("../../data/path_diversity.csv"));
    assert_eq!(table.len(), 9);
    for row in table {
        let (_, metrics) = measured(named(row["topology"]), None, true);
        let paths = metrics.paths.expect("measured");
        let four = |value: Option<Fraction>| format!("{:.4}", value.expect("pairs").as_f64());
        let distances = paths.at_any_distance();
        assert_eq!(
            [four(distances.mean()), four(distances.single_share())],
            [row["mean"], row["single_path_share"]],
            "{row:?}"
        );
        for (column, at) in ["d1", "d2", "d3"].into_iter().zip(&paths.by_distance) {
            assert_eq!(format!("{};{};{}", four(at.mean()), at.fewest, at.most), row[column], "{row:?}");
        }
        assert_eq!(
            paths.by_distance.len(),
            ["d1", "d2", "d3"].iter().filter(|column| !row[**column].is_empty()).count(),
            "{row:?}"
        );
        // In all of these it is the number of links of the narrowest router.
        let least_degree = roomy_least_degree(named(row["topology"]));
        assert_eq!(metrics.edge_connectivity, Some(least_degree), "{row:?}");
    }
}

fn roomy_least_degree(family: Family) -> u64 {
    let topology = wired(&roomy(family));
    topology.nodes().map(|node| topology.channels_from(node).count() as u64).min().expect("a router")
}
